// Products with a one-hot matrix: each row of simplify-graph firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph,cse,dce | filecheck %s

func.func @one_hot_dot(%i: tensor<3xi32>, %w: tensor<10x4xi32>) -> tensor<3x4xi32> {
  %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
  %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
  %k = graph.iota axis 1 : tensor<3x10xi64>
  %e = graph.compare eq %l, %k : tensor<3x10xi64>
  %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xi32>
  %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xi32>, tensor<10x4xi32>) -> tensor<3x4xi32>
  func.return %r : tensor<3x4xi32>
}

func.func @floats_stay(%i: tensor<3xi32>, %w: tensor<10x4xf32>) -> tensor<3x4xf32> {
  %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
  %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
  %k = graph.iota axis 1 : tensor<3x10xi64>
  %e = graph.compare eq %l, %k : tensor<3x10xi64>
  %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xf32>
  %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xf32>, tensor<10x4xf32>) -> tensor<3x4xf32>
  func.return %r : tensor<3x4xf32>
}

func.func @other_comparison_stays(%i: tensor<3xi32>, %w: tensor<10x4xi32>) -> tensor<3x4xi32> {
  %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
  %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
  %k = graph.iota axis 1 : tensor<3x10xi64>
  %e = graph.compare le %l, %k : tensor<3x10xi64>
  %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xi32>
  %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xi32>, tensor<10x4xi32>) -> tensor<3x4xi32>
  func.return %r : tensor<3x4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @one_hot_dot(%i: tensor<3xi32>, %w: tensor<10x4xi32>) -> tensor<3x4xi32> {
// CHECK-NEXT:     %0 = graph.reshape %i : tensor<3xi32> -> tensor<3x1xi32>
// CHECK-NEXT:     %r = graph.gather %w, %0 axes [0] : (tensor<10x4xi32>, tensor<3x1xi32>) -> tensor<3x4xi32>
// CHECK-NEXT:     func.return %r : tensor<3x4xi32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @floats_stay(%i: tensor<3xi32>, %w: tensor<10x4xf32>) -> tensor<3x4xf32> {
// CHECK-NEXT:     %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
// CHECK-NEXT:     %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
// CHECK-NEXT:     %k = graph.iota axis 1 : tensor<3x10xi64>
// CHECK-NEXT:     %e = graph.compare eq %l, %k : tensor<3x10xi64>
// CHECK-NEXT:     %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xf32>
// CHECK-NEXT:     %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xf32>, tensor<10x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:     func.return %r : tensor<3x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @other_comparison_stays(%i: tensor<3xi32>, %w: tensor<10x4xi32>) -> tensor<3x4xi32> {
// CHECK-NEXT:     %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
// CHECK-NEXT:     %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
// CHECK-NEXT:     %k = graph.iota axis 1 : tensor<3x10xi64>
// CHECK-NEXT:     %e = graph.compare le %l, %k : tensor<3x10xi64>
// CHECK-NEXT:     %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xi32>
// CHECK-NEXT:     %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xi32>, tensor<10x4xi32>) -> tensor<3x4xi32>
// CHECK-NEXT:     func.return %r : tensor<3x4xi32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
