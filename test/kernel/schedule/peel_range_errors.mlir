// RUN: teeny-opt %s -p "kernel.func(peel-range{range=i at=4 start=3})" --split-input-file --verify-diagnostics

// A sum over all is not the sum over some.
kernel.func @f(out %y: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[9] x f32>) {
  %zero = kernel.index 0
  %i = kernel.range 0 to 9
  %v = kernel.load %x[%i]
  // expected-error @below {{depends on %i, and is no store}}
  %s = kernel.reduce %v over(%i) {kind = "add"}
  kernel.store %s, %y[%zero]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{%i does not go from 0 past 4, or 3 is not among what it does}}
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[9, 9] x f32>, in %x: !kernel.buf<[9] x f32>) {
  %i = kernel.range 0 to 9
  // expected-error @below {{the bounds of %j depend on %i}}
  %j = kernel.range 0 to %i
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i, %j]
}

// -----

// Written where it is read: no iteration may be done twice.
// expected-error @below {{peel-range would make a kernel that is none}}
kernel.func @f(inout %y: !kernel.buf<[9] x f32>) {
  %i = kernel.range 0 to 9
  %v = kernel.load %y[%i]
  %s = arith.addf %v, %v : f32
  kernel.store %s, %y[%i]
}

// -----

// What is staged for all is not staged for some.
kernel.func @f(out %y: !kernel.buf<[9, 4] x f32>, in %x: !kernel.buf<[9, 4] x f32>) {
  %i = kernel.range 0 to 9
  %k = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{depends on %i, and is no store}}
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[4] x f32, local>
  %w = kernel.load %row[%j]
  kernel.store %w, %y[%i, %j]
}
