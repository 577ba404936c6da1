// RUN: teeny-opt %s -p graph-to-kernel --split-input-file --verify-roundtrip | FileCheck %s
// RUN: teeny-opt %s -p graph-to-kernel,kernel-to-uop --split-input-file --check-each -o %t

// Results that need no kernel, since they lie in an argument in one piece.

func.func @reshape(%x: tensor<32x32xf32>) -> tensor<32x16xf32> {
  %0 = graph.reshape %x : tensor<32x32xf32> -> tensor<64x16xf32>
  %1 = graph.slice %0 [8:40:1, 0:16:1] : tensor<64x16xf32> -> tensor<32x16xf32>
  func.return %1 : tensor<32x16xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   program.func @reshape(in %x: !kernel.buf<[32, 32] x f32>, out %output: !kernel.buf<[32, 16] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.view %output of %x at 128
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @argument(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.neg %x : tensor<4xf32>
  func.return %x, %0 : tensor<4xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @argument(in %x: !kernel.buf<[4] x f32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     program.view %output0 of %x at 0
// CHECK-NEXT:     program.launch @neg(%output1, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A row, transposed, is a column without a move.

func.func @column(%x: tensor<4x8xbf16>) -> tensor<8x1xbf16> {
  %0 = graph.slice %x [2:3:1, 0:8:1] : tensor<4x8xbf16> -> tensor<1x8xbf16>
  %1 = graph.permute %0 [1, 0] : tensor<1x8xbf16> -> tensor<8x1xbf16>
  func.return %1 : tensor<8x1xbf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   program.func @column(in %x: !kernel.buf<[4, 8] x bf16>, out %output: !kernel.buf<[8, 1] x bf16>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.view %output of %x at 16
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Where a part begins may depend on an extent.

func.func @half(%x: tensor<?x4xf32, #graph.dims<[2 * N, 4]>>) -> tensor<?x4xf32, #graph.dims<[N, 4]>>
    attributes {graph.symbols = #graph.symbols<[N in 1..8]>} {
  %0 = graph.slice %x [N:2 * N:1, 0:4:1] : tensor<?x4xf32, #graph.dims<[2 * N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return %0 : tensor<?x4xf32, #graph.dims<[N, 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   program.func @half(in %x: !kernel.buf<[N * 2, 4] x f32>, out %output: !kernel.buf<[N, 4] x f32>) dims(N in 1..8) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.view %output of %x at N * 4
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What is not in one piece is moved.

func.func @columns(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %0 = graph.slice %x [0:4:1, 2:4:1] : tensor<4x8xf32> -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @slice(out %out: !kernel.buf<[4, 2] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j + 2]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @columns(in %x: !kernel.buf<[4, 8] x f32>, out %output: !kernel.buf<[4, 2] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @slice(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @every_other(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = graph.slice %x [0:8:2] : tensor<8xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @slice(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i * 2]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @every_other(in %x: !kernel.buf<[8] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @slice(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @repeated(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.broadcast %x axes [1] : tensor<4xf32> -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @broadcast(out %out: !kernel.buf<[2, 4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%j]
// CHECK-NEXT:     kernel.store %0, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @repeated(in %x: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[2, 4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @broadcast(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
