// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=8},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=12},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir clipped=true})" --check-each | grep "@\|kernel.range\|kernel.store" | FileCheck %s --check-prefix=CLIPPED

// The quotients have a loop of their own. The sums share the loop of the exponentials, so they stay,
// and are kept for it.
kernel.func @softmax(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 50] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %l = kernel.range 0 to 50
  %v = kernel.load %x[%i, %l]
  %m = kernel.reduce %v over(%l) {kind = "max"}
  %w = kernel.load %x[%i, %k]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[50] x f32, local>
  %s = kernel.reduce %e over(%k) {kind = "add"}
  %f = kernel.load %row[%j]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %j]
}

// A reduction that serves the stores alone, in loops of its own, goes with them.
kernel.func @product(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 40] x f32>, in %w: !kernel.buf<[40, 50] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 50
  %l = kernel.range 0 to 40
  %v = kernel.load %x[%i, %l]
  %e = math.exp %v : f32
  %row = kernel.stage %e[%l] over(%l) : !kernel.buf<[40] x f32, local>
  %k = kernel.range 0 to 40
  %f = kernel.load %row[%k]
  %b = kernel.load %w[%k, %j]
  %p = arith.mulf %f, %b : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What has another gate too keeps both, and so its loop; extents may be named.
kernel.func @masked(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>, in %g: !kernel.buf<[N] x i1>) dims(N in 1..1000) {
  %i = kernel.range 0 to N
  %m = kernel.load %g[%i]
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[50] x f32, local>
  %f = kernel.load %row[%j]
  kernel.store %f, %y[%i, %j] if %m
}

kernel.func @named(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..1000) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %k]
  %row = kernel.stage %v[%k] over(%k) : !kernel.buf<[50] x f32, local>
  %f = kernel.load %row[%j]
  kernel.store %f, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 50] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 4
// CHECK-NEXT:     %ir = kernel.range 0 to 8
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ir
// CHECK-NEXT:     %i_1 = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %l = kernel.range 0 to 50
// CHECK-NEXT:     %v = kernel.load %x[%i_1, %l]
// CHECK-NEXT:     %m = kernel.reduce %v over(%l) {kind = "max"}
// CHECK-NEXT:     %w = kernel.load %x[%i_1, %k]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %row = kernel.stage %e[%k, %ii] over(%k, %ii) : !kernel.buf<[50, 8] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %e over(%k) {kind = "add"}
// CHECK-NEXT:     %column = kernel.stage %s[%ii] over(%ii) : !kernel.buf<[8] x f32, local>
// CHECK-NEXT:     %s_1 = kernel.load %column[%ir]
// CHECK-NEXT:     %f = kernel.load %row[%j, %ir]
// CHECK-NEXT:     %q = arith.divf %f, %s_1 : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @softmax:
// CHECK-NEXT:   //   for %io in 0 to 4: 4 times
// CHECK-NEXT:   //     %i_1 = kernel.index
// CHECK-NEXT:   //     for %l in 0 to 50: 50 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %m
// CHECK-NEXT:   //     %m = kernel.reduce
// CHECK-NEXT:   //     for %k in 0 to 50: 50 times
// CHECK-NEXT:   //       %w = kernel.load
// CHECK-NEXT:   //       update %row
// CHECK-NEXT:   //       update %s
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     %s = kernel.reduce
// CHECK-NEXT:   //     update %column
// CHECK-NEXT:   //     %column = kernel.stage
// CHECK-NEXT:   //     for %ir in 0 to 8: 8 times
// CHECK-NEXT:   //       %i = kernel.index
// CHECK-NEXT:   //       %s_1 = kernel.load
// CHECK-NEXT:   //       for %j in 0 to 50: 50 times
// CHECK-NEXT:   //         %f = kernel.load
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 40] x f32>, in %w: !kernel.buf<[40, 50] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 4
// CHECK-NEXT:     %ir = kernel.range 0 to 8
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ir
// CHECK-NEXT:     %i_1 = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %l = kernel.range 0 to 40
// CHECK-NEXT:     %v = kernel.load %x[%i_1, %l]
// CHECK-NEXT:     %e = math.exp %v : f32
// CHECK-NEXT:     %row = kernel.stage %e[%l, %ii] over(%l, %ii) : !kernel.buf<[40, 8] x f32, local>
// CHECK-NEXT:     %k = kernel.range 0 to 40
// CHECK-NEXT:     %f = kernel.load %row[%k, %ir]
// CHECK-NEXT:     %b = kernel.load %w[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %f, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @product:
// CHECK-NEXT:   //   for %io in 0 to 4: 4 times
// CHECK-NEXT:   //     %i_1 = kernel.index
// CHECK-NEXT:   //     for %l in 0 to 40: 40 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %row
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     for %ir in 0 to 8: 8 times
// CHECK-NEXT:   //       %i = kernel.index
// CHECK-NEXT:   //       for %j in 0 to 50: 50 times
// CHECK-NEXT:   //         for %k in 0 to 40: 40 times
// CHECK-NEXT:   //           %f = kernel.load
// CHECK-NEXT:   //           %b = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @masked(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>, in %g: !kernel.buf<[N] x i1>) dims(N in 1..1000) {
// CHECK-NEXT:     %io = kernel.range 0 to (N + 7) floordiv 8
// CHECK-NEXT:     %ir = kernel.range 0 to 8
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ir
// CHECK-NEXT:     %i_1 = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = arith.cmpi slt, %i_1, %0 : index
// CHECK-NEXT:     %3 = arith.constant false
// CHECK-NEXT:     %m = kernel.load %g[%i] if %1 else %3
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i_1, %k] if %2 else %4
// CHECK-NEXT:     %row = kernel.stage %v[%k, %ii] over(%k, %ii) : !kernel.buf<[50, 8] x f32, local>
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %f = kernel.load %row[%j, %ir] if %1 else %5
// CHECK-NEXT:     %6 = arith.andi %m, %1 : i1
// CHECK-NEXT:     kernel.store %f, %y[%i, %j] if %6
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @masked:
// CHECK-NEXT:   //   %0 = kernel.index
// CHECK-NEXT:   //   for %io in 0 to (N + 7) floordiv 8: (N + 7) floordiv 8 times
// CHECK-NEXT:   //     %i_1 = kernel.index
// CHECK-NEXT:   //     for %k in 0 to 50: 50 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %row
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     for %ir in 0 to 8: 8 times
// CHECK-NEXT:   //       %i = kernel.index
// CHECK-NEXT:   //       %m = kernel.load
// CHECK-NEXT:   //       for %j in 0 to 50: 50 times
// CHECK-NEXT:   //         %f = kernel.load
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @named(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..1000) {
// CHECK-NEXT:     %io = kernel.range 0 to (N + 7) floordiv 8
// CHECK-NEXT:     %ir = kernel.range 0 to 8
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ir
// CHECK-NEXT:     %i_1 = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = arith.cmpi slt, %i_1, %0 : index
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i_1, %k] if %2 else %3
// CHECK-NEXT:     %row = kernel.stage %v[%k, %ii] over(%k, %ii) : !kernel.buf<[50, 8] x f32, local>
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %f = kernel.load %row[%j, %ir] if %1 else %4
// CHECK-NEXT:     kernel.store %f, %y[%i, %j] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @named:
// CHECK-NEXT:   //   %0 = kernel.index
// CHECK-NEXT:   //   for %io in 0 to (N + 7) floordiv 8: (N + 7) floordiv 8 times
// CHECK-NEXT:   //     %i_1 = kernel.index
// CHECK-NEXT:   //     for %k in 0 to 50: 50 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %row
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     for %ir in 0 to 8: 8 times
// CHECK-NEXT:   //       %i = kernel.index
// CHECK-NEXT:   //       for %j in 0 to 50: 50 times
// CHECK-NEXT:   //         %f = kernel.load
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT: }

// CLIPPED:        kernel.func @softmax(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 50] x f32>) {
// CLIPPED-NEXT:     %io = kernel.range 0 to 3
// CLIPPED-NEXT:     %ir = kernel.range 0 to min(-%io * 12 + 32, 12)
// CLIPPED-NEXT:     %ii = kernel.range 0 to 12 unroll
// CLIPPED-NEXT:     %j = kernel.range 0 to 50
// CLIPPED-NEXT:     %k = kernel.range 0 to 50
// CLIPPED-NEXT:     %l = kernel.range 0 to 50
// CLIPPED-NEXT:     kernel.store %q, %y[%i, %j]
// CLIPPED-NEXT:   kernel.func @product(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 40] x f32>, in %w: !kernel.buf<[40, 50] x f32>) {
// CLIPPED-NEXT:     %io = kernel.range 0 to 3
// CLIPPED-NEXT:     %ir = kernel.range 0 to min(-%io * 12 + 32, 12)
// CLIPPED-NEXT:     %ii = kernel.range 0 to 12 unroll
// CLIPPED-NEXT:     %j = kernel.range 0 to 50
// CLIPPED-NEXT:     %l = kernel.range 0 to 40
// CLIPPED-NEXT:     %k = kernel.range 0 to 40
// CLIPPED-NEXT:     kernel.store %s, %y[%i, %j]
// CLIPPED-NEXT:   kernel.func @masked(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>, in %g: !kernel.buf<[N] x i1>) dims(N in 1..1000) {
// CLIPPED-NEXT:     %io = kernel.range 0 to (N + 11) floordiv 12
// CLIPPED-NEXT:     %ir = kernel.range 0 to 12
// CLIPPED-NEXT:     %ii = kernel.range 0 to 12 unroll
// CLIPPED-NEXT:     %j = kernel.range 0 to 50
// CLIPPED-NEXT:     %k = kernel.range 0 to 50
// CLIPPED-NEXT:     kernel.store %f, %y[%i, %j] if %6
// CLIPPED-NEXT:   kernel.func @named(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..1000) {
// CLIPPED-NEXT:     %io = kernel.range 0 to (N + 11) floordiv 12
// CLIPPED-NEXT:     %ir = kernel.range 0 to min(max(N - %io * 12, 0), 12)
// CLIPPED-NEXT:     %ii = kernel.range 0 to 12 unroll
// CLIPPED-NEXT:     %j = kernel.range 0 to 50
// CLIPPED-NEXT:     %k = kernel.range 0 to 50
// CLIPPED-NEXT:     kernel.store %f, %y[%i, %j]
