// Round trips of the movement ops, in the custom and in the generic form.
// RUN: teeny-opt %s | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// CHECK-LABEL: func.func @reshape(
// CHECK:         %0 = graph.reshape %x : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N * 4]>>
// CHECK-NEXT:    %1 = graph.reshape %0 : tensor<?xf32, #graph.dims<[N * 4]>> -> tensor<2x?x2xf32, #graph.dims<[2, N, 2]>>
// CHECK-NEXT:    %2 = graph.reshape %e : tensor<f32> -> tensor<1x1xf32>
func.func @reshape(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %e: tensor<f32>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.reshape %x : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N * 4]>>
  %1 = graph.reshape %0 : tensor<?xf32, #graph.dims<[N * 4]>> -> tensor<2x?x2xf32, #graph.dims<[2, N, 2]>>
  %2 = graph.reshape %e : tensor<f32> -> tensor<1x1xf32>
  func.return
}

// CHECK-LABEL: func.func @permute(
// CHECK:         %0 = graph.permute %x [1, 0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<4x?xf32, #graph.dims<[4, N]>>
func.func @permute(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.permute %x [1, 0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<4x?xf32, #graph.dims<[4, N]>>
  func.return
}

// CHECK-LABEL: func.func @broadcast(
// CHECK:         %0 = graph.broadcast %x axes [0, 2] : tensor<1x4xf32> -> tensor<?x2x4xf32, #graph.dims<[N, 2, 4]>>
// CHECK-NEXT:    %1 = graph.broadcast %e axes [] : tensor<f32> -> tensor<0x3xf32>
func.func @broadcast(%x: tensor<1x4xf32>, %e: tensor<f32>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.broadcast %x axes [0, 2] : tensor<1x4xf32> -> tensor<?x2x4xf32, #graph.dims<[N, 2, 4]>>
  %1 = graph.broadcast %e axes [] : tensor<f32> -> tensor<0x3xf32>
  func.return
}

// CHECK-LABEL: func.func @pad(
// CHECK:         %0 = graph.pad %x, %v low [1, 0] high [N mod 3, 2] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<f32>) -> tensor<?x6xf32, #graph.dims<[N + N mod 3 + 1, 6]>>
func.func @pad(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %v: tensor<f32>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.pad %x, %v low [1, 0] high [N mod 3, 2] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<f32>) -> tensor<?x6xf32, #graph.dims<[N + N mod 3 + 1, 6]>>
  func.return
}

// CHECK-LABEL: func.func @slice(
// CHECK:         %0 = graph.slice %x [1:N:2, 0:4:3] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x2xf32, #graph.dims<[N floordiv 2, 2]>>
// CHECK-NEXT:    %1 = graph.slice %x [N - 1:N:1, 2:2:1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<1x0xf32>
func.func @slice(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.slice %x [1:N:2, 0:4:3] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x2xf32, #graph.dims<[N floordiv 2, 2]>>
  %1 = graph.slice %x [N - 1:N:1, 2:2:1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<1x0xf32>
  func.return
}

// CHECK-LABEL: func.func @flip(
// CHECK:         %0 = graph.flip %x axes [1, 0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @flip(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.flip %x axes [1, 0] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @concat(
// CHECK:         %0 = graph.concat %x, %y axis 0 : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<?x4xf32, #graph.dims<[N * 2, 4]>>) -> tensor<?x4xf32, #graph.dims<[N * 3, 4]>>
// CHECK-NEXT:    %1 = graph.concat %x axis 1 : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @concat(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %y: tensor<?x4xf32, #graph.dims<[N * 2, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.concat %x, %y axis 0 : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<?x4xf32, #graph.dims<[N * 2, 4]>>) -> tensor<?x4xf32, #graph.dims<[N * 3, 4]>>
  %1 = graph.concat %x axis 1 : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @window(
// CHECK:         %0 = graph.window %x axes [2, 1] size [3, 2] stride [1, 2] dilation [2, 1] : tensor<2x?x8xf32, #graph.dims<[2, N, 8]>> -> tensor<2x?x4x3x2xf32, #graph.dims<[2, N floordiv 2, 4, 3, 2]>>
func.func @window(%x: tensor<2x?x8xf32, #graph.dims<[2, N, 8]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.window %x axes [2, 1] size [3, 2] stride [1, 2] dilation [2, 1] : tensor<2x?x8xf32, #graph.dims<[2, N, 8]>> -> tensor<2x?x4x3x2xf32, #graph.dims<[2, N floordiv 2, 4, 3, 2]>>
  func.return
}
