// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Reductions: a range for each reduced axis, closed by `kernel.reduce`.

func.func @rows(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  %s = graph.reduce add %x axes [1] : tensor<4x5xf32> -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_5(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @rows(in %x: !kernel.buf<[4, 5] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum_5(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @columns(%x: tensor<4x5xf32>) -> tensor<5xf32> {
  %s = graph.reduce add %x axes [0] : tensor<4x5xf32> -> tensor<5xf32>
  func.return %s : tensor<5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_4(out %out: !kernel.buf<[5] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 5
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%j, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @columns(in %x: !kernel.buf<[4, 5] x f32>, out %output: !kernel.buf<[5] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum_4(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @all(%x: tensor<4x?xf32, #graph.dims<[4, N]>>) -> tensor<f32> attributes {graph.symbols = #graph.symbols<[N in 0..64]>} {
  %s = graph.reduce max %x axes [0, 1] : tensor<4x?xf32, #graph.dims<[4, N]>> -> tensor<f32>
  func.return %s : tensor<f32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @max(out %out: !kernel.buf<[] x f32>, in %x: !kernel.buf<[4, N] x f32>) dims(N in 0..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%i, %j) {kind = "max"}
// CHECK-NEXT:     kernel.store %1, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @all(in %x: !kernel.buf<[4, N] x f32>, out %output: !kernel.buf<[] x f32>) dims(N in 0..64) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @max(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// An axis of one element needs no loop.

func.func @of_one(%x: tensor<4x1xi32>) -> tensor<4xi32> {
  %s = graph.reduce mul %x axes [1] : tensor<4x1xi32> -> tensor<4xi32>
  func.return %s : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @prod_1(out %out: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4, 1] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i, 0]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @of_one(in %x: !kernel.buf<[4, 1] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @prod_1(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Half floats are summed in single precision and rounded once.

func.func @half(%x: tensor<4x5xf16>) -> tensor<4xf16> {
  %s = graph.reduce add %x axes [1] : tensor<4x5xf16> -> tensor<4xf16>
  func.return %s : tensor<4xf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_5(out %out: !kernel.buf<[4] x f16>, in %x: !kernel.buf<[4, 5] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = kernel.reduce %1 over(%j) {kind = "add"}
// CHECK-NEXT:     %3 = arith.truncf %2 : f32 to f16
// CHECK-NEXT:     kernel.store %3, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @half(in %x: !kernel.buf<[4, 5] x f16>, out %output: !kernel.buf<[4] x f16>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum_5(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @unsigned(%x: tensor<4x5xui8>) -> tensor<4xui8> {
  %s = graph.reduce max %x axes [1] : tensor<4x5xui8> -> tensor<4xui8>
  func.return %s : tensor<4xui8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @max_5(out %out: !kernel.buf<[4] x i8>, in %x: !kernel.buf<[4, 5] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "umax"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @unsigned(in %x: !kernel.buf<[4, 5] x i8>, out %output: !kernel.buf<[4] x i8>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @max_5(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @bools(%x: tensor<4x5xi1>) -> tensor<4xi1> {
  %s = graph.reduce and %x axes [1] : tensor<4x5xi1> -> tensor<4xi1>
  func.return %s : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @and_5(out %out: !kernel.buf<[4] x i1>, in %x: !kernel.buf<[4, 5] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "and"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @bools(in %x: !kernel.buf<[4, 5] x i1>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @and_5(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// No axis: a copy.

func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.reduce add %x axes [] : tensor<4xf32> -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @nothing(in %x: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Of no elements: the identity.

func.func @empty(%x: tensor<2x0xf32>) -> tensor<2xf32> {
  %s = graph.reduce min %x axes [1] : tensor<2x0xf32> -> tensor<2xf32>
  func.return %s : tensor<2xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @min_0(out %out: !kernel.buf<[2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 0
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "min"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @empty(in %x: !kernel.buf<[2, 0] x f32>, out %output: !kernel.buf<[2] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @min_0(%output)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Reductions of reductions nest.

func.func @nested(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = graph.reduce add %x axes [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %1 = graph.exp %0 : tensor<2x3xf32>
  %2 = graph.reduce max %1 axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  func.return %2 : tensor<2xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_4_exp_max_3(out %out: !kernel.buf<[2] x f32>, in %x: !kernel.buf<[2, 3, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %k = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j, %k]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "add"}
// CHECK-NEXT:     %2 = math.exp %1 : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%j) {kind = "max"}
// CHECK-NEXT:     kernel.store %3, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @nested(in %x: !kernel.buf<[2, 3, 4] x f32>, out %output: !kernel.buf<[2] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum_4_exp_max_3(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
