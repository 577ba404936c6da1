// RUN: teeny-opt %s -p 'simplify-kernel,cse' --verify-each | filecheck %s

// Conditions on indices, and what they gate.

// compare-proven, load-gate, store-gate: always true; select of it is left to canonicalize
kernel.func @always(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %n = kernel.index 8
  %g = arith.cmpi ult, %i, %n : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i] if %g else %zero
  kernel.store %v, %y[%i] if %g
}

// compare-proven: never; the load is its other value
kernel.func @never(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %n = kernel.index 8
  %k = kernel.index %i + 8
  %g = arith.cmpi ult, %k, %n : index
  %zero = arith.constant -0.0 : f32
  %v = kernel.load %x[%k] if %g else %zero
  kernel.store %v, %y[%i]
}

// compare-proven: of a named extent, by the bound of the loop
kernel.func @by_the_loop(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %n = kernel.index N
  %g = arith.cmpi ult, %i, %n : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i] if %g else %zero
  kernel.store %v, %y[%i]
}

// compare-proven: equalities, of integers made of indices
kernel.func @equal(out %y: !kernel.buf<[8] x i1>, out %z: !kernel.buf<[8] x i1>) {
  %i = kernel.range 0 to 8
  %a = arith.index_cast %i : index to i64
  %nine = arith.constant 9 : i64
  %e = arith.cmpi eq, %a, %nine : i64
  kernel.store %e, %y[%i]
  %u = arith.cmpi ne, %a, %nine : i64
  kernel.store %u, %z[%i]
}

// no compare-proven: it depends on the iteration
kernel.func @sometimes(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 9
  %n = kernel.index 8
  %g = arith.cmpi ult, %i, %n : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i] if %g else %zero
  kernel.store %v, %y[%i]
}

// no compare-proven: below zero an unsigned number is large
kernel.func @below_zero(out %y: !kernel.buf<[8] x i1>) {
  %i = kernel.range 0 to 8
  %k = kernel.index %i - 4
  %n = kernel.index 4
  %g = arith.cmpi slt, %k, %n : index
  %h = arith.cmpi ult, %k, %n : index
  %b = arith.andi %g, %h : i1
  kernel.store %b, %y[%i]
}

// compare-one-side: the second part of a concatenation; select-of-load
kernel.func @one_side(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f32>) {
  %i = kernel.range 0 to 11
  %k = kernel.index %i - 8
  %n = kernel.index 3
  %g = arith.cmpi ult, %k, %n : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%k] if %g else %zero
  %w = arith.select %g, %v, %zero : f32
  kernel.store %w, %y[%i]
}

// no compare-one-side: a negative number is among the largest, and what is below it too
kernel.func @below_a_negative(out %y: !kernel.buf<[4] x i32>) {
  %i = kernel.range 0 to 4
  %k = kernel.index %i - 10
  %n = kernel.index -5
  %g = arith.cmpi ult, %k, %n : index
  %v = arith.extui %g : i1 to i32
  kernel.store %v, %y[%i]
}

// no select-of-load: of another gate
kernel.func @other_gate(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f32>, in %c: !kernel.buf<[11] x i1>) {
  %i = kernel.range 0 to 11
  %n = kernel.index 3
  %g = arith.cmpi ult, %i, %n : index
  %h = kernel.load %c[%i]
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i] if %g else %zero
  %w = arith.select %h, %v, %zero : f32
  kernel.store %w, %y[%i]
}

// select-of-cast: a row beyond which there are zeros, cast before they are put there
kernel.func @wider(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f16>) {
  %i = kernel.range 0 to 11
  %n = kernel.index 3
  %g = arith.cmpi ult, %i, %n : index
  %one = arith.constant 1.0 : f16
  %v = kernel.load %x[%i] if %g else %one
  %w = arith.extf %v : f16 to f32
  %zero = arith.constant 0.0 : f32
  %z = arith.select %g, %w, %zero : f32
  kernel.store %z, %y[%i]
}

// select-of-cast: of integers; the load gives zeros there already
kernel.func @wider_integer(out %y: !kernel.buf<[11] x i32>, in %x: !kernel.buf<[3] x i8>) {
  %i = kernel.range 0 to 11
  %n = kernel.index 3
  %g = arith.cmpi ult, %i, %n : index
  %none = arith.constant 0 : i8
  %v = kernel.load %x[%i] if %g else %none
  %w = arith.extsi %v : i8 to i32
  %zero = arith.constant 0 : i32
  %z = arith.select %g, %w, %zero : i32
  kernel.store %z, %y[%i]
}

// no select-of-cast: another number than zero, and zero with a sign
kernel.func @wider_than_zero(out %y: !kernel.buf<[11] x f32>, out %z: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f16>) {
  %i = kernel.range 0 to 11
  %n = kernel.index 3
  %g = arith.cmpi ult, %i, %n : index
  %none = arith.constant 0.0 : f16
  %v = kernel.load %x[%i] if %g else %none
  %w = arith.extf %v : f16 to f32
  %one = arith.constant 1.0 : f32
  %a = arith.select %g, %w, %one : f32
  kernel.store %a, %y[%i]
  %negative = arith.constant -0.0 : f32
  %b = arith.select %g, %w, %negative : f32
  kernel.store %b, %z[%i]
}

// gate-within-gate: two paddings of one axis
kernel.func @within(out %y: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 12
  %a = kernel.index %i - 1
  %b = kernel.index %i - 2
  %ten = kernel.index 10
  %eight = kernel.index 8
  %g = arith.cmpi ult, %a, %ten : index
  %h = arith.cmpi ult, %b, %eight : index
  %both = arith.andi %g, %h : i1
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i - 2] if %both else %zero
  kernel.store %v, %y[%i]
}

// gate-within-gate: none holds where the other does
kernel.func @apart(out %y: !kernel.buf<[12] x i1>) {
  %i = kernel.range 0 to 12
  %b = kernel.index %i - 4
  %four = kernel.index 4
  %g = arith.cmpi ult, %i, %four : index
  %h = arith.cmpi ult, %b, %four : index
  %both = arith.andi %g, %h : i1
  kernel.store %both, %y[%i]
}

// no gate-within-gate: they overlap
kernel.func @overlap(out %y: !kernel.buf<[12] x i1>) {
  %i = kernel.range 0 to 12
  %b = kernel.index %i - 2
  %four = kernel.index 4
  %g = arith.cmpi ult, %i, %four : index
  %h = arith.cmpi ult, %b, %four : index
  %both = arith.andi %g, %h : i1
  kernel.store %both, %y[%i]
}

// hoist-gate: the gate is the same in every iteration of the sum
kernel.func @hoisted(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 6
  %k = kernel.range 0 to 5
  %four = kernel.index 4
  %g = arith.cmpi ult, %i, %four : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i, %k] if %g else %zero
  %e = arith.mulf %v, %v : f32
  %w = arith.select %g, %e, %zero : f32
  %s = kernel.reduce %w over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// no hoist-gate: elsewhere it is not what the sum starts from, which is 0.0, not -0.0
kernel.func @not_hoisted(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 6
  %k = kernel.range 0 to 5
  %four = kernel.index 4
  %g = arith.cmpi ult, %i, %four : index
  %zero = arith.constant 0.0 : f32
  %negative = arith.constant -0.0 : f32
  %v = kernel.load %x[%i, %k] if %g else %zero
  %e = arith.mulf %v, %v : f32
  %w = arith.select %g, %e, %negative : f32
  %s = kernel.reduce %w over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// scatter-gate
kernel.func @scattered(inout %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %n = kernel.index 8
  %g = arith.cmpi ult, %i, %n : index
  %v = kernel.load %x[%i]
  kernel.scatter %v, %y[%i floordiv 2] if %g over(%i) {kind = "add"}
}

// gate-for-nothing: what a row gives is asked for only where the gate holds, and all of it is there
kernel.func @rows(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %t: !kernel.buf<[4] x i1>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %j = kernel.range 0 to 8
  %g = kernel.load %t[%i]
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i, %k] if %g else %zero
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %w = kernel.load %x[%i, %j] if %g else %zero
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %r = arith.select %g, %s, %zero : f32
  kernel.store %r, %y[%i]
}

// no gate-for-nothing: a scan takes in what is read where the gate does not hold
kernel.func @scanned(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %t: !kernel.buf<[4, 8] x i1>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %g = kernel.load %t[%i, %k]
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i, %k] if %g else %zero
  %s = kernel.scan %v along %k {kind = "add"}
  %r = arith.select %g, %s, %zero : f32
  kernel.store %r, %y[%i, %k]
}

// no gate-for-nothing: it is asked for elsewhere too, beyond its end, where another gate holds, or
// by what integers are made of, such as divisors
kernel.func @needed(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x f32>, in %q: !kernel.buf<[4] x i32>, in %t: !kernel.buf<[4] x i1>, in %u: !kernel.buf<[4] x i1>) {
  %i = kernel.range 0 to 4
  %g = kernel.load %t[%i]
  %h = kernel.load %u[%i]
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %a = kernel.load %x[%i] if %g else %zero
  %b = arith.select %h, %a, %zero : f32
  %last = kernel.index 3
  %l = arith.cmpi slt, %i, %last : index
  %c = kernel.load %x[%i + 1] if %l else %zero
  %d = math.exp %c : f32
  %e = arith.select %l, %d, %b : f32
  kernel.store %e, %y[%i]
  %p = kernel.load %q[%i] if %g else %one
  %o = arith.ori %p, %one : i32
  %n = arith.divsi %one, %o : i32
  %r = arith.select %g, %n, %one : i32
  kernel.store %r, %z[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @always(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @never(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %zero = arith.constant -0.000000e+00 : f32
// CHECK-NEXT:     kernel.store %zero, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @by_the_loop(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @equal(out %y: !kernel.buf<[8] x i1>, out %z: !kernel.buf<[8] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %e = arith.constant false
// CHECK-NEXT:     kernel.store %e, %y[%i]
// CHECK-NEXT:     %u = arith.constant true
// CHECK-NEXT:     kernel.store %u, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sometimes(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 9
// CHECK-NEXT:     %n = kernel.index 8
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i] if %g else %zero
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @below_zero(out %y: !kernel.buf<[8] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %g = arith.constant true
// CHECK-NEXT:     %0 = kernel.index 4
// CHECK-NEXT:     %h = arith.cmpi sge, %i, %0 : index
// CHECK-NEXT:     %b = arith.andi %g, %h : i1
// CHECK-NEXT:     kernel.store %b, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @one_side(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 11
// CHECK-NEXT:     %0 = kernel.index 8
// CHECK-NEXT:     %g = arith.cmpi sge, %i, %0 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i - 8] if %g else %zero
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @below_a_negative(out %y: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.index %i - 10
// CHECK-NEXT:     %n = kernel.index -5
// CHECK-NEXT:     %g = arith.cmpi ult, %k, %n : index
// CHECK-NEXT:     %v = arith.extui %g : i1 to i32
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @other_gate(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f32>, in %c: !kernel.buf<[11] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 11
// CHECK-NEXT:     %n = kernel.index 3
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:     %h = kernel.load %c[%i]
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i] if %g else %zero
// CHECK-NEXT:     %w = arith.select %h, %v, %zero : f32
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wider(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 11
// CHECK-NEXT:     %n = kernel.index 3
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:     %1 = kernel.load %x[%i] if %g else %0
// CHECK-NEXT:     %z = arith.extf %1 : f16 to f32
// CHECK-NEXT:     kernel.store %z, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wider_integer(out %y: !kernel.buf<[11] x i32>, in %x: !kernel.buf<[3] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 11
// CHECK-NEXT:     %n = kernel.index 3
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:     %none = arith.constant 0 : i8
// CHECK-NEXT:     %v = kernel.load %x[%i] if %g else %none
// CHECK-NEXT:     %w = arith.extsi %v : i8 to i32
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wider_than_zero(out %y: !kernel.buf<[11] x f32>, out %z: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[3] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 11
// CHECK-NEXT:     %n = kernel.index 3
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:     %none = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:     %v = kernel.load %x[%i] if %g else %none
// CHECK-NEXT:     %w = arith.extf %v : f16 to f32
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %a = arith.select %g, %w, %one : f32
// CHECK-NEXT:     kernel.store %a, %y[%i]
// CHECK-NEXT:     %negative = arith.constant -0.000000e+00 : f32
// CHECK-NEXT:     %b = arith.select %g, %w, %negative : f32
// CHECK-NEXT:     kernel.store %b, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @within(out %y: !kernel.buf<[12] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 12
// CHECK-NEXT:     %b = kernel.index %i - 2
// CHECK-NEXT:     %eight = kernel.index 8
// CHECK-NEXT:     %h = arith.cmpi ult, %b, %eight : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i - 2] if %h else %zero
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @apart(out %y: !kernel.buf<[12] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 12
// CHECK-NEXT:     %both = arith.constant false
// CHECK-NEXT:     kernel.store %both, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @overlap(out %y: !kernel.buf<[12] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 12
// CHECK-NEXT:     %b = kernel.index %i - 2
// CHECK-NEXT:     %four = kernel.index 4
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %four : index
// CHECK-NEXT:     %h = arith.cmpi ult, %b, %four : index
// CHECK-NEXT:     %both = arith.andi %g, %h : i1
// CHECK-NEXT:     kernel.store %both, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @hoisted(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 6
// CHECK-NEXT:     %k = kernel.range 0 to 5
// CHECK-NEXT:     %four = kernel.index 4
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %four : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k] if %g else %zero
// CHECK-NEXT:     %e = arith.mulf %v, %v : f32
// CHECK-NEXT:     %0 = kernel.reduce %e over(%k) {kind = "add"}
// CHECK-NEXT:     %s = arith.select %g, %0, %zero : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @not_hoisted(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 6
// CHECK-NEXT:     %k = kernel.range 0 to 5
// CHECK-NEXT:     %four = kernel.index 4
// CHECK-NEXT:     %g = arith.cmpi ult, %i, %four : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %negative = arith.constant -0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k] if %g else %zero
// CHECK-NEXT:     %e = arith.mulf %v, %v : f32
// CHECK-NEXT:     %w = arith.select %g, %e, %negative : f32
// CHECK-NEXT:     %s = kernel.reduce %w over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @scattered(inout %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.scatter %v, %y[%i floordiv 2] over(%i) {kind = "add"}
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @rows(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %t: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %g = kernel.load %t[%i]
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     %r = arith.select %g, %s, %zero : f32
// CHECK-NEXT:     kernel.store %r, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @scanned(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %t: !kernel.buf<[4, 8] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %g = kernel.load %t[%i, %k]
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k] if %g else %zero
// CHECK-NEXT:     %s = kernel.scan %v along %k {kind = "add"}
// CHECK-NEXT:     %r = arith.select %g, %s, %zero : f32
// CHECK-NEXT:     kernel.store %r, %y[%i, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @needed(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x f32>, in %q: !kernel.buf<[4] x i32>, in %t: !kernel.buf<[4] x i1>, in %u: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %g = kernel.load %t[%i]
// CHECK-NEXT:     %h = kernel.load %u[%i]
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %one = arith.constant 1 : i32
// CHECK-NEXT:     %a = kernel.load %x[%i] if %g else %zero
// CHECK-NEXT:     %b = arith.select %h, %a, %zero : f32
// CHECK-NEXT:     %last = kernel.index 3
// CHECK-NEXT:     %l = arith.cmpi slt, %i, %last : index
// CHECK-NEXT:     %c = kernel.load %x[%i + 1] if %l else %zero
// CHECK-NEXT:     %d = math.exp %c : f32
// CHECK-NEXT:     %e = arith.select %l, %d, %b : f32
// CHECK-NEXT:     kernel.store %e, %y[%i]
// CHECK-NEXT:     %p = kernel.load %q[%i] if %g else %one
// CHECK-NEXT:     %o = arith.ori %p, %one : i32
// CHECK-NEXT:     %n = arith.divsi %one, %o : i32
// CHECK-NEXT:     %r = arith.select %g, %n, %one : i32
// CHECK-NEXT:     kernel.store %r, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
