// RUN: teeny-opt %s -p "kernel.func(fission-range{range=i buffer=y})" --split-input-file --verify-diagnostics

// expected-error @below {{@f has no argument 'y'; there are z, x}}
kernel.func @f(out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %z[%i]
}

// -----

// expected-error @below {{nothing in %i is stored to %y}}
kernel.func @f(out %y: !kernel.buf<[8] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i]
  kernel.store %v, %z[%i]
  kernel.store %zero, %y[%j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{is computed anew in each iteration of %i, so it cannot be shared}}
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[50] x f32, local>
  %w = kernel.load %row[49 - %j]
  kernel.store %w, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %j = kernel.range 0 to 50
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{is a scan, which stays in the loop of %i}}
  %s = kernel.scan %v along %i {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{the bounds of %j depend on %i}}
  %j = kernel.range %i to 50
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 50] x f32>, out %z: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{%i has no maximum: there is no room for its results}}
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %w = kernel.load %x[%i, %j]
  %d = arith.divf %w, %s : f32
  kernel.store %d, %y[%i, %j]
  kernel.store %s, %z[%i]
}
