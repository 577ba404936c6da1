// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the threads of a block share.

kernel.func @loop(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %k = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%k]
  // expected-error @below {{a shared stage closes the ranges of kind `thread.*` that it is of}}
  %s = kernel.stage %v[%k] over(%k) : !kernel.buf<[4] x f32, shared>
  %w = kernel.load %s[%j]
  kernel.store %w, %y[%j]
}

// -----

kernel.func @blocks(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 32] x f32>) {
  %b = kernel.range 0 to 4 grid.x
  %t = kernel.range 0 to 32 thread.x
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%b, %t]
  // expected-error @below {{no block has the values of %b of others}}
  %s = kernel.stage %v[%b, %t] over(%b, %t) : !kernel.buf<[4, 32] x f32, shared>
  %w = kernel.load %s[%j, 0]
  kernel.store %w, %y[%j]
}
