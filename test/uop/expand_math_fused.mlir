// RUN: teeny-opt %s -p "expand-math{fuse=true}" | FileCheck %s

// Products and sums of the formula may be fused; those around it stay as they are.
uop.func @root(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %v = uop.load %x[%zero] : f32
  %w = arith.addf %v, %v : f32
  %r = math.exp2 %w : f32
  %s = arith.mulf %r, %r : f32
  uop.store %s, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @root(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%zero] : f32
// CHECK-NEXT:     %w = arith.addf %v, %v : f32
// CHECK-NEXT:     %0 = arith.constant -1.510000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %w, %0 : f32
// CHECK-NEXT:     %2 = arith.constant -1.510000e+02 : f32
// CHECK-NEXT:     %3 = arith.select %1, %2, %w : f32
// CHECK-NEXT:     %4 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %5 = arith.cmpf ogt, %3, %4 : f32
// CHECK-NEXT:     %6 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %7 = arith.select %5, %6, %3 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 fastmath<contract> : f32
// CHECK-NEXT:     %10 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:     %11 = arith.subf %9, %10 fastmath<contract> : f32
// CHECK-NEXT:     %12 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %13 = arith.constant 1262485504 : i32
// CHECK-NEXT:     %14 = arith.subi %12, %13 : i32
// CHECK-NEXT:     %15 = arith.subf %7, %11 fastmath<contract> : f32
// CHECK-NEXT:     %16 = arith.constant 0.000133321111 : f32
// CHECK-NEXT:     %17 = arith.mulf %16, %15 fastmath<contract> : f32
// CHECK-NEXT:     %18 = arith.constant 0.0013387932 : f32
// CHECK-NEXT:     %19 = arith.addf %17, %18 fastmath<contract> : f32
// CHECK-NEXT:     %20 = arith.mulf %19, %15 fastmath<contract> : f32
// CHECK-NEXT:     %21 = arith.constant 0.00962544605 : f32
// CHECK-NEXT:     %22 = arith.addf %20, %21 fastmath<contract> : f32
// CHECK-NEXT:     %23 = arith.mulf %22, %15 fastmath<contract> : f32
// CHECK-NEXT:     %24 = arith.constant 0.0555036627 : f32
// CHECK-NEXT:     %25 = arith.addf %23, %24 fastmath<contract> : f32
// CHECK-NEXT:     %26 = arith.mulf %25, %15 fastmath<contract> : f32
// CHECK-NEXT:     %27 = arith.constant 0.240225941 : f32
// CHECK-NEXT:     %28 = arith.addf %26, %27 fastmath<contract> : f32
// CHECK-NEXT:     %29 = arith.mulf %28, %15 fastmath<contract> : f32
// CHECK-NEXT:     %30 = arith.constant 0.693147182 : f32
// CHECK-NEXT:     %31 = arith.addf %29, %30 fastmath<contract> : f32
// CHECK-NEXT:     %32 = arith.mulf %15, %31 fastmath<contract> : f32
// CHECK-NEXT:     %33 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %34 = arith.addf %32, %33 fastmath<contract> : f32
// CHECK-NEXT:     %35 = arith.constant 1 : i32
// CHECK-NEXT:     %36 = arith.shrsi %14, %35 : i32
// CHECK-NEXT:     %37 = arith.constant 127 : i32
// CHECK-NEXT:     %38 = arith.addi %36, %37 : i32
// CHECK-NEXT:     %39 = arith.constant 23 : i32
// CHECK-NEXT:     %40 = arith.shli %38, %39 : i32
// CHECK-NEXT:     %41 = arith.bitcast %40 : i32 to f32
// CHECK-NEXT:     %42 = arith.mulf %34, %41 fastmath<contract> : f32
// CHECK-NEXT:     %43 = arith.subi %14, %36 : i32
// CHECK-NEXT:     %44 = arith.constant 127 : i32
// CHECK-NEXT:     %45 = arith.addi %43, %44 : i32
// CHECK-NEXT:     %46 = arith.constant 23 : i32
// CHECK-NEXT:     %47 = arith.shli %45, %46 : i32
// CHECK-NEXT:     %48 = arith.bitcast %47 : i32 to f32
// CHECK-NEXT:     %r = arith.mulf %42, %48 fastmath<contract> : f32
// CHECK-NEXT:     %s = arith.mulf %r, %r : f32
// CHECK-NEXT:     uop.store %s, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
