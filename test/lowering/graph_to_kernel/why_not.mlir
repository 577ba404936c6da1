// RUN: teeny-opt %s -p graph-to-kernel --why-not=%d,%y -o %t 2>&1 | filecheck %s --check-prefix=SHARE
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%e,%y -o %t 2>&1 | filecheck %s --check-prefix=WRITTEN
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%e,%n -o %t 2>&1 | filecheck %s --check-prefix=APART
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%x,%y -o %t 2>&1 | filecheck %s --check-prefix=ARGUMENT
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%v,%y -o %t 2>&1 | filecheck %s --check-prefix=VIEW
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%c,%y -o %t 2>&1 | filecheck %s --check-prefix=BETWEEN
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%0,%y -o %t 2>&1 | filecheck %s --check-prefix=UNNAMED
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%q,%y -o %t 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: teeny-opt %s -p graph-to-kernel --why-not=%r,%g -o %t 2>&1 | filecheck %s --check-prefix=THROUGH
// RUN: teeny-opt %s -p graph-to-kernel -o %t.kernels
// RUN: teeny-opt %t.kernels -p kernel-to-uop --why-not=%d,%y -o %t 2>&1 | filecheck %s --check-prefix=BELOW
// RUN: not teeny-opt %s -p graph-to-kernel --why-not=%d 2>&1 | filecheck %s --check-prefix=USAGE

// Why two values do not share a kernel.

// SHARE:    why_not.mlir:33:3: remark: %d and %y share the kernel of %y
// WRITTEN:  remark: %e has a kernel of its own: the products or windows of a contraction would compute it again and again
// APART:    remark: neither %e nor %n needs the other, and their kernels run over other loops: [8, 16] and [3]
// ARGUMENT: remark: %x is an argument: it is in memory
// VIEW:     remark: %v is a view of %w: nothing computes it
// BETWEEN:  remark: %e lies between %c and %y and has a kernel of its own: the products
// THROUGH:  remark: neither %r nor %g needs the other, and one of their kernels needs, for something else, what the other writes
// UNNAMED:  remark: %0 and %y share the kernel of %y
// BELOW:    warning: --why-not: which values share a kernel is decided by graph-to-kernel, on the graph floor, and this pipeline has no such pass
// UNKNOWN:  warning: no function on tensors holds both %q and %y
// USAGE:    error: argument --why-not: '%d' is no pair of values: %a,%b
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>, %z: tensor<3xf32>) -> (tensor<8x64xf32>, tensor<3xf32>, tensor<2x64xf32>) {
  %c = graph.neg %x : tensor<8x16xf32>
  %e = graph.exp %c : tensor<8x16xf32>
  %d = graph.dot %e, %w contract [1] x [0] : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %0 = graph.reduce add %d axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %b = graph.broadcast %0 axes [0] : tensor<8xf32> -> tensor<8x64xf32>
  %y = graph.div %d, %b : tensor<8x64xf32>
  %n = graph.neg %z : tensor<3xf32>
  %v = graph.slice %w [4:6:1, 0:64:1] : tensor<16x64xf32> -> tensor<2x64xf32>
  func.return %y, %n, %v : tensor<8x64xf32>, tensor<3xf32>, tensor<2x64xf32>
}

func.func @through(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %p = graph.dot %x, %w contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %r = graph.neg %p : tensor<8x16xf32>
  %m = graph.reduce max %p axes [0, 1] : tensor<8x16xf32> -> tensor<f32>
  %k = graph.broadcast %m axes [] : tensor<f32> -> tensor<8x16xf32>
  %g = graph.add %x, %k : tensor<8x16xf32>
  func.return %p, %r, %g : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
