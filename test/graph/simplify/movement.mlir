// Movement that does nothing, and chains that are one op: each row of simplify-graph firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

// CHECK-LABEL: func.func @reshape_to_itself(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @reshape_to_itself(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.reshape %x : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape(
// CHECK-NEXT:    %r = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
// CHECK-NEXT:    func.return %r : tensor<3x4xf32>
func.func @reshape_of_reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %r = graph.reshape %0 : tensor<12xf32> -> tensor<3x4xf32>
  func.return %r : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @reshape_there_and_back(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @reshape_there_and_back(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  %r = graph.reshape %0 : tensor<12xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @reshape_stays(
// CHECK-NEXT:    %0 = graph.exp %x : tensor<2x6xf32>
// CHECK-NEXT:    %r = graph.reshape %0 : tensor<2x6xf32> -> tensor<12xf32>
// CHECK-NEXT:    func.return %r : tensor<12xf32>
func.func @reshape_stays(%x: tensor<2x6xf32>) -> tensor<12xf32> {
  %0 = graph.exp %x : tensor<2x6xf32>
  %r = graph.reshape %0 : tensor<2x6xf32> -> tensor<12xf32>
  func.return %r : tensor<12xf32>
}

// CHECK-LABEL: func.func @permute_identity(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @permute_identity(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.permute %x [0, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @permute_of_permute(
// CHECK-NEXT:    %r = graph.permute %x [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT:    func.return %r : tensor<3x2x4xf32>
func.func @permute_of_permute(%x: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %0 = graph.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %r = graph.permute %0 [0, 2, 1] : tensor<3x4x2xf32> -> tensor<3x2x4xf32>
  func.return %r : tensor<3x2x4xf32>
}

// CHECK-LABEL: func.func @permute_there_and_back(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @permute_there_and_back(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = graph.permute %x [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  %r = graph.permute %0 [1, 0] : tensor<6x2xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @permute_of_reshape_stays(
// CHECK-NEXT:    %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
// CHECK-NEXT:    %r = graph.permute %0 [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
// CHECK-NEXT:    func.return %r : tensor<4x3xf32>
func.func @permute_of_reshape_stays(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
  %r = graph.permute %0 [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  func.return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @broadcast_to_itself(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @broadcast_to_itself(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.broadcast %x axes [0, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast(
// CHECK-NEXT:    %r = graph.broadcast %x axes [1, 3] : tensor<1x6xf32> -> tensor<5x2x3x6xf32>
// CHECK-NEXT:    func.return %r : tensor<5x2x3x6xf32>
func.func @broadcast_of_broadcast(%x: tensor<1x6xf32>) -> tensor<5x2x3x6xf32> {
  %0 = graph.broadcast %x axes [0, 2] : tensor<1x6xf32> -> tensor<1x3x6xf32>
  %r = graph.broadcast %0 axes [1, 2, 3] : tensor<1x3x6xf32> -> tensor<5x2x3x6xf32>
  func.return %r : tensor<5x2x3x6xf32>
}

// CHECK-LABEL: func.func @broadcast_of_new_axes(
// CHECK-NEXT:    %r = graph.broadcast %x axes [0] : tensor<2xf32> -> tensor<2x6xf32>
// CHECK-NEXT:    func.return %r : tensor<2x6xf32>
func.func @broadcast_of_new_axes(%x: tensor<2xf32>) -> tensor<2x6xf32> {
  %0 = graph.reshape %x : tensor<2xf32> -> tensor<2x1xf32>
  %r = graph.broadcast %0 axes [0, 1] : tensor<2x1xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @broadcast_of_other_axes_stays(
// CHECK-NEXT:    %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<6x1xf32>
// CHECK-NEXT:    %r = graph.broadcast %0 axes [0, 1] : tensor<6x1xf32> -> tensor<6x2xf32>
// CHECK-NEXT:    func.return %r : tensor<6x2xf32>
func.func @broadcast_of_other_axes_stays(%x: tensor<2x3xf32>) -> tensor<6x2xf32> {
  %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<6x1xf32>
  %r = graph.broadcast %0 axes [0, 1] : tensor<6x1xf32> -> tensor<6x2xf32>
  func.return %r : tensor<6x2xf32>
}

// CHECK-LABEL: func.func @slice_whole(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @slice_whole(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.slice %x [0:2:1, 0:6:1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @slice_of_slice(
// CHECK-NEXT:    %r = graph.slice %x [1:2:1, 2:6:2] : tensor<2x6xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    func.return %r : tensor<1x2xf32>
func.func @slice_of_slice(%x: tensor<2x6xf32>) -> tensor<1x2xf32> {
  %0 = graph.slice %x [0:2:1, 1:6:1] : tensor<2x6xf32> -> tensor<2x5xf32>
  %r = graph.slice %0 [1:2:1, 1:5:2] : tensor<2x5xf32> -> tensor<1x2xf32>
  func.return %r : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @slice_of_steps_stays(
// CHECK-NEXT:    %0 = graph.slice %x [0:2:1, 1:6:2] : tensor<2x6xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    %r = graph.slice %0 [1:2:1, 1:3:1] : tensor<2x3xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    func.return %r : tensor<1x2xf32>
func.func @slice_of_steps_stays(%x: tensor<2x6xf32>) -> tensor<1x2xf32> {
  %0 = graph.slice %x [0:2:1, 1:6:2] : tensor<2x6xf32> -> tensor<2x3xf32>
  %r = graph.slice %0 [1:2:1, 1:3:1] : tensor<2x3xf32> -> tensor<1x2xf32>
  func.return %r : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @flip_of_nothing(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @flip_of_nothing(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.flip %x axes [] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @flip_of_one(
// CHECK-NEXT:    %r = graph.flip %x axes [1] : tensor<1x6xf32> -> tensor<1x6xf32>
// CHECK-NEXT:    func.return %r : tensor<1x6xf32>
func.func @flip_of_one(%x: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %r = graph.flip %x axes [0, 1] : tensor<1x6xf32> -> tensor<1x6xf32>
  func.return %r : tensor<1x6xf32>
}

// CHECK-LABEL: func.func @flip_of_flip(
// CHECK-NEXT:    %r = graph.flip %x axes [0, 2] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT:    func.return %r : tensor<2x3x4xf32>
func.func @flip_of_flip(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.flip %x axes [0, 1] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %r = graph.flip %0 axes [1, 2] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  func.return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @flip_there_and_back(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @flip_there_and_back(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = graph.flip %x axes [0, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  %r = graph.flip %0 axes [1, 0] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @flip_stays(
// CHECK-NEXT:    %r = graph.flip %x axes [1] : tensor<2x6xf32> -> tensor<2x6xf32>
// CHECK-NEXT:    func.return %r : tensor<2x6xf32>
func.func @flip_stays(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.flip %x axes [1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @pad_nothing(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @pad_nothing(%x: tensor<2x6xf32>, %v: tensor<f32>) -> tensor<2x6xf32> {
  %r = graph.pad %x, %v low [0, 0] high [0, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @pad_stays(
// CHECK-NEXT:    %r = graph.pad %x, %v low [0, 0] high [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x7xf32>
// CHECK-NEXT:    func.return %r : tensor<2x7xf32>
func.func @pad_stays(%x: tensor<2x6xf32>, %v: tensor<f32>) -> tensor<2x7xf32> {
  %r = graph.pad %x, %v low [0, 0] high [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x7xf32>
  func.return %r : tensor<2x7xf32>
}

// CHECK-LABEL: func.func @concat_of_one(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @concat_of_one(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.concat %x axis 0 : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @concat_of_empty(
// CHECK-NEXT:    %r = graph.concat %x, %x axis 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    func.return %r : tensor<4x6xf32>
func.func @concat_of_empty(%x: tensor<2x6xf32>, %e: tensor<0x6xf32>) -> tensor<4x6xf32> {
  %r = graph.concat %x, %e, %x axis 0 : (tensor<2x6xf32>, tensor<0x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  func.return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @concat_stays(
// CHECK-NEXT:    %r = graph.concat %x, %x axis 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    func.return %r : tensor<4x6xf32>
func.func @concat_stays(%x: tensor<2x6xf32>) -> tensor<4x6xf32> {
  %r = graph.concat %x, %x axis 0 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  func.return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @reduce_of_nothing(
// CHECK-NEXT:    func.return %x : tensor<2x6xi32>
func.func @reduce_of_nothing(%x: tensor<2x6xi32>) -> tensor<2x6xi32> {
  %r = graph.reduce add %x axes [] : tensor<2x6xi32> -> tensor<2x6xi32>
  func.return %r : tensor<2x6xi32>
}

// CHECK-LABEL: func.func @maximum_of_nothing(
// CHECK-NEXT:    func.return %x : tensor<2x6xf32>
func.func @maximum_of_nothing(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.reduce max %x axes [] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @sum_of_nothing_stays(
// CHECK-NEXT:    %r = graph.reduce add %x axes [] : tensor<2x6xf32> -> tensor<2x6xf32>
func.func @sum_of_nothing_stays(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = graph.reduce add %x axes [] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @reduce_stays(
// CHECK-NEXT:    %r = graph.reduce add %x axes [1] : tensor<2x6xf32> -> tensor<2xf32>
// CHECK-NEXT:    func.return %r : tensor<2xf32>
func.func @reduce_stays(%x: tensor<2x6xf32>) -> tensor<2xf32> {
  %r = graph.reduce add %x axes [1] : tensor<2x6xf32> -> tensor<2xf32>
  func.return %r : tensor<2xf32>
}
