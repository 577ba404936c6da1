// RUN: teeny-opt %s -p graph-to-kernel --remarks -o %t 2>&1 | filecheck %s
// RUN: teeny-opt %s -p graph-to-kernel | filecheck %s --check-prefix=IR

// Why a tensor has a kernel of its own, or waits in local memory: a softmax, then a product.

// CHECK:      remarks.mlir:24:3: remark: has a kernel of its own: it is a result [graph-to-kernel, missed]
// CHECK:      remarks.mlir:23:3: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again [graph-to-kernel, missed]
// CHECK:      remarks.mlir:20:3: remark: a row of it, axes [1], is staged [graph-to-kernel, passed]
// CHECK-NOT:  remark:

// IR:       kernel.func @exp_sum_64_div
// IR:         %row = kernel.stage %{{.*}}[%k] over(%k) : !kernel.buf<[64] x f32, local>
// IR-NEXT:    %{{.*}} = kernel.reduce %{{.*}} over(%k) {kind = "add"}
// IR:         kernel.load %row[%j]
// IR:       kernel.func @dot
// IR:       program.launch @exp_sum_64_div
// IR-NEXT:  program.launch @dot
// IR-NOT:   program.launch
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x4xf32>) -> tensor<8x4xf32> {
  %e = graph.exp %x : tensor<8x64xf32>
  %s = graph.reduce add %e axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %b = graph.broadcast %s axes [0] : tensor<8xf32> -> tensor<8x64xf32>
  %p = graph.div %e, %b : tensor<8x64xf32>
  %y = graph.dot %p, %w contract [1] x [0] : (tensor<8x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  func.return %y : tensor<8x4xf32>
}
