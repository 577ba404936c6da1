// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Elements from several places: gates say which.

func.func @pad(%x: tensor<4x4xf32>, %v: tensor<f32>) -> tensor<7x4xf32> {
  %y = graph.pad %x, %v low [1, 0] high [2, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<7x4xf32>
  func.return %y : tensor<7x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pad_1(out %out: !kernel.buf<[7, 4] x f32>, in %x: !kernel.buf<[4, 4] x f32>, in %v: !kernel.buf<[] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 7
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %v[]
// CHECK-NEXT:     %1 = kernel.index %i - 1
// CHECK-NEXT:     %2 = kernel.index 4
// CHECK-NEXT:     %3 = arith.cmpi ult, %1, %2 : index
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = kernel.load %x[%i - 1, %j] if %3 else %4
// CHECK-NEXT:     %6 = arith.select %3, %5, %0 : f32
// CHECK-NEXT:     kernel.store %6, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @pad(in %x: !kernel.buf<[4, 4] x f32>, in %v: !kernel.buf<[] x f32>, out %output: !kernel.buf<[7, 4] x f32>) attributes {program.names = ["x", "v", "output"]} {
// CHECK-NEXT:     program.launch @pad_1(%output, %x, %v)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Padding by an extent.

func.func @pad_dynamic(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x4xf32, #graph.dims<[N * 2, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  %v = graph.constant dense<0.0> : tensor<f32>
  %y = graph.pad %x, %v low [N, 0] high [0, 0] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<f32>) -> tensor<?x4xf32, #graph.dims<[N * 2, 4]>>
  func.return %y : tensor<?x4xf32, #graph.dims<[N * 2, 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pad(out %out: !kernel.buf<[N * 2, 4] x f32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N * 2
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = kernel.index -N + %i
// CHECK-NEXT:     %2 = kernel.index N
// CHECK-NEXT:     %3 = arith.cmpi ult, %1, %2 : index
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = kernel.load %x[-N + %i, %j] if %3 else %4
// CHECK-NEXT:     %6 = arith.select %3, %5, %0 : f32
// CHECK-NEXT:     kernel.store %6, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @pad_dynamic(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[N * 2, 4] x f32>) dims(N in 1..64) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @pad(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Padding of nothing.

func.func @pad_empty(%x: tensor<0xf32>, %v: tensor<f32>) -> tensor<1xf32> {
  %y = graph.pad %x, %v low [1] high [0] : (tensor<0xf32>, tensor<f32>) -> tensor<1xf32>
  func.return %y : tensor<1xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pad(out %out: !kernel.buf<[1] x f32>, in %v: !kernel.buf<[] x f32>) {
// CHECK-NEXT:     %0 = kernel.load %v[]
// CHECK-NEXT:     %1 = kernel.index -1
// CHECK-NEXT:     %2 = kernel.index 0
// CHECK-NEXT:     %3 = arith.cmpi ult, %1, %2 : index
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.select %3, %4, %0 : f32
// CHECK-NEXT:     kernel.store %5, %out[0]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @pad_empty(in %x: !kernel.buf<[0] x f32>, in %v: !kernel.buf<[] x f32>, out %output: !kernel.buf<[1] x f32>) attributes {program.names = ["x", "v", "output"]} {
// CHECK-NEXT:     program.launch @pad(%output, %v)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %y = graph.concat %a, %b, %c axis 1 : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  func.return %y : tensor<2x6xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @concat_1(out %out: !kernel.buf<[2, 6] x f32>, in %a: !kernel.buf<[2, 3] x f32>, in %b: !kernel.buf<[2, 1] x f32>, in %c: !kernel.buf<[2, 2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 6
// CHECK-NEXT:     %0 = kernel.index 3
// CHECK-NEXT:     %1 = arith.cmpi ult, %j, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %3 = kernel.load %a[%i, %j] if %1 else %2
// CHECK-NEXT:     %4 = kernel.index %j - 3
// CHECK-NEXT:     %5 = kernel.index 1
// CHECK-NEXT:     %6 = arith.cmpi ult, %4, %5 : index
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %8 = kernel.load %b[%i, %j - 3] if %6 else %7
// CHECK-NEXT:     %9 = arith.select %6, %8, %3 : f32
// CHECK-NEXT:     %10 = kernel.index %j - 4
// CHECK-NEXT:     %11 = kernel.index 2
// CHECK-NEXT:     %12 = arith.cmpi ult, %10, %11 : index
// CHECK-NEXT:     %13 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %14 = kernel.load %c[%i, %j - 4] if %12 else %13
// CHECK-NEXT:     %15 = arith.select %12, %14, %9 : f32
// CHECK-NEXT:     kernel.store %15, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @concat(in %a: !kernel.buf<[2, 3] x f32>, in %b: !kernel.buf<[2, 1] x f32>, in %c: !kernel.buf<[2, 2] x f32>, out %output: !kernel.buf<[2, 6] x f32>) attributes {program.names = ["a", "b", "c", "output"]} {
// CHECK-NEXT:     program.launch @concat_1(%output, %a, %b, %c)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A part without elements is never asked.

func.func @concat_empty(%a: tensor<0xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.concat %a, %b axis 0 : (tensor<0xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   program.func @concat_empty(in %a: !kernel.buf<[0] x f32>, in %b: !kernel.buf<[3] x f32>, out %output: !kernel.buf<[3] x f32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.view %output of %b at 0
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Pooling: the maximum of padded windows.

func.func @max_pool(%x: tensor<1x2x5x5xf32>) -> tensor<1x2x3x3xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %0 = graph.pad %x, %low low [0, 0, 1, 1] high [0, 0, 1, 1] : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x7x7xf32>
  %1 = graph.window %0 axes [2, 3] size [3, 3] stride [2, 2] dilation [1, 1] : tensor<1x2x7x7xf32> -> tensor<1x2x3x3x3x3xf32>
  %2 = graph.reduce max %1 axes [4, 5] : tensor<1x2x3x3x3x3xf32> -> tensor<1x2x3x3xf32>
  func.return %2 : tensor<1x2x3x3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @max_3x3(out %out: !kernel.buf<[1, 2, 3, 3] x f32>, in %x: !kernel.buf<[1, 2, 5, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %k = kernel.range 0 to 3
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %0 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %1 = kernel.index %j * 2 + %l - 1
// CHECK-NEXT:     %2 = kernel.index 5
// CHECK-NEXT:     %3 = arith.cmpi ult, %1, %2 : index
// CHECK-NEXT:     %4 = kernel.index %k * 2 + %m - 1
// CHECK-NEXT:     %5 = arith.cmpi ult, %4, %2 : index
// CHECK-NEXT:     %6 = arith.andi %3, %5 : i1
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %8 = kernel.load %x[0, %i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %6 else %7
// CHECK-NEXT:     %9 = arith.select %6, %8, %0 : f32
// CHECK-NEXT:     %10 = kernel.reduce %9 over(%l, %m) {kind = "max"}
// CHECK-NEXT:     kernel.store %10, %out[0, %i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @max_pool(in %x: !kernel.buf<[1, 2, 5, 5] x f32>, out %output: !kernel.buf<[1, 2, 3, 3] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @max_3x3(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
