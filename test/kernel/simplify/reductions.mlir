// RUN: teeny-opt %s -p 'simplify-kernel,cse' --verify-each | filecheck %s

// Reductions of what is the same in every iteration, and of what a gate keeps out.

// reduce-the-same: a sum is a product, of -0.0 it is 0.0
kernel.func @sum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// reduce-the-same: of no copies of an infinity the sum is 0.0
kernel.func @maybe_none(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// reduce-the-same: counting what a named extent stands for
kernel.func @count(out %y: !kernel.buf<[] x i64>) dims(N in 0..64) {
  %k = kernel.range 0 to N
  %one = arith.constant 1 : i64
  %s = kernel.reduce %one over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// reduce-the-same: a maximum is the value, where there is one; some ranges stay
kernel.func @maximum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to N
  %l = kernel.range 0 to 5
  %v = kernel.load %x[%i, %l]
  %s = kernel.reduce %v over(%k, %l) {kind = "max"}
  %m = kernel.range 0 to 3
  %t = kernel.reduce %s over(%m) {kind = "min"}
  kernel.store %t, %y[%i]
}

// no reduce-the-same: half floats do not hold every count; a power is no product
kernel.func @neither(out %y: !kernel.buf<[4] x f16>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f16>, in %w: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 3
  %v = kernel.load %x[%i]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
  %l = kernel.range 0 to 3
  %u = kernel.load %w[%i]
  %t = kernel.reduce %u over(%l) {kind = "mul"}
  kernel.store %t, %z[%i]
}

// clip-range: the sum of a padded axis
kernel.func @padded(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 10
  %n = kernel.index 8
  %m = kernel.index %k - 1
  %g = arith.cmpi ult, %m, %n : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%k - 1, %i] if %g else %zero
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// clip-range: from one side, of a maximum
kernel.func @one_side(out %y: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4, N] x i32>) dims(N in 4..64) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to N
  %a = arith.index_cast %k : index to i64
  %three = arith.constant 3 : i64
  %g = arith.cmpi sge, %a, %three : i64
  %least = arith.constant -2147483648 : i32
  %v = kernel.load %x[%i, %k]
  %w = arith.select %g, %v, %least : i32
  %s = kernel.reduce %w over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// no clip-range: the gate depends on another loop, so would the bounds
kernel.func @causal(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 8
  %g = arith.cmpi sle, %k, %i : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i, %k]
  %w = arith.select %g, %v, %zero : f32
  %s = kernel.reduce %w over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// no clip-range: the loop fills a row too
kernel.func @shared(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %six = kernel.index 6
  %g = arith.cmpi ult, %k, %six : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i, %k]
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[8] x f32, local>
  %w = arith.select %g, %v, %zero : f32
  %s = kernel.reduce %w over(%k) {kind = "add"}
  %j = kernel.range 0 to 8
  %u = kernel.load %row[%j]
  %q = arith.divf %u, %s : f32
  kernel.store %q, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %0 = arith.constant 8.000000e+00 : f32
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.mulf %v, %0 : f32
// CHECK-NEXT:     %s = arith.addf %2, %1 : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @maybe_none(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) dims(N in 0..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.index_cast %0 : index to i64
// CHECK-NEXT:     %2 = arith.sitofp %1 : i64 to f32
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.mulf %v, %2 : f32
// CHECK-NEXT:     %5 = arith.addf %4, %3 : f32
// CHECK-NEXT:     %6 = kernel.index 0
// CHECK-NEXT:     %7 = arith.cmpi slt, %6, %0 : index
// CHECK-NEXT:     %s = arith.select %7, %5, %3 : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @count(out %y: !kernel.buf<[] x i64>) dims(N in 0..64) {
// CHECK-NEXT:     %one = arith.constant 1 : i64
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.index_cast %0 : index to i64
// CHECK-NEXT:     %s = arith.muli %one, %1 : i64
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @maximum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) dims(N in 0..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %l = kernel.range 0 to 5
// CHECK-NEXT:     %v = kernel.load %x[%i, %l]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%l) {kind = "max"}
// CHECK-NEXT:     %1 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %2 = kernel.index 0
// CHECK-NEXT:     %3 = kernel.index N
// CHECK-NEXT:     %4 = arith.cmpi slt, %2, %3 : index
// CHECK-NEXT:     %s = arith.select %4, %0, %1 : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @neither(out %y: !kernel.buf<[4] x f16>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f16>, in %w: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 3
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %u = kernel.load %w[%i]
// CHECK-NEXT:     %t = kernel.reduce %u over(%l) {kind = "mul"}
// CHECK-NEXT:     kernel.store %t, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @padded(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%k, %i]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @one_side(out %y: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4, N] x i32>) dims(N in 4..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to N - 3
// CHECK-NEXT:     %least = arith.constant -2147483648 : i32
// CHECK-NEXT:     %g = arith.constant true
// CHECK-NEXT:     %v = kernel.load %x[%i, %k + 3]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %s = arith.select %g, %0, %least : i32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @causal(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %g = arith.cmpi sle, %k, %i : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %w = arith.select %g, %v, %zero : f32
// CHECK-NEXT:     %s = kernel.reduce %w over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @shared(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %six = kernel.index 6
// CHECK-NEXT:     %g = arith.cmpi ult, %k, %six : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[8] x f32, local>
// CHECK-NEXT:     %w = arith.select %g, %v, %zero : f32
// CHECK-NEXT:     %s = kernel.reduce %w over(%k) {kind = "add"}
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %u = kernel.load %row[%j]
// CHECK-NEXT:     %q = arith.divf %u, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
