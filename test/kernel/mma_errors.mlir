// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier refuses of a matrix instruction.

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{no matrix instruction m16n8k7 of f16 (see teenyir.targets.tensor_cores)}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k7", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{multiplies f32, not f16}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "tf32"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 8 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{a lane holds 4 elements, not 8}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{the elements of a lane are counted by ranges of kind unroll}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 24 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{needs a range of kind `thread.x` of 32, 64, .. threads}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 grid.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{needs a range of kind `thread.x` of 32, 64, .. threads}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}

// -----

kernel.func @f(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4 grid.x
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{cannot combine over %k, of kind `grid.x`}}
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}
