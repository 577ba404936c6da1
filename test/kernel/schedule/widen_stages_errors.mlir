// RUN: teeny-opt %s -p "kernel.func(widen-stages{range=i})" --split-input-file --verify-diagnostics

kernel.func @f(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..64) {
  // expected-error @below {{%i does not run from 0 to a constant}}
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  // expected-error @below {{%i is no loop}}
  %i = kernel.range 0 to 4 unroll
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
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

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %j = kernel.range 0 to 50
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{runs along %i: its iterations cannot stand side by side}}
  %s = kernel.scan %v along %i {kind = "add"}
  kernel.store %s, %y[%i, %j]
}
