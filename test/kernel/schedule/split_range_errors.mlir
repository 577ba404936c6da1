// RUN: teeny-opt %s -p "kernel.func(split-range{range=j by=8})" --split-input-file --verify-diagnostics

// expected-error @below {{@f has no range 'j'; there are i}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{runs along %j, which cannot be split}}
  %s = kernel.scan %v along %j {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{closes %j, whose extent 50 is not known to be a multiple of the block: what it takes in cannot be gated}}
  %row = kernel.stage %v[49 - %j] over(%j) : !kernel.buf<[50] x f32, local>
  %k = kernel.range 0 to 50
  %w = kernel.load %row[%k]
  kernel.store %w, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{the bounds of %j depend on another range}}
  %j = kernel.range %i to 8
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[50, 4] x f32>, in %w: !kernel.buf<[50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %c = kernel.range 0 to 4
  %v = kernel.load %x[%j, %c]
  %a = kernel.load %w[%j]
  // expected-error @below {{is scaled along %j, which cannot be split}}
  %s = kernel.stage %v[%c] over(%c) accumulating(%j) scaled(%a) {kind = "add"} : !kernel.buf<[4] x f32, local>
  %u = kernel.load %s[%i]
  kernel.store %u, %y[%i]
}

// -----

kernel.func @product(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %j = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %j * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%j * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  // expected-error @below {{closes %j, and can close no other range}}
  %m = kernel.mma %a(%p), %v(%q) over(%j) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}
