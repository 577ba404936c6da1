// RUN: teeny-opt %s -p "kernel.func(running-fold{range=j by=16},canonicalize,cse)" --check-each --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(running-fold{range=j by=16 edge=clamped},canonicalize,cse)" --check-each -o /dev/null
// RUN: teeny-opt %s -p "kernel.func(running-fold{range=j by=1},canonicalize,cse)" --check-each -o /dev/null

// The sum is in registers. Of any number of columns the last block may be a part; of none the
// maximum is -inf and the sum 0.
kernel.func @logsumexp(out %y: !kernel.buf<[M] x f32>, in %x: !kernel.buf<[M, N] x f32>) dims(M in 1.., N in 0..) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to N
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to N
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  %l = math.log %s : f32
  %r = arith.addf %l, %m : f32
  kernel.store %r, %y[%i]
}

// The products with columns are summed in a stage; what is a reduction itself is staged by blocks.
// What is subtracted where all is masked is 0, and so no sum is NaN.
kernel.func @attention(out %y: !kernel.buf<[8, 24] x f32>, in %q: !kernel.buf<[8, 4] x f32>, in %k: !kernel.buf<[32, 4] x f32>, in %v: !kernel.buf<[32, 24] x f32>) {
  %i = kernel.range 0 to 8
  %c = kernel.range 0 to 24
  %lowest = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %j = kernel.range 0 to 32
  %g0 = kernel.range 0 to 4
  %q0 = kernel.load %q[%i, %g0]
  %k0 = kernel.load %k[%j, %g0]
  %p0 = arith.mulf %q0, %k0 : f32
  %s0 = kernel.reduce %p0 over(%g0) {kind = "add"}
  %i0 = kernel.index %i * 4 - %j
  %z = kernel.index 0
  %c0 = arith.cmpi sge, %i0, %z : index
  %x0 = arith.select %c0, %s0, %lowest : f32
  %m = kernel.reduce %x0 over(%j) {kind = "max"}
  %is = arith.cmpf oeq, %m, %lowest : f32
  %safe = arith.select %is, %zero, %m : f32
  %l = kernel.range 0 to 32
  %g1 = kernel.range 0 to 4
  %q1 = kernel.load %q[%i, %g1]
  %k1 = kernel.load %k[%l, %g1]
  %p1 = arith.mulf %q1, %k1 : f32
  %s1 = kernel.reduce %p1 over(%g1) {kind = "add"}
  %i1 = kernel.index %i * 4 - %l
  %c1 = arith.cmpi sge, %i1, %z : index
  %x1 = arith.select %c1, %s1, %lowest : f32
  %d1 = arith.subf %x1, %safe : f32
  %e1 = math.exp %d1 : f32
  %s = kernel.reduce %e1 over(%l) {kind = "add"}
  %n = kernel.range 0 to 32
  %g2 = kernel.range 0 to 4
  %q2 = kernel.load %q[%i, %g2]
  %k2 = kernel.load %k[%n, %g2]
  %p2 = arith.mulf %q2, %k2 : f32
  %s2 = kernel.reduce %p2 over(%g2) {kind = "add"}
  %i2 = kernel.index %i * 4 - %n
  %c2 = arith.cmpi sge, %i2, %z : index
  %x2 = arith.select %c2, %s2, %lowest : f32
  %d2 = arith.subf %x2, %safe : f32
  %e2 = math.exp %d2 : f32
  %w = arith.divf %e2, %s : f32
  %u = kernel.load %v[%n, %c]
  %t = arith.mulf %w, %u : f32
  %o = kernel.reduce %t over(%n) {kind = "add"}
  kernel.store %o, %y[%i, %c]
}

// A power of 2 is as good. The quotient that is stored needs the whole row, in a second pass.
kernel.func @softmax_of_2(out %y: !kernel.buf<[8, 100] x f32>, in %x: !kernel.buf<[8, 100] x f16>) {
  %i = kernel.range 0 to 8
  %c = kernel.range 0 to 100
  %j = kernel.range 0 to 100
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 100
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f16
  %e = math.exp2 %d : f16
  %f = arith.extf %e : f16 to f32
  %s = kernel.reduce %f over(%k) {kind = "add"}
  %h = kernel.load %x[%i, %c]
  %n = arith.subf %h, %m : f16
  %p = math.exp2 %n : f16
  %r = arith.extf %p : f16 to f32
  %q = arith.divf %r, %s : f32
  kernel.store %q, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @logsumexp(out %y: !kernel.buf<[M] x f32>, in %x: !kernel.buf<[M, N] x f32>) dims(M in 1.., N in 0..) {
// CHECK-NEXT:     %i = kernel.range 0 to M
// CHECK-NEXT:     %jo = kernel.range 0 to (N + 15) floordiv 16
// CHECK-NEXT:     %ji = kernel.range 0 to min(N - %jo * 16, 16)
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %ji
// CHECK-NEXT:     %a = kernel.load %x[%i, %j]
// CHECK-NEXT:     %0 = kernel.reduce %a over(%ji) {kind = "max"}
// CHECK-NEXT:     %m = kernel.reduce %0 over(%jo) {kind = "max"}
// CHECK-NEXT:     %ki = kernel.range 0 to min(N - %jo * 16, 16)
// CHECK-NEXT:     %j_1 = kernel.index %jo * 16 + %ki
// CHECK-NEXT:     %a_1 = kernel.load %x[%i, %j_1]
// CHECK-NEXT:     %1 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %2 = arith.cmpf oeq, %0, %1 : f32
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.select %2, %3, %0 : f32
// CHECK-NEXT:     %5 = arith.subf %a_1, %4 : f32
// CHECK-NEXT:     %6 = math.exp %5 : f32
// CHECK-NEXT:     %7 = kernel.reduce %6 over(%ki) {kind = "add"}
// CHECK-NEXT:     %8, %s = kernel.fold(%0, %7) from(%1, %3) over(%jo) {
// CHECK-NEXT:     ^bb0(%9: f32, %10: f32, %11: f32, %12: f32):
// CHECK-NEXT:       %13 = arith.maximumf %9, %11 : f32
// CHECK-NEXT:       %14 = arith.cmpf oeq, %9, %13 : f32
// CHECK-NEXT:       %15 = arith.cmpf oeq, %11, %13 : f32
// CHECK-NEXT:       %16 = arith.select %14, %11, %9 : f32
// CHECK-NEXT:       %17 = arith.subf %16, %13 : f32
// CHECK-NEXT:       %18 = math.exp %17 {math.nonpositive} : f32
// CHECK-NEXT:       %19 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %20 = arith.select %14, %19, %18 : f32
// CHECK-NEXT:       %21 = arith.select %15, %19, %18 : f32
// CHECK-NEXT:       %22 = arith.mulf %10, %20 : f32
// CHECK-NEXT:       %23 = arith.mulf %12, %21 : f32
// CHECK-NEXT:       %24 = arith.addf %22, %23 : f32
// CHECK-NEXT:       kernel.yield %13, %24
// CHECK-NEXT:     }
// CHECK-NEXT:     %9 = arith.cmpf oeq, %m, %1 : f32
// CHECK-NEXT:     %10 = kernel.index 0
// CHECK-NEXT:     %11 = kernel.index N
// CHECK-NEXT:     %12 = arith.cmpi slt, %10, %11 : index
// CHECK-NEXT:     %13 = arith.andi %9, %12 : i1
// CHECK-NEXT:     %14 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %s_1 = arith.select %13, %14, %s : f32
// CHECK-NEXT:     %l = math.log %s_1 : f32
// CHECK-NEXT:     %r = arith.addf %l, %m : f32
// CHECK-NEXT:     kernel.store %r, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @logsumexp:
// CHECK-NEXT:   //   %10 = kernel.index
// CHECK-NEXT:   //   %11 = kernel.index
// CHECK-NEXT:   //   for %i in 0 to M: M times
// CHECK-NEXT:   //     for %jo in 0 to (N + 15) floordiv 16: (N + 15) floordiv 16 times
// CHECK-NEXT:   //       for %ji in 0 to min(N - %jo * 16, 16): min(N - %jo * 16, 16) times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         %a = kernel.load
// CHECK-NEXT:   //         update %0
// CHECK-NEXT:   //       %0 = kernel.reduce
// CHECK-NEXT:   //       update %m
// CHECK-NEXT:   //       for %ki in 0 to min(N - %jo * 16, 16): min(N - %jo * 16, 16) times
// CHECK-NEXT:   //         %j_1 = kernel.index
// CHECK-NEXT:   //         %a_1 = kernel.load
// CHECK-NEXT:   //         update %7
// CHECK-NEXT:   //       %7 = kernel.reduce
// CHECK-NEXT:   //       update %8, %s
// CHECK-NEXT:   //     %m = kernel.reduce
// CHECK-NEXT:   //     %8, %s = kernel.fold
// CHECK-NEXT:   //     kernel.store
// CHECK-NEXT:   kernel.func @attention(out %y: !kernel.buf<[8, 24] x f32>, in %q: !kernel.buf<[8, 4] x f32>, in %k: !kernel.buf<[32, 4] x f32>, in %v: !kernel.buf<[32, 24] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %c = kernel.range 0 to 24
// CHECK-NEXT:     %lowest = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %z = kernel.index 0
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %ji = kernel.range 0 to 16
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %ji
// CHECK-NEXT:     %g02 = kernel.range 0 to 4
// CHECK-NEXT:     %q0 = kernel.load %q[%i, %g02]
// CHECK-NEXT:     %k0 = kernel.load %k[%j, %g02]
// CHECK-NEXT:     %p0 = arith.mulf %q0, %k0 : f32
// CHECK-NEXT:     %s0 = kernel.reduce %p0 over(%g02) {kind = "add"}
// CHECK-NEXT:     %i0 = kernel.index %i * 4 - %j
// CHECK-NEXT:     %c0 = arith.cmpi sge, %i0, %z : index
// CHECK-NEXT:     %x0 = arith.select %c0, %s0, %lowest : f32
// CHECK-NEXT:     %row = kernel.stage %x0[%ji] over(%ji) : !kernel.buf<[16] x f32, local>
// CHECK-NEXT:     %0 = kernel.reduce %x0 over(%ji) {kind = "max"}
// CHECK-NEXT:     %li = kernel.range 0 to 16
// CHECK-NEXT:     %1 = kernel.load %row[%li]
// CHECK-NEXT:     %is = arith.cmpf oeq, %0, %lowest : f32
// CHECK-NEXT:     %safe = arith.select %is, %zero, %0 : f32
// CHECK-NEXT:     %2 = arith.subf %1, %safe : f32
// CHECK-NEXT:     %3 = math.exp %2 : f32
// CHECK-NEXT:     %4 = kernel.reduce %3 over(%li) {kind = "add"}
// CHECK-NEXT:     %5 = kernel.scan %0 along %jo {kind = "max", exclusive}
// CHECK-NEXT:     %6 = arith.maximumf %5, %0 : f32
// CHECK-NEXT:     %7 = arith.cmpf oeq, %5, %6 : f32
// CHECK-NEXT:     %8 = arith.cmpf oeq, %0, %6 : f32
// CHECK-NEXT:     %9 = arith.select %7, %0, %5 : f32
// CHECK-NEXT:     %10 = arith.subf %9, %6 : f32
// CHECK-NEXT:     %11 = math.exp %10 {math.nonpositive} : f32
// CHECK-NEXT:     %12 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %13 = arith.select %7, %12, %11 : f32
// CHECK-NEXT:     %14 = arith.select %8, %12, %11 : f32
// CHECK-NEXT:     %15 = arith.mulf %4, %14 : f32
// CHECK-NEXT:     %sum = kernel.stage %15[] over() accumulating(%jo) scaled(%13) {kind = "add"} : !kernel.buf<[] x f32, local>
// CHECK-NEXT:     %s = kernel.load %sum[]
// CHECK-NEXT:     %row_1 = kernel.stage %3[%li] over(%li) : !kernel.buf<[16] x f32, local>
// CHECK-NEXT:     %c2 = kernel.range 0 to 24
// CHECK-NEXT:     %ni = kernel.range 0 to 16
// CHECK-NEXT:     %j_1 = kernel.index %jo * 16 + %ni
// CHECK-NEXT:     %16 = kernel.load %row_1[%ni]
// CHECK-NEXT:     %u = kernel.load %v[%j_1, %c2]
// CHECK-NEXT:     %17 = arith.mulf %16, %u : f32
// CHECK-NEXT:     %18 = kernel.reduce %17 over(%ni) {kind = "add"}
// CHECK-NEXT:     %19 = arith.mulf %18, %14 : f32
// CHECK-NEXT:     %sums = kernel.stage %19[%c2] over(%c2) accumulating(%jo) scaled(%13) {kind = "add"} : !kernel.buf<[24] x f32, local>
// CHECK-NEXT:     %o = kernel.load %sums[%c]
// CHECK-NEXT:     %o_1 = arith.divf %o, %s : f32
// CHECK-NEXT:     kernel.store %o_1, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @attention:
// CHECK-NEXT:   //   %z = kernel.index
// CHECK-NEXT:   //   for %i in 0 to 8: 8 times
// CHECK-NEXT:   //     for %jo in 0 to 2: 2 times
// CHECK-NEXT:   //       for %ji in 0 to 16: 16 times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         for %g02 in 0 to 4: 4 times
// CHECK-NEXT:   //           %q0 = kernel.load
// CHECK-NEXT:   //           %k0 = kernel.load
// CHECK-NEXT:   //           update %s0
// CHECK-NEXT:   //         %s0 = kernel.reduce
// CHECK-NEXT:   //         %i0 = kernel.index
// CHECK-NEXT:   //         update %row
// CHECK-NEXT:   //         update %0
// CHECK-NEXT:   //       %row = kernel.stage
// CHECK-NEXT:   //       %0 = kernel.reduce
// CHECK-NEXT:   //       for %li in 0 to 16: 16 times
// CHECK-NEXT:   //         %1 = kernel.load
// CHECK-NEXT:   //         update %4
// CHECK-NEXT:   //         update %row_1
// CHECK-NEXT:   //       %4 = kernel.reduce
// CHECK-NEXT:   //       %5 = kernel.scan
// CHECK-NEXT:   //       update %sum
// CHECK-NEXT:   //       %row_1 = kernel.stage
// CHECK-NEXT:   //       for %c2 in 0 to 24: 24 times
// CHECK-NEXT:   //         for %ni in 0 to 16: 16 times
// CHECK-NEXT:   //           %j_1 = kernel.index
// CHECK-NEXT:   //           %16 = kernel.load
// CHECK-NEXT:   //           %u = kernel.load
// CHECK-NEXT:   //           update %18
// CHECK-NEXT:   //         %18 = kernel.reduce
// CHECK-NEXT:   //         update %sums
// CHECK-NEXT:   //     %sum = kernel.stage
// CHECK-NEXT:   //     %s = kernel.load
// CHECK-NEXT:   //     %sums = kernel.stage
// CHECK-NEXT:   //     for %c in 0 to 24: 24 times
// CHECK-NEXT:   //       %o = kernel.load
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT:   kernel.func @softmax_of_2(out %y: !kernel.buf<[8, 100] x f32>, in %x: !kernel.buf<[8, 100] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %c = kernel.range 0 to 100
// CHECK-NEXT:     %jo = kernel.range 0 to 7
// CHECK-NEXT:     %ji = kernel.range 0 to min(-%jo * 16 + 100, 16)
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %ji
// CHECK-NEXT:     %a = kernel.load %x[%i, %j]
// CHECK-NEXT:     %0 = kernel.reduce %a over(%ji) {kind = "max"}
// CHECK-NEXT:     %m = kernel.reduce %0 over(%jo) {kind = "max"}
// CHECK-NEXT:     %ki = kernel.range 0 to min(-%jo * 16 + 100, 16)
// CHECK-NEXT:     %j_1 = kernel.index %jo * 16 + %ki
// CHECK-NEXT:     %a_1 = kernel.load %x[%i, %j_1]
// CHECK-NEXT:     %1 = arith.constant 0xfc00 : f16
// CHECK-NEXT:     %2 = arith.cmpf oeq, %0, %1 : f16
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:     %4 = arith.select %2, %3, %0 : f16
// CHECK-NEXT:     %5 = arith.subf %a_1, %4 : f16
// CHECK-NEXT:     %6 = math.exp2 %5 : f16
// CHECK-NEXT:     %7 = arith.extf %6 : f16 to f32
// CHECK-NEXT:     %8 = kernel.reduce %7 over(%ki) {kind = "add"}
// CHECK-NEXT:     %9 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %10 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %11 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %12, %s = kernel.fold(%9, %8) from(%10, %11) over(%jo) {
// CHECK-NEXT:     ^bb0(%13: f32, %14: f32, %15: f32, %16: f32):
// CHECK-NEXT:       %17 = arith.maximumf %13, %15 : f32
// CHECK-NEXT:       %18 = arith.cmpf oeq, %13, %17 : f32
// CHECK-NEXT:       %19 = arith.cmpf oeq, %15, %17 : f32
// CHECK-NEXT:       %20 = arith.select %18, %15, %13 : f32
// CHECK-NEXT:       %21 = arith.subf %20, %17 : f32
// CHECK-NEXT:       %22 = math.exp2 %21 {math.nonpositive} : f32
// CHECK-NEXT:       %23 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:       %24 = arith.select %18, %23, %22 : f32
// CHECK-NEXT:       %25 = arith.select %19, %23, %22 : f32
// CHECK-NEXT:       %26 = arith.mulf %14, %24 : f32
// CHECK-NEXT:       %27 = arith.mulf %16, %25 : f32
// CHECK-NEXT:       %28 = arith.addf %26, %27 : f32
// CHECK-NEXT:       kernel.yield %17, %28
// CHECK-NEXT:     }
// CHECK-NEXT:     %13 = arith.cmpf oeq, %m, %1 : f16
// CHECK-NEXT:     %14 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %s_1 = arith.select %13, %14, %s : f32
// CHECK-NEXT:     %h = kernel.load %x[%i, %c]
// CHECK-NEXT:     %n = arith.subf %h, %m : f16
// CHECK-NEXT:     %p = math.exp2 %n : f16
// CHECK-NEXT:     %r = arith.extf %p : f16 to f32
// CHECK-NEXT:     %q = arith.divf %r, %s_1 : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @softmax_of_2:
// CHECK-NEXT:   //   for %i in 0 to 8: 8 times
// CHECK-NEXT:   //     for %jo in 0 to 7: 7 times
// CHECK-NEXT:   //       for %ji in 0 to min(-%jo * 16 + 100, 16): min(-%jo * 16 + 100, 16) times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         %a = kernel.load
// CHECK-NEXT:   //         update %0
// CHECK-NEXT:   //       %0 = kernel.reduce
// CHECK-NEXT:   //       update %m
// CHECK-NEXT:   //       for %ki in 0 to min(-%jo * 16 + 100, 16): min(-%jo * 16 + 100, 16) times
// CHECK-NEXT:   //         %j_1 = kernel.index
// CHECK-NEXT:   //         %a_1 = kernel.load
// CHECK-NEXT:   //         update %8
// CHECK-NEXT:   //       %8 = kernel.reduce
// CHECK-NEXT:   //       update %12, %s
// CHECK-NEXT:   //     %m = kernel.reduce
// CHECK-NEXT:   //     %12, %s = kernel.fold
// CHECK-NEXT:   //     for %c in 0 to 100: 100 times
// CHECK-NEXT:   //       %h = kernel.load
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
