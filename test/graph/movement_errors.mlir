// Each thing that the verifiers of movement ops refuse, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.reshape': tensor<4xf32> has 4 elements, tensor<3xf32> has 3; they are to be equal as expressions}}
  %0 = graph.reshape %x : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{'graph.reshape': tensor<?x4xf32, #graph.dims<[N, 4]>> has N * 4 elements, tensor<?xf32, #graph.dims<[N]>> has N; they are to be equal as expressions}}
  %0 = graph.reshape %x : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?xf32, #graph.dims<[N]>>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.reshape': the result is to be tensor<4xf32>, got tensor<4xf16>}}
  %0 = graph.reshape %x : tensor<4xf32> -> tensor<4xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.permute': permutation [0] is to have 2 values}}
  %0 = graph.permute %x [0] : tensor<4x2xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.permute': permutation [0, 0]: an axis is there twice}}
  %0 = graph.permute %x [0, 0] : tensor<4x2xf32> -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.permute': the result is to be tensor<2x4xf32>, got tensor<4x2xf32>}}
  %0 = graph.permute %x [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.broadcast': extent 3 of tensor<3xf32> is neither 1 nor 4, the extent of axis 0 of tensor<4xf32>}}
  %0 = graph.broadcast %x axes [0] : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.broadcast': axes [] is to have 1 values}}
  %0 = graph.broadcast %x axes [] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3x3xf32>) {
  // expected-error @+1 {{'graph.broadcast': axes [1, 0] do not ascend}}
  %0 = graph.broadcast %x axes [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.broadcast': axes [1]: axis 1 is outside the 1 axes of tensor<3xf32>}}
  %0 = graph.broadcast %x axes [1] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %v: tensor<f16>) {
  // expected-error @+1 {{'graph.pad': the padding is to be tensor<f32>, got tensor<f16>}}
  %0 = graph.pad %x, %v low [1] high [0] : (tensor<3xf32>, tensor<f16>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{'graph.pad': the padding is to be tensor<f32>, got tensor<1xf32>}}
  %0 = graph.pad %x, %v low [1] high [0] : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'graph.pad': a value of low [-1] is negative: -1}}
  %0 = graph.pad %x, %v low [-1] high [0] : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'graph.pad': high [] is to have 1 values}}
  %0 = graph.pad %x, %v low [1] high [] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice': the room behind the stop of 0:4 on axis 0 of tensor<3xf32> is negative: -1}}
  %0 = graph.slice %x [0:4:1] : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice': the length of 2:1 on axis 0 of tensor<3xf32> is negative: -1}}
  %0 = graph.slice %x [2:1:1] : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice': the start of -1:1 on axis 0 of tensor<3xf32> is negative: -1}}
  %0 = graph.slice %x [-1:1:1] : tensor<3xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice': steps [0] is to be 1 or more}}
  %0 = graph.slice %x [0:3:0] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{'graph.slice': the room behind the stop of 0:N + 1 on axis 0 of tensor<?x4xf32, #graph.dims<[N, 4]>> is negative: -1}}
  %0 = graph.slice %x [0:N + 1:1, 0:4:1] : tensor<?x4xf32, #graph.dims<[N, 4]>> -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.slice': starts [0, 0] is to have 1 values}}
  %0 = graph.slice %x [0:3:1, 0:1:1] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.flip': axes [0, 0]: an axis is there twice}}
  %0 = graph.flip %x axes [0, 0] : tensor<3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %y: tensor<3x1xf32>) {
  // expected-error @+1 {{'graph.concat': tensor<3xf32> and tensor<3x1xf32> differ on another axis than 0}}
  %0 = graph.concat %x, %y axis 0 : (tensor<3xf32>, tensor<3x1xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>, %y: tensor<3xf16>) {
  // expected-error @+1 {{'graph.concat': the operands are to have one element type, got tensor<3xf32> and tensor<3xf16>}}
  %0 = graph.concat %x, %y axis 0 : (tensor<3xf32>, tensor<3xf16>) -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.concat': axis [1]: axis 1 is outside the 1 axes of tensor<3xf32>}}
  %0 = graph.concat %x, %x axis 1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'graph.concat': takes one operand or more}}
  %0 = "graph.concat"() <{axis = 0 : i64}> : () -> tensor<0xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.window': axis 0 of tensor<3xf32>: a window of 4 elements, 1 apart, does not fit into 3}}
  %0 = graph.window %x axes [0] size [4] stride [1] dilation [1] : tensor<3xf32> -> tensor<1x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.window': size [0] is to be 1 or more}}
  %0 = graph.window %x axes [0] size [0] stride [1] dilation [1] : tensor<3xf32> -> tensor<4x0xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.window': size [1, 1] is to have 1 values}}
  %0 = graph.window %x axes [0] size [1, 1] stride [1] dilation [1] : tensor<3xf32> -> tensor<3x1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{'graph.window': axes [1]: axis 1 is outside the 1 axes of tensor<3xf32>}}
  %0 = graph.window %x axes [1] size [1] stride [1] dilation [1] : tensor<3xf32> -> tensor<3x1xf32>
  func.return
}
