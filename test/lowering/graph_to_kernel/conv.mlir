// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Convolutions: windows of the input times the kernel, zeros beside it.

func.func @plain(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32> {
  %y = graph.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
  func.return %y : tensor<2x4x6x6xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @conv3x3(out %out: !kernel.buf<[2, 4, 6, 6] x f32>, in %x: !kernel.buf<[2, 3, 8, 8] x f32>, in %w: !kernel.buf<[4, 3, 3, 3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 6
// CHECK-NEXT:     %l = kernel.range 0 to 6
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %n = kernel.range 0 to 3
// CHECK-NEXT:     %o = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%i, %m, %k + %n, %l + %o]
// CHECK-NEXT:     %1 = kernel.load %w[%j, %m, %n, %o]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%m, %n, %o) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j, %k, %l]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @plain(in %x: !kernel.buf<[2, 3, 8, 8] x f32>, in %w: !kernel.buf<[4, 3, 3, 3] x f32>, out %output: !kernel.buf<[2, 4, 6, 6] x f32>) attributes {program.names = ["x", "w", "output"]} {
// CHECK-NEXT:     program.launch @conv3x3(%output, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A gated load gives the zeros.

func.func @padded(%x: tensor<?x3x8x8xf32, #graph.dims<[N, 3, 8, 8]>>, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x4x6xf32, #graph.dims<[N, 4, 4, 6]>> attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  %y = graph.conv %x, %w stride [2, 1] pad [[1, 1], [0, 2]] dilation [1, 2] groups 1 : (tensor<?x3x8x8xf32, #graph.dims<[N, 3, 8, 8]>>, tensor<4x3x3x3xf32>) -> tensor<?x4x4x6xf32, #graph.dims<[N, 4, 4, 6]>>
  func.return %y : tensor<?x4x4x6xf32, #graph.dims<[N, 4, 4, 6]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @conv3x3(out %out: !kernel.buf<[N, 4, 4, 6] x f32>, in %x: !kernel.buf<[N, 3, 8, 8] x f32>, in %w: !kernel.buf<[4, 3, 3, 3] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 4
// CHECK-NEXT:     %l = kernel.range 0 to 6
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %n = kernel.range 0 to 3
// CHECK-NEXT:     %o = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.index %k * 2 + %n - 1
// CHECK-NEXT:     %1 = kernel.index 8
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = kernel.index %l + %o * 2
// CHECK-NEXT:     %4 = arith.cmpi ult, %3, %1 : index
// CHECK-NEXT:     %5 = arith.andi %2, %4 : i1
// CHECK-NEXT:     %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %7 = kernel.load %x[%i, %m, %k * 2 + %n - 1, %l + %o * 2] if %5 else %6
// CHECK-NEXT:     %8 = kernel.load %w[%j, %m, %n, %o]
// CHECK-NEXT:     %9 = arith.mulf %7, %8 fastmath<contract> : f32
// CHECK-NEXT:     %10 = kernel.reduce %9 over(%m, %n, %o) {kind = "add"}
// CHECK-NEXT:     kernel.store %10, %out[%i, %j, %k, %l]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @padded(in %x: !kernel.buf<[N, 3, 8, 8] x f32>, in %w: !kernel.buf<[4, 3, 3, 3] x f32>, out %output: !kernel.buf<[N, 4, 4, 6] x f32>) dims(N in 1..64) attributes {program.names = ["x", "w", "output"]} {
// CHECK-NEXT:     program.launch @conv3x3(%output, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @grouped(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) -> tensor<1x6x6xf32> {
  %y = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 2 : (tensor<1x4x8xf32>, tensor<6x2x3xf32>) -> tensor<1x6x6xf32>
  func.return %y : tensor<1x6x6xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @conv3(out %out: !kernel.buf<[1, 6, 6] x f32>, in %x: !kernel.buf<[1, 4, 8] x f32>, in %w: !kernel.buf<[6, 2, 3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 6
// CHECK-NEXT:     %j = kernel.range 0 to 6
// CHECK-NEXT:     %k = kernel.range 0 to 2
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[0, %i floordiv 3 * 2 + %k, %j + %l]
// CHECK-NEXT:     %1 = kernel.load %w[%i, %k, %l]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k, %l) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[0, %i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @grouped(in %x: !kernel.buf<[1, 4, 8] x f32>, in %w: !kernel.buf<[6, 2, 3] x f32>, out %output: !kernel.buf<[1, 6, 6] x f32>) attributes {program.names = ["x", "w", "output"]} {
// CHECK-NEXT:     program.launch @conv3(%output, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Each channel by itself, of one kernel channel.

func.func @depthwise(%x: tensor<1x4x8xf16>, %w: tensor<4x1x3xf16>) -> tensor<1x4x8xf16> {
  %y = graph.conv %x, %w stride [1] pad [[1, 1]] dilation [1] groups 4 : (tensor<1x4x8xf16>, tensor<4x1x3xf16>) -> tensor<1x4x8xf16>
  func.return %y : tensor<1x4x8xf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @conv3(out %out: !kernel.buf<[1, 4, 8] x f16>, in %x: !kernel.buf<[1, 4, 8] x f16>, in %w: !kernel.buf<[4, 1, 3] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.index %j + %k - 1
// CHECK-NEXT:     %1 = kernel.index 8
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:     %4 = kernel.load %x[0, %i, %j + %k - 1] if %2 else %3
// CHECK-NEXT:     %5 = arith.extf %4 : f16 to f32
// CHECK-NEXT:     %6 = kernel.load %w[%i, 0, %k]
// CHECK-NEXT:     %7 = arith.extf %6 : f16 to f32
// CHECK-NEXT:     %8 = arith.mulf %5, %7 fastmath<contract> : f32
// CHECK-NEXT:     %9 = kernel.reduce %8 over(%k) {kind = "add"}
// CHECK-NEXT:     %10 = arith.truncf %9 : f32 to f16
// CHECK-NEXT:     kernel.store %10, %out[0, %i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @depthwise(in %x: !kernel.buf<[1, 4, 8] x f16>, in %w: !kernel.buf<[4, 1, 3] x f16>, out %output: !kernel.buf<[1, 4, 8] x f16>) attributes {program.names = ["x", "w", "output"]} {
// CHECK-NEXT:     program.launch @conv3(%output, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What is computed beside the input is not zero by itself.

func.func @of_a_constant(%w: tensor<1x1x3xf32>) -> tensor<1x1x4xf32> {
  %x = graph.constant dense<1.0> : tensor<1x1x4xf32>
  %y = graph.conv %x, %w stride [1] pad [[1, 1]] dilation [1] groups 1 : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  func.return %y : tensor<1x1x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @conv3(out %out: !kernel.buf<[1, 1, 4] x f32>, in %w: !kernel.buf<[1, 1, 3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.index %i + %j - 1
// CHECK-NEXT:     %1 = kernel.index 4
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.select %2, %3, %4 : f32
// CHECK-NEXT:     %6 = kernel.load %w[0, 0, %j]
// CHECK-NEXT:     %7 = arith.mulf %5, %6 fastmath<contract> : f32
// CHECK-NEXT:     %8 = kernel.reduce %7 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %8, %out[0, 0, %i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @of_a_constant(in %w: !kernel.buf<[1, 1, 3] x f32>, out %output: !kernel.buf<[1, 1, 4] x f32>) attributes {program.names = ["w", "output"]} {
// CHECK-NEXT:     program.launch @conv3(%output, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }
