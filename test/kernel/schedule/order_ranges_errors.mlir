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
