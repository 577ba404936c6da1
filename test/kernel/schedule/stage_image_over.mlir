// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=j,k windows=l,m over=q})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=j,k windows=l,m over=q})" --check-each -o /dev/null

// An image of all channels, which the gate depends on too.
kernel.func @channels(out %y: !kernel.buf<[5, 16, 32] x f32>, in %x: !kernel.buf<[N, 16, 32] x f32>, in %w: !kernel.buf<[5, 7, 3, 3] x f32>) dims(N in 1..7) {
  %j = kernel.range 0 to 16
  %k = kernel.range 0 to 32
  %f = kernel.range 0 to 5
  %q = kernel.range 0 to 7
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %zero = arith.constant 0.0 : f32
  %h = kernel.index 16
  %r = kernel.index %j + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %e = kernel.index 32
  %c = kernel.index %k + %m - 1
  %gc = arith.cmpi ult, %c, %e : index
  %g = arith.andi %gr, %gc : i1
  %n = kernel.index N
  %gq = arith.cmpi slt, %q, %n : index
  %ga = arith.andi %g, %gq : i1
  %v = kernel.load %x[%q, %j + %l - 1, %k + %m - 1] if %ga else %zero
  %u = kernel.load %w[%f, %q, %l, %m]
  %p = arith.mulf %v, %u : f32
  %s = kernel.reduce %p over(%q, %l, %m) {kind = "add"}
  kernel.store %s, %y[%f, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @channels(out %y: !kernel.buf<[5, 16, 32] x f32>, in %x: !kernel.buf<[N, 16, 32] x f32>, in %w: !kernel.buf<[5, 7, 3, 3] x f32>) dims(N in 1..7) {
// CHECK-NEXT:     %qp = kernel.range 0 to 7
// CHECK-NEXT:     %jp = kernel.range 0 to 18
// CHECK-NEXT:     %kp = kernel.range 0 to 34
// CHECK-NEXT:     %j = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.range 0 to 32
// CHECK-NEXT:     %f = kernel.range 0 to 5
// CHECK-NEXT:     %q = kernel.range 0 to 7
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %h = kernel.index 16
// CHECK-NEXT:     %e = kernel.index 32
// CHECK-NEXT:     %n = kernel.index N
// CHECK-NEXT:     %r = kernel.index %jp - 1
// CHECK-NEXT:     %gr = arith.cmpi ult, %r, %h : index
// CHECK-NEXT:     %c = kernel.index %kp - 1
// CHECK-NEXT:     %gc = arith.cmpi ult, %c, %e : index
// CHECK-NEXT:     %g = arith.andi %gr, %gc : i1
// CHECK-NEXT:     %gq = arith.cmpi slt, %qp, %n : index
// CHECK-NEXT:     %ga = arith.andi %g, %gq : i1
// CHECK-NEXT:     %v = kernel.load %x[%qp, %jp - 1, %kp - 1] if %ga else %zero
// CHECK-NEXT:     %image = kernel.stage %v[%qp, %jp, %kp] over(%qp, %jp, %kp) : !kernel.buf<[7, 18, 34] x f32, local>
// CHECK-NEXT:     %v_1 = kernel.load %image[%q, %j + %l, %k + %m]
// CHECK-NEXT:     %u = kernel.load %w[%f, %q, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %v_1, %u : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%q, %l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%f, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @channels:
// CHECK-NEXT:   //   %h = kernel.index
// CHECK-NEXT:   //   %e = kernel.index
// CHECK-NEXT:   //   %n = kernel.index
// CHECK-NEXT:   //   for %qp in 0 to 7: 7 times
// CHECK-NEXT:   //     for %jp in 0 to 18: 18 times
// CHECK-NEXT:   //       %r = kernel.index
// CHECK-NEXT:   //       for %kp in 0 to 34: 34 times
// CHECK-NEXT:   //         %c = kernel.index
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         update %image
// CHECK-NEXT:   //   %image = kernel.stage
// CHECK-NEXT:   //   for %j in 0 to 16: 16 times
// CHECK-NEXT:   //     for %k in 0 to 32: 32 times
// CHECK-NEXT:   //       for %f in 0 to 5: 5 times
// CHECK-NEXT:   //         for %q in 0 to 7: 7 times
// CHECK-NEXT:   //           for %l in 0 to 3: 3 times
// CHECK-NEXT:   //             for %m in 0 to 3: 3 times
// CHECK-NEXT:   //               %v_1 = kernel.load
// CHECK-NEXT:   //               %u = kernel.load
// CHECK-NEXT:   //               update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT: }
