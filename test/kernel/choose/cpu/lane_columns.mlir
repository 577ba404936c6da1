// RUN: teeny-opt %s -p "kernel.func(lane-columns{vector-bits=512 l2=65536})" --remarks | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(lane-columns{vector-bits=128 l2=65536})" --check-each --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=NARROW

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

// A row of each column is staged: a panel of as many as have room.
kernel.func @staged(out %y: !kernel.buf<[500, 64] x f32>, in %x: !kernel.buf<[500, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 500
  %k = kernel.range 0 to 500
  %0 = kernel.load %x[%k, %i]
  %1 = math.exp %0 : f32
  %row = kernel.stage %1[%k] over(%k) : !kernel.buf<[500] x f32, local>
  %2 = kernel.reduce %1 over(%k) {kind = "add"}
  %3 = kernel.load %row[%j]
  %4 = arith.divf %3, %2 : f32
  kernel.store %4, %y[%j, %i]
}

// There is room for no vector of columns of these.
kernel.func @large(out %y: !kernel.buf<[5000, 64] x f32>, in %x: !kernel.buf<[5000, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 5000
  %k = kernel.range 0 to 5000
  %0 = kernel.load %x[%k, %i]
  %1 = math.exp %0 : f32
  %row = kernel.stage %1[%k] over(%k) : !kernel.buf<[5000] x f32, local>
  %2 = kernel.reduce %1 over(%k) {kind = "add"}
  %3 = kernel.load %row[%j]
  %4 = arith.divf %3, %2 : f32
  kernel.store %4, %y[%j, %i]
}

// A sum that the same columns use.
kernel.func @centred(out %y: !kernel.buf<[7, 16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
  %i = kernel.range 0 to 16
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 7
  %0 = kernel.load %x[%k, %i]
  %1 = kernel.reduce %0 over(%k) {kind = "add"}
  %2 = kernel.load %x[%j, %i]
  %3 = arith.subf %2, %1 : f32
  kernel.store %3, %y[%j, %i]
}

// A sum that is stored is left to `interchange-reductions`.
kernel.func @sum(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
  %i = kernel.range 0 to 16
  %k = kernel.range 0 to 7
  %0 = kernel.load %x[%k, %i]
  %1 = kernel.reduce %0 over(%k) {kind = "add"}
  kernel.store %1, %y[%i]
}

// Maxima and sums that run along blocks of rows, of which the last ends early.
kernel.func @running(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
  %i = kernel.range 0 to 16
  %jo = kernel.range 0 to 2
  %ji = kernel.range 0 to min(7 - %jo * 4, 4)
  %0 = kernel.load %x[%jo * 4 + %ji, %i]
  %1 = kernel.reduce %0 over(%ji) {kind = "max"}
  %ki = kernel.range 0 to min(7 - %jo * 4, 4)
  %2 = kernel.load %x[%jo * 4 + %ki, %i]
  %3 = arith.subf %2, %1 : f32
  %4 = math.exp %3 : f32
  %5 = kernel.reduce %4 over(%ki) {kind = "add"}
  %least = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.000000e+00 : f32
  %m, %s = kernel.fold(%1, %5) from(%least, %zero) over(%jo) {
  ^bb0(%6: f32, %7: f32, %8: f32, %9: f32):
    %10 = arith.maximumf %6, %8 : f32
    %11 = arith.addf %7, %9 : f32
    kernel.yield %10, %11
  }
  %12 = arith.addf %m, %s : f32
  kernel.store %12, %y[%i]
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
// CHECK-NEXT:   kernel.func @staged(out %y: !kernel.buf<[500, 64] x f32>, in %x: !kernel.buf<[500, 64] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 2
// CHECK-NEXT:     %iu = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %in = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 32 + %in
// CHECK-NEXT:     %j = kernel.range 0 to 500
// CHECK-NEXT:     %k = kernel.range 0 to 500
// CHECK-NEXT:     %0 = kernel.load %x[%k, %i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     %row = kernel.stage %1[%k, %in] over(%k, %iu, %iv) : !kernel.buf<[500, 32] x f32, local>
// CHECK-NEXT:     %2 = kernel.reduce %1 over(%k) {kind = "add"}
// CHECK-NEXT:     %3 = kernel.load %row[%j, %in]
// CHECK-NEXT:     %4 = arith.divf %3, %2 : f32
// CHECK-NEXT:     kernel.store %4, %y[%j, %i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @large(out %y: !kernel.buf<[5000, 64] x f32>, in %x: !kernel.buf<[5000, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %j = kernel.range 0 to 5000
// CHECK-NEXT:     %k = kernel.range 0 to 5000
// CHECK-NEXT:     %0 = kernel.load %x[%k, %i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     %row = kernel.stage %1[%k] over(%k) : !kernel.buf<[5000] x f32, local>
// CHECK-NEXT:     %2 = kernel.reduce %1 over(%k) {kind = "add"}
// CHECK-NEXT:     %3 = kernel.load %row[%j]
// CHECK-NEXT:     %4 = arith.divf %3, %2 : f32
// CHECK-NEXT:     kernel.store %4, %y[%j, %i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @centred(out %y: !kernel.buf<[7, 16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 1
// CHECK-NEXT:     %iu = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %in = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 16 + %in
// CHECK-NEXT:     %j = kernel.range 0 to 7
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %0 = kernel.load %x[%k, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "add"}
// CHECK-NEXT:     %2 = kernel.load %x[%j, %i]
// CHECK-NEXT:     %3 = arith.subf %2, %1 : f32
// CHECK-NEXT:     kernel.store %3, %y[%j, %i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sum(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %0 = kernel.load %x[%k, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %1, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @running(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[7, 16] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 16
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %ji = kernel.range 0 to min(-%jo * 4 + 7, 4)
// CHECK-NEXT:     %0 = kernel.load %x[%jo * 4 + %ji, %i]
// CHECK-NEXT:     %1 = kernel.reduce %0 over(%ji) {kind = "max"}
// CHECK-NEXT:     %ki = kernel.range 0 to min(-%jo * 4 + 7, 4)
// CHECK-NEXT:     %2 = kernel.load %x[%jo * 4 + %ki, %i]
// CHECK-NEXT:     %3 = arith.subf %2, %1 : f32
// CHECK-NEXT:     %4 = math.exp %3 : f32
// CHECK-NEXT:     %5 = kernel.reduce %4 over(%ki) {kind = "add"}
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %m, %s = kernel.fold(%1, %5) from(%least, %zero) over(%jo) {
// CHECK-NEXT:     ^bb0(%6: f32, %7: f32, %8: f32, %9: f32):
// CHECK-NEXT:       %10 = arith.maximumf %6, %8 : f32
// CHECK-NEXT:       %11 = arith.addf %7, %9 : f32
// CHECK-NEXT:       kernel.yield %10, %11
// CHECK-NEXT:     }
// CHECK-NEXT:     %6 = arith.addf %m, %s : f32
// CHECK-NEXT:     kernel.store %6, %y[%i]
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
// NARROW-NEXT: remark: reductions along 64 columns: split-range{range=i by=16 outer=io inner=in loads=clamped},widen-stages{range=in},split-range{range=in by=4 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector} [lane-columns, passed]
// NARROW-NEXT: remark: reductions along 64 columns: 80000 bytes staged of 4 are too many [lane-columns, missed]
// NARROW-NEXT: remark: reductions along 16 columns: split-range{range=i by=16 outer=io inner=in loads=clamped},split-range{range=in by=4 outer=iu inner=iv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=iv kind=vector} [lane-columns, passed]
// NARROW-NEXT: remark: reductions along 2 columns: too many of 4 lanes would be idle [lane-columns, missed]
