// RUN: teeny-opt %s -p 'simplify-kernel,cse' --verify-each | filecheck %s

// Sums whose value is known without a loop.

// sum-of-indices
kernel.func @indices(out %y: !kernel.buf<[6] x i64>) dims(N in 0..64) {
  %i = kernel.range 0 to 6
  %k = kernel.range 2 to N + 2
  %e = kernel.index %k * 3 + %i
  %a = arith.index_cast %e : index to i64
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// sum-of-indices: it wraps as the integers do
kernel.func @wraps(out %y: !kernel.buf<[] x i8>) {
  %k = kernel.range 0 to 100
  %a = arith.index_cast %k : index to i8
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// no sum-of-indices: a product of indices
kernel.func @squares(out %y: !kernel.buf<[] x i64>) {
  %k = kernel.range 0 to 100
  %e = kernel.index %k * %k
  %a = arith.index_cast %e : index to i64
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// count: how many are before each, as a rank is made of comparisons
kernel.func @ranks(out %y: !kernel.buf<[8] x i32>, out %z: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 8
  %g = arith.cmpi sle, %k, %i : index
  %a = arith.extui %g : i1 to i32
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
  %l = kernel.range 0 to 8
  %h = arith.cmpi slt, %i, %l : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%i]
  %w = arith.select %h, %v, %zero : f32
  %t = kernel.reduce %w over(%l) {kind = "add"}
  kernel.store %t, %z[%i]
}

// no count: data decides
kernel.func @data(out %y: !kernel.buf<[] x i32>, in %c: !kernel.buf<[8] x i1>) {
  %k = kernel.range 0 to 8
  %g = kernel.load %c[%k]
  %a = arith.extui %g : i1 to i32
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// scan-the-same: a running sum of ones
kernel.func @arange(out %y: !kernel.buf<[8] x i32>, out %z: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %one = arith.constant 1 : i32
  %s = kernel.scan %one along %i {kind = "add"}
  kernel.store %s, %y[%i]
  %j = kernel.range 0 to 8
  %half = arith.constant 0.5 : f32
  %t = kernel.scan %half along %j {kind = "add", exclusive}
  kernel.store %t, %z[%j]
}

// no scan-the-same
kernel.func @running(out %y: !kernel.buf<[8] x i32>, in %x: !kernel.buf<[8] x i32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %s = kernel.scan %v along %i {kind = "add"}
  kernel.store %s, %y[%i]
}

// one-hot: a row that data picks, by a select; an index out of range picks none
kernel.func @embedding(out %y: !kernel.buf<[N, 4] x f32>, in %i: !kernel.buf<[N] x i32>, in %w: !kernel.buf<[10, 4] x f32>) dims(N in 1..64) {
  %n = kernel.range 0 to N
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 10
  %a = arith.index_cast %k : index to i32
  %p = kernel.load %i[%n]
  %e = arith.cmpi eq, %p, %a : i32
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %w[%k, %j]
  %s = arith.select %e, %v, %zero : f32
  %r = kernel.reduce %s over(%k) {kind = "add"}
  kernel.store %r, %y[%n, %j]
}

// one-hot: of integers a product does as well; another range stays
kernel.func @product(out %y: !kernel.buf<[4] x i32>, in %i: !kernel.buf<[4] x i64>, in %w: !kernel.buf<[10, 5] x i32>) {
  %n = kernel.range 0 to 4
  %k = kernel.range 0 to 10
  %l = kernel.range 0 to 5
  %a = arith.index_cast %k : index to i64
  %p = kernel.load %i[%n]
  %e = arith.cmpi eq, %a, %p : i64
  %o = arith.extui %e : i1 to i32
  %v = kernel.load %w[%k, %l]
  %s = arith.muli %v, %o : i32
  %r = kernel.reduce %s over(%k, %l) {kind = "add"}
  kernel.store %r, %y[%n]
}

// no one-hot: of floats a product with 0 may be NaN, unless fast-math; see fast_math.mlir
kernel.func @floats(out %y: !kernel.buf<[4] x f32>, in %i: !kernel.buf<[4] x i64>, in %w: !kernel.buf<[10] x f32>) {
  %n = kernel.range 0 to 4
  %k = kernel.range 0 to 10
  %a = arith.index_cast %k : index to i64
  %p = kernel.load %i[%n]
  %e = arith.cmpi eq, %a, %p : i64
  %o = arith.uitofp %e : i1 to f32
  %v = kernel.load %w[%k]
  %s = arith.mulf %v, %o : f32
  %r = kernel.reduce %s over(%k) {kind = "add"}
  kernel.store %r, %y[%n]
}

// no one-hot: an index that wraps meets several iterations
kernel.func @wrapping(out %y: !kernel.buf<[4] x i32>, in %i: !kernel.buf<[4] x i8>, in %w: !kernel.buf<[300] x i32>) {
  %n = kernel.range 0 to 4
  %k = kernel.range 0 to 300
  %a = arith.index_cast %k : index to i8
  %p = kernel.load %i[%n]
  %e = arith.cmpi eq, %a, %p : i8
  %zero = arith.constant 0 : i32
  %v = kernel.load %w[%k]
  %s = arith.select %e, %v, %zero : i32
  %r = kernel.reduce %s over(%k) {kind = "add"}
  kernel.store %r, %y[%n]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @indices(out %y: !kernel.buf<[6] x i64>) dims(N in 0..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 6
// CHECK-NEXT:     %0 = kernel.index N * %i + (N * N + N * 3) floordiv 2 * 3
// CHECK-NEXT:     %s = arith.index_cast %0 : index to i64
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wraps(out %y: !kernel.buf<[] x i8>) {
// CHECK-NEXT:     %s = arith.constant 86 : i8
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @squares(out %y: !kernel.buf<[] x i64>) {
// CHECK-NEXT:     %k = kernel.range 0 to 100
// CHECK-NEXT:     %e = kernel.index %k * %k
// CHECK-NEXT:     %a = arith.index_cast %e : index to i64
// CHECK-NEXT:     %s = kernel.reduce %a over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @ranks(out %y: !kernel.buf<[8] x i32>, out %z: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %0 = arith.constant 1 : i32
// CHECK-NEXT:     %1 = kernel.index %i + 1
// CHECK-NEXT:     %2 = arith.index_cast %1 : index to i32
// CHECK-NEXT:     %s = arith.muli %0, %2 : i32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %3 = kernel.index -%i + 7
// CHECK-NEXT:     %4 = arith.index_cast %3 : index to i64
// CHECK-NEXT:     %5 = arith.sitofp %4 : i64 to f32
// CHECK-NEXT:     %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %7 = arith.mulf %v, %5 : f32
// CHECK-NEXT:     %8 = arith.addf %7, %6 : f32
// CHECK-NEXT:     %9 = kernel.index 0
// CHECK-NEXT:     %10 = arith.cmpi slt, %9, %3 : index
// CHECK-NEXT:     %t = arith.select %10, %8, %6 : f32
// CHECK-NEXT:     kernel.store %t, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @data(out %y: !kernel.buf<[] x i32>, in %c: !kernel.buf<[8] x i1>) {
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %g = kernel.load %c[%k]
// CHECK-NEXT:     %a = arith.extui %g : i1 to i32
// CHECK-NEXT:     %s = kernel.reduce %a over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @arange(out %y: !kernel.buf<[8] x i32>, out %z: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %one = arith.constant 1 : i32
// CHECK-NEXT:     %0 = kernel.index %i + 1
// CHECK-NEXT:     %1 = arith.index_cast %0 : index to i32
// CHECK-NEXT:     %s = arith.muli %one, %1 : i32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %half = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:     %2 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %3 = arith.sitofp %2 : i64 to f32
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.mulf %half, %3 : f32
// CHECK-NEXT:     %6 = arith.addf %5, %4 : f32
// CHECK-NEXT:     %7 = kernel.index 0
// CHECK-NEXT:     %8 = arith.cmpi slt, %7, %j : index
// CHECK-NEXT:     %t = arith.select %8, %6, %4 : f32
// CHECK-NEXT:     kernel.store %t, %z[%j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @running(out %y: !kernel.buf<[8] x i32>, in %x: !kernel.buf<[8] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %s = kernel.scan %v along %i {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @embedding(out %y: !kernel.buf<[N, 4] x f32>, in %i: !kernel.buf<[N] x i32>, in %w: !kernel.buf<[10, 4] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %n = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %p = kernel.load %i[%n]
// CHECK-NEXT:     %0 = arith.index_cast %p : i32 to index
// CHECK-NEXT:     %1 = kernel.index 10
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %w[%0, %j] if %2 else %3
// CHECK-NEXT:     %r = arith.addf %v, %3 : f32
// CHECK-NEXT:     kernel.store %r, %y[%n, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[4] x i32>, in %i: !kernel.buf<[4] x i64>, in %w: !kernel.buf<[10, 5] x i32>) {
// CHECK-NEXT:     %n = kernel.range 0 to 4
// CHECK-NEXT:     %l = kernel.range 0 to 5
// CHECK-NEXT:     %p = kernel.load %i[%n]
// CHECK-NEXT:     %0 = arith.index_cast %p : i64 to index
// CHECK-NEXT:     %1 = kernel.index 10
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 0 : i32
// CHECK-NEXT:     %v = kernel.load %w[%0, %l] if %2 else %3
// CHECK-NEXT:     %4 = kernel.reduce %v over(%l) {kind = "add"}
// CHECK-NEXT:     %r = arith.select %2, %4, %3 : i32
// CHECK-NEXT:     kernel.store %r, %y[%n]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @floats(out %y: !kernel.buf<[4] x f32>, in %i: !kernel.buf<[4] x i64>, in %w: !kernel.buf<[10] x f32>) {
// CHECK-NEXT:     %n = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 10
// CHECK-NEXT:     %a = arith.index_cast %k : index to i64
// CHECK-NEXT:     %p = kernel.load %i[%n]
// CHECK-NEXT:     %e = arith.cmpi eq, %a, %p : i64
// CHECK-NEXT:     %o = arith.uitofp %e : i1 to f32
// CHECK-NEXT:     %v = kernel.load %w[%k]
// CHECK-NEXT:     %s = arith.mulf %v, %o : f32
// CHECK-NEXT:     %r = kernel.reduce %s over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %r, %y[%n]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wrapping(out %y: !kernel.buf<[4] x i32>, in %i: !kernel.buf<[4] x i8>, in %w: !kernel.buf<[300] x i32>) {
// CHECK-NEXT:     %n = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 300
// CHECK-NEXT:     %a = arith.index_cast %k : index to i8
// CHECK-NEXT:     %p = kernel.load %i[%n]
// CHECK-NEXT:     %e = arith.cmpi eq, %a, %p : i8
// CHECK-NEXT:     %zero = arith.constant 0 : i32
// CHECK-NEXT:     %v = kernel.load %w[%k]
// CHECK-NEXT:     %s = arith.select %e, %v, %zero : i32
// CHECK-NEXT:     %r = kernel.reduce %s over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %r, %y[%n]
// CHECK-NEXT:   }
// CHECK-NEXT: }
