// optimize-graph on what the frontend makes of a mean over the last axis and a scaled copy of it:
// reductions that are kept with extent 1 meet their broadcast, equal ops merge.
// RUN: teeny-opt %s -p optimize-graph | filecheck %s

// CHECK:      func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:   %0 = graph.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT:   %1 = graph.broadcast %0 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK-NEXT:   %2 = graph.sub %x, %1 : tensor<4x8xf32>
// CHECK-NEXT:   %3 = graph.mul %2, %2 : tensor<4x8xf32>
// CHECK-NEXT:   func.return %3 : tensor<4x8xf32>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = graph.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = graph.broadcast %1 axes [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = graph.sub %x, %2 : tensor<4x8xf32>
  %4 = graph.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %5 = graph.broadcast %4 axes [0] : tensor<4xf32> -> tensor<4x8xf32>
  %6 = graph.sub %x, %5 : tensor<4x8xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %ones = graph.broadcast %one axes [] : tensor<f32> -> tensor<4x8xf32>
  %7 = graph.mul %6, %ones : tensor<4x8xf32>
  %8 = graph.mul %3, %7 : tensor<4x8xf32>
  func.return %8 : tensor<4x8xf32>
}
