// RUN: teeny-opt %s -p legalize-floats --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p legalize-floats{capability=sm_80} --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: teeny-opt %s -p legalize-floats{capability=sm_75} --split-input-file | FileCheck %s --check-prefix=SM75

// f16 is computed in f32; loads, stores and selections move it as it is.
// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @half(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f16
// CHECK-NEXT:     %0 = arith.extf %a : f16 to f32
// CHECK-NEXT:     %1 = arith.extf %a : f16 to f32
// CHECK-NEXT:     %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:     %b = arith.truncf %2 : f32 to f16
// CHECK-NEXT:     %3 = arith.extf %a : f16 to f32
// CHECK-NEXT:     %4 = arith.extf %b : f16 to f32
// CHECK-NEXT:     %c = arith.cmpf olt, %3, %4 : f32
// CHECK-NEXT:     %d = arith.select %c, %a, %b : f16
// CHECK-NEXT:     uop.store %d, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
uop.func @half(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f16
  %b = arith.mulf %a, %a : f16
  %c = arith.cmpf olt, %a, %b : f16
  %d = arith.select %c, %a, %b : f16
  uop.store %d, %y[%zero]
}

// -----

// bf16 is computed in f32 and rounded half to even on its bits.
// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @brain(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : bf16
// CHECK-NEXT:     %0 = arith.bitcast %a : bf16 to i16
// CHECK-NEXT:     %1 = arith.extui %0 : i16 to i32
// CHECK-NEXT:     %2 = arith.constant 16 : i32
// CHECK-NEXT:     %3 = arith.shli %1, %2 : i32
// CHECK-NEXT:     %4 = arith.bitcast %3 : i32 to f32
// CHECK-NEXT:     %5 = math.exp %4 : f32
// CHECK-NEXT:     %6 = arith.bitcast %5 : f32 to i32
// CHECK-NEXT:     %7 = arith.constant 16 : i32
// CHECK-NEXT:     %8 = arith.shrui %6, %7 : i32
// CHECK-NEXT:     %9 = arith.constant 1 : i32
// CHECK-NEXT:     %10 = arith.andi %8, %9 : i32
// CHECK-NEXT:     %11 = arith.constant 32767 : i32
// CHECK-NEXT:     %12 = arith.addi %10, %11 : i32
// CHECK-NEXT:     %13 = arith.addi %6, %12 : i32
// CHECK-NEXT:     %14 = arith.constant 16 : i32
// CHECK-NEXT:     %15 = arith.shrui %13, %14 : i32
// CHECK-NEXT:     %16 = arith.constant 64 : i32
// CHECK-NEXT:     %17 = arith.ori %8, %16 : i32
// CHECK-NEXT:     %18 = arith.cmpf uno, %5, %5 : f32
// CHECK-NEXT:     %19 = arith.select %18, %17, %15 : i32
// CHECK-NEXT:     %20 = arith.trunci %19 : i32 to i16
// CHECK-NEXT:     %b = arith.bitcast %20 : i16 to bf16
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
// A GPU rounds to bf16 itself from sm_80 on.
// SM80-LABEL: uop.func @brain
// SM80:         math.exp
// SM80-NEXT:    arith.truncf %{{.*}} : f32 to bf16
// SM80-NEXT:    uop.store
// SM75-LABEL: uop.func @brain
// SM75-NOT:     arith.truncf
// SM75:         uop.store
uop.func @brain(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : bf16
  %b = math.exp %a : bf16
  uop.store %b, %y[%zero]
}

// -----

// From f64 through an f32 rounded to odd, so that rounding happens once.
// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @narrow(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f64>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f64
// CHECK-NEXT:     %0 = arith.truncf %a : f64 to f32
// CHECK-NEXT:     %1 = arith.extf %0 : f32 to f64
// CHECK-NEXT:     %2 = arith.bitcast %0 : f32 to i32
// CHECK-NEXT:     %3 = arith.cmpf one, %1, %a : f64
// CHECK-NEXT:     %4 = arith.constant 1 : i32
// CHECK-NEXT:     %5 = arith.andi %2, %4 : i32
// CHECK-NEXT:     %6 = arith.constant 0 : i32
// CHECK-NEXT:     %7 = arith.cmpi eq, %5, %6 : i32
// CHECK-NEXT:     %8 = arith.andi %3, %7 : i1
// CHECK-NEXT:     %9 = math.absf %1 : f64
// CHECK-NEXT:     %10 = math.absf %a : f64
// CHECK-NEXT:     %11 = arith.cmpf olt, %9, %10 : f64
// CHECK-NEXT:     %12 = arith.constant 1 : i32
// CHECK-NEXT:     %13 = arith.constant -1 : i32
// CHECK-NEXT:     %14 = arith.select %11, %12, %13 : i32
// CHECK-NEXT:     %15 = arith.addi %2, %14 : i32
// CHECK-NEXT:     %16 = arith.select %8, %15, %2 : i32
// CHECK-NEXT:     %17 = arith.bitcast %16 : i32 to f32
// CHECK-NEXT:     %b = arith.truncf %17 : f32 to f16
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
uop.func @narrow(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f64>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f64
  %b = arith.truncf %a : f64 to f16
  uop.store %b, %y[%zero]
}

// -----

// f32 and f64 are left alone, and so are conversions that the machine has.
// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @wide(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f64>, in %h: !uop.ptr<f16>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f64
// CHECK-NEXT:     %b = math.exp %a : f64
// CHECK-NEXT:     %c = arith.truncf %b : f64 to f32
// CHECK-NEXT:     %d = uop.load %h[%zero] : f16
// CHECK-NEXT:     %e = arith.extf %d : f16 to f32
// CHECK-NEXT:     %f = arith.addf %c, %e : f32
// CHECK-NEXT:     uop.store %f, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
uop.func @wide(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f64>, in %h: !uop.ptr<f16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f64
  %b = math.exp %a : f64
  %c = arith.truncf %b : f64 to f32
  %d = uop.load %h[%zero] : f16
  %e = arith.extf %d : f16 to f32
  %f = arith.addf %c, %e : f32
  uop.store %f, %y[%zero]
}

// -----

// An f8 is computed in f32; its conversions are left to floats-to-bytes.
uop.func @byte(out %y: !uop.ptr<f8E4M3FN>, in %x: !uop.ptr<f8E4M3FN>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f8E4M3FN
  %b = arith.addf %a, %a : f8E4M3FN
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @byte(out %y: !uop.ptr<f8E4M3FN>, in %x: !uop.ptr<f8E4M3FN>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f8E4M3FN
// CHECK-NEXT:     %0 = arith.extf %a : f8E4M3FN to f32
// CHECK-NEXT:     %1 = arith.extf %a : f8E4M3FN to f32
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     %b = arith.truncf %2 : f32 to f8E4M3FN
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A wide integer becomes an f64, after it has lost bits that only say on which side of a tie it is.
uop.func @counted(out %y: !uop.ptr<f8E5M2>, in %x: !uop.ptr<i64>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : i64
  %b = arith.sitofp %a : i64 to f8E5M2
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @counted(out %y: !uop.ptr<f8E5M2>, in %x: !uop.ptr<i64>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : i64
// CHECK-NEXT:     %0 = arith.constant 4095 : i64
// CHECK-NEXT:     %1 = arith.andi %a, %0 : i64
// CHECK-NEXT:     %2 = arith.constant 0 : i64
// CHECK-NEXT:     %3 = arith.cmpi ne, %1, %2 : i64
// CHECK-NEXT:     %4 = arith.constant 0 : i64
// CHECK-NEXT:     %5 = arith.constant 2048 : i64
// CHECK-NEXT:     %6 = arith.select %3, %5, %4 : i64
// CHECK-NEXT:     %7 = arith.constant 9007199254740992 : i64
// CHECK-NEXT:     %8 = arith.addi %a, %7 : i64
// CHECK-NEXT:     %9 = arith.constant 18014398509481984 : i64
// CHECK-NEXT:     %10 = arith.cmpi ule, %8, %9 : i64
// CHECK-NEXT:     %11 = arith.subi %a, %1 : i64
// CHECK-NEXT:     %12 = arith.ori %11, %6 : i64
// CHECK-NEXT:     %13 = arith.select %10, %a, %12 : i64
// CHECK-NEXT:     %14 = arith.sitofp %13 : i64 to f64
// CHECK-NEXT:     %15 = arith.truncf %14 : f64 to f32
// CHECK-NEXT:     %16 = arith.extf %15 : f32 to f64
// CHECK-NEXT:     %17 = arith.bitcast %15 : f32 to i32
// CHECK-NEXT:     %18 = arith.cmpf one, %16, %14 : f64
// CHECK-NEXT:     %19 = arith.constant 1 : i32
// CHECK-NEXT:     %20 = arith.andi %17, %19 : i32
// CHECK-NEXT:     %21 = arith.constant 0 : i32
// CHECK-NEXT:     %22 = arith.cmpi eq, %20, %21 : i32
// CHECK-NEXT:     %23 = arith.andi %18, %22 : i1
// CHECK-NEXT:     %24 = math.absf %16 : f64
// CHECK-NEXT:     %25 = math.absf %14 : f64
// CHECK-NEXT:     %26 = arith.cmpf olt, %24, %25 : f64
// CHECK-NEXT:     %27 = arith.constant 1 : i32
// CHECK-NEXT:     %28 = arith.constant -1 : i32
// CHECK-NEXT:     %29 = arith.select %26, %27, %28 : i32
// CHECK-NEXT:     %30 = arith.addi %17, %29 : i32
// CHECK-NEXT:     %31 = arith.select %23, %30, %17 : i32
// CHECK-NEXT:     %32 = arith.bitcast %31 : i32 to f32
// CHECK-NEXT:     %b = arith.truncf %32 : f32 to f8E5M2
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// An i32 is exact in f64 as it is.
uop.func @unsigned(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : i32
  %b = arith.uitofp %a : i32 to bf16
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @unsigned(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<i32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : i32
// CHECK-NEXT:     %0 = arith.uitofp %a : i32 to f64
// CHECK-NEXT:     %1 = arith.truncf %0 : f64 to f32
// CHECK-NEXT:     %2 = arith.extf %1 : f32 to f64
// CHECK-NEXT:     %3 = arith.bitcast %1 : f32 to i32
// CHECK-NEXT:     %4 = arith.cmpf one, %2, %0 : f64
// CHECK-NEXT:     %5 = arith.constant 1 : i32
// CHECK-NEXT:     %6 = arith.andi %3, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 0 : i32
// CHECK-NEXT:     %8 = arith.cmpi eq, %6, %7 : i32
// CHECK-NEXT:     %9 = arith.andi %4, %8 : i1
// CHECK-NEXT:     %10 = math.absf %2 : f64
// CHECK-NEXT:     %11 = math.absf %0 : f64
// CHECK-NEXT:     %12 = arith.cmpf olt, %10, %11 : f64
// CHECK-NEXT:     %13 = arith.constant 1 : i32
// CHECK-NEXT:     %14 = arith.constant -1 : i32
// CHECK-NEXT:     %15 = arith.select %12, %13, %14 : i32
// CHECK-NEXT:     %16 = arith.addi %3, %15 : i32
// CHECK-NEXT:     %17 = arith.select %9, %16, %3 : i32
// CHECK-NEXT:     %18 = arith.bitcast %17 : i32 to f32
// CHECK-NEXT:     %19 = arith.bitcast %18 : f32 to i32
// CHECK-NEXT:     %20 = arith.constant 16 : i32
// CHECK-NEXT:     %21 = arith.shrui %19, %20 : i32
// CHECK-NEXT:     %22 = arith.constant 1 : i32
// CHECK-NEXT:     %23 = arith.andi %21, %22 : i32
// CHECK-NEXT:     %24 = arith.constant 32767 : i32
// CHECK-NEXT:     %25 = arith.addi %23, %24 : i32
// CHECK-NEXT:     %26 = arith.addi %19, %25 : i32
// CHECK-NEXT:     %27 = arith.constant 16 : i32
// CHECK-NEXT:     %28 = arith.shrui %26, %27 : i32
// CHECK-NEXT:     %29 = arith.constant 64 : i32
// CHECK-NEXT:     %30 = arith.ori %21, %29 : i32
// CHECK-NEXT:     %31 = arith.cmpf uno, %18, %18 : f32
// CHECK-NEXT:     %32 = arith.select %31, %30, %28 : i32
// CHECK-NEXT:     %33 = arith.trunci %32 : i32 to i16
// CHECK-NEXT:     %b = arith.bitcast %33 : i16 to bf16
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
