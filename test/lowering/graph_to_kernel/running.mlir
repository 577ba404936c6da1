// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true running=true}" --remarks -o %t 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true running=true}" | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=KERNELS
// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true}" | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=APART
// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true running=true}" --why-not=%q0,%y0 -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=SHARED
// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true running=true}" --why-not=%q5,%y5 -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=WHY

// Rows of any length that are relative to a maximum are computed in one pass over blocks.

func.func @attention(%q: tensor<?x32xf32, #graph.dims<[M, 32]>>, %k: tensor<?x32xf32, #graph.dims<[N, 32]>>, %v: tensor<?x32xf32, #graph.dims<[N, 32]>>) -> tensor<?x32xf32, #graph.dims<[M, 32]>> attributes {graph.symbols = #graph.symbols<[M in 1.., N in 0..]>} {
  %q0 = graph.dot %q, %k contract [1] x [1] : (tensor<?x32xf32, #graph.dims<[M, 32]>>, tensor<?x32xf32, #graph.dims<[N, 32]>>) -> tensor<?x?xf32, #graph.dims<[M, N]>>
  %m = graph.reduce max %q0 axes [1] : tensor<?x?xf32, #graph.dims<[M, N]>> -> tensor<?xf32, #graph.dims<[M]>>
  %n = graph.broadcast %m axes [0] : tensor<?xf32, #graph.dims<[M]>> -> tensor<?x?xf32, #graph.dims<[M, N]>>
  %d = graph.sub %q0, %n : tensor<?x?xf32, #graph.dims<[M, N]>>
  %e = graph.exp %d : tensor<?x?xf32, #graph.dims<[M, N]>>
  %z = graph.reduce add %e axes [1] : tensor<?x?xf32, #graph.dims<[M, N]>> -> tensor<?xf32, #graph.dims<[M]>>
  %b = graph.broadcast %z axes [0] : tensor<?xf32, #graph.dims<[M]>> -> tensor<?x?xf32, #graph.dims<[M, N]>>
  %p = graph.div %e, %b : tensor<?x?xf32, #graph.dims<[M, N]>>
  %y0 = graph.dot %p, %v contract [1] x [0] : (tensor<?x?xf32, #graph.dims<[M, N]>>, tensor<?x32xf32, #graph.dims<[N, 32]>>) -> tensor<?x32xf32, #graph.dims<[M, 32]>>
  func.return %y0 : tensor<?x32xf32, #graph.dims<[M, 32]>>
}

// The exponentials are computed again where they are divided: all of a row would be 400,000 bytes.
func.func @softmax(%x: tensor<64x100000xf32>) -> tensor<64x100000xf32> {
  %m = graph.reduce max %x axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  %n = graph.broadcast %m axes [0] : tensor<64xf32> -> tensor<64x100000xf32>
  %d = graph.sub %x, %n : tensor<64x100000xf32>
  %e = graph.exp %d : tensor<64x100000xf32>
  %z = graph.reduce add %e axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  %b = graph.broadcast %z axes [0] : tensor<64xf32> -> tensor<64x100000xf32>
  %y = graph.div %e, %b : tensor<64x100000xf32>
  func.return %y : tensor<64x100000xf32>
}

// Along a middle axis: the maxima and sums of 64 columns are kept.
func.func @middle(%x: tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>) -> tensor<4x?x64xf32, #graph.dims<[4, N, 64]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %m = graph.reduce max %x axes [1] : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>> -> tensor<4x64xf32>
  %n = graph.broadcast %m axes [0, 2] : tensor<4x64xf32> -> tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
  %d = graph.sub %x, %n : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
  %e = graph.exp %d : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
  %z = graph.reduce add %e axes [1] : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>> -> tensor<4x64xf32>
  %b = graph.broadcast %z axes [0, 2] : tensor<4x64xf32> -> tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
  %y = graph.div %e, %b : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
  func.return %y : tensor<4x?x64xf32, #graph.dims<[4, N, 64]>>
}

// The quotients would need each product once more, so the products are written.
func.func @softmax_of_product(%x: tensor<64x32xf32>, %w: tensor<32x100000xf32>) -> tensor<64x100000xf32> {
  %s = graph.dot %x, %w contract [1] x [0] : (tensor<64x32xf32>, tensor<32x100000xf32>) -> tensor<64x100000xf32>
  %m = graph.reduce max %s axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  %n = graph.broadcast %m axes [0] : tensor<64xf32> -> tensor<64x100000xf32>
  %d = graph.sub %s, %n : tensor<64x100000xf32>
  %e = graph.exp %d : tensor<64x100000xf32>
  %z = graph.reduce add %e axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  %b = graph.broadcast %z axes [0] : tensor<64xf32> -> tensor<64x100000xf32>
  %y = graph.div %e, %b : tensor<64x100000xf32>
  func.return %y : tensor<64x100000xf32>
}

// Not relative to a maximum: squares of differences to a mean are no multiples of each other.
func.func @variance_of_product(%x: tensor<64x32xf32>, %w: tensor<32x100000xf32>) -> tensor<64xf32> {
  %s = graph.dot %x, %w contract [1] x [0] : (tensor<64x32xf32>, tensor<32x100000xf32>) -> tensor<64x100000xf32>
  %m = graph.reduce add %s axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  %n = graph.broadcast %m axes [0] : tensor<64xf32> -> tensor<64x100000xf32>
  %d = graph.sub %s, %n : tensor<64x100000xf32>
  %e = graph.mul %d, %d : tensor<64x100000xf32>
  %y = graph.reduce add %e axes [1] : tensor<64x100000xf32> -> tensor<64xf32>
  func.return %y : tensor<64xf32>
}

// Each row is multiplied with a matrix of its own: there is nothing to share in a block of rows.
func.func @own_matrices(%q: tensor<128x32xf32>, %k: tensor<4096x32xf32>, %v: tensor<128x4096x32xf32>) -> tensor<128x32xf32> {
  %q5 = graph.dot %q, %k contract [1] x [1] : (tensor<128x32xf32>, tensor<4096x32xf32>) -> tensor<128x4096xf32>
  %m = graph.reduce max %q5 axes [1] : tensor<128x4096xf32> -> tensor<128xf32>
  %n = graph.broadcast %m axes [0] : tensor<128xf32> -> tensor<128x4096xf32>
  %d = graph.sub %q5, %n : tensor<128x4096xf32>
  %e = graph.exp %d : tensor<128x4096xf32>
  %z = graph.reduce add %e axes [1] : tensor<128x4096xf32> -> tensor<128xf32>
  %b = graph.broadcast %z axes [0] : tensor<128xf32> -> tensor<128x4096xf32>
  %p = graph.div %e, %b : tensor<128x4096xf32>
  %y5 = graph.dot %p, %v contract [1] x [1] batch [0] x [0] : (tensor<128x4096xf32>, tensor<128x4096x32xf32>) -> tensor<128x32xf32>
  func.return %y5 : tensor<128x32xf32>
}

// What all rows are multiplied with is computed for them once.
func.func @projected(%q: tensor<8x512x32xf32>, %k: tensor<8x4096x32xf32>, %x: tensor<4096x64xf32>, %w: tensor<64x256xf32>) -> tensor<8x512x32xf32> {
  %q6 = graph.dot %q, %k contract [2] x [2] batch [0] x [0] : (tensor<8x512x32xf32>, tensor<8x4096x32xf32>) -> tensor<8x512x4096xf32>
  %m = graph.reduce max %q6 axes [2] : tensor<8x512x4096xf32> -> tensor<8x512xf32>
  %n = graph.broadcast %m axes [0, 1] : tensor<8x512xf32> -> tensor<8x512x4096xf32>
  %d = graph.sub %q6, %n : tensor<8x512x4096xf32>
  %e = graph.exp %d : tensor<8x512x4096xf32>
  %z = graph.reduce add %e axes [2] : tensor<8x512x4096xf32> -> tensor<8x512xf32>
  %b = graph.broadcast %z axes [0, 1] : tensor<8x512xf32> -> tensor<8x512x4096xf32>
  %p = graph.div %e, %b : tensor<8x512x4096xf32>
  %t = graph.dot %x, %w contract [1] x [0] : (tensor<4096x64xf32>, tensor<64x256xf32>) -> tensor<4096x256xf32>
  %v1 = graph.reshape %t : tensor<4096x256xf32> -> tensor<4096x8x32xf32>
  %v2 = graph.permute %v1 [1, 0, 2] : tensor<4096x8x32xf32> -> tensor<8x4096x32xf32>
  %y6 = graph.dot %p, %v2 contract [2] x [1] batch [0] x [0] : (tensor<8x512x4096xf32>, tensor<8x4096x32xf32>) -> tensor<8x512x32xf32>
  func.return %y6 : tensor<8x512x32xf32>
}

// A product is not relative to the maximum that its own factors are relative to.
func.func @after(%e: tensor<512x4096xf32>, %w: tensor<4096x512xf32>, %u: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %m = graph.reduce max %e axes [1] : tensor<512x4096xf32> -> tensor<512xf32>
  %n = graph.broadcast %m axes [0] : tensor<512xf32> -> tensor<512x4096xf32>
  %d = graph.sub %e, %n : tensor<512x4096xf32>
  %h = graph.dot %d, %w contract [1] x [0] : (tensor<512x4096xf32>, tensor<4096x512xf32>) -> tensor<512x512xf32>
  %g = graph.tanh %h : tensor<512x512xf32>
  %f = graph.mul %h, %g : tensor<512x512xf32>
  %y7 = graph.dot %f, %u contract [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  func.return %y7 : tensor<512x512xf32>
}

// CHECK:      remark: has a kernel of its own: it is a result; it is M * 128 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 1 uses; all of it is M * N * 4 bytes, where used it would take M * N * 31 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is M * N * 4 bytes, where used it would take M * N * 32 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is M * N * 4 bytes, where used it would take M * N * 32 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 4 uses; all of it is M * N * 4 bytes, where used it would take M * N * 2176 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 25600000 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is 25600000 bytes, where used it would take 6400000 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is N * 1024 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [1], is staged in 256 bytes of local memory; all of it is 1024 bytes, where used it would take N * N * 256 - N * 256 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: a row of it, axes [1], is staged in 256 bytes of local memory; all of it is 1024 bytes, where used it would take N * N * 256 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is N * 1024 bytes, where used it would take N * 256 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 25600000 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it costs too much to be computed at 4 indices; it is 25600000 bytes, where used it would take 1228800000 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is 25600000 bytes, where used it would take 6400000 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 256 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it costs too much to be computed at 2 indices; it is 25600000 bytes, where used it would take 409600000 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 16384 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 2097152 bytes, where used it would take 16252928 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it costs too much to be computed at 2 indices; it is 2097152 bytes, where used it would take 33554432 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [1], is staged in 16384 bytes of local memory; all of it is 2097152 bytes, where used it would take 524288 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 524288 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 4194304 bytes, where used it would take 68585259008 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 1 uses; all of it is 67108864 bytes, where used it would take 520093696 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is 67108864 bytes, where used it would take 536870912 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 2 uses; all of it is 67108864 bytes, where used it would take 536870912 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: blocks of its rows are computed in one loop for its 4 uses; all of it is 67108864 bytes, where used it would take 36507222016 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 1048576 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 1048576 bytes, where used it would take 133955584 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 8388608 bytes, where used it would take 1071644672 more operations [graph-to-kernel, missed]

// KERNELS:      program.func @attention
// KERNELS-NEXT: program.launch @sub_exp_sum_div(%output, %q, %k, %v)
// KERNELS-NEXT: program.func @softmax
// KERNELS-NEXT: program.launch @sub_exp_sum_100000_div(%output, %x)
// KERNELS-NEXT: program.func @middle
// KERNELS-NEXT: program.launch @sub_exp_sum_div_1(%output, %x)
// KERNELS-NEXT: program.func @softmax_of_product
// KERNELS-NEXT: program.launch @dot(%s, %x, %w)
// KERNELS-NEXT: program.launch @sub_exp_sum_100000_div_1(%output, %s)
// KERNELS-NEXT: program.func @variance_of_product
// KERNELS-NEXT: program.launch @dot_1(%s, %x, %w)
// KERNELS-NEXT: program.launch @sum_100000_sub_mul(%output, %s)
// KERNELS-NEXT: program.func @own_matrices
// KERNELS-NEXT: program.launch @dot_2(%q5, %q, %k)
// KERNELS-NEXT: program.launch @sub_exp_sum_4096_div(%p, %q5)
// KERNELS-NEXT: program.launch @dot_3(%output, %p, %v)
// KERNELS-NEXT: program.func @projected
// KERNELS-NEXT: program.launch @dot_4(%t, %x, %w)
// KERNELS-NEXT: program.launch @sub_exp_sum_4096_div_1(%output, %q, %k, %t)
// KERNELS-NEXT: program.func @after
// KERNELS-NEXT: program.launch @max_4096_sub(%d, %e)
// KERNELS-NEXT: program.launch @dot_tanh_mul(%f, %d, %w)
// KERNELS-NEXT: program.launch @dot_5(%output, %f, %u)

// APART:      program.func @attention
// APART-NEXT: program.launch @dot(%q0, %q, %k)
// APART-NEXT: program.launch @max_sub_exp(%e, %q0)
// APART-NEXT: program.launch @sum_div(%p, %e)
// APART-NEXT: program.launch @dot_1(%output, %p, %v)
// APART-NEXT: program.func @softmax
// APART-NEXT: program.launch @max_100000_sub_exp(%e, %x)
// APART-NEXT: program.launch @sum_100000_div(%output, %e)
// APART-NEXT: program.func @middle
// APART-NEXT: program.launch @max_sub_exp_1(%e, %x)
// APART-NEXT: program.launch @sum_div_1(%output, %e)
// APART-NEXT: program.func @softmax_of_product
// APART-NEXT: program.launch @dot_2(%s, %x, %w)
// APART-NEXT: program.launch @max_100000_sub_exp_1(%e, %s)
// APART-NEXT: program.launch @sum_100000_div_1(%output, %e)
// APART-NEXT: program.func @variance_of_product
// APART-NEXT: program.launch @dot_3(%s, %x, %w)
// APART-NEXT: program.launch @sum_100000_sub_mul(%output, %s)
// APART-NEXT: program.func @own_matrices
// APART-NEXT: program.launch @dot_4(%q5, %q, %k)
// APART-NEXT: program.launch @sub_exp_sum_4096_div(%p, %q5)
// APART-NEXT: program.launch @dot_5(%output, %p, %v)
// APART-NEXT: program.func @projected
// APART-NEXT: program.launch @dot_6(%q6, %q, %k)
// APART-NEXT: program.launch @sub_exp_sum_4096_div_1(%p, %q6)
// APART-NEXT: program.launch @dot_7(%t, %x, %w)
// APART-NEXT: program.launch @dot_8(%output, %p, %t)
// APART-NEXT: program.func @after
// APART-NEXT: program.launch @max_4096_sub(%d, %e)
// APART-NEXT: program.launch @dot_tanh_mul(%f, %d, %w)
// APART-NEXT: program.launch @dot_9(%output, %f, %u)

// SHARED:      remark: %q0 and %y0 share the kernel of %y0

// WHY:      remark: %q5 has a kernel of its own: it costs too much to be computed at 2 indices; their kernels run over other loops: [128, 4096] and [128, 32]
