// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Movement is index arithmetic.

func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = graph.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  func.return %y : tensor<4x2x3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @permute_1(out %out: !kernel.buf<[4, 2, 3] x f32>, in %x: !kernel.buf<[2, 3, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %k = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%j, %k, %i]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @permute(in %x: !kernel.buf<[2, 3, 4] x f32>, out %output: !kernel.buf<[4, 2, 3] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @permute_1(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @broadcast(%x: tensor<1x4xf32>) -> tensor<5x3x4xf32> {
  %y = graph.broadcast %x axes [0, 2] : tensor<1x4xf32> -> tensor<5x3x4xf32>
  func.return %y : tensor<5x3x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @broadcast_1(out %out: !kernel.buf<[5, 3, 4] x f32>, in %x: !kernel.buf<[1, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 5
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %k = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[0, %k]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @broadcast(in %x: !kernel.buf<[1, 4] x f32>, out %output: !kernel.buf<[5, 3, 4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @broadcast_1(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @slice(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x2xf32, #graph.dims<[N floordiv 2, 2]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %y = graph.slice %x [1:N:2, 0:4:3] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x2xf32, #graph.dims<[N floordiv 2, 2]>>
  func.return %y : tensor<?x2xf32, #graph.dims<[N floordiv 2, 2]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @slice_1(out %out: !kernel.buf<[N floordiv 2, 2] x f32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to N floordiv 2
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %x[%i * 2 + 1, %j * 3]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @slice(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[N floordiv 2, 2] x f32>) dims(N in 1..) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @slice_1(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @flip(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x4xf32, #graph.dims<[N, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %y = graph.flip %x axes [0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @flip_1(out %out: !kernel.buf<[N, 4] x f32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[N - %i - 1, %j]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @flip(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[N, 4] x f32>) dims(N in 1..) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @flip_1(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @window(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x2x2xf32, #graph.dims<[N, 2, 2]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %y = graph.window %x axes [1] size [2] stride [2] dilation [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x2x2xf32, #graph.dims<[N, 2, 2]>>
  func.return %y : tensor<?x2x2xf32, #graph.dims<[N, 2, 2]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   program.func @window(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[N, 2, 2] x f32>) dims(N in 1..) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.view %output of %x at 0
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// One movement after the other is still one index.

func.func @chain(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<2x?xf32, #graph.dims<[2, N]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %0 = graph.flip %x axes [0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  %1 = graph.permute %0 [1, 0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<4x?xf32, #graph.dims<[4, N]>>
  %2 = graph.slice %1 [1:3:1, 0:N:1] : tensor<4x?xf32, #graph.dims<[4, N]>> -> tensor<2x?xf32, #graph.dims<[2, N]>>
  func.return %2 : tensor<2x?xf32, #graph.dims<[2, N]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @slice(out %out: !kernel.buf<[2, N] x f32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %0 = kernel.load %x[N - %j - 1, %i + 1]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @chain(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[2, N] x f32>) dims(N in 1..) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @slice(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
