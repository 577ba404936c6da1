// RUN: teeny-opt %s -p 'expand-math{f64=true},cse' | filecheck %s
// RUN: teeny-opt %s -p 'expand-math{f64=true}' --check-each -o %t
// RUN: teeny-opt %s -p expand-math | filecheck %s --check-prefix=LEFT

// e^x in f64 is as that in f32, with more terms; without `f64=true` it stays for libm.
// LEFT:      builtin.module {
// LEFT-NEXT:   uop.func @exp(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
// LEFT-NEXT:     %c0 = arith.constant 0 : index
// LEFT-NEXT:     %a = uop.load %x[%c0] : f64
// LEFT-NEXT:     %r = math.exp %a : f64
// LEFT-NEXT:     uop.store %r, %y[%c0]
// LEFT-NEXT:   }
// LEFT-NEXT: }
uop.func @exp(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : f64
  %r = math.exp %a : f64
  uop.store %r, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @exp(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%c0] : f64
// CHECK-NEXT:     %0 = arith.constant -7.460000e+02 : f64
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f64
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f64
// CHECK-NEXT:     %3 = arith.constant 7.100000e+02 : f64
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f64
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f64
// CHECK-NEXT:     %6 = arith.constant 1.4426950408889634 : f64
// CHECK-NEXT:     %7 = arith.mulf %5, %6 : f64
// CHECK-NEXT:     %8 = arith.constant 0x4338000000000000 : f64
// CHECK-NEXT:     %9 = arith.addf %7, %8 : f64
// CHECK-NEXT:     %10 = arith.subf %9, %8 : f64
// CHECK-NEXT:     %11 = arith.bitcast %9 : f64 to i64
// CHECK-NEXT:     %12 = arith.constant 4843621399236968448 : i64
// CHECK-NEXT:     %13 = arith.subi %11, %12 : i64
// CHECK-NEXT:     %14 = arith.constant 0.69314718036912382 : f64
// CHECK-NEXT:     %15 = arith.mulf %10, %14 : f64
// CHECK-NEXT:     %16 = arith.subf %5, %15 : f64
// CHECK-NEXT:     %17 = arith.constant 1.9082149292705877e-10 : f64
// CHECK-NEXT:     %18 = arith.mulf %10, %17 : f64
// CHECK-NEXT:     %19 = arith.subf %16, %18 : f64
// CHECK-NEXT:     %20 = arith.mulf %19, %19 : f64
// CHECK-NEXT:     %21 = arith.constant 2.0986595845931272e-09 : f64
// CHECK-NEXT:     %22 = arith.mulf %21, %19 : f64
// CHECK-NEXT:     %23 = arith.constant 2.5114140482918074e-08 : f64
// CHECK-NEXT:     %24 = arith.addf %22, %23 : f64
// CHECK-NEXT:     %25 = arith.mulf %24, %19 : f64
// CHECK-NEXT:     %26 = arith.constant 2.7557054696749707e-07 : f64
// CHECK-NEXT:     %27 = arith.addf %25, %26 : f64
// CHECK-NEXT:     %28 = arith.mulf %27, %19 : f64
// CHECK-NEXT:     %29 = arith.constant 2.7557228434284607e-06 : f64
// CHECK-NEXT:     %30 = arith.addf %28, %29 : f64
// CHECK-NEXT:     %31 = arith.mulf %30, %19 : f64
// CHECK-NEXT:     %32 = arith.constant 2.4801587562575964e-05 : f64
// CHECK-NEXT:     %33 = arith.addf %31, %32 : f64
// CHECK-NEXT:     %34 = arith.mulf %33, %19 : f64
// CHECK-NEXT:     %35 = arith.constant 0.00019841269903384139 : f64
// CHECK-NEXT:     %36 = arith.addf %34, %35 : f64
// CHECK-NEXT:     %37 = arith.mulf %36, %19 : f64
// CHECK-NEXT:     %38 = arith.constant 0.0013888888888777993 : f64
// CHECK-NEXT:     %39 = arith.addf %37, %38 : f64
// CHECK-NEXT:     %40 = arith.mulf %39, %19 : f64
// CHECK-NEXT:     %41 = arith.constant 0.0083333333333138939 : f64
// CHECK-NEXT:     %42 = arith.addf %40, %41 : f64
// CHECK-NEXT:     %43 = arith.mulf %42, %19 : f64
// CHECK-NEXT:     %44 = arith.constant 0.041666666666666824 : f64
// CHECK-NEXT:     %45 = arith.addf %43, %44 : f64
// CHECK-NEXT:     %46 = arith.mulf %45, %19 : f64
// CHECK-NEXT:     %47 = arith.constant 0.16666666666666688 : f64
// CHECK-NEXT:     %48 = arith.addf %46, %47 : f64
// CHECK-NEXT:     %49 = arith.mulf %48, %19 : f64
// CHECK-NEXT:     %50 = arith.constant 5.000000e-01 : f64
// CHECK-NEXT:     %51 = arith.addf %49, %50 : f64
// CHECK-NEXT:     %52 = arith.mulf %20, %51 : f64
// CHECK-NEXT:     %53 = arith.addf %19, %52 : f64
// CHECK-NEXT:     %54 = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:     %55 = arith.addf %53, %54 : f64
// CHECK-NEXT:     %56 = arith.constant 1 : i64
// CHECK-NEXT:     %57 = arith.shrsi %13, %56 : i64
// CHECK-NEXT:     %58 = arith.constant 1023 : i64
// CHECK-NEXT:     %59 = arith.addi %57, %58 : i64
// CHECK-NEXT:     %60 = arith.constant 52 : i64
// CHECK-NEXT:     %61 = arith.shli %59, %60 : i64
// CHECK-NEXT:     %62 = arith.bitcast %61 : i64 to f64
// CHECK-NEXT:     %63 = arith.mulf %55, %62 : f64
// CHECK-NEXT:     %64 = arith.subi %13, %57 : i64
// CHECK-NEXT:     %65 = arith.addi %64, %58 : i64
// CHECK-NEXT:     %66 = arith.shli %65, %60 : i64
// CHECK-NEXT:     %67 = arith.bitcast %66 : i64 to f64
// CHECK-NEXT:     %r = arith.mulf %63, %67 : f64
// CHECK-NEXT:     uop.store %r, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
