// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Products summed over the contracted axes; batch axes come first in the result.

func.func @matmul(%a: tensor<?x784xf32, #graph.dims<[N, 784]>>, %b: tensor<784x128xf32>) -> tensor<?x128xf32, #graph.dims<[N, 128]>> attributes {graph.symbols = #graph.symbols<[N in 1..1024]>} {
  %c = graph.dot %a, %b contract [1] x [0] : (tensor<?x784xf32, #graph.dims<[N, 784]>>, tensor<784x128xf32>) -> tensor<?x128xf32, #graph.dims<[N, 128]>>
  func.return %c : tensor<?x128xf32, #graph.dims<[N, 128]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[N, 128] x f32>, in %a: !kernel.buf<[N, 784] x f32>, in %b: !kernel.buf<[784, 128] x f32>) dims(N in 1..1024) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 128
// CHECK-NEXT:     %k = kernel.range 0 to 784
// CHECK-NEXT:     %0 = kernel.load %a[%i, %k]
// CHECK-NEXT:     %1 = kernel.load %b[%k, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @matmul(in %a: !kernel.buf<[N, 784] x f32>, in %b: !kernel.buf<[784, 128] x f32>, out %output: !kernel.buf<[N, 128] x f32>) dims(N in 1..1024) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @dot(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @batched(%a: tensor<8x2x3xf32>, %b: tensor<3x8x5xf32>) -> tensor<8x2x5xf32> {
  %c = graph.dot %a, %b contract [2] x [0] batch [0] x [1] : (tensor<8x2x3xf32>, tensor<3x8x5xf32>) -> tensor<8x2x5xf32>
  func.return %c : tensor<8x2x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[8, 2, 5] x f32>, in %a: !kernel.buf<[8, 2, 3] x f32>, in %b: !kernel.buf<[3, 8, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %k = kernel.range 0 to 5
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j, %l]
// CHECK-NEXT:     %1 = kernel.load %b[%l, %i, %k]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @batched(in %a: !kernel.buf<[8, 2, 3] x f32>, in %b: !kernel.buf<[3, 8, 5] x f32>, out %output: !kernel.buf<[8, 2, 5] x f32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @dot(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @all_axes_half(%a: tensor<2x3xf16>, %b: tensor<3x2xf16>) -> tensor<f16> {
  %c = graph.dot %a, %b contract [0, 1] x [1, 0] : (tensor<2x3xf16>, tensor<3x2xf16>) -> tensor<f16>
  func.return %c : tensor<f16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[] x f16>, in %a: !kernel.buf<[2, 3] x f16>, in %b: !kernel.buf<[3, 2] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = kernel.load %b[%j, %i]
// CHECK-NEXT:     %3 = arith.extf %2 : f16 to f32
// CHECK-NEXT:     %4 = arith.mulf %1, %3 fastmath<contract> : f32
// CHECK-NEXT:     %5 = kernel.reduce %4 over(%i, %j) {kind = "add"}
// CHECK-NEXT:     %6 = arith.truncf %5 : f32 to f16
// CHECK-NEXT:     kernel.store %6, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @all_axes_half(in %a: !kernel.buf<[2, 3] x f16>, in %b: !kernel.buf<[3, 2] x f16>, out %output: !kernel.buf<[] x f16>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @dot(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// No contracted axis: an outer product.

func.func @outer(%a: tensor<2xi32>, %b: tensor<3xi32>) -> tensor<2x3xi32> {
  %c = graph.dot %a, %b  : (tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  func.return %c : tensor<2x3xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[2, 3] x i32>, in %a: !kernel.buf<[2] x i32>, in %b: !kernel.buf<[3] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%j]
// CHECK-NEXT:     %2 = arith.muli %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @outer(in %a: !kernel.buf<[2] x i32>, in %b: !kernel.buf<[3] x i32>, out %output: !kernel.buf<[2, 3] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @dot(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }
