// RUN: teeny-opt %s -p "kernel.func(maximum-of-numbers{range=k})" --split-input-file --verify-diagnostics

// A maximum that no sum is relative to.
kernel.func @max(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{no sum of exponentials is relative to a maximum over it}}
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %m, %y[%i]
}

// -----

// One that is a result too.
kernel.func @both(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
  // expected-error @below {{takes in what depends on the maximum, and no sum relative to it}}
  kernel.store %m, %z[%i]
}

// -----

// Exponentials that are stored: where x is a number, and its neighbour NaN, they would be numbers.
kernel.func @powers(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
  // expected-error @below {{takes in what depends on the maximum, and no sum relative to it}}
  kernel.store %e, %z[%i, %j]
}

// -----

// A sum that leaves an element out has a NaN less than the maximum.
kernel.func @part(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{no sum of exponentials is relative to a maximum over it}}
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 63
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// The sign of a zero: it is that of the result where the sum is 1.
kernel.func @signed(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  // expected-error @below {{takes in the maximum, and the sign that it has if it is a zero}}
  %r = arith.mulf %s, %m : f32
  kernel.store %r, %y[%i]
}
