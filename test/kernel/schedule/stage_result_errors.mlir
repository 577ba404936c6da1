// RUN: teeny-opt %s -p "kernel.func(stage-result{over=i})" --split-input-file --verify-diagnostics

kernel.func @f(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..9) {
  // expected-error @below {{%i does not run from 0 to a number}}
  %i = kernel.range 0 to N
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// expected-error @below {{0 results of loops are stored for the ranges, not one of a reduction}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[50] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// expected-error @below {{2 results of loops are stored for the ranges, not one of a reduction}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 50
  %l = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %w = kernel.load %x[%i, %l]
  %m = kernel.reduce %w over(%l) {kind = "max"}
  %d = arith.subf %m, %s : f32
  kernel.store %d, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{is for more than what is stored}}
  %m = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %m, %y[%i]
  %s = kernel.reduce %m over(%i) {kind = "add"}
  kernel.store %s, %z[0]
}
