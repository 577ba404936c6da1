// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Constants and indices.

// A constant of one value is built in, one of several is a buffer of the program.

func.func @constants(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %one = graph.constant dense<1.0> : tensor<2x2xf32>
  %some = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = graph.add %x, %one : tensor<2x2xf32>
  %1 = graph.mul %0, %some : tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add_mul(out %out: !kernel.buf<[2, 2] x f32>, in %x: !kernel.buf<[2, 2] x f32>, in %some: !kernel.buf<[2, 2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     %3 = kernel.load %some[%i, %j]
// CHECK-NEXT:     %4 = arith.mulf %2, %3 : f32
// CHECK-NEXT:     kernel.store %4, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @constants(in %x: !kernel.buf<[2, 2] x f32>, out %output: !kernel.buf<[2, 2] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     %some = program.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT:     program.launch @add_mul(%output, %x, %some)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Unsigned values keep their bits.

func.func @unsigned_constant(%x: tensor<2xui8>) -> tensor<2xui8> {
  %some = graph.constant dense<[255, 1]> : tensor<2xui8>
  %0 = graph.add %x, %some : tensor<2xui8>
  func.return %0 : tensor<2xui8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add(out %out: !kernel.buf<[2] x i8>, in %x: !kernel.buf<[2] x i8>, in %some: !kernel.buf<[2] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = kernel.load %some[%i]
// CHECK-NEXT:     %2 = arith.addi %0, %1 : i8
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @unsigned_constant(in %x: !kernel.buf<[2] x i8>, out %output: !kernel.buf<[2] x i8>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     %some = program.constant dense<[-1, 1]> : tensor<2xi8>
// CHECK-NEXT:     program.launch @add(%output, %x, %some)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What is returned is copied out of a buffer, or computed.

func.func @returned() -> (tensor<2xi64>, tensor<2xi64>) {
  %one = graph.constant dense<1> : tensor<2xi64>
  %some = graph.constant dense<[1, 2]> : tensor<2xi64>
  func.return %one, %some : tensor<2xi64>, tensor<2xi64>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @constant(out %out: !kernel.buf<[2] x i64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %0 = arith.constant 1 : i64
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[2] x i64>, in %some: !kernel.buf<[2] x i64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %some[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @returned(out %output0: !kernel.buf<[2] x i64>, out %output1: !kernel.buf<[2] x i64>) attributes {program.names = ["output0", "output1"]} {
// CHECK-NEXT:     %some = program.constant dense<[1, 2]> : tensor<2xi64>
// CHECK-NEXT:     program.launch @constant(%output0)
// CHECK-NEXT:     program.launch @copy(%output1, %some)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// An index is a number of the element type, wrapped or rounded.

func.func @iota() -> (tensor<?x3xf32, #graph.dims<[N, 3]>>, tensor<2x300xi8>) attributes {graph.symbols = #graph.symbols<[N in 0..]>} {
  %0 = graph.iota axis 0 : tensor<?x3xf32, #graph.dims<[N, 3]>>
  %1 = graph.iota axis 1 : tensor<2x300xi8>
  func.return %0, %1 : tensor<?x3xf32, #graph.dims<[N, 3]>>, tensor<2x300xi8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @iota_1(out %out: !kernel.buf<[N, 3] x f32>) dims(N in 0..) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %0 = arith.index_cast %i : index to i64
// CHECK-NEXT:     %1 = arith.sitofp %0 : i64 to f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @iota_2(out %out: !kernel.buf<[2, 300] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 300
// CHECK-NEXT:     %0 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %1 = arith.trunci %0 : i64 to i8
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @iota(out %output0: !kernel.buf<[N, 3] x f32>, out %output1: !kernel.buf<[2, 300] x i8>) dims(N in 0..) attributes {program.names = ["output0", "output1"]} {
// CHECK-NEXT:     program.launch @iota_1(%output0)
// CHECK-NEXT:     program.launch @iota_2(%output1)
// CHECK-NEXT:   }
// CHECK-NEXT: }
