// Each thing that the verifiers of reduce, dot and conv refuse, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.reduce': axes [2]: axis 2 is outside the 2 axes of tensor<4x2xf32>}}
  %0 = graph.reduce add %x axes [2] : tensor<4x2xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.reduce': axes [-1]: axis -1 is outside the 2 axes of tensor<4x2xf32>}}
  %0 = graph.reduce add %x axes [-1] : tensor<4x2xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.reduce': axes [1, 1]: an axis is there twice}}
  %0 = graph.reduce add %x axes [1, 1] : tensor<4x2xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.reduce': the result is to be tensor<4xf32>, got tensor<2xf32>}}
  %0 = graph.reduce add %x axes [1] : tensor<4x2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.reduce': takes booleans and integers, got tensor<4x2xf32>}}
  %0 = graph.reduce or %x axes [1] : tensor<4x2xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xi1>) {
  // expected-error @+1 {{'graph.reduce': takes integers and floats, got tensor<4x2xi1>}}
  %0 = graph.reduce max %x axes [1] : tensor<4x2xi1> -> tensor<4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.reduce': no reduction 'sub', only add, mul, max, min, and, or}}
  %0 = "graph.reduce"(%x) <{kind = "sub", axes = array<i64: 0>}> : (tensor<4xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %y: tensor<3x5xf32>) {
  // expected-error @+1 {{'graph.dot': axis 1 of tensor<4x2xf32> does not match axis 0 of tensor<3x5xf32>: 2 and 3}}
  %0 = graph.dot %x, %y contract [1] x [0] : (tensor<4x2xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %y: tensor<3x5xf32>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{'graph.dot': axis 0 of tensor<?x4xf32, #graph.dims<[N, 4]>> does not match axis 0 of tensor<3x5xf32>: N and 3}}
  %0 = graph.dot %x, %y contract [0] x [0] : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<3x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %y: tensor<2x5xf16>) {
  // expected-error @+1 {{'graph.dot': the operands are to have one element type, got tensor<4x2xf32> and tensor<2x5xf16>}}
  %0 = graph.dot %x, %y contract [1] x [0] : (tensor<4x2xf32>, tensor<2x5xf16>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xi1>) {
  // expected-error @+1 {{'graph.dot': takes integers and floats, got tensor<4x2xi1>}}
  %0 = graph.dot %x, %x contract [1] x [1] : (tensor<4x2xi1>, tensor<4x2xi1>) -> tensor<4x4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.dot': as many contract axes on both sides, got [1] x []}}
  %0 = graph.dot %x, %x contract [1] x [] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.dot': as many batch axes on both sides, got [0, 1] x [0]}}
  %0 = graph.dot %x, %x batch [0, 1] x [0] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.dot': lhs axes [1, 1]: an axis is there twice}}
  %0 = graph.dot %x, %x contract [1] x [1] batch [1] x [0] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'graph.dot': rhs axes [2]: axis 2 is outside the 2 axes of tensor<4x2xf32>}}
  %0 = graph.dot %x, %x contract [1] x [2] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @+1 {{'graph.conv': 1 groups of 3 channels (tensor<2x3x3xf32>) are not the 4 of tensor<1x4x8xf32>}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x3x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @+1 {{'graph.conv': the 3 outputs of tensor<3x2x3xf32> do not divide into 2 groups}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 2 : (tensor<1x4x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3x3xf32>) {
  // expected-error @+1 {{'graph.conv': takes [batch, channels, spatial...] and [outputs, channels, kernel...] of one rank, got tensor<1x4x8xf32> and tensor<2x4x3x3xf32>}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf16>) {
  // expected-error @+1 {{'graph.conv': the operands are to have one element type, got tensor<1x4x8xf32> and tensor<2x4x3xf16>}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf16>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf32>) {
  // expected-error @+1 {{'graph.conv': stride [0] is to be 1 or more}}
  %0 = graph.conv %x, %w stride [0] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf32>) {
  // expected-error @+1 {{'graph.conv': pad [0, -1] is to be 0 or more}}
  %0 = graph.conv %x, %w stride [1] pad [[0, -1]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf32>) {
  // expected-error @+1 {{'graph.conv': dilation [1, 1] is to have 1 values}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1, 1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf32>) {
  // expected-error @+1 {{'graph.conv': spatial axis 0 of tensor<1x4x8xf32>: a window of 3 elements, 4 apart, does not fit into 8}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [4] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf32>) -> tensor<1x2x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<2x4x3xf32>) {
  // expected-error @+1 {{expected pairs such as [[1, 1], [0, 0]]}}
  %0 = graph.conv %x, %w stride [1] pad [[0, 0, 0]] dilation [1] groups 1 : (tensor<1x4x8xf32>, tensor<2x4x3xf32>) -> tensor<1x2x6xf32>
  func.return
}
