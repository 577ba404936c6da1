// RUN: teeny-opt %s -p "kernel.func(part-reduction{range=k parts=4})" --split-input-file --verify-diagnostics

kernel.func @scan(out %y: !kernel.buf<[200] x f32>, in %x: !kernel.buf<[200] x f32>) {
  %k = kernel.range 0 to 200
  %v = kernel.load %x[%k]
  // expected-error @below {{runs along %k, in order}}
  %s = kernel.scan %v along %k {kind = "add"}
  kernel.store %s, %y[%k]
}

// -----

kernel.func @scatter(inout %y: !kernel.buf<[200] x f32>, in %x: !kernel.buf<[200] x f32>) {
  %k = kernel.range 0 to 200
  %v = kernel.load %x[%k]
  // expected-error @below {{scatters over %k, in order}}
  kernel.scatter %v, %y[%k] over(%k) {kind = "add"}
}

// -----

kernel.func @scaled(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[200, 8] x f32>, in %w: !kernel.buf<[200] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 200
  %c = kernel.range 0 to 8
  %a = kernel.load %w[%k]
  %v = kernel.load %x[%k, %c]
  // expected-error @below {{is scaled along %k, in order}}
  %sums = kernel.stage %v[%c] over(%c) accumulating(%k) scaled(%a) {kind = "add"} : !kernel.buf<[8] x f32, local>
  %s = kernel.load %sums[%i]
  kernel.store %s, %y[%i]
}

// -----

kernel.func @nothing(out %y: !kernel.buf<[200] x f32>, in %x: !kernel.buf<[200] x f32>) {
  // expected-error @below {{nothing is reduced over %k}}
  %k = kernel.range 0 to 200
  %v = kernel.load %x[%k]
  kernel.store %v, %y[%k]
}

// -----

kernel.func @triangle(out %y: !kernel.buf<[20] x f32>, in %x: !kernel.buf<[200] x f32>) {
  %i = kernel.range 0 to 20
  // expected-error @below {{the bounds of %k depend on another range}}
  %k = kernel.range 0 to %i
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

kernel.func @lanes(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16] x f32>) {
  // expected-error @below {{%k is of kind `vector`}}
  %k = kernel.range 0 to 16 vector
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// -----

kernel.func @gated(out %y: !kernel.buf<[33] x f32>, in %x: !kernel.buf<[200, 33] x f32>) {
  %i = kernel.range 0 to 33
  %k = kernel.range 0 to 200
  %j = kernel.range 0 to 33
  %one = arith.constant 1.0 : f32
  %end = kernel.index 20
  %g = arith.cmpi slt, %i, %end : index
  %v = kernel.load %x[%k, %j]
  %row = kernel.stage %v[%j] over(%j) accumulating(%k) {kind = "add"} : !kernel.buf<[33] x f32, local>
  // expected-error @below {{loads under a gate what accumulates over %k}}
  %s = kernel.load %row[%i] if %g else %one
  kernel.store %s, %y[%i]
}

// -----

kernel.func @copies(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 200] x f32>) {
  %i = kernel.range 0 to 4 unroll
  %k = kernel.range 0 to 200
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{stands side by side with others, for %i: there is no place for each}}
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
