// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Reshapes: loops run over the axes that the computation knows, so that few divisions are left.

// Merged axes are stored without a division.

func.func @merge(%x: tensor<3x4xf32>) -> tensor<12xf32> {
  %n = graph.neg %x : tensor<3x4xf32>
  %y = graph.reshape %n : tensor<3x4xf32> -> tensor<12xf32>
  func.return %y : tensor<12xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[3, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i * 4 + %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @merge(in %x: !kernel.buf<[3, 4] x f32>, out %output: !kernel.buf<[12] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Split axes divide where they are read.

func.func @split(%x: tensor<12xf32>) -> tensor<3x4xf32> {
  %n = graph.neg %x : tensor<12xf32>
  %y = graph.reshape %n : tensor<12xf32> -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[3, 4] x f32>, in %x: !kernel.buf<[12] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i * 4 + %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @split(in %x: !kernel.buf<[12] x f32>, out %output: !kernel.buf<[3, 4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Only what was regrouped is.

func.func @inner(%x: tensor<2x6x5xf32>) -> tensor<2x3x2x5xf32> {
  %n = graph.neg %x : tensor<2x6x5xf32>
  %y = graph.reshape %n : tensor<2x6x5xf32> -> tensor<2x3x2x5xf32>
  func.return %y : tensor<2x3x2x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[2, 3, 2, 5] x f32>, in %x: !kernel.buf<[2, 6, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %k = kernel.range 0 to 2
// CHECK-NEXT:     %l = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j * 2 + %k, %l]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j, %k, %l]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @inner(in %x: !kernel.buf<[2, 6, 5] x f32>, out %output: !kernel.buf<[2, 3, 2, 5] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// No extent divides the other.

func.func @regroup(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %n = graph.neg %x : tensor<4x6xf32>
  %y = graph.reshape %n : tensor<4x6xf32> -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[3, 8] x f32>, in %x: !kernel.buf<[4, 6] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[(%i * 8 + %j) floordiv 6, (%i * 8 + %j) mod 6]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @regroup(in %x: !kernel.buf<[4, 6] x f32>, out %output: !kernel.buf<[3, 8] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @dynamic_merge(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?xf32, #graph.dims<[N * 4]>> attributes {graph.symbols = #graph.symbols<[N in 0..8]>} {
  %n = graph.neg %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %y = graph.reshape %n : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N * 4]>>
  func.return %y : tensor<?xf32, #graph.dims<[N * 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[N * 4] x f32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 0..8) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i * 4 + %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @dynamic_merge(in %x: !kernel.buf<[N, 4] x f32>, out %output: !kernel.buf<[N * 4] x f32>) dims(N in 0..8) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @dynamic_split(%x: tensor<?xf32, #graph.dims<[N * 4]>>) -> tensor<?x4xf32, #graph.dims<[N, 4]>> attributes {graph.symbols = #graph.symbols<[N in 0..8]>} {
  %n = graph.neg %x : tensor<?xf32, #graph.dims<[N * 4]>>
  %y = graph.reshape %n : tensor<?xf32, #graph.dims<[N * 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[N, 4] x f32>, in %x: !kernel.buf<[N * 4] x f32>) dims(N in 0..8) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i * 4 + %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @dynamic_split(in %x: !kernel.buf<[N * 4] x f32>, out %output: !kernel.buf<[N, 4] x f32>) dims(N in 0..8) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Ones come and go.

func.func @ones(%x: tensor<1x5x1xf32>) -> tensor<5x1x1x1xf32> {
  %n = graph.neg %x : tensor<1x5x1xf32>
  %y = graph.reshape %n : tensor<1x5x1xf32> -> tensor<5x1x1x1xf32>
  func.return %y : tensor<5x1x1x1xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[5, 1, 1, 1] x f32>, in %x: !kernel.buf<[1, 5, 1] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %x[0, %i, 0]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, 0, 0, 0]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @ones(in %x: !kernel.buf<[1, 5, 1] x f32>, out %output: !kernel.buf<[5, 1, 1, 1] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @neg(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @read_by_an_op(%x: tensor<3x4xf32>, %y: tensor<12xf32>) -> tensor<12xf32> {
  %0 = graph.reshape %x : tensor<3x4xf32> -> tensor<12xf32>
  %1 = graph.add %0, %y : tensor<12xf32>
  func.return %1 : tensor<12xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add(out %out: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[3, 4] x f32>, in %y: !kernel.buf<[12] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 12
// CHECK-NEXT:     %0 = kernel.load %x[%i floordiv 4, %i mod 4]
// CHECK-NEXT:     %1 = kernel.load %y[%i]
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @read_by_an_op(in %x: !kernel.buf<[3, 4] x f32>, in %y: !kernel.buf<[12] x f32>, out %output: !kernel.buf<[12] x f32>) attributes {program.names = ["x", "y", "output"]} {
// CHECK-NEXT:     program.launch @add(%output, %x, %y)
// CHECK-NEXT:   }
// CHECK-NEXT: }
