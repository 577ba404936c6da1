// RUN: teeny-opt %s -p kernel-to-uop --split-input-file --verify-diagnostics

kernel.func @dynamic(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  // expected-error @below {{a range of kind `thread.x` needs a constant extent}}
  %t = kernel.range 0 to N thread.x
  %v = kernel.load %x[%t]
  kernel.store %v, %y[%t]
}

// -----

kernel.func @two_sizes(out %y: !kernel.buf<[32] x f32>, out %z: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  // expected-error @below {{has 64 threads along thread.x, %t has 32}}
  %u = kernel.range 0 to 64 thread.x
  %v = kernel.load %x[%t]
  kernel.store %v, %y[%t]
  %w = kernel.load %x[%u]
  kernel.store %w, %z[%u]
}

// -----

kernel.func @triangle(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  // expected-error @below {{a range of kind `grid.x` has bounds over extents alone}}
  %j = kernel.range 0 to %i grid.x
  %v = kernel.load %x[%j]
  kernel.store %v, %y[%i, %j]
}
