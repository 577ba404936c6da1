// RUN: teeny-opt %s -p "kernel.func(split-reduction{over=k})" --verify-diagnostics

// Nothing is left for the second step.
// expected-error @below {{no reduction closes %k and more}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
