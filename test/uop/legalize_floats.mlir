// RUN: teeny-opt %s -p legalize-floats --split-input-file | FileCheck %s

// f16 is computed in f32; loads, stores and selections move it as it is.
// CHECK:      uop.func @half(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : f16
// CHECK-NEXT:   %0 = arith.extf %a : f16 to f32
// CHECK-NEXT:   %1 = arith.extf %a : f16 to f32
// CHECK-NEXT:   %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:   %b = arith.truncf %2 : f32 to f16
// CHECK-NEXT:   %3 = arith.extf %a : f16 to f32
// CHECK-NEXT:   %4 = arith.extf %b : f16 to f32
// CHECK-NEXT:   %c = arith.cmpf olt, %3, %4 : f32
// CHECK-NEXT:   %d = arith.select %c, %a, %b : f16
// CHECK-NEXT:   uop.store %d, %y[%zero]
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
// CHECK:      uop.func @brain(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : bf16
// CHECK-NEXT:   %0 = arith.bitcast %a : bf16 to i16
// CHECK-NEXT:   %1 = arith.extui %0 : i16 to i32
// CHECK-NEXT:   %2 = arith.constant 16 : i32
// CHECK-NEXT:   %3 = arith.shli %1, %2 : i32
// CHECK-NEXT:   %4 = arith.bitcast %3 : i32 to f32
// CHECK-NEXT:   %5 = math.exp %4 : f32
// CHECK-NEXT:   %6 = arith.bitcast %5 : f32 to i32
// CHECK-NEXT:   %7 = arith.constant 16 : i32
// CHECK-NEXT:   %8 = arith.shrui %6, %7 : i32
// CHECK-NEXT:   %9 = arith.constant 1 : i32
// CHECK-NEXT:   %10 = arith.andi %8, %9 : i32
// CHECK-NEXT:   %11 = arith.constant 32767 : i32
// CHECK-NEXT:   %12 = arith.addi %10, %11 : i32
// CHECK-NEXT:   %13 = arith.addi %6, %12 : i32
// CHECK-NEXT:   %14 = arith.constant 16 : i32
// CHECK-NEXT:   %15 = arith.shrui %13, %14 : i32
// CHECK-NEXT:   %16 = arith.constant 64 : i32
// CHECK-NEXT:   %17 = arith.ori %8, %16 : i32
// CHECK-NEXT:   %18 = arith.cmpf uno, %5, %5 : f32
// CHECK-NEXT:   %19 = arith.select %18, %17, %15 : i32
// CHECK-NEXT:   %20 = arith.trunci %19 : i32 to i16
// CHECK-NEXT:   %b = arith.bitcast %20 : i16 to bf16
// CHECK-NEXT:   uop.store %b, %y[%zero]
// CHECK-NEXT: }
uop.func @brain(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : bf16
  %b = math.exp %a : bf16
  uop.store %b, %y[%zero]
}

// -----

// From f64 through an f32 rounded to odd, so that rounding happens once.
// CHECK:      uop.func @narrow(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f64>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : f64
// CHECK-NEXT:   %0 = arith.truncf %a : f64 to f32
// CHECK-NEXT:   %1 = arith.extf %0 : f32 to f64
// CHECK-NEXT:   %2 = arith.bitcast %0 : f32 to i32
// CHECK-NEXT:   %3 = arith.cmpf one, %1, %a : f64
// CHECK-NEXT:   %4 = arith.constant 1 : i32
// CHECK-NEXT:   %5 = arith.andi %2, %4 : i32
// CHECK-NEXT:   %6 = arith.constant 0 : i32
// CHECK-NEXT:   %7 = arith.cmpi eq, %5, %6 : i32
// CHECK-NEXT:   %8 = arith.andi %3, %7 : i1
// CHECK-NEXT:   %9 = math.absf %1 : f64
// CHECK-NEXT:   %10 = math.absf %a : f64
// CHECK-NEXT:   %11 = arith.cmpf olt, %9, %10 : f64
// CHECK-NEXT:   %12 = arith.constant 1 : i32
// CHECK-NEXT:   %13 = arith.constant -1 : i32
// CHECK-NEXT:   %14 = arith.select %11, %12, %13 : i32
// CHECK-NEXT:   %15 = arith.addi %2, %14 : i32
// CHECK-NEXT:   %16 = arith.select %8, %15, %2 : i32
// CHECK-NEXT:   %17 = arith.bitcast %16 : i32 to f32
// CHECK-NEXT:   %b = arith.truncf %17 : f32 to f16
// CHECK-NEXT:   uop.store %b, %y[%zero]
// CHECK-NEXT: }
uop.func @narrow(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f64>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f64
  %b = arith.truncf %a : f64 to f16
  uop.store %b, %y[%zero]
}

// -----

// f32 and f64 are left alone, and so are conversions that the machine has.
// CHECK:      uop.func @wide(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f64>, in %h: !uop.ptr<f16>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : f64
// CHECK-NEXT:   %b = math.exp %a : f64
// CHECK-NEXT:   %c = arith.truncf %b : f64 to f32
// CHECK-NEXT:   %d = uop.load %h[%zero] : f16
// CHECK-NEXT:   %e = arith.extf %d : f16 to f32
// CHECK-NEXT:   %f = arith.addf %c, %e : f32
// CHECK-NEXT:   uop.store %f, %y[%zero]
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
