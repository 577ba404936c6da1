// RUN: teeny-opt %s -p expand-math,cse --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p expand-math{only=log} --split-input-file | FileCheck %s --check-prefix=ONLY

// 2^x is 2^k times a polynomial in x - k, k the nearest integer; the power of two is made of bits.
uop.func @f32(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = math.exp2 %a : f32
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @f32(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f32
// CHECK-NEXT:     %0 = arith.constant -1.510000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:     %7 = arith.addf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.subf %7, %6 : f32
// CHECK-NEXT:     %9 = arith.bitcast %7 : f32 to i32
// CHECK-NEXT:     %10 = arith.constant 1262485504 : i32
// CHECK-NEXT:     %11 = arith.subi %9, %10 : i32
// CHECK-NEXT:     %12 = arith.subf %5, %8 : f32
// CHECK-NEXT:     %13 = arith.constant 0.000133321111 : f32
// CHECK-NEXT:     %14 = arith.mulf %13, %12 : f32
// CHECK-NEXT:     %15 = arith.constant 0.0013387932 : f32
// CHECK-NEXT:     %16 = arith.addf %14, %15 : f32
// CHECK-NEXT:     %17 = arith.mulf %16, %12 : f32
// CHECK-NEXT:     %18 = arith.constant 0.00962544605 : f32
// CHECK-NEXT:     %19 = arith.addf %17, %18 : f32
// CHECK-NEXT:     %20 = arith.mulf %19, %12 : f32
// CHECK-NEXT:     %21 = arith.constant 0.0555036627 : f32
// CHECK-NEXT:     %22 = arith.addf %20, %21 : f32
// CHECK-NEXT:     %23 = arith.mulf %22, %12 : f32
// CHECK-NEXT:     %24 = arith.constant 0.240225941 : f32
// CHECK-NEXT:     %25 = arith.addf %23, %24 : f32
// CHECK-NEXT:     %26 = arith.mulf %25, %12 : f32
// CHECK-NEXT:     %27 = arith.constant 0.693147182 : f32
// CHECK-NEXT:     %28 = arith.addf %26, %27 : f32
// CHECK-NEXT:     %29 = arith.mulf %12, %28 : f32
// CHECK-NEXT:     %30 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %31 = arith.addf %29, %30 : f32
// CHECK-NEXT:     %32 = arith.constant 1 : i32
// CHECK-NEXT:     %33 = arith.shrsi %11, %32 : i32
// CHECK-NEXT:     %34 = arith.constant 127 : i32
// CHECK-NEXT:     %35 = arith.addi %33, %34 : i32
// CHECK-NEXT:     %36 = arith.constant 23 : i32
// CHECK-NEXT:     %37 = arith.shli %35, %36 : i32
// CHECK-NEXT:     %38 = arith.bitcast %37 : i32 to f32
// CHECK-NEXT:     %39 = arith.mulf %31, %38 : f32
// CHECK-NEXT:     %40 = arith.subi %11, %33 : i32
// CHECK-NEXT:     %41 = arith.addi %40, %34 : i32
// CHECK-NEXT:     %42 = arith.shli %41, %36 : i32
// CHECK-NEXT:     %43 = arith.bitcast %42 : i32 to f32
// CHECK-NEXT:     %b = arith.mulf %39, %43 : f32
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// ONLY:      builtin.module {
// ONLY-NEXT:   uop.func @f32(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// ONLY-NEXT:     %zero = arith.constant 0 : index
// ONLY-NEXT:     %a = uop.load %x[%zero] : f32
// ONLY-NEXT:     %b = math.exp2 %a : f32
// ONLY-NEXT:     uop.store %b, %y[%zero]
// ONLY-NEXT:   }
// ONLY-NEXT: }

// -----

// f64 stays with libm, and so does what has no formula.
uop.func @others(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>, in %z: !uop.ptr<f32>, out %w: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f64
  %b = math.exp2 %a : f64
  uop.store %b, %y[%zero]
  %c = uop.load %z[%zero] : f32
  %d = math.log1p %c : f32
  uop.store %d, %w[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @others(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>, in %z: !uop.ptr<f32>, out %w: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f64
// CHECK-NEXT:     %b = math.exp2 %a : f64
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:     %c = uop.load %z[%zero] : f32
// CHECK-NEXT:     %d = math.log1p %c : f32
// CHECK-NEXT:     uop.store %d, %w[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// ONLY:      builtin.module {
// ONLY-NEXT:   uop.func @others(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>, in %z: !uop.ptr<f32>, out %w: !uop.ptr<f32>) {
// ONLY-NEXT:     %zero = arith.constant 0 : index
// ONLY-NEXT:     %a = uop.load %x[%zero] : f64
// ONLY-NEXT:     %b = math.exp2 %a : f64
// ONLY-NEXT:     uop.store %b, %y[%zero]
// ONLY-NEXT:     %c = uop.load %z[%zero] : f32
// ONLY-NEXT:     %d = math.log1p %c : f32
// ONLY-NEXT:     uop.store %d, %w[%zero]
// ONLY-NEXT:   }
// ONLY-NEXT: }
