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
// CHECK-NEXT:     %0 = arith.constant -1.520000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant 0x4B400098 : f32
// CHECK-NEXT:     %7 = arith.addf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.bitcast %7 : f32 to i32
// CHECK-NEXT:     %9 = arith.constant 1 : i32
// CHECK-NEXT:     %10 = arith.shrui %8, %9 : i32
// CHECK-NEXT:     %11 = arith.constant 23 : i32
// CHECK-NEXT:     %12 = arith.shli %10, %11 : i32
// CHECK-NEXT:     %13 = arith.subf %7, %6 : f32
// CHECK-NEXT:     %14 = arith.bitcast %12 : i32 to f32
// CHECK-NEXT:     %15 = arith.shli %8, %11 : i32
// CHECK-NEXT:     %16 = arith.subi %15, %12 : i32
// CHECK-NEXT:     %17 = arith.bitcast %16 : i32 to f32
// CHECK-NEXT:     %18 = arith.subf %5, %13 : f32
// CHECK-NEXT:     %19 = arith.constant 6.76018347e+26 : f32
// CHECK-NEXT:     %20 = arith.mulf %19, %18 : f32
// CHECK-NEXT:     %21 = arith.constant 6.788488e+27 : f32
// CHECK-NEXT:     %22 = arith.addf %20, %21 : f32
// CHECK-NEXT:     %23 = arith.mulf %22, %18 : f32
// CHECK-NEXT:     %24 = arith.constant 4.88068099e+28 : f32
// CHECK-NEXT:     %25 = arith.addf %23, %24 : f32
// CHECK-NEXT:     %26 = arith.mulf %25, %18 : f32
// CHECK-NEXT:     %27 = arith.constant 2.814370e+29 : f32
// CHECK-NEXT:     %28 = arith.addf %26, %27 : f32
// CHECK-NEXT:     %29 = arith.mulf %28, %18 : f32
// CHECK-NEXT:     %30 = arith.constant 1.21809023e+30 : f32
// CHECK-NEXT:     %31 = arith.addf %29, %30 : f32
// CHECK-NEXT:     %32 = arith.mulf %31, %18 : f32
// CHECK-NEXT:     %33 = arith.constant 3.51467377e+30 : f32
// CHECK-NEXT:     %34 = arith.addf %32, %33 : f32
// CHECK-NEXT:     %35 = arith.mulf %34, %18 : f32
// CHECK-NEXT:     %36 = arith.constant 5.0706024e+30 : f32
// CHECK-NEXT:     %37 = arith.addf %35, %36 : f32
// CHECK-NEXT:     %38 = arith.mulf %37, %14 : f32
// CHECK-NEXT:     %b = arith.mulf %38, %17 : f32
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
