// Graph ops are pure: equal ones are merged, unused ones dropped.
// RUN: teeny-opt %s -p cse,dce | filecheck %s

// CHECK:      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:   %0 = graph.exp %x : tensor<4xf32>
// CHECK-NEXT:   %1 = graph.add %0, %0 : tensor<4xf32>
// CHECK-NEXT:   func.return %1 : tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.exp %x : tensor<4xf32>
  %unused = graph.log %x : tensor<4xf32>
  %2 = graph.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
