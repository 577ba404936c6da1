// RUN: teeny-opt %s -p graph-to-kernel --split-input-file --verify-diagnostics

// What the pass refuses.

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{arith.addf cannot be turned into a kernel}}
  %y = arith.addf %x, %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// expected-error @below {{an argument of type i32 is no tensor}}
func.func @scalar(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{the function returns nothing, so there is nothing to compute}}
func.func @nothing(%x: tensor<4xf32>) {
  func.return
}

// -----

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{func.call cannot be turned into a kernel}}
  %y = func.call @calls(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// expected-error @below {{only functions of one block become kernels}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  func.return %x : tensor<4xf32>
}
