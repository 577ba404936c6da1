// RUN: teeny-opt %s -p "kernel.func(stream-store{buffer=x})" --verify-diagnostics --split-input-file

// expected-error @+1 {{@copy does not store into %x}}
kernel.func @copy(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
