// RUN: teeny-opt %s -p graph-to-kernel --remarks -o %t 2>&1 | filecheck %s
// RUN: teeny-opt %s -p graph-to-kernel | filecheck %s --check-prefix=IR

// Why a tensor has a kernel of its own, or waits in local memory: a product over its sum.

// CHECK:      remarks.mlir:22:3: remark: has a kernel of its own: it is a result; it is 2048 bytes [graph-to-kernel, missed]
// CHECK:      remarks.mlir:18:3: remark: has a kernel of its own: the products or windows of a contraction would compute it again and again; it is 512 bytes, where used it would take 8064 more operations [graph-to-kernel, missed]
// CHECK:      remarks.mlir:19:3: remark: a row of it, axes [1], is staged in 256 bytes of local memory; all of it is 2048 bytes, where used it would take 16384 more operations [graph-to-kernel, passed]
// CHECK-NOT:  remark:

// IR:       kernel.func @exp(
// IR:       kernel.func @dot_sum_64_div
// IR:         %row = kernel.stage
// IR:       program.launch @exp
// IR-NEXT:  program.launch @dot_sum_64_div
// IR-NOT:   program.launch
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x64xf32>) -> tensor<8x64xf32> {
  %e = graph.exp %x : tensor<8x16xf32>
  %p = graph.dot %e, %w contract [1] x [0] : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %s = graph.reduce add %p axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %b = graph.broadcast %s axes [0] : tensor<8xf32> -> tensor<8x64xf32>
  %y = graph.div %p, %b : tensor<8x64xf32>
  func.return %y : tensor<8x64xf32>
}
