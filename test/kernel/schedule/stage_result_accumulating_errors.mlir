// RUN: teeny-opt %s -p "kernel.func(stage-result{over=i accumulating=k})" --split-input-file --verify-diagnostics

// Something has to be left to reduce.
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{does not close %k and more}}
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
