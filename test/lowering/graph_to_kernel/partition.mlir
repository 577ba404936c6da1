// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Which tensors are written to memory: one kernel for each of these.

// An epilogue joins the product that it follows.

func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %0 = graph.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = graph.broadcast %b axes [1] : tensor<5xf32> -> tensor<4x5xf32>
  %2 = graph.add %0, %1 : tensor<4x5xf32>
  %3 = graph.tanh %2 : tensor<4x5xf32>
  func.return %3 : tensor<4x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot_add_tanh(out %out: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>, in %b: !kernel.buf<[5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.load %b[%j]
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %1 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %2 = kernel.load %w[%k, %j]
// CHECK-NEXT:     %3 = arith.mulf %1, %2 fastmath<contract> : f32
// CHECK-NEXT:     %4 = kernel.reduce %3 over(%k) {kind = "add"}
// CHECK-NEXT:     %5 = arith.addf %4, %0 : f32
// CHECK-NEXT:     %6 = math.tanh %5 : f32
// CHECK-NEXT:     kernel.store %6, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @epilogue(in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>, in %b: !kernel.buf<[5] x f32>, out %output: !kernel.buf<[4, 5] x f32>) attributes {program.names = ["x", "w", "b", "output"]} {
// CHECK-NEXT:     program.launch @dot_add_tanh(%output, %x, %w, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What a product would compute again and again is written before.

func.func @prologue(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.dot %0, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[4, 5] x f32>, in %t: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %t[%i, %k]
// CHECK-NEXT:     %1 = kernel.load %w[%k, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @prologue(in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>, out %output: !kernel.buf<[4, 5] x f32>) attributes {program.names = ["x", "w", "output"]} {
// CHECK-NEXT:     %t = program.alloc : !kernel.buf<[4, 8] x f32>
// CHECK-NEXT:     program.launch @exp(%t, %x)
// CHECK-NEXT:     program.launch @dot(%output, %t, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Two kernels need it.

func.func @two_users(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.reduce add %0 axes [0] : tensor<4x8xf32> -> tensor<8xf32>
  %2 = graph.reduce max %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %1, %2 : tensor<8xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp_max_8(out %out: !kernel.buf<[4, 8] x f32>, out %out_1: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     %2 = kernel.reduce %1 over(%j) {kind = "max"}
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:     kernel.store %2, %out_1[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_4(out %out: !kernel.buf<[8] x f32>, in %t: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %t[%j, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_users(in %x: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[8] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     %t = program.alloc : !kernel.buf<[4, 8] x f32>
// CHECK-NEXT:     program.launch @exp_max_8(%t, %output1, %x)
// CHECK-NEXT:     program.launch @sum_4(%output0, %t)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Movement and casts are computed by each kernel again.

func.func @two_users_of_movement(%x: tensor<4x8xf16>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.cast %x : tensor<4x8xf16> to tensor<4x8xf32>
  %1 = graph.exp %0 : tensor<4x8xf32>
  %2 = graph.flip %0 axes [0] : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = math.exp %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @flip(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[-%i + 3, %j]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_users_of_movement(in %x: !kernel.buf<[4, 8] x f16>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp(%output0, %x)
// CHECK-NEXT:     program.launch @flip(%output1, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A diamond in one kernel is computed once.

func.func @diamond(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.sin %0 : tensor<4x8xf32>
  %2 = graph.cos %0 : tensor<4x8xf32>
  %3 = graph.add %1, %2 : tensor<4x8xf32>
  func.return %3 : tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp_sin_cos_add(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     %2 = math.sin %1 : f32
// CHECK-NEXT:     %3 = math.cos %1 : f32
// CHECK-NEXT:     %4 = arith.addf %2, %3 : f32
// CHECK-NEXT:     kernel.store %4, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @diamond(in %x: !kernel.buf<[4, 8] x f32>, out %output: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @exp_sin_cos_add(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Asked for at two indices, something costly is written.

func.func @two_indices(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.flip %0 axes [0] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @add(out %out: !kernel.buf<[4, 8] x f32>, in %t: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %t[%i, %j]
// CHECK-NEXT:     %1 = kernel.load %t[-%i + 3, %j]
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_indices(in %x: !kernel.buf<[4, 8] x f32>, out %output: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     %t = program.alloc : !kernel.buf<[4, 8] x f32>
// CHECK-NEXT:     program.launch @exp(%t, %x)
// CHECK-NEXT:     program.launch @add(%output, %t)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The sums of a softmax stand in the loop over the rows.

func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = graph.broadcast %0 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %2 = graph.sub %x, %1 : tensor<4x8xf32>
  %3 = graph.exp %2 : tensor<4x8xf32>
  %4 = graph.reduce add %3 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %5 = graph.broadcast %4 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %6 = graph.div %3, %5 : tensor<4x8xf32>
  func.return %6 : tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sub_exp_sum_8_div(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %l = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %l]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%l) {kind = "max"}
// CHECK-NEXT:     %2 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %3 = arith.subf %2, %1 : f32
// CHECK-NEXT:     %4 = math.exp %3 : f32
// CHECK-NEXT:     %row = kernel.stage %4[%k] over(%k) : !kernel.buf<[8] x f32, local>
// CHECK-NEXT:     %5 = kernel.reduce %4 over(%k) {kind = "add"}
// CHECK-NEXT:     %6 = kernel.load %row[%j]
// CHECK-NEXT:     %7 = arith.divf %6, %5 : f32
// CHECK-NEXT:     kernel.store %7, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @softmax(in %x: !kernel.buf<[4, 8] x f32>, out %output: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sub_exp_sum_8_div(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A sum over everything is formed once, before the loops over the result.

func.func @normalised(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce add %x axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4x8xf32>
  %2 = graph.div %x, %1 : tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_4x8_div(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 4
// CHECK-NEXT:     %l = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%k, %l]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k, %l) {kind = "add"}
// CHECK-NEXT:     %2 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %3 = arith.divf %2, %1 : f32
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @normalised(in %x: !kernel.buf<[4, 8] x f32>, out %output: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sum_4x8_div(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What is returned is written, and others read it there.

func.func @returned_and_used(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.reduce add %0 axes [0, 1] : tensor<4x8xf32> -> tensor<f32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<f32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_4x8(out %out: !kernel.buf<[] x f32>, in %output0: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %output0[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%i, %j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @returned_and_used(in %x: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[] x f32>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp(%output0, %x)
// CHECK-NEXT:     program.launch @sum_4x8(%output1, %output0)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Returned twice, or an argument: copies.

func.func @copies(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.exp %x : tensor<3xf32>
  func.return %0, %0, %x : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[3] x f32>, in %output0: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %output0[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @copies(in %x: !kernel.buf<[3] x f32>, out %output0: !kernel.buf<[3] x f32>, out %output1: !kernel.buf<[3] x f32>, out %output2: !kernel.buf<[3] x f32>) attributes {program.names = ["x", "output0", "output1", "output2"]} {
// CHECK-NEXT:     program.view %output2 of %x at 0
// CHECK-NEXT:     program.launch @exp(%output0, %x)
// CHECK-NEXT:     program.launch @copy(%output1, %output0)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Nothing is computed for nobody, or of nothing.

func.func @dead(%x: tensor<3xf32>, %unused: tensor<7xf32>, %empty: tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
  %0 = graph.exp %x : tensor<3xf32>
  %1 = graph.sin %x : tensor<3xf32>
  %2 = graph.exp %empty : tensor<0x3xf32>
  func.return %1, %2 : tensor<3xf32>, tensor<0x3xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sin(out %out: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.sin %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @dead(in %x: !kernel.buf<[3] x f32>, in %unused: !kernel.buf<[7] x f32>, in %empty: !kernel.buf<[0, 3] x f32>, out %output0: !kernel.buf<[3] x f32>, out %output1: !kernel.buf<[0, 3] x f32>) attributes {program.names = ["x", "unused", "empty", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @sin(%output0, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
