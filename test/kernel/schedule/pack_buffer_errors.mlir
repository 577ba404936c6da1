// RUN: teeny-opt %s -p "kernel.func(pack-buffer{buffer=x over=k})" --split-input-file --verify-diagnostics

// expected-error @below {{%x is not loaded at one place but used at 2}}
kernel.func @f(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%k]
  %w = kernel.load %x[7 - %k]
  %s = arith.addf %v, %w : f32
  kernel.store %s, %y[%k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 8
  // expected-error @below {{does not depend on %k}}
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..) {
  // expected-error @below {{the extent of %k has no maximum}}
  %k = kernel.range 0 to N
  %v = kernel.load %x[%k]
  kernel.store %v, %y[%k]
}
