// RUN: teeny-opt %s -p "kernel.func(pack-buffer{buffer=x over=k unroll=i})" --split-input-file --verify-diagnostics

// expected-error @below {{'i' is none of the ranges that the panel holds}}
kernel.func @f(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%i, %k]
  kernel.store %v, %y[%i, %k]
}
