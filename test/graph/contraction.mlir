// Round trips of the ops that sum, in the custom and in the generic form.
// RUN: teeny-opt %s | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// CHECK-LABEL: func.func @reduce(
// CHECK:         %0 = graph.reduce add %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
// CHECK-NEXT:    %1 = graph.reduce mul %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
// CHECK-NEXT:    %2 = graph.reduce max %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
// CHECK-NEXT:    %3 = graph.reduce min %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
// CHECK-NEXT:    %4 = graph.reduce add %x axes [0, 1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<f32>
// CHECK-NEXT:    %5 = graph.reduce max %x axes [] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %6 = graph.reduce and %b axes [0] : tensor<2x3xi1> -> tensor<3xi1>
// CHECK-NEXT:    %7 = graph.reduce or %b axes [1, 0] : tensor<2x3xi1> -> tensor<i1>
func.func @reduce(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %b: tensor<2x3xi1>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.reduce add %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
  %1 = graph.reduce mul %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
  %2 = graph.reduce max %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
  %3 = graph.reduce min %x axes [1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
  %4 = graph.reduce add %x axes [0, 1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<f32>
  %5 = graph.reduce max %x axes [] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  %6 = graph.reduce and %b axes [0] : tensor<2x3xi1> -> tensor<3xi1>
  %7 = graph.reduce or %b axes [1, 0] : tensor<2x3xi1> -> tensor<i1>
  func.return
}

// CHECK-LABEL: func.func @dot(
// CHECK:         %0 = graph.dot %x, %w contract [1] x [0] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
// CHECK-NEXT:    %1 = graph.dot %a, %b contract [2] x [0] batch [0] x [2] : (tensor<5x2x3xi8>, tensor<3x7x5xi8>) -> tensor<5x2x7xi8>
// CHECK-NEXT:    %2 = graph.dot %v, %v contract [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT:    %3 = graph.dot %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %4 = graph.dot %v, %v batch [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @dot(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %w: tensor<4x8xf32>, %a: tensor<5x2x3xi8>, %b: tensor<3x7x5xi8>, %v: tensor<4xf32>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.dot %x, %w contract [1] x [0] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  %1 = graph.dot %a, %b contract [2] x [0] batch [0] x [2] : (tensor<5x2x3xi8>, tensor<3x7x5xi8>) -> tensor<5x2x7xi8>
  %2 = graph.dot %v, %v contract [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %3 = graph.dot %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %4 = graph.dot %v, %v batch [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// CHECK-LABEL: func.func @conv(
// CHECK:         %0 = graph.conv %x, %w stride [2, 1] pad [[1, 1], [0, 2]] dilation [1, 2] groups 2 : (tensor<?x4x?x9xf32, #graph.dims<[B, 4, N, 9]>>, tensor<6x2x3x3xf32>) -> tensor<?x6x?x7xf32, #graph.dims<[B, 6, (N + 1) floordiv 2, 7]>>
// CHECK-NEXT:    %1 = graph.conv %y, %u stride [3] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x3x10xf16>, tensor<2x3x4xf16>) -> tensor<1x2x3xf16>
// CHECK-NEXT:    %2 = graph.conv %p, %q stride [] pad [] dilation [] groups 1 : (tensor<2x3xi32>, tensor<5x3xi32>) -> tensor<2x5xi32>
func.func @conv(%x: tensor<?x4x?x9xf32, #graph.dims<[B, 4, N, 9]>>, %w: tensor<6x2x3x3xf32>, %y: tensor<1x3x10xf16>, %u: tensor<2x3x4xf16>, %p: tensor<2x3xi32>, %q: tensor<5x3xi32>) attributes {graph.symbols = #graph.symbols<[B in 0.., N in 3..64]>} {
  %0 = graph.conv %x, %w stride [2, 1] pad [[1, 1], [0, 2]] dilation [1, 2] groups 2 : (tensor<?x4x?x9xf32, #graph.dims<[B, 4, N, 9]>>, tensor<6x2x3x3xf32>) -> tensor<?x6x?x7xf32, #graph.dims<[B, 6, (N + 1) floordiv 2, 7]>>
  %1 = graph.conv %y, %u stride [3] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x3x10xf16>, tensor<2x3x4xf16>) -> tensor<1x2x3xf16>
  %2 = graph.conv %p, %q stride [] pad [] dilation [] groups 1 : (tensor<2x3xi32>, tensor<5x3xi32>) -> tensor<2x5xi32>
  func.return
}
