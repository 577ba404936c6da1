// Each thing that the verifier of a sort refuses, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis [1]: axis 1 is outside the 1 axes of tensor<4xf32>}}
  %0 = graph.sort(%x) keys 1 axis 1
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{the inputs differ in extents: tensor<4xf32> and tensor<5xf32>}}
  %0, %1 = graph.sort(%x, %y) keys 1 axis 0
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{2 keys of 1 inputs}}
  %0 = graph.sort(%x) keys 2 axis 0
  func.return
}

// -----

func.func @f(%x: tensor<4xi4>) {
  // expected-error @+1 {{i4 is for storage: cast tensor<4xi4> before}}
  %0 = graph.sort(%x) keys 1 axis 0
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{what the first 5 of 4 elements leave is negative: -1}}
  %0 = graph.sort(%x) keys 1 axis 0 first 5
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{sorts nothing}}
  graph.sort() keys 1 axis 0
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.sort': each result is to have its input's type, but for `first`}}
  %0 = "graph.sort"(%x) <{keys = 1 : i64, axis = 0 : i64}> : (tensor<4xf32>) -> tensor<3xf32>
  func.return
}
