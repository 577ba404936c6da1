// RUN: teeny-opt %s -p graph-to-kernel --split-input-file --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p graph-to-kernel,kernel-to-uop --split-input-file --check-each -o %t

// Which kernel writes a tensor: one of its own, or one that writes others too.

// Siblings over the same loops that read the same elements.

func.func @siblings(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.add %a, %b : tensor<4x8xf32>
  %1 = graph.mul %a, %b : tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add_mul(out %out: !kernel.buf<[4, 8] x f32>, out %out_1: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 8] x f32>, in %b: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = kernel.load %b[%i, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:     %3 = arith.addf %0, %1 : f32
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:     kernel.store %2, %out_1[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @siblings(in %a: !kernel.buf<[4, 8] x f32>, in %b: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["a", "b", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @add_mul(%output0, %output1, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// They have nothing in common.

func.func @strangers(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.abs %a : tensor<4x8xf32>
  %1 = graph.neg %b : tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @abs(out %out: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = math.absf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[4, 8] x f32>, in %b: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %b[%i, %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @strangers(in %a: !kernel.buf<[4, 8] x f32>, in %b: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["a", "b", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @abs(%output0, %a)
// CHECK-NEXT:     program.launch @neg(%output1, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// They read the same tensor at other elements.

func.func @elsewhere(%a: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.reduce add %a axes [0] : tensor<4x4xf32> -> tensor<4xf32>
  %1 = graph.reduce add %a axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum_4(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%j, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_4_1(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @elsewhere(in %a: !kernel.buf<[4, 4] x f32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @sum_4(%output0, %a)
// CHECK-NEXT:     program.launch @sum_4_1(%output1, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A smaller result is stored by the outer loop, whichever comes first.

func.func @outer_first(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0 = graph.reduce max %a axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = graph.broadcast %0 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %2 = graph.sub %a, %1 : tensor<4x8xf32>
  func.return %0, %2 : tensor<4xf32>, tensor<4x8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @max_8_sub(out %out: !kernel.buf<[4] x f32>, out %out_1: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %k]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "max"}
// CHECK-NEXT:     %2 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %3 = arith.subf %2, %1 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:     kernel.store %3, %out_1[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @outer_first(in %a: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[4, 8] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @max_8_sub(%output0, %output1, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @outer_last(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = graph.neg %a : tensor<4x8xf32>
  %1 = graph.reduce max %a axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg_max_8(out %out: !kernel.buf<[4, 8] x f32>, out %out_1: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %2 = kernel.load %a[%i, %k]
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "max"}
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:     kernel.store %3, %out_1[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @outer_last(in %a: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @neg_max_8(%output0, %output1, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A reduction stores what it reads, in order.

func.func @passing(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = graph.exp %a : tensor<4x8xf32>
  %1 = graph.reduce add %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp_sum_8(out %out: !kernel.buf<[4, 8] x f32>, out %out_1: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     %2 = kernel.reduce %1 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:     kernel.store %2, %out_1[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @passing(in %a: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp_sum_8(%output0, %output1, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// It would store it column by column.

func.func @out_of_order(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %0 = graph.exp %a : tensor<4x8xf32>
  %1 = graph.reduce add %0 axes [0] : tensor<4x8xf32> -> tensor<8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i, %j]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_4(out %out: !kernel.buf<[8] x f32>, in %output0: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %output0[%j, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @out_of_order(in %a: !kernel.buf<[4, 8] x f32>, out %output0: !kernel.buf<[4, 8] x f32>, out %output1: !kernel.buf<[8] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp(%output0, %a)
// CHECK-NEXT:     program.launch @sum_4(%output1, %output0)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The second result needs a scan of the first one, and so runs after it.

func.func @ring(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.exp %a : tensor<8xf32>
  %1 = graph.scan add %0 axis 0 : tensor<8xf32> -> tensor<8xf32>
  %2 = graph.mul %a, %1 : tensor<8xf32>
  func.return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @cumsum(out %out: !kernel.buf<[8] x f32>, in %output0: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %output0[%i]
// CHECK-NEXT:     %1 = kernel.scan %0 along %i {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @mul(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>, in %t: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %t[%i]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @ring(in %a: !kernel.buf<[8] x f32>, out %output0: !kernel.buf<[8] x f32>, out %output1: !kernel.buf<[8] x f32>) attributes {program.names = ["a", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp(%output0, %a)
// CHECK-NEXT:     %t = program.alloc : !kernel.buf<[8] x f32>
// CHECK-NEXT:     program.launch @cumsum(%t, %output0)
// CHECK-NEXT:     program.launch @mul(%output1, %a, %t)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A kernel is launched before all that read what it writes, wherever their text stands.

func.func @order(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<8xf32>) {
  %0 = graph.exp %a : tensor<8xf32>
  %1 = graph.reduce add %0 axes [0] : tensor<8xf32> -> tensor<f32>
  %2 = graph.reduce add %b axes [0] : tensor<8xf32> -> tensor<f32>
  %3 = graph.broadcast %2 axes [] : tensor<f32> -> tensor<8xf32>
  %4 = graph.mul %a, %3 : tensor<8xf32>
  func.return %0, %1, %4 : tensor<8xf32>, tensor<f32>, tensor<8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp_sum_8_mul(out %out: !kernel.buf<[8] x f32>, out %out_1: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>, in %b: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %b[%j]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%j) {kind = "add"}
// CHECK-NEXT:     %2 = kernel.load %a[%i]
// CHECK-NEXT:     %3 = arith.mulf %2, %1 : f32
// CHECK-NEXT:     %4 = math.exp %2 : f32
// CHECK-NEXT:     kernel.store %4, %out[%i]
// CHECK-NEXT:     kernel.store %3, %out_1[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_8(out %out: !kernel.buf<[] x f32>, in %output0: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %output0[%i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%i) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @order(in %a: !kernel.buf<[8] x f32>, in %b: !kernel.buf<[8] x f32>, out %output0: !kernel.buf<[8] x f32>, out %output1: !kernel.buf<[] x f32>, out %output2: !kernel.buf<[8] x f32>) attributes {program.names = ["a", "b", "output0", "output1", "output2"]} {
// CHECK-NEXT:     program.launch @exp_sum_8_mul(%output0, %output2, %a, %b)
// CHECK-NEXT:     program.launch @sum_8(%output1, %output0)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A product joins no sibling.

func.func @products(%x: tensor<4x8xf32>, %v: tensor<8x5xf32>, %w: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = graph.dot %x, %v contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = graph.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  func.return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot(out %out: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %v: !kernel.buf<[8, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %1 = kernel.load %v[%k, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @dot_1(out %out: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %1 = kernel.load %w[%k, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @products(in %x: !kernel.buf<[4, 8] x f32>, in %v: !kernel.buf<[8, 5] x f32>, in %w: !kernel.buf<[8, 5] x f32>, out %output0: !kernel.buf<[4, 5] x f32>, out %output1: !kernel.buf<[4, 5] x f32>) attributes {program.names = ["x", "v", "w", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @dot(%output0, %x, %v)
// CHECK-NEXT:     program.launch @dot_1(%output1, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// But it is stored before its epilogue.

func.func @epilogue(%x: tensor<4x8xf32>, %w: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = graph.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = graph.tanh %0 : tensor<4x5xf32>
  func.return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @dot_tanh(out %out: !kernel.buf<[4, 5] x f32>, out %out_1: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 5
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %1 = kernel.load %w[%k, %j]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %3 = kernel.reduce %2 over(%k) {kind = "add"}
// CHECK-NEXT:     %4 = math.tanh %3 : f32
// CHECK-NEXT:     kernel.store %3, %out[%i, %j]
// CHECK-NEXT:     kernel.store %4, %out_1[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @epilogue(in %x: !kernel.buf<[4, 8] x f32>, in %w: !kernel.buf<[8, 5] x f32>, out %output0: !kernel.buf<[4, 5] x f32>, out %output1: !kernel.buf<[4, 5] x f32>) attributes {program.names = ["x", "w", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @dot_tanh(%output0, %output1, %x, %w)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A branch stands between them.

func.func @branch(%a: tensor<8xf32>, %c: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.neg %a : tensor<8xf32>
  %1 = graph.if %c {
    graph.yield %a
  } else {
    %3 = graph.exp %a : tensor<8xf32>
    graph.yield %3
  }
  %2 = graph.add %a, %1 : tensor<8xf32>
  func.return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @add(out %out: !kernel.buf<[8] x f32>, in %a: !kernel.buf<[8] x f32>, in %t: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %t[%i]
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @branch(in %a: !kernel.buf<[8] x f32>, in %c: !kernel.buf<[] x i1>, out %output0: !kernel.buf<[8] x f32>, out %output1: !kernel.buf<[8] x f32>) attributes {program.names = ["a", "c", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @neg(%output0, %a)
// CHECK-NEXT:     %t = program.alloc : !kernel.buf<[8] x f32>
// CHECK-NEXT:     program.if %c {
// CHECK-NEXT:       program.launch @copy(%t, %a)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       program.launch @exp(%t, %a)
// CHECK-NEXT:     }
// CHECK-NEXT:     program.launch @add(%output1, %a, %t)
// CHECK-NEXT:   }
// CHECK-NEXT: }
