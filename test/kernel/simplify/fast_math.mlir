// RUN: teeny-opt %s -p 'simplify-kernel{fast-math=true},cse' --verify-each | filecheck %s

// What needs floats that are finite.

// one-hot-product: an embedding by a product with a one-hot matrix
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

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @floats(out %y: !kernel.buf<[4] x f32>, in %i: !kernel.buf<[4] x i64>, in %w: !kernel.buf<[10] x f32>) {
// CHECK-NEXT:     %n = kernel.range 0 to 4
// CHECK-NEXT:     %p = kernel.load %i[%n]
// CHECK-NEXT:     %0 = arith.index_cast %p : i64 to index
// CHECK-NEXT:     %1 = kernel.index 10
// CHECK-NEXT:     %2 = arith.cmpi ult, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %w[%0] if %2 else %3
// CHECK-NEXT:     %r = arith.addf %v, %3 : f32
// CHECK-NEXT:     kernel.store %r, %y[%n]
// CHECK-NEXT:   }
// CHECK-NEXT: }
