// An embedding by a product with a one-hot matrix, of floats that are finite: a gather.
// RUN: teeny-opt %s -p 'simplify-graph{fast-math=true},cse,dce' | filecheck %s

func.func @embedding(%i: tensor<3xi32>, %w: tensor<10x4xf32>) -> tensor<3x4xf32> {
  %b = graph.broadcast %i axes [0] : tensor<3xi32> -> tensor<3x10xi32>
  %l = graph.cast %b : tensor<3x10xi32> to tensor<3x10xi64>
  %k = graph.iota axis 1 : tensor<3x10xi64>
  %e = graph.compare eq %l, %k : tensor<3x10xi64>
  %o = graph.cast %e : tensor<3x10xi1> to tensor<3x10xf32>
  %r = graph.dot %o, %w contract [1] x [0] : (tensor<3x10xf32>, tensor<10x4xf32>) -> tensor<3x4xf32>
  func.return %r : tensor<3x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @embedding(%i: tensor<3xi32>, %w: tensor<10x4xf32>) -> tensor<3x4xf32> {
// CHECK-NEXT:     %0 = graph.reshape %i : tensor<3xi32> -> tensor<3x1xi32>
// CHECK-NEXT:     %r = graph.gather %w, %0 axes [0] : (tensor<10x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
// CHECK-NEXT:     func.return %r : tensor<3x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
