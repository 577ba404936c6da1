// RUN: teeny-opt %s -p 'simplify-kernel,cse' --verify-each | filecheck %s

// Ranges that run once or never, pairs that are one, and the order of those reduced.

// range-of-one: it is closed no more
kernel.func @once(out %y: !kernel.buf<[4, 1] x f32>, in %x: !kernel.buf<[4, 1, 5] x f32>) {
  %i = kernel.range 0 to 4
  %one = kernel.range 0 to 1
  %k = kernel.range 0 to 5
  %l = kernel.range 2 to 3
  %v = kernel.load %x[%i, %l - 2, %k]
  %s = kernel.reduce %v over(%k, %l) {kind = "add"}
  %m = kernel.range 0 to 1
  %w = kernel.load %x[%i, %m, 0]
  %t = kernel.reduce %w over(%m) {kind = "max"}
  %u = arith.addf %s, %t : f32
  kernel.store %u, %y[%i, %one]
}

// range-of-one: a sum starts from 0.0, and so is no -0.0
kernel.func @sum_of_one(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 1
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// no range-of-one: a stage closes some range in any case
kernel.func @staged(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 1
  %v = kernel.load %x[%i, %k]
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[1] x f32, local>
  %w = kernel.load %row[0]
  kernel.store %w, %y[%i]
}

// reduce-over-nothing
kernel.func @never(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 0] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 0
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "min"}
  kernel.store %s, %y[%i]
}

// merge-ranges: a pair of loops that is met as a flat index
kernel.func @merged(out %y: !kernel.buf<[12 * N] x f32>, in %x: !kernel.buf<[12 * N] x f32>) dims(N in 1..8) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 12
  %v = kernel.load %x[%i * 12 + %j]
  kernel.store %v, %y[%i * 12 + %j]
}

// merge-ranges: reduced together
kernel.func @merged_sum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 12] x f32>) {
  %o = kernel.range 0 to 4
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%o, %i * 4 + %j]
  %s = kernel.reduce %v over(%i, %j) {kind = "max"}
  kernel.store %s, %y[%o]
}

// no merge-ranges: one of them is met alone
kernel.func @alone(out %y: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[12] x f32>, in %b: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i * 4 + %j]
  %w = kernel.load %b[%j]
  %u = arith.addf %v, %w : f32
  kernel.store %u, %y[%i * 4 + %j]
}

// no merge-ranges: rows that overlap, and only one of two reduced
kernel.func @overlap(out %y: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[12] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i * 4 + %j]
  %s = kernel.reduce %v over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}

// order-reduction: the loads' contiguous axis innermost
kernel.func @order(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%k, %i]
  %s = kernel.reduce %v over(%i, %k) {kind = "add"}
  kernel.store %s, %y[]
}

// no order-reduction: a stage is filled in that order too
kernel.func @shared(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%k, %i]
  %tile = kernel.stage %v[%i, %k] over(%i, %k) : !kernel.buf<[4, 8] x f32, local>
  %s = kernel.reduce %v over(%i, %k) {kind = "add"}
  %a = kernel.range 0 to 4
  %b = kernel.range 0 to 8
  %w = kernel.load %tile[%a, %b]
  %q = arith.divf %w, %s : f32
  kernel.store %q, %y[%a, %b]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @once(out %y: !kernel.buf<[4, 1] x f32>, in %x: !kernel.buf<[4, 1, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 5
// CHECK-NEXT:     %v = kernel.load %x[%i, 0, %k]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     %w = kernel.load %x[%i, 0, 0]
// CHECK-NEXT:     %u = arith.addf %s, %w : f32
// CHECK-NEXT:     kernel.store %u, %y[%i, 0]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum_of_one(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i, 0]
// CHECK-NEXT:     %s = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %s_1 = arith.addf %v, %s : f32
// CHECK-NEXT:     kernel.store %s_1, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @staged(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 1
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[1] x f32, local>
// CHECK-NEXT:     %w = kernel.load %row[0]
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @never(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 0] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %s = arith.constant 0x7f800000 : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @merged(out %y: !kernel.buf<[N * 12] x f32>, in %x: !kernel.buf<[N * 12] x f32>) dims(N in 1..8) {
// CHECK-NEXT:     %i = kernel.range 0 to N * 12
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @merged_sum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 12] x f32>) {
// CHECK-NEXT:     %o = kernel.range 0 to 4
// CHECK-NEXT:     %i = kernel.range 0 to 12
// CHECK-NEXT:     %v = kernel.load %x[%o, %i]
// CHECK-NEXT:     %s = kernel.reduce %v over(%i) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%o]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @alone(out %y: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[12] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i * 4 + %j]
// CHECK-NEXT:     %w = kernel.load %b[%j]
// CHECK-NEXT:     %u = arith.addf %v, %w : f32
// CHECK-NEXT:     kernel.store %u, %y[%i * 4 + %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @overlap(out %y: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[12] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i * 4 + %j]
// CHECK-NEXT:     %s = kernel.reduce %v over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @order(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%k, %i]
// CHECK-NEXT:     %s = kernel.reduce %v over(%i, %k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @shared(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%k, %i]
// CHECK-NEXT:     %tile = kernel.stage %v[%i, %k] over(%i, %k) : !kernel.buf<[4, 8] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %v over(%i, %k) {kind = "add"}
// CHECK-NEXT:     %a = kernel.range 0 to 4
// CHECK-NEXT:     %b = kernel.range 0 to 8
// CHECK-NEXT:     %w = kernel.load %tile[%a, %b]
// CHECK-NEXT:     %q = arith.divf %w, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%a, %b]
// CHECK-NEXT:   }
// CHECK-NEXT: }
