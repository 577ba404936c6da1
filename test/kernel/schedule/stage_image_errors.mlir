// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=k windows=m})" --split-input-file --verify-diagnostics

kernel.func @f(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[64] x f32>) dims(N in 0..9) {
  // expected-error @below {{some positions of %k, %m are in no window}}
  %k = kernel.range 0 to 9
  %m = kernel.range 0 to 2
  %v = kernel.load %x[%k * 3 + %m]
  %s = kernel.reduce %v over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[64] x f32>) dims(N in 0..9) {
  // expected-error @below {{%k, %m may have fewer than 1 windows}}
  %k = kernel.range 0 to N
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%k + %m]
  %s = kernel.reduce %v over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[64] x f32>) dims(N in 0..9) {
  // expected-error @below {{no load has an index of %k, %m together}}
  %k = kernel.range 0 to 9
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%m]
  %s = kernel.reduce %v over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}

// -----

// expected-error @below {{0 values depend on positions of %k, %m, not one}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[64] x f32>) dims(N in 0..9) {
  %k = kernel.range 0 to 4
  %m = kernel.range 0 to 3
  %u = kernel.load %x[%k + %m]
  %v = kernel.load %x[%k + %m * 2]
  %s = kernel.reduce %v over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}

// -----

// Of a later window less is read: a position with all of it may lie outside.
// expected-error @below {{0 values depend on positions of %k, %m, not one}}
kernel.func @triangle(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[6] x f32>) {
  %k = kernel.range 0 to 4
  %q = kernel.range 0 to 4 - %k
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%k + %m + %q]
  %s = kernel.reduce %v over(%m, %q) {kind = "max"}
  kernel.store %s, %y[%k]
}
