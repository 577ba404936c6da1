// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of a matrix load.

kernel.func @f(out %y: !kernel.buf<[2, 32] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %tt = kernel.range 0 to 32 thread.x
  %t = kernel.range 0 to 32 thread.x
  %e = kernel.range 0 to 2 unroll
  %v = kernel.load %x[%tt]
  %s = kernel.stage %v[%tt] over(%tt) : !kernel.buf<[32] x f32, shared>
  // expected-error @below {{there are no such matrices of f32}}
  %m = kernel.load_matrix %s[%t mod 8 * 4] as(%e) transposed
  kernel.store %m, %y[%e, %t]
}

// -----

kernel.func @f(out %y: !kernel.buf<[3, 32] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %tt = kernel.range 0 to 32 thread.x
  %t = kernel.range 0 to 32 thread.x
  %e = kernel.range 0 to 3 unroll
  %v = kernel.load %x[%tt]
  %s = kernel.stage %v[%tt] over(%tt) : !kernel.buf<[32] x f32, shared>
  // expected-error @below {{a lane gets 1, 2 or 4 elements, not 3}}
  %m = kernel.load_matrix %s[%t mod 8 * 4] as(%e)
  kernel.store %m, %y[%e, %t]
}

// -----

kernel.func @f(out %y: !kernel.buf<[1, 32] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  %e = kernel.range 0 to 1 unroll
  // expected-error @below {{loads from a shared stage, not from !kernel.buf<[32] x f32>}}
  %m = kernel.load_matrix %x[%t mod 8 * 4] as(%e)
  kernel.store %m, %y[%e, %t]
}

// -----

kernel.func @f(out %y: !kernel.buf<[1, 24] x f32>, in %x: !kernel.buf<[24] x f32>) {
  %tt = kernel.range 0 to 24 thread.x
  %t = kernel.range 0 to 24 thread.x
  %e = kernel.range 0 to 1 unroll
  %v = kernel.load %x[%tt]
  %s = kernel.stage %v[%tt] over(%tt) : !kernel.buf<[24] x f32, shared>
  // expected-error @below {{needs a range of kind `thread.x` of 32, 64, .. threads}}
  %m = kernel.load_matrix %s[%t mod 6 * 4] as(%e)
  kernel.store %m, %y[%e, %t]
}
