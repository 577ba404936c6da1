// RUN: teeny-opt %s -p 'simplify-kernel,cse' --verify-each | filecheck %s

// Index expressions, over ranges and data alone.

// simplify-index, index-is-value: a row-major offset, taken apart
kernel.func @flat(out %y: !kernel.buf<[48] x f32>, in %x: !kernel.buf<[4, 12] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 12
  %f = kernel.index %i * 12 + %j
  %g = kernel.index %f
  %v = kernel.load %x[%g floordiv 12, %g mod 12]
  kernel.store %v, %y[%i * 12 + %j]
}

// simplify-index, of a named extent
kernel.func @named(out %y: !kernel.buf<[4, N] x f32>, in %x: !kernel.buf<[4, N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to N
  %v = kernel.load %x[(%i * N + %j) floordiv N, (%i * N + %j) mod N]
  kernel.store %v, %y[%i, %j]
}

// the bounds of ranges too
kernel.func @bounds(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 8..64 step 8) {
  %i = kernel.range 0 to N floordiv 8 * 8
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// cast-of-index: an index that was an integer on the way
kernel.func @cast(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[12] x f32>) {
  %i = kernel.range 0 to 8
  %a = arith.index_cast %i : index to i32
  %four = arith.constant 4 : i32
  %b = arith.addi %a, %four : i32
  %c = arith.extsi %b : i32 to i64
  %d = arith.index_cast %c : i64 to index
  %v = kernel.load %x[%d]
  kernel.store %v, %y[%i]
}

// no cast-of-index: the integer may wrap
kernel.func @wraps(out %y: !kernel.buf<[200] x f32>, in %x: !kernel.buf<[256] x f32>) {
  %i = kernel.range 0 to 200
  %a = arith.index_cast %i : index to i8
  %one = arith.constant 1 : i8
  %b = arith.addi %a, %one : i8
  %c = arith.extui %b : i8 to i64
  %d = arith.index_cast %c : i64 to index
  %v = kernel.load %x[%d]
  kernel.store %v, %y[%i]
}

// no cast-of-index: data
kernel.func @data(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[1] x f32>, in %p: !kernel.buf<[8] x i8>) {
  %i = kernel.range 0 to 8
  %a = kernel.load %p[%i]
  %b = arith.index_cast %a : i8 to index
  %z = kernel.index 1
  %zero = arith.constant 0.0 : f32
  %g = arith.cmpi ult, %b, %z : index
  %v = kernel.load %x[%b] if %g else %zero
  kernel.store %v, %y[%i]
}

// of what the lanes of a warp load together too
kernel.func @matrix(out %y: !kernel.buf<[16, 32] x f16>, in %x: !kernel.buf<[16, 8] x f16>) {
  %tt = kernel.range 0 to 32 thread.x
  %l = kernel.range 0 to 4 unroll
  %t = kernel.range 0 to 32 thread.x
  %e = kernel.range 0 to 2 unroll
  %v = kernel.load %x[%tt floordiv 8 + %l * 4, %tt mod 8]
  %s = kernel.stage %v[%tt floordiv 8 + %l * 4, %tt mod 8] over(%tt, %l) : !kernel.buf<[16, 8] x f16, shared>
  %m = kernel.load_matrix %s[(%t mod 32) mod 8, 0] as(%e)
  kernel.store %m, %y[%e, %t]
}

// no index-is-value: an extent, beside an index that the expression does not name
kernel.func @extent(out %y: !kernel.buf<[4] x i64>) dims(N in 1..) {
  %i = kernel.range 0 to 4
  %k = "kernel.index"(%i) <{expr = #kernel.expr<N>}> : (index) -> index
  %v = arith.index_cast %k : index to i64
  kernel.store %v, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @flat(out %y: !kernel.buf<[48] x f32>, in %x: !kernel.buf<[4, 12] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 48
// CHECK-NEXT:     %v = kernel.load %x[%i floordiv 12, %i mod 12]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @named(out %y: !kernel.buf<[4, N] x f32>, in %x: !kernel.buf<[4, N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @bounds(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 8..64 step 8) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @cast(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[12] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i + 4]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wraps(out %y: !kernel.buf<[200] x f32>, in %x: !kernel.buf<[256] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 200
// CHECK-NEXT:     %a = arith.index_cast %i : index to i8
// CHECK-NEXT:     %one = arith.constant 1 : i8
// CHECK-NEXT:     %b = arith.addi %a, %one : i8
// CHECK-NEXT:     %c = arith.extui %b : i8 to i64
// CHECK-NEXT:     %d = arith.index_cast %c : i64 to index
// CHECK-NEXT:     %v = kernel.load %x[%d]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @data(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[1] x f32>, in %p: !kernel.buf<[8] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %a = kernel.load %p[%i]
// CHECK-NEXT:     %b = arith.index_cast %a : i8 to index
// CHECK-NEXT:     %z = kernel.index 1
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %g = arith.cmpi ult, %b, %z : index
// CHECK-NEXT:     %v = kernel.load %x[%b] if %g else %zero
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @matrix(out %y: !kernel.buf<[16, 32] x f16>, in %x: !kernel.buf<[16, 8] x f16>) {
// CHECK-NEXT:     %tt = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %l = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %t = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %e = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %v = kernel.load %x[%tt floordiv 8 + %l * 4, %tt mod 8]
// CHECK-NEXT:     %s = kernel.stage %v[%tt floordiv 8 + %l * 4, %tt mod 8] over(%tt, %l) : !kernel.buf<[16, 8] x f16, shared>
// CHECK-NEXT:     %m = kernel.load_matrix %s[%t mod 8, 0] as(%e)
// CHECK-NEXT:     kernel.store %m, %y[%e, %t]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @extent(out %y: !kernel.buf<[4] x i64>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.index N
// CHECK-NEXT:     %v = arith.index_cast %k : index to i64
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
