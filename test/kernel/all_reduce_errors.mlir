// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of an all-reduce.

kernel.func @f(out %y: !kernel.buf<[20] x f32>, in %x: !kernel.buf<[20] x f32>) {
  %t = kernel.range 0 to 20 thread.x
  %v = kernel.load %x[%t]
  // expected-error @below {{needs 32, 64, .. threads, not 20}}
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  kernel.store %s, %y[%t]
}

// -----

kernel.func @f(out %y: !kernel.buf<[32] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32
  %v = kernel.load %x[%t]
  // expected-error @below {{is across a range of kind `thread.x`}}
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  kernel.store %s, %y[%t]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4 thread.y
  %t = kernel.range 0 to 64 thread.x
  %v = kernel.load %x[%i, %t]
  // expected-error @below {{is across 64 threads, where %i has others}}
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  kernel.store %s, %y[%i, %t]
}

// -----

// What is not the same in all threads is stored by each of them.
kernel.func @f(out %y: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%t]
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  %d = arith.divf %v, %s : f32
  // expected-error @below {{several iterations of %t may write one element}}
  kernel.store %d, %y[0]
}

// -----

kernel.func @f(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
  %t = kernel.range 0 to 64 thread.x
  %v = kernel.load %x[%t]
  // expected-error @below {{combines groups of 2, 4, .. 32 lanes, not 12}}
  %s = kernel.all_reduce %v across(%t) lanes(12) {kind = "add"}
  kernel.store %s, %y[%t]
}

// -----

// Each group has a result of its own.
kernel.func @f(out %y: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%t]
  %s = kernel.all_reduce %v across(%t) lanes(8) {kind = "add"}
  // expected-error @below {{several iterations of %t may write one element}}
  kernel.store %s, %y[0]
}
