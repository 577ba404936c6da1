// RUN: teeny-opt %s -p "kernel.func(order-ranges{order=k,i})" --split-input-file --verify-diagnostics

// The sum closes %k, and %i is open around it.
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{the loop of %k lies inside that of %i, whatever the order of the text}}
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{the bounds of %k depend on another range}}
  %k = kernel.range %i to 4
  %v = kernel.load %x[%i, %k]
  kernel.store %v, %y[%i, %k]
}

// -----

// Of two updates of one element the last one stays.
kernel.func @scatter(inout %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 5
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{combines in the order of %i, %k}}
  kernel.scatter %v, %y[0] over(%i, %k) {kind = "set"}
}

// -----

kernel.func @copies(inout %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 4 unroll
  %k = kernel.range 0 to 5 unroll
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{combines in the order of %i, %k}}
  kernel.scatter %v, %y[0] over(%i, %k) {kind = "set"}
}
