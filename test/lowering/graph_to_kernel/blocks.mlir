// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true}" --remarks -o %t 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "graph-to-kernel{blocks=true}" | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=KERNELS
// RUN: teeny-opt %s -p graph-to-kernel | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=ROWS

// Rows between two products are staged, for blocks of them to be computed at once, where one factor
// of each product has the rows and one has not.

func.func @attention(%q: tensor<2x128x32xf32>, %k: tensor<2x256x32xf32>, %v: tensor<2x256x32xf32>) -> tensor<2x128x32xf32> {
  %s = graph.dot %q, %k contract [2] x [2] batch [0] x [0] : (tensor<2x128x32xf32>, tensor<2x256x32xf32>) -> tensor<2x128x256xf32>
  %e = graph.exp %s : tensor<2x128x256xf32>
  %z = graph.reduce add %e axes [2] : tensor<2x128x256xf32> -> tensor<2x128xf32>
  %b = graph.broadcast %z axes [0, 1] : tensor<2x128xf32> -> tensor<2x128x256xf32>
  %p = graph.div %e, %b : tensor<2x128x256xf32>
  %y = graph.dot %p, %v contract [2] x [1] batch [0] x [0] : (tensor<2x128x256xf32>, tensor<2x256x32xf32>) -> tensor<2x128x32xf32>
  func.return %y : tensor<2x128x32xf32>
}

// The scores are a result too, so they are written, and read by rows.
func.func @with_scores(%q: tensor<2x128x32xf32>, %k: tensor<2x256x32xf32>, %v: tensor<2x256x32xf32>) -> (tensor<2x128x32xf32>, tensor<2x128x256xf32>) {
  %s = graph.dot %q, %k contract [2] x [2] batch [0] x [0] : (tensor<2x128x32xf32>, tensor<2x256x32xf32>) -> tensor<2x128x256xf32>
  %e = graph.exp %s : tensor<2x128x256xf32>
  %z = graph.reduce add %e axes [2] : tensor<2x128x256xf32> -> tensor<2x128xf32>
  %b = graph.broadcast %z axes [0, 1] : tensor<2x128xf32> -> tensor<2x128x256xf32>
  %p = graph.div %e, %b : tensor<2x128x256xf32>
  %y = graph.dot %p, %v contract [2] x [1] batch [0] x [0] : (tensor<2x128x256xf32>, tensor<2x256x32xf32>) -> tensor<2x128x32xf32>
  func.return %y, %s : tensor<2x128x32xf32>, tensor<2x128x256xf32>
}

// A block of these rows would be larger than a part of the second-level cache.
func.func @long(%q: tensor<2x128x32xf32>, %k: tensor<2x4096x32xf32>, %v: tensor<2x4096x32xf32>) -> tensor<2x128x32xf32> {
  %s = graph.dot %q, %k contract [2] x [2] batch [0] x [0] : (tensor<2x128x32xf32>, tensor<2x4096x32xf32>) -> tensor<2x128x4096xf32>
  %e = graph.exp %s : tensor<2x128x4096xf32>
  %z = graph.reduce add %e axes [2] : tensor<2x128x4096xf32> -> tensor<2x128xf32>
  %b = graph.broadcast %z axes [0, 1] : tensor<2x128xf32> -> tensor<2x128x4096xf32>
  %p = graph.div %e, %b : tensor<2x128x4096xf32>
  %y = graph.dot %p, %v contract [2] x [1] batch [0] x [0] : (tensor<2x128x4096xf32>, tensor<2x4096x32xf32>) -> tensor<2x128x32xf32>
  func.return %y : tensor<2x128x32xf32>
}

// The heads lie beside each other in the result: its loops are in another order.
func.func @beside(%q: tensor<2x128x32xf32>, %k: tensor<2x256x32xf32>, %v: tensor<2x256x32xf32>) -> tensor<128x2x32xf32> {
  %s = graph.dot %q, %k contract [2] x [2] batch [0] x [0] : (tensor<2x128x32xf32>, tensor<2x256x32xf32>) -> tensor<2x128x256xf32>
  %e = graph.exp %s : tensor<2x128x256xf32>
  %z = graph.reduce add %e axes [2] : tensor<2x128x256xf32> -> tensor<2x128xf32>
  %b = graph.broadcast %z axes [0, 1] : tensor<2x128xf32> -> tensor<2x128x256xf32>
  %p = graph.div %e, %b : tensor<2x128x256xf32>
  %y = graph.dot %p, %v contract [2] x [1] batch [0] x [0] : (tensor<2x128x256xf32>, tensor<2x256x32xf32>) -> tensor<2x128x32xf32>
  %r = graph.permute %y [1, 0, 2] : tensor<2x128x32xf32> -> tensor<128x2x32xf32>
  func.return %r : tensor<128x2x32xf32>
}

// Each row is multiplied with a matrix of its own: there is nothing to share in a block.
func.func @own_matrices(%q: tensor<128x32xf32>, %k: tensor<256x32xf32>, %v: tensor<128x256x32xf32>) -> tensor<128x32xf32> {
  %s = graph.dot %q, %k contract [1] x [1] : (tensor<128x32xf32>, tensor<256x32xf32>) -> tensor<128x256xf32>
  %e = graph.exp %s : tensor<128x256xf32>
  %z = graph.reduce add %e axes [1] : tensor<128x256xf32> -> tensor<128xf32>
  %b = graph.broadcast %z axes [0] : tensor<128xf32> -> tensor<128x256xf32>
  %p = graph.div %e, %b : tensor<128x256xf32>
  %y = graph.dot %p, %v contract [1] x [1] batch [0] x [0] : (tensor<128x256xf32>, tensor<128x256x32xf32>) -> tensor<128x32xf32>
  func.return %y : tensor<128x32xf32>
}

// No product ends in the rows.
func.func @softmax_product(%s: tensor<128x256xf32>, %v: tensor<256x64xf32>) -> tensor<128x64xf32> {
  %e = graph.exp %s : tensor<128x256xf32>
  %z = graph.reduce add %e axes [1] : tensor<128x256xf32> -> tensor<128xf32>
  %b = graph.broadcast %z axes [0] : tensor<128xf32> -> tensor<128x256xf32>
  %p = graph.div %e, %b : tensor<128x256xf32>
  %y = graph.dot %p, %v contract [1] x [0] : (tensor<128x256xf32>, tensor<256x64xf32>) -> tensor<128x64xf32>
  func.return %y : tensor<128x64xf32>
}

// CHECK:      remark: has a kernel of its own: it is a result; it is 32768 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 2031616 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 65536 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 32768 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 262144 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 2031616 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 65536 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 32768 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 4194304 bytes, where used it would take 32505856 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: its products are formed in tiles of several rows, not in a loop over each row; it is 4194304 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 16384 bytes of local memory; all of it is 4194304 bytes, where used it would take 1048576 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 32768 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 2031616 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: a row of it, axes [2], is staged in 1024 bytes of local memory, 16 or more of them at once; all of it is 262144 bytes, where used it would take 65536 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 16384 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 131072 bytes, where used it would take 1015808 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: its products are formed in tiles of several rows, not in a loop over each row; it is 131072 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [1], is staged in 1024 bytes of local memory; all of it is 131072 bytes, where used it would take 32768 more operations [graph-to-kernel, passed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 32768 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 131072 bytes, where used it would take 2064384 more operations [graph-to-kernel, missed]
// CHECK-NEXT: remark: a row of it, axes [1], is staged in 1024 bytes of local memory; all of it is 131072 bytes, where used it would take 32768 more operations [graph-to-kernel, passed]

// KERNELS:      program.func @attention
// KERNELS-NEXT: program.launch @dot_exp_sum_256_div(%output, %q, %k, %v)
// KERNELS-NEXT: program.func @with_scores
// KERNELS-NEXT: program.launch @dot(%output1, %q, %k)
// KERNELS-NEXT: program.launch @exp_sum_256_div_dot(%output0, %output1, %v)
// KERNELS-NEXT: program.func @long
// KERNELS-NEXT: program.launch @dot_1(%s, %q, %k)
// KERNELS-NEXT: program.launch @exp_sum_4096_div(%p, %s)
// KERNELS-NEXT: program.launch @dot_2(%output, %p, %v)
// KERNELS-NEXT: program.func @beside
// KERNELS-NEXT: program.launch @dot_exp_sum_256_div_1(%output, %q, %k, %v)
// KERNELS-NEXT: program.func @own_matrices
// KERNELS-NEXT: program.launch @dot_3(%s, %q, %k)
// KERNELS-NEXT: program.launch @exp_sum_256_div(%p, %s)
// KERNELS-NEXT: program.launch @dot_4(%output, %p, %v)
// KERNELS-NEXT: program.func @softmax_product
// KERNELS-NEXT: program.launch @exp_sum_256_div_1(%p, %s)
// KERNELS-NEXT: program.launch @dot_5(%output, %p, %v)

// ROWS:      program.func @attention
// ROWS-NEXT: program.launch @dot(%s, %q, %k)
// ROWS-NEXT: program.launch @exp_sum_256_div(%p, %s)
// ROWS-NEXT: program.launch @dot_1(%output, %p, %v)
// ROWS-NEXT: program.func @with_scores
// ROWS-NEXT: program.launch @dot_2(%output1, %q, %k)
// ROWS-NEXT: program.launch @exp_sum_256_div_1(%p, %output1)
// ROWS-NEXT: program.launch @dot_3(%output0, %p, %v)
// ROWS-NEXT: program.func @long
// ROWS-NEXT: program.launch @dot_4(%s, %q, %k)
// ROWS-NEXT: program.launch @exp_sum_4096_div(%p, %s)
// ROWS-NEXT: program.launch @dot_5(%output, %p, %v)
// ROWS-NEXT: program.func @beside
// ROWS-NEXT: program.launch @dot_6(%s, %q, %k)
// ROWS-NEXT: program.launch @exp_sum_256_div_2(%p, %s)
// ROWS-NEXT: program.launch @dot_7(%output, %p, %v)
// ROWS-NEXT: program.func @own_matrices
// ROWS-NEXT: program.launch @dot_8(%s, %q, %k)
// ROWS-NEXT: program.launch @exp_sum_256_div_3(%p, %s)
// ROWS-NEXT: program.launch @dot_9(%output, %p, %v)
// ROWS-NEXT: program.func @softmax_product
// ROWS-NEXT: program.launch @exp_sum_256_div_4(%p, %s)
// ROWS-NEXT: program.launch @dot_10(%output, %p, %v)
