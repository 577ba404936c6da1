// Each thing that the verifiers of constant and iota refuse, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error @+1 {{'graph.iota': axis [1]: axis 1 is outside the 1 axes of tensor<4xi32>}}
  %0 = graph.iota axis 1 : tensor<4xi32>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'graph.iota': takes integers and floats, got tensor<4xi1>}}
  %0 = graph.iota axis 0 : tensor<4xi1>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'graph.constant': the result is to be tensor<2xi32>, got tensor<3xi32>}}
  %0 = "graph.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{index is not an element type of graph tensors}}
  %0 = graph.constant dense<1> : tensor<2xindex>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected dense<...> : tensor<...>}}
  %0 = graph.constant 1 : i32
  func.return
}
