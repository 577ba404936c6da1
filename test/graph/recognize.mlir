// Spelled-out composites are named: one of each family firing, and one that is almost it not.
// RUN: teeny-opt %s -p recognize --remarks -o /dev/null 2>&1 | FileCheck %s

func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = graph.exp %x : tensor<4x8xf32>
  %s = graph.reduce add %e axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %t = graph.broadcast %s axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %y = graph.div %e, %t : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

func.func @sums_along_the_other_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = graph.exp %x : tensor<8x8xf32>
  %s = graph.reduce add %e axes [1] : tensor<8x8xf32> -> tensor<8xf32>
  %t = graph.broadcast %s axes [1] : tensor<8xf32> -> tensor<8x8xf32>
  %y = graph.div %e, %t : tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// CHECK:      {{.*}}/recognize.mlir:8:3: remark: is a softmax, spelled out in 4 ops [recognize, passed]
// CHECK-NEXT:     %y = graph.div %e, %t : tensor<4x8xf32>
// CHECK-NEXT:     ^
