// RUN: teeny-opt %s -p kernel-to-uop --split-input-file | FileCheck %s

// Loops, and where ops stand in them.

// The order of loops is that of the ranges; an op stands in as few of them as its operands allow, and so
// do the parts of an index.

kernel.func @order(out %y: !kernel.buf<[8, N, 4] x f32>, in %x: !kernel.buf<[8] x f32>, in %w: !kernel.buf<[N, 8] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to N
  %k = kernel.range 0 to 4
  %b = kernel.load %w[%j, %i]
  %a = kernel.load %x[%i]
  %e = math.exp %a : f32
  %c = arith.addf %e, %b : f32
  kernel.store %c, %y[%i, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @order(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f32>) dims(%N: N in 1..64) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:       %a = uop.load %x[%i] : f32
// CHECK-NEXT:       %e = math.exp %a : f32
// CHECK-NEXT:       %0 = arith.muli %N, %i : index
// CHECK-NEXT:       %1 = arith.muli %0, %c4 : index
// CHECK-NEXT:       scf.for %j = %c0 to %N step %c1 {
// CHECK-NEXT:         %2 = arith.muli %j, %c8 : index
// CHECK-NEXT:         %3 = arith.addi %i, %2 : index
// CHECK-NEXT:         %b = uop.load %w[%3] : f32
// CHECK-NEXT:         %c = arith.addf %e, %b : f32
// CHECK-NEXT:         %4 = arith.muli %j, %c4 : index
// CHECK-NEXT:         %5 = arith.addi %1, %4 : index
// CHECK-NEXT:         scf.for %k = %c0 to %c4 step %c1 {
// CHECK-NEXT:           %6 = arith.addi %5, %k : index
// CHECK-NEXT:           uop.store %c, %y[%6]
// CHECK-NEXT:         } {uop.parallel}
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Ranges in another order make another nest of the same kernel.

kernel.func @other_order(out %y: !kernel.buf<[8, N] x f32>, in %w: !kernel.buf<[N, 8] x f32>) dims(N in 1..64) {
  %j = kernel.range 0 to N
  %i = kernel.range 0 to 8
  %b = kernel.load %w[%j, %i]
  kernel.store %b, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @other_order(out %y: !uop.ptr<f32>, in %w: !uop.ptr<f32>) dims(%N: N in 1..64) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     scf.for %j = %c0 to %N step %c1 {
// CHECK-NEXT:       %0 = arith.muli %j, %c8 : index
// CHECK-NEXT:       scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:         %1 = arith.addi %0, %i : index
// CHECK-NEXT:         %b = uop.load %w[%1] : f32
// CHECK-NEXT:         %2 = arith.muli %N, %i : index
// CHECK-NEXT:         %3 = arith.addi %j, %2 : index
// CHECK-NEXT:         uop.store %b, %y[%3]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Bounds may depend on outer loops.

kernel.func @triangle(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range %i to min(8, %i + 4)
  %a = kernel.load %x[%i, %j]
  kernel.store %a, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @triangle(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:       %0 = arith.addi %i, %c4 : index
// CHECK-NEXT:       %1 = arith.minsi %0, %c8 : index
// CHECK-NEXT:       %2 = arith.muli %i, %c8 : index
// CHECK-NEXT:       scf.for %j = %i to %1 step %c1 {
// CHECK-NEXT:         %3 = arith.addi %2, %j : index
// CHECK-NEXT:         %a = uop.load %x[%3] : f32
// CHECK-NEXT:         uop.store %a, %y[%3]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Divisions of numbers that are never negative are unsigned; others round down.

kernel.func @divisions(out %y: !kernel.buf<[24] x f32>, in %x: !kernel.buf<[6, 4] x f32>, in %v: !kernel.buf<[N] x f32>) dims(N in 24..) {
  %i = kernel.range 0 to 24
  %a = kernel.load %x[%i mod 6, %i floordiv 6]
  %b = kernel.load %v[max((%i - N) floordiv 2 + N - 1, 0)]
  %c = arith.addf %a, %b : f32
  kernel.store %c, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @divisions(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %v: !uop.ptr<f32>) dims(%N: N in 24..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c24 = arith.constant 24 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %0 = arith.subi %c0, %N : index
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %cm1 = arith.constant -1 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c24 step %c1 {
// CHECK-NEXT:       %1 = arith.divui %i, %c6 : index
// CHECK-NEXT:       %2 = arith.remui %i, %c6 : index
// CHECK-NEXT:       %3 = arith.muli %2, %c4 : index
// CHECK-NEXT:       %4 = arith.addi %1, %3 : index
// CHECK-NEXT:       %a = uop.load %x[%4] : f32
// CHECK-NEXT:       %5 = arith.addi %0, %i : index
// CHECK-NEXT:       %6 = arith.floordivsi %5, %c2 : index
// CHECK-NEXT:       %7 = arith.addi %N, %6 : index
// CHECK-NEXT:       %8 = arith.addi %7, %cm1 : index
// CHECK-NEXT:       %9 = arith.maxsi %8, %c0 : index
// CHECK-NEXT:       %b = uop.load %v[%9] : f32
// CHECK-NEXT:       %c = arith.addf %a, %b : f32
// CHECK-NEXT:       uop.store %c, %y[%i]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What the loops guarantee is simplified away, and so are the parts of one number put together again.

kernel.func @simplified(out %y: !kernel.buf<[24] x f32>, in %x: !kernel.buf<[4, 6] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 6
  %a = kernel.load %x[(%i * 6 + %j) floordiv 6, (%i * 6 + %j) mod 6]
  kernel.store %a, %y[%i * 6 + %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @simplified(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %0 = arith.muli %i, %c6 : index
// CHECK-NEXT:       scf.for %j = %c0 to %c6 step %c1 {
// CHECK-NEXT:         %1 = arith.addi %0, %j : index
// CHECK-NEXT:         %a = uop.load %x[%1] : f32
// CHECK-NEXT:         uop.store %a, %y[%1]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Gates stay on what they gate.

kernel.func @gates(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[6] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.index %i - 1
  %n = kernel.index 6
  %inside = arith.cmpi ult, %k, %n : index
  %zero = arith.constant 0.0 : f32
  %a = kernel.load %x[%i - 1] if %inside else %zero
  kernel.store %a, %y[%i] if %inside
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @gates(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %cm1 = arith.constant -1 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:       %0 = arith.addi %i, %cm1 : index
// CHECK-NEXT:       %inside = arith.cmpi ult, %0, %c6 : index
// CHECK-NEXT:       %a = uop.load %x[%0] if %inside else %zero : f32
// CHECK-NEXT:       uop.store %a, %y[%i] if %inside
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Nothing to loop over; a loop that nothing stands in is not written.

kernel.func @scalar(out %y: !kernel.buf<[] x i1>) {
  %i = kernel.range 0 to 8
  %t = arith.constant true
  kernel.store %t, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @scalar(out %y: !uop.ptr<i1>) {
// CHECK-NEXT:     %t = arith.constant true
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     uop.store %t, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
