// RUN: teeny-opt %s -p "expand-math{scale=instruction},cse" | FileCheck %s
// RUN: teeny-opt %s -p "expand-math{scale=instruction},cse" --check-each -o %t

// A power of two is multiplied with by one instruction, of scalars and of lanes.
uop.func @scalar(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %e = math.exp2 %v : f32
  uop.store %e, %y[%c0]
}

uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : vector<4xf32>
  %e = math.exp2 %v : vector<4xf32>
  uop.store %e, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @scalar(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant -1.520000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %v, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %v : f32
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
// CHECK-NEXT:     %29 = arith.mulf %28, %12 : f32
// CHECK-NEXT:     %30 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %31 = arith.addf %29, %30 : f32
// CHECK-NEXT:     %e = uop.ldexp %31, %11 : f32
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : vector<4xf32>
// CHECK-NEXT:     %0 = arith.constant -1.520000e+02 : f32
// CHECK-NEXT:     %1 = vector.broadcast %0 : f32 to vector<4xf32>
// CHECK-NEXT:     %2 = uop.cmpf olt, %v, %1 : vector<4xf32>
// CHECK-NEXT:     %3 = uop.select %2, %1, %v : vector<4xf32>
// CHECK-NEXT:     %4 = arith.constant 1.290000e+02 : f32
// CHECK-NEXT:     %5 = vector.broadcast %4 : f32 to vector<4xf32>
// CHECK-NEXT:     %6 = uop.cmpf ogt, %3, %5 : vector<4xf32>
// CHECK-NEXT:     %7 = uop.select %6, %5, %3 : vector<4xf32>
// CHECK-NEXT:     %8 = arith.constant 0x4B400000 : f32
// CHECK-NEXT:     %9 = vector.broadcast %8 : f32 to vector<4xf32>
// CHECK-NEXT:     %10 = arith.addf %7, %9 : vector<4xf32>
// CHECK-NEXT:     %11 = arith.subf %10, %9 : vector<4xf32>
// CHECK-NEXT:     %12 = arith.bitcast %10 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %13 = arith.constant 1262485504 : i32
// CHECK-NEXT:     %14 = vector.broadcast %13 : i32 to vector<4xi32>
// CHECK-NEXT:     %15 = arith.subi %12, %14 : vector<4xi32>
// CHECK-NEXT:     %16 = arith.subf %7, %11 : vector<4xf32>
// CHECK-NEXT:     %17 = arith.constant 0.000133321111 : f32
// CHECK-NEXT:     %18 = vector.broadcast %17 : f32 to vector<4xf32>
// CHECK-NEXT:     %19 = arith.mulf %18, %16 : vector<4xf32>
// CHECK-NEXT:     %20 = arith.constant 0.0013387932 : f32
// CHECK-NEXT:     %21 = vector.broadcast %20 : f32 to vector<4xf32>
// CHECK-NEXT:     %22 = arith.addf %19, %21 : vector<4xf32>
// CHECK-NEXT:     %23 = arith.mulf %22, %16 : vector<4xf32>
// CHECK-NEXT:     %24 = arith.constant 0.00962544605 : f32
// CHECK-NEXT:     %25 = vector.broadcast %24 : f32 to vector<4xf32>
// CHECK-NEXT:     %26 = arith.addf %23, %25 : vector<4xf32>
// CHECK-NEXT:     %27 = arith.mulf %26, %16 : vector<4xf32>
// CHECK-NEXT:     %28 = arith.constant 0.0555036627 : f32
// CHECK-NEXT:     %29 = vector.broadcast %28 : f32 to vector<4xf32>
// CHECK-NEXT:     %30 = arith.addf %27, %29 : vector<4xf32>
// CHECK-NEXT:     %31 = arith.mulf %30, %16 : vector<4xf32>
// CHECK-NEXT:     %32 = arith.constant 0.240225941 : f32
// CHECK-NEXT:     %33 = vector.broadcast %32 : f32 to vector<4xf32>
// CHECK-NEXT:     %34 = arith.addf %31, %33 : vector<4xf32>
// CHECK-NEXT:     %35 = arith.mulf %34, %16 : vector<4xf32>
// CHECK-NEXT:     %36 = arith.constant 0.693147182 : f32
// CHECK-NEXT:     %37 = vector.broadcast %36 : f32 to vector<4xf32>
// CHECK-NEXT:     %38 = arith.addf %35, %37 : vector<4xf32>
// CHECK-NEXT:     %39 = arith.mulf %38, %16 : vector<4xf32>
// CHECK-NEXT:     %40 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %41 = vector.broadcast %40 : f32 to vector<4xf32>
// CHECK-NEXT:     %42 = arith.addf %39, %41 : vector<4xf32>
// CHECK-NEXT:     %e = uop.ldexp %42, %15 : vector<4xf32>
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
