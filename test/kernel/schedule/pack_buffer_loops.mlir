// RUN: teeny-opt %s -p "kernel.func(pack-buffer{buffer=x over=l,m,j outside=m},pack-buffer{buffer=x_panel over=l,m,j unroll=m})" --print-kernel-nest | FileCheck %s

// The loop over a window, which the gate depends on, is outside of that over channels where the
// panel is filled. From there another panel is, in copies for each place in the window.
kernel.func @windows(out %y: !kernel.buf<[8, 20] x f32>, in %x: !kernel.buf<[6, 20] x f32>, in %w: !kernel.buf<[8, 6, 3] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 20
  %l = kernel.range 0 to 6
  %m = kernel.range 0 to 3
  %at = kernel.index %j + %m - 1
  %end = kernel.index 20
  %inside = arith.cmpi ult, %at, %end : index
  %v = kernel.load %x[%l, %j + %m - 1] if %inside else %zero
  %u = kernel.load %w[%i, %l, %m]
  %p = arith.mulf %u, %v : f32
  %s = kernel.reduce %p over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @windows(out %y: !kernel.buf<[8, 20] x f32>, in %x: !kernel.buf<[6, 20] x f32>, in %w: !kernel.buf<[8, 6, 3] x f32>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 20
// CHECK-NEXT:     %l = kernel.range 0 to 6
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %end = kernel.index 20
// CHECK-NEXT:     %mp = kernel.range 0 to 3
// CHECK-NEXT:     %lp = kernel.range 0 to 6
// CHECK-NEXT:     %jp = kernel.range 0 to 20
// CHECK-NEXT:     %at = kernel.index %jp + %mp - 1
// CHECK-NEXT:     %inside = arith.cmpi ult, %at, %end : index
// CHECK-NEXT:     %v = kernel.load %x[%lp, %jp + %mp - 1] if %inside else %zero
// CHECK-NEXT:     %x_panel = kernel.stage %v[%lp, %mp, %jp] over(%lp, %mp, %jp) : !kernel.buf<[6, 3, 20] x f32, local>
// CHECK-NEXT:     %lp2 = kernel.range 0 to 6
// CHECK-NEXT:     %mp2 = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jp2 = kernel.range 0 to 20
// CHECK-NEXT:     %v_1 = kernel.load %x_panel[%lp2, %mp2, %jp2]
// CHECK-NEXT:     %x_panel_panel = kernel.stage %v_1[%lp2, %mp2, %jp2] over(%lp2, %mp2, %jp2) : !kernel.buf<[6, 3, 20] x f32, local>
// CHECK-NEXT:     %v_2 = kernel.load %x_panel_panel[%l, %m, %j]
// CHECK-NEXT:     %u = kernel.load %w[%i, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %u, %v_2 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @windows:
// CHECK-NEXT:   //   %end = kernel.index
// CHECK-NEXT:   //   for %mp in 0 to 3: 3 times
// CHECK-NEXT:   //     for %lp in 0 to 6: 6 times
// CHECK-NEXT:   //       for %jp in 0 to 20: 20 times
// CHECK-NEXT:   //         %at = kernel.index
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         update %x_panel
// CHECK-NEXT:   //   %x_panel = kernel.stage
// CHECK-NEXT:   //   for %lp2 in 0 to 6: 6 times
// CHECK-NEXT:   //     for %jp2 in 0 to 20: 20 times
// CHECK-NEXT:   //       %v_1 = kernel.load
// CHECK-NEXT:   //       update %x_panel_panel
// CHECK-NEXT:   //   %x_panel_panel = kernel.stage
// CHECK-NEXT:   //   for %i in 0 to 8: 8 times
// CHECK-NEXT:   //     for %j in 0 to 20: 20 times
// CHECK-NEXT:   //       for %l in 0 to 6: 6 times
// CHECK-NEXT:   //         for %m in 0 to 3: 3 times
// CHECK-NEXT:   //           %v_2 = kernel.load
// CHECK-NEXT:   //           %u = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //       %s = kernel.reduce
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
