// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=j,k windows=l,m})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(stage-image{ranges=j,k windows=l,m})" --check-each -o /dev/null

// The padded image; of dilated windows, and as many as there are rows.
kernel.func @depthwise(out %y: !kernel.buf<[4, 16, 32] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>, in %w: !kernel.buf<[4, 3, 3] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 16
  %k = kernel.range 0 to 32
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
  %v = kernel.load %x[%i, %j + %l - 1, %k + %m - 1] if %g else %zero
  %f = kernel.load %w[%i, %l, %m]
  %p = arith.mulf %v, %f : f32
  %s = kernel.reduce %p over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%i, %j, %k]
}
kernel.func @dilated(out %y: !kernel.buf<[N, 16] x f32>, in %x: !kernel.buf<[N + 4, 40] x bf16>, in %w: !kernel.buf<[3, 3] x f32>) dims(N in 2..9) {
  %j = kernel.range 0 to N
  %k = kernel.range 0 to 16
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%j + %l * 2, %k * 2 + %m * 4]
  %e = arith.extf %v : bf16 to f32
  %f = kernel.load %w[%l, %m]
  %p = arith.mulf %e, %f : f32
  %s = kernel.reduce %p over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @depthwise(out %y: !kernel.buf<[4, 16, 32] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>, in %w: !kernel.buf<[4, 3, 3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %jp = kernel.range 0 to 18
// CHECK-NEXT:     %kp = kernel.range 0 to 34
// CHECK-NEXT:     %j = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.range 0 to 32
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %h = kernel.index 16
// CHECK-NEXT:     %e = kernel.index 32
// CHECK-NEXT:     %r = kernel.index %jp - 1
// CHECK-NEXT:     %gr = arith.cmpi ult, %r, %h : index
// CHECK-NEXT:     %c = kernel.index %kp - 1
// CHECK-NEXT:     %gc = arith.cmpi ult, %c, %e : index
// CHECK-NEXT:     %g = arith.andi %gr, %gc : i1
// CHECK-NEXT:     %v = kernel.load %x[%i, %jp - 1, %kp - 1] if %g else %zero
// CHECK-NEXT:     %image = kernel.stage %v[%jp, %kp] over(%jp, %kp) : !kernel.buf<[18, 34] x f32, local>
// CHECK-NEXT:     %v_1 = kernel.load %image[%j + %l, %k + %m]
// CHECK-NEXT:     %f = kernel.load %w[%i, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %v_1, %f : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @depthwise:
// CHECK-NEXT:   //   %h = kernel.index
// CHECK-NEXT:   //   %e = kernel.index
// CHECK-NEXT:   //   for %i in 0 to 4: 4 times
// CHECK-NEXT:   //     for %jp in 0 to 18: 18 times
// CHECK-NEXT:   //       %r = kernel.index
// CHECK-NEXT:   //       for %kp in 0 to 34: 34 times
// CHECK-NEXT:   //         %c = kernel.index
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         update %image
// CHECK-NEXT:   //     %image = kernel.stage
// CHECK-NEXT:   //     for %j in 0 to 16: 16 times
// CHECK-NEXT:   //       for %k in 0 to 32: 32 times
// CHECK-NEXT:   //         for %l in 0 to 3: 3 times
// CHECK-NEXT:   //           for %m in 0 to 3: 3 times
// CHECK-NEXT:   //             %v_1 = kernel.load
// CHECK-NEXT:   //             %f = kernel.load
// CHECK-NEXT:   //             update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @dilated(out %y: !kernel.buf<[N, 16] x f32>, in %x: !kernel.buf<[N + 4, 40] x bf16>, in %w: !kernel.buf<[3, 3] x f32>) dims(N in 2..9) {
// CHECK-NEXT:     %jp = kernel.range 0 to N + 4
// CHECK-NEXT:     %kp = kernel.range 0 to 20
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %v = kernel.load %x[%jp, %kp * 2]
// CHECK-NEXT:     %e = arith.extf %v : bf16 to f32
// CHECK-NEXT:     %image = kernel.stage %e[%jp, %kp] over(%jp, %kp) : !kernel.buf<[13, 20] x f32, local>
// CHECK-NEXT:     %e_1 = kernel.load %image[%j + %l * 2, %k + %m * 2]
// CHECK-NEXT:     %f = kernel.load %w[%l, %m]
// CHECK-NEXT:     %p = arith.mulf %e_1, %f : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @dilated:
// CHECK-NEXT:   //   for %jp in 0 to N + 4: N + 4 times
// CHECK-NEXT:   //     for %kp in 0 to 20: 20 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %image
// CHECK-NEXT:   //   %image = kernel.stage
// CHECK-NEXT:   //   for %j in 0 to N: N times
// CHECK-NEXT:   //     for %k in 0 to 16: 16 times
// CHECK-NEXT:   //       for %l in 0 to 3: 3 times
// CHECK-NEXT:   //         for %m in 0 to 3: 3 times
// CHECK-NEXT:   //           %e_1 = kernel.load
// CHECK-NEXT:   //           %f = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //       %s = kernel.reduce
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
