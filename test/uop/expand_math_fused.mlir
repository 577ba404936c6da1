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
// CHECK-NEXT:     %0 = arith.constant -1.520000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %w, %0 : f32
// CHECK-NEXT:     %2 = arith.constant -1.520000e+02 : f32
// CHECK-NEXT:     %3 = arith.select %1, %2, %w : f32
// CHECK-NEXT:     %4 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %5 = arith.cmpf ogt, %3, %4 : f32
// CHECK-NEXT:     %6 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %7 = arith.select %5, %6, %3 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B400098 : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 fastmath<contract> : f32
// CHECK-NEXT:     %10 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %11 = arith.constant 1 : i32
// CHECK-NEXT:     %12 = arith.shrui %10, %11 : i32
// CHECK-NEXT:     %13 = arith.constant 23 : i32
// CHECK-NEXT:     %14 = arith.shli %12, %13 : i32
// CHECK-NEXT:     %15 = arith.constant 0x4B400098 : f32
// CHECK-NEXT:     %16 = arith.subf %9, %15 fastmath<contract> : f32
// CHECK-NEXT:     %17 = arith.bitcast %14 : i32 to f32
// CHECK-NEXT:     %18 = arith.constant 23 : i32
// CHECK-NEXT:     %19 = arith.shli %10, %18 : i32
// CHECK-NEXT:     %20 = arith.subi %19, %14 : i32
// CHECK-NEXT:     %21 = arith.bitcast %20 : i32 to f32
// CHECK-NEXT:     %22 = arith.subf %7, %16 fastmath<contract> : f32
// CHECK-NEXT:     %23 = arith.constant 6.76018347e+26 : f32
// CHECK-NEXT:     %24 = arith.mulf %23, %22 fastmath<contract> : f32
// CHECK-NEXT:     %25 = arith.constant 6.788488e+27 : f32
// CHECK-NEXT:     %26 = arith.addf %24, %25 fastmath<contract> : f32
// CHECK-NEXT:     %27 = arith.mulf %26, %22 fastmath<contract> : f32
// CHECK-NEXT:     %28 = arith.constant 4.88068099e+28 : f32
// CHECK-NEXT:     %29 = arith.addf %27, %28 fastmath<contract> : f32
// CHECK-NEXT:     %30 = arith.mulf %29, %22 fastmath<contract> : f32
// CHECK-NEXT:     %31 = arith.constant 2.814370e+29 : f32
// CHECK-NEXT:     %32 = arith.addf %30, %31 fastmath<contract> : f32
// CHECK-NEXT:     %33 = arith.mulf %32, %22 fastmath<contract> : f32
// CHECK-NEXT:     %34 = arith.constant 1.21809023e+30 : f32
// CHECK-NEXT:     %35 = arith.addf %33, %34 fastmath<contract> : f32
// CHECK-NEXT:     %36 = arith.mulf %35, %22 fastmath<contract> : f32
// CHECK-NEXT:     %37 = arith.constant 3.51467377e+30 : f32
// CHECK-NEXT:     %38 = arith.addf %36, %37 fastmath<contract> : f32
// CHECK-NEXT:     %39 = arith.mulf %38, %22 fastmath<contract> : f32
// CHECK-NEXT:     %40 = arith.constant 5.0706024e+30 : f32
// CHECK-NEXT:     %41 = arith.addf %39, %40 fastmath<contract> : f32
// CHECK-NEXT:     %42 = arith.mulf %41, %17 fastmath<contract> : f32
// CHECK-NEXT:     %r = arith.mulf %42, %21 fastmath<contract> : f32
// CHECK-NEXT:     %s = arith.mulf %r, %r : f32
// CHECK-NEXT:     uop.store %s, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
