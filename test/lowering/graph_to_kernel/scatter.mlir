// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p graph-to-kernel,simplify-kernel,kernel-to-uop --split-input-file --check-each -o %t

// Constants are combined once for each position of the updates.
func.func @constants(%x: tensor<3xf32>, %n: tensor<?xf32, #graph.dims<[N]>>) -> tensor<3xf32> attributes {graph.symbols = #graph.symbols<[N in 0..9]>} {
  %zero = graph.constant dense<0> : tensor<i32>
  %i = graph.broadcast %zero axes [] : tensor<i32> -> tensor<?x4x1xi32, #graph.dims<[N, 4, 1]>>
  %one = graph.constant dense<1.0> : tensor<f32>
  %u = graph.broadcast %one axes [] : tensor<f32> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  %0 = graph.scatter add %x, %i, %u axes [0] : (tensor<3xf32>, tensor<?x4x1xi32, #graph.dims<[N, 4, 1]>>, tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @scatter(inout %out: !kernel.buf<[3] x f32>) dims(N in 0..9) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = arith.constant 0 : i32
// CHECK-NEXT:     %1 = arith.extsi %0 : i32 to i64
// CHECK-NEXT:     %2 = arith.index_cast %1 : i64 to index
// CHECK-NEXT:     %3 = kernel.index 3
// CHECK-NEXT:     %4 = arith.cmpi ult, %2, %3 : index
// CHECK-NEXT:     %5 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     kernel.scatter %5, %out[%2] if %4 over(%i, %j) {kind = "add"}
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @constants(in %x: !kernel.buf<[3] x f32>, in %n: !kernel.buf<[N] x f32>, out %output: !kernel.buf<[3] x f32>) dims(N in 0..9) attributes {program.names = ["x", "n", "output"]} {
// CHECK-NEXT:     program.launch @copy(%output, %x)
// CHECK-NEXT:     program.launch @scatter(%output)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Without updates there is nothing to combine.
func.func @none(%x: tensor<3xi16>, %i: tensor<3x0x1xi32>, %u: tensor<3x0xi16>) -> tensor<3xi16> {
  %0 = graph.scatter and %x, %i, %u axes [0] : (tensor<3xi16>, tensor<3x0x1xi32>, tensor<3x0xi16>) -> tensor<3xi16>
  func.return %0 : tensor<3xi16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[3] x i16>, in %x: !kernel.buf<[3] x i16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @none(in %x: !kernel.buf<[3] x i16>, in %i: !kernel.buf<[3, 0, 1] x i32>, in %u: !kernel.buf<[3, 0] x i16>, out %output: !kernel.buf<[3] x i16>) attributes {program.names = ["x", "i", "u", "output"]} {
// CHECK-NEXT:     program.launch @copy(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
