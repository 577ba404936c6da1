// RUN: teeny-opt %s -p "kernel.func(lane-columns{vector-bits=512})" --remarks | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(lane-columns{vector-bits=128})" --check-each --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=NARROW

// Maxima and sums along columns: neighbours are lanes, and what is staged for them is too.
kernel.func @softmax(out %y: !kernel.buf<[4, 7, 40] x f32>, in %x: !kernel.buf<[4, 7, 40] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 40
  %l = kernel.range 0 to 40
  %m = kernel.range 0 to 7
  %n = kernel.range 0 to 7
  %0 = kernel.load %x[%i, %n, %l]
  %1 = kernel.reduce %0 over(%n) {kind = "max"}
  %2 = kernel.load %x[%i, %m, %l]
  %3 = arith.subf %2, %1 : f32
  %4 = math.exp %3 : f32
  %row = kernel.stage %4[%m, %l] over(%m, %l) : !kernel.buf<[7, 40] x f32, local>
  %5 = kernel.reduce %4 over(%m) {kind = "add"}
  %row_1 = kernel.stage %5[%l] over(%l) : !kernel.buf<[40] x f32, local>
  %6 = kernel.load %row_1[%k]
  %7 = kernel.load %row[%j, %k]
  %8 = arith.divf %7, %6 : f32
  kernel.store %8, %y[%i, %j, %k]
}

// Two results; how many columns there are is known at the call.
kernel.func @extremes(out %a: !kernel.buf<[N] x f32>, out %b: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[7, N] x f32>) dims(N in 1..) {
  %l = kernel.range 0 to N
  %k = kernel.range 0 to 7
  %0 = kernel.load %x[%k, %l]
  %1 = kernel.reduce %0 over(%k) {kind = "max"}
  %2 = kernel.reduce %0 over(%k) {kind = "min"}
  kernel.store %1, %a[%l]
  kernel.store %2, %b[%l]
}

// Along rows: neighbours of a reduction are neighbours in memory.
kernel.func @rows(out %a: !kernel.buf<[40] x f32>, out %b: !kernel.buf<[40] x f32>, in %x: !kernel.buf<[40, 7] x f32>) {
  %l = kernel.range 0 to 40
  %k = kernel.range 0 to 7
  %0 = kernel.load %x[%l, %k]
  %1 = kernel.reduce %0 over(%k) {kind = "max"}
  %2 = kernel.reduce %0 over(%k) {kind = "min"}
  kernel.store %1, %a[%l]
  kernel.store %2, %b[%l]
}

// A gate on the columns.
kernel.func @gated(out %a: !kernel.buf<[40] x f32>, out %b: !kernel.buf<[40] x f32>, in %x: !kernel.buf<[7, 40] x f32>, in %g: !kernel.buf<[40] x i1>) {
  %l = kernel.range 0 to 40
  %k = kernel.range 0 to 7
  %zero = arith.constant 0.0 : f32
  %on = kernel.load %g[%l]
  %0 = kernel.load %x[%k, %l] if %on else %zero
  %1 = kernel.reduce %0 over(%k) {kind = "max"}
  %2 = kernel.reduce %0 over(%k) {kind = "min"}
  kernel.store %1, %a[%l]
  kernel.store %2, %b[%l]
}

// Too few columns.
kernel.func @few(out %a: !kernel.buf<[2] x f32>, out %b: !kernel.buf<[2] x f32>, in %x: !kernel.buf<[7, 2] x f32>) {
  %l = kernel.range 0 to 2
  %k = kernel.range 0 to 7
  %0 = kernel.load %x[%k, %l]
  %1 = kernel.reduce %0 over(%k) {kind = "max"}
  %2 = kernel.reduce %0 over(%k) {kind = "min"}
  kernel.store %1, %a[%l]
  kernel.store %2, %b[%l]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[4, 7, 40] x f32>, in %x: !kernel.buf<[4, 7, 40] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 7
// CHECK-NEXT:     %k = kernel.range 0 to 40
// CHECK-NEXT:     %lo = kernel.range 0 to 1
// CHECK-NEXT:     %lu = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %lv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ln = kernel.index %lu * 16 + %lv
// CHECK-NEXT:     %l = kernel.index %lo * 48 + %ln
// CHECK-NEXT:     %0 = kernel.index 40
// CHECK-NEXT:     %1 = arith.cmpi slt, %l, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(%l, 39)
// CHECK-NEXT:     %m = kernel.range 0 to 7
// CHECK-NEXT:     %n = kernel.range 0 to 7
// CHECK-NEXT:     %3 = kernel.load %x[%i, %n, %2]
// CHECK-NEXT:     %4 = kernel.reduce %3 over(%n) {kind = "max"}
// CHECK-NEXT:     %5 = kernel.load %x[%i, %m, %2]
// CHECK-NEXT:     %6 = arith.subf %5, %4 : f32
// CHECK-NEXT:     %7 = math.exp %6 : f32
// CHECK-NEXT:     %row = kernel.stage %7[%m, %l] over(%m, %lo, %lu, %lv) : !kernel.buf<[7, 48] x f32, local>
// CHECK-NEXT:     %8 = kernel.reduce %7 over(%m) {kind = "add"}
// CHECK-NEXT:     %row_1 = kernel.stage %8[%l] over(%lo, %lu, %lv) : !kernel.buf<[48] x f32, local>
// CHECK-NEXT:     %9 = kernel.load %row_1[%k]
// CHECK-NEXT:     %10 = kernel.load %row[%j, %k]
// CHECK-NEXT:     %11 = arith.divf %10, %9 : f32
// CHECK-NEXT:     kernel.store %11, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @extremes(out %a: !kernel.buf<[N] x f32>, out %b: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[7, N] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %lo = kernel.range 0 to (N + 63) floordiv 64
// CHECK-NEXT:     %lu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %lv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ln = kernel.index %lu * 16 + %lv
// CHECK-NEXT:     %l = kernel.index %lo * 64 + %ln
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.cmpi slt, %l, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(N - 1, %l)
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %3 = kernel.load %x[%k, %2]
// CHECK-NEXT:     %4 = kernel.reduce %3 over(%k) {kind = "max"}
// CHECK-NEXT:     %5 = kernel.reduce %3 over(%k) {kind = "min"}
// CHECK-NEXT:     kernel.store %4, %a[%l] if %1
// CHECK-NEXT:     kernel.store %5, %b[%l] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @rows(out %a: !kernel.buf<[40] x f32>, out %b: !kernel.buf<[40] x f32>, in %x: !kernel.buf<[40, 7] x f32>) {
// CHECK-NEXT:     %l = kernel.range 0 to 40
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %0 = kernel.load %x[%l, %k]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "max"}
// CHECK-NEXT:     %2 = kernel.reduce %0 over(%k) {kind = "min"}
// CHECK-NEXT:     kernel.store %1, %a[%l]
// CHECK-NEXT:     kernel.store %2, %b[%l]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @gated(out %a: !kernel.buf<[40] x f32>, out %b: !kernel.buf<[40] x f32>, in %x: !kernel.buf<[7, 40] x f32>, in %g: !kernel.buf<[40] x i1>) {
// CHECK-NEXT:     %l = kernel.range 0 to 40
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %on = kernel.load %g[%l]
// CHECK-NEXT:     %0 = kernel.load %x[%k, %l] if %on else %zero
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "max"}
// CHECK-NEXT:     %2 = kernel.reduce %0 over(%k) {kind = "min"}
// CHECK-NEXT:     kernel.store %1, %a[%l]
// CHECK-NEXT:     kernel.store %2, %b[%l]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few(out %a: !kernel.buf<[2] x f32>, out %b: !kernel.buf<[2] x f32>, in %x: !kernel.buf<[7, 2] x f32>) {
// CHECK-NEXT:     %l = kernel.range 0 to 2
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %0 = kernel.load %x[%k, %l]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "max"}
// CHECK-NEXT:     %2 = kernel.reduce %0 over(%k) {kind = "min"}
// CHECK-NEXT:     kernel.store %1, %a[%l]
// CHECK-NEXT:     kernel.store %2, %b[%l]
// CHECK-NEXT:   }
// CHECK-NEXT: }
// NARROW:      remark: reductions along 40 columns: split-range{range=l by=8 outer=lo inner=ln loads=clamped},split-range{range=ln by=4 outer=lu inner=lv loads=gated},set-kind{range=lu kind=unroll},set-kind{range=lv kind=vector} [lane-columns, passed]
// NARROW-NEXT: remark: reductions along 1024 columns: split-range{range=l by=16 outer=lo inner=ln loads=clamped},split-range{range=ln by=4 outer=lu inner=lv loads=gated},set-kind{range=lu kind=unroll},set-kind{range=lv kind=vector} [lane-columns, passed]
// NARROW-NEXT: remark: reductions along 2 columns: too many of 4 lanes would be idle [lane-columns, missed]
