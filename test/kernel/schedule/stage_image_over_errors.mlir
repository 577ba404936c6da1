// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=k windows=m over=q})" --split-input-file --verify-diagnostics

kernel.func @f(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[64] x f32>, in %w: !kernel.buf<[4, 3] x f32>) {
  %k = kernel.range 0 to 9
  %q = kernel.range 0 to 4
  %m = kernel.range 0 to 3
  // expected-error @below {{does not depend on %q}}
  %v = kernel.load %x[%k + %m]
  %u = kernel.load %w[%q, %m]
  %p = arith.mulf %v, %u : f32
  %s = kernel.reduce %p over(%q, %m) {kind = "add"}
  kernel.store %s, %y[%k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[N, 64] x f32>) dims(N in 0..) {
  %k = kernel.range 0 to 9
  // expected-error @below {{the extent of %q has no maximum}}
  %q = kernel.range 0 to N
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%q, %k + %m]
  %s = kernel.reduce %v over(%q, %m) {kind = "add"}
  kernel.store %s, %y[%k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[8, 8, 64] x f32>) {
  %k = kernel.range 0 to 9
  // expected-error @below {{the bounds of another range depend on %q}}
  %q = kernel.range 0 to 8
  %t = kernel.range 0 to %q
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%q, %t, %k + %m]
  %s = kernel.reduce %v over(%q, %t, %m) {kind = "add"}
  kernel.store %s, %y[%k]
}
