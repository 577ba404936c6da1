// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// DAGs for which there is no loop tree; the rules are in `nest.py`.

// Two closers ask for opposite orders: the first nests %j in %i, the second %i in %j.
kernel.func @opposite_orders(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  // expected-error @below {{'kernel.range': %i, %j would each have to be outside the other: two closers ask for opposite orders of loops}}
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  %a = kernel.reduce %v over(%j) {kind = "add"}
  kernel.store %a, %y[%i]
  %b = kernel.reduce %v over(%i) {kind = "add"}
  kernel.store %b, %z[%j]
}

// -----

// The way out is a second pair of ranges.
kernel.func @own_ranges(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  %a = kernel.reduce %v over(%j) {kind = "add"}
  kernel.store %a, %y[%i]
  %k = kernel.range 0 to 4
  %l = kernel.range 0 to 4
  %w = kernel.load %x[%l, %k]
  %b = kernel.reduce %w over(%l) {kind = "add"}
  kernel.store %b, %z[%k]
}

// -----

// %k is closed inside %i once and inside %j once, and these two have nothing to do with each other.
kernel.func @range_on_two_paths(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  // expected-error @below {{'kernel.range': the loops around %k do not nest: %i, %j lie on two paths}}
  %k = kernel.range 0 to 4
  %v = kernel.load %x[%i, %k]
  %a = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %a, %y[%i]
  %w = kernel.load %x[%j, %k]
  %b = kernel.reduce %w over(%k) {kind = "add"}
  kernel.store %b, %z[%j]
}

// -----

// Nothing puts %i and %j into one nest, so a value cannot depend on both.
kernel.func @value_on_two_paths(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  kernel.store %v, %y[%i]
  kernel.store %v, %z[%j]
  // expected-error @below {{'kernel.index': depends on %i and on %j, which lie on two paths}}
  %n = kernel.index %i + %j
}

// -----

// The sum over %k stands in %i; but %k also has to stand inside %j, which is a loop of its own in %i.
kernel.func @foreign_loop(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4, 4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 4
  %v = kernel.load %x[%i, %k]
  // expected-error @below {{'kernel.reduce': %j would stand between this op and the loops that it closes, %k}}
  %a = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %a, %y[%i]
  %w = kernel.load %x[%j, %k]
  %t = arith.addf %v, %w : f32
  %b = kernel.reduce %t over(%k) {kind = "add"}
  kernel.store %b, %z[%i, %j]
}

// -----

// The value to be summed over %i needs the maximum over %i: one loop cannot do both.
kernel.func @needs_what_closes_its_loop(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': a value inside the loop of %i needs the result of an op that closes it; use a second range}}
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  %m = kernel.reduce %v over(%i) {kind = "max"}
  %d = arith.subf %v, %m : f32
  %s = kernel.reduce %d over(%i) {kind = "add"}
  kernel.store %s, %y[]
}

// -----

// The same through a stage.
kernel.func @loads_what_closes_its_loop(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': a value inside the loop of %i needs the result of an op that closes it; use a second range}}
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[4] x f32, local>
  %w = kernel.load %s[3 - %i]
  kernel.store %w, %y[%i]
}

// -----

// What bounds a range lies outside it, so it cannot be closed before.
kernel.func @bound_closed_first(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  // expected-error @below {{'kernel.range': %i, %j would each have to be outside the other}}
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to %i + 1
  %v = kernel.load %x[%i, %j]
  %s = kernel.reduce %v over(%i) {kind = "add"}
  kernel.store %s, %y[%j]
}

// -----

// A range without a name is still told of.
kernel.func @nameless(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 3] x f32>) {
  %0 = kernel.range 0 to 4
  %1 = kernel.range 0 to 3
  %v = kernel.load %x[%0, %1]
  // expected-error @below {{'kernel.store': several iterations of range number 2 of the kernel may write one element}}
  kernel.store %v, %y[%0]
}
