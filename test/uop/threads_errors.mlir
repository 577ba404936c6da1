// RUN: teeny-opt %s --split-input-file --verify-diagnostics

uop.func @outside(out %y: !uop.ptr<f32>) {
  // expected-error @below {{means something only in a function with a grid and a block}}
  %t = uop.special thread.x
}

// -----

uop.func @shared(out %y: !uop.ptr<f32>) {
  // expected-error @below {{means something only in a function with a grid and a block}}
  %s = uop.local [64] : !uop.ptr<f32, shared>
}

// -----

uop.func @axis(out %y: !uop.ptr<f32>) grid [1] block [32] {
  // expected-error @below {{the grid has 1 axes: there is no thread.y}}
  %t = uop.special thread.y
}

// -----

// expected-error @below {{a grid of 2 axes and a block of 1}}
uop.func @axes(out %y: !uop.ptr<f32>) grid [1, 2] block [32] {
}

// -----

// expected-error @below {{a block of 32 x 0 threads}}
uop.func @empty(out %y: !uop.ptr<f32>) grid [1, 2] block [32, 0] {
}

// -----

// expected-error @below {{the grid names M: not in `dims`}}
uop.func @names(out %y: !uop.ptr<f32>) dims(%N: N in 1..4) grid [M] block [32] {
}

// -----

uop.func @row(out %y: !uop.ptr<f32>) grid [1] block [32] {
  %h = arith.constant 1.0 : f16
  %z = arith.constant 0.0 : f32
  // expected-error @below {{no matrix instruction m16n8k7 of f16 (see teenyir.targets.tensor_cores)}}
  %d0, %d1, %d2, %d3 = uop.mma (%h, %h, %h, %h) (%h, %h) (%z, %z, %z, %z) {shape = "m16n8k7", type = "f16"}
}

// -----

uop.func @count(out %y: !uop.ptr<f32>) grid [1] block [32] {
  %h = arith.constant 1.0 : f16
  %z = arith.constant 0.0 : f32
  // expected-error @below {{a lane holds 4 elements of A, not 2}}
  %d0, %d1, %d2, %d3 = uop.mma (%h, %h) (%h, %h) (%z, %z, %z, %z) {shape = "m16n8k8", type = "f16"}
}

// -----

uop.func @alone(out %y: !uop.ptr<f32>) {
  %h = arith.constant 1.0 : f16
  %z = arith.constant 0.0 : f32
  // expected-error @below {{means something only in a function with a grid and a block}}
  %d0, %d1, %d2, %d3 = uop.mma (%h, %h, %h, %h) (%h, %h) (%z, %z, %z, %z) {shape = "m16n8k8", type = "f16"}
}

// -----

uop.func @odd(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) grid [1] block [32] {
  %t = uop.special thread.x
  %s = uop.local [32] : !uop.ptr<f16, shared>
  // expected-error @below {{copies 4, 8 or 16 bytes, not 6}}
  uop.copy_async %x[%t], %s[%t] : 3 x f16
}

// -----

uop.func @out(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) grid [1] block [32] {
  %t = uop.special thread.x
  %s = uop.local [32] : !uop.ptr<f16, shared>
  // expected-error @below {{loads from an argument of mode `out`}}
  uop.copy_async %y[%t], %s[%t] : 2 x f16
}

// -----

uop.func @threads(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [24] {
  %t = uop.special thread.x
  %v = uop.load %x[%t] : f32
  // expected-error @below {{needs whole warps, not 24 threads along x}}
  %w = uop.shuffle %v xor 1
}

// -----

uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %v = uop.load %x[%t] : f32
  // expected-error @below {{lanes are 0 to 31: none differ in 32}}
  %w = uop.shuffle %v xor 32
}

// -----

uop.func @wide(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %s = uop.local [256] : !uop.ptr<f32, shared>
  // expected-error @below {{there are no such matrices of f32}}
  %m = uop.load_matrix %s[%t] transposed : 1 x f32
}
