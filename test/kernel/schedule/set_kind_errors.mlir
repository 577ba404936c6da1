// RUN: teeny-opt %s -p "kernel.func(set-kind{range=i kind=vector})" --split-input-file --verify-diagnostics

// expected-error @below {{set-kind would make a kernel that is none: a range of kind `vector` needs constant bounds}}
kernel.func @f(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..8) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

// expected-error @below {{set-kind would make a kernel that is none: cannot run along %i, of kind `vector`}}
kernel.func @f(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %s = kernel.scan %v along %i {kind = "add"}
  kernel.store %s, %y[%i]
}
