// RUN: teeny-opt %s -p expand-math,cse | FileCheck %s
// RUN: teeny-opt %s -p expand-math,cse --check-each -o %t

// Of 1 + tanh(x) nothing is left but an exponential and a quotient.
uop.func @sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = uop.load %x[%c0] : f32
  %t = math.tanh %a : f32
  %b = arith.addf %t, %one : f32
  uop.store %b, %y[%c0]
}

// GELU divides by what its half is multiplied with.
uop.func @gelu(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %a = uop.load %x[%c0] : f32
  %h = arith.mulf %a, %half : f32
  %t = math.tanh %a : f32
  %b = arith.addf %t, %one : f32
  %g = arith.mulf %h, %b : f32
  uop.store %g, %y[%c0]
}

// A product with something else stays one.
uop.func @no_gelu(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.25 : f32
  %a = uop.load %x[%c0] : f32
  %h = arith.mulf %a, %half : f32
  %t = math.tanh %a : f32
  %b = arith.addf %t, %one : f32
  %g = arith.mulf %h, %b : f32
  uop.store %g, %y[%c0]
}

// A sum with another number, or of a function without such a formula, is left alone.
uop.func @no_sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = uop.load %x[%c0] : f32
  %e = math.exp2 %a : f32
  %b = arith.addf %e, %two : f32
  %c = arith.subf %b, %one : f32
  uop.store %c, %y[%c0]
  %f = uop.load %x[%c1] : f32
  %t = math.rsqrt %f : f32
  %g = arith.addf %t, %one : f32
  uop.store %g, %y[%c1]
}

// A function that is used twice is computed by itself.
uop.func @twice(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = uop.load %x[%c0] : f32
  %t = math.exp %a : f32
  %b = arith.addf %t, %one : f32
  uop.store %b, %y[%c0]
  uop.store %t, %y[%c1]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant -4.450000e+01 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 2.000000e+01 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant -2.885390e+00 : f32
// CHECK-NEXT:     %7 = arith.mulf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B40007E : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 : f32
// CHECK-NEXT:     %10 = arith.subf %9, %8 : f32
// CHECK-NEXT:     %11 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %12 = arith.constant 23 : i32
// CHECK-NEXT:     %13 = arith.shli %11, %12 : i32
// CHECK-NEXT:     %14 = arith.bitcast %13 : i32 to f32
// CHECK-NEXT:     %15 = arith.constant 0.346573591 : f32
// CHECK-NEXT:     %16 = arith.mulf %10, %15 : f32
// CHECK-NEXT:     %17 = arith.addf %5, %16 : f32
// CHECK-NEXT:     %18 = arith.constant 0.152134717 : f32
// CHECK-NEXT:     %19 = arith.mulf %18, %17 : f32
// CHECK-NEXT:     %20 = arith.constant -0.53544718 : f32
// CHECK-NEXT:     %21 = arith.addf %19, %20 : f32
// CHECK-NEXT:     %22 = arith.mulf %21, %17 : f32
// CHECK-NEXT:     %23 = arith.constant 1.33441174 : f32
// CHECK-NEXT:     %24 = arith.addf %22, %23 : f32
// CHECK-NEXT:     %25 = arith.mulf %24, %17 : f32
// CHECK-NEXT:     %26 = arith.constant -2.66664696 : f32
// CHECK-NEXT:     %27 = arith.addf %25, %26 : f32
// CHECK-NEXT:     %28 = arith.mulf %27, %17 : f32
// CHECK-NEXT:     %29 = arith.constant 3.999990e+00 : f32
// CHECK-NEXT:     %30 = arith.addf %28, %29 : f32
// CHECK-NEXT:     %31 = arith.mulf %30, %17 : f32
// CHECK-NEXT:     %32 = arith.constant -4.000000e+00 : f32
// CHECK-NEXT:     %33 = arith.addf %31, %32 : f32
// CHECK-NEXT:     %34 = arith.mulf %33, %17 : f32
// CHECK-NEXT:     %35 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     %36 = arith.addf %34, %35 : f32
// CHECK-NEXT:     %37 = arith.mulf %36, %14 : f32
// CHECK-NEXT:     %38 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %39 = arith.addf %37, %38 : f32
// CHECK-NEXT:     %b = arith.divf %35, %39 : f32
// CHECK-NEXT:     uop.store %b, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @gelu(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant -4.450000e+01 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 2.000000e+01 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant -2.885390e+00 : f32
// CHECK-NEXT:     %7 = arith.mulf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B40007E : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 : f32
// CHECK-NEXT:     %10 = arith.subf %9, %8 : f32
// CHECK-NEXT:     %11 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %12 = arith.constant 23 : i32
// CHECK-NEXT:     %13 = arith.shli %11, %12 : i32
// CHECK-NEXT:     %14 = arith.bitcast %13 : i32 to f32
// CHECK-NEXT:     %15 = arith.constant 0.346573591 : f32
// CHECK-NEXT:     %16 = arith.mulf %10, %15 : f32
// CHECK-NEXT:     %17 = arith.addf %5, %16 : f32
// CHECK-NEXT:     %18 = arith.constant 0.152134717 : f32
// CHECK-NEXT:     %19 = arith.mulf %18, %17 : f32
// CHECK-NEXT:     %20 = arith.constant -0.53544718 : f32
// CHECK-NEXT:     %21 = arith.addf %19, %20 : f32
// CHECK-NEXT:     %22 = arith.mulf %21, %17 : f32
// CHECK-NEXT:     %23 = arith.constant 1.33441174 : f32
// CHECK-NEXT:     %24 = arith.addf %22, %23 : f32
// CHECK-NEXT:     %25 = arith.mulf %24, %17 : f32
// CHECK-NEXT:     %26 = arith.constant -2.66664696 : f32
// CHECK-NEXT:     %27 = arith.addf %25, %26 : f32
// CHECK-NEXT:     %28 = arith.mulf %27, %17 : f32
// CHECK-NEXT:     %29 = arith.constant 3.999990e+00 : f32
// CHECK-NEXT:     %30 = arith.addf %28, %29 : f32
// CHECK-NEXT:     %31 = arith.mulf %30, %17 : f32
// CHECK-NEXT:     %32 = arith.constant -4.000000e+00 : f32
// CHECK-NEXT:     %33 = arith.addf %31, %32 : f32
// CHECK-NEXT:     %34 = arith.mulf %33, %17 : f32
// CHECK-NEXT:     %35 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     %36 = arith.addf %34, %35 : f32
// CHECK-NEXT:     %37 = arith.mulf %36, %14 : f32
// CHECK-NEXT:     %38 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %39 = arith.addf %37, %38 : f32
// CHECK-NEXT:     %g = arith.divf %a, %39 : f32
// CHECK-NEXT:     uop.store %g, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @no_gelu(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %half = arith.constant 2.500000e-01 : f32
// CHECK-NEXT:     %a = uop.load %x[%c0] : f32
// CHECK-NEXT:     %h = arith.mulf %a, %half : f32
// CHECK-NEXT:     %0 = arith.constant -4.450000e+01 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 2.000000e+01 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant -2.885390e+00 : f32
// CHECK-NEXT:     %7 = arith.mulf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B40007E : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 : f32
// CHECK-NEXT:     %10 = arith.subf %9, %8 : f32
// CHECK-NEXT:     %11 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %12 = arith.constant 23 : i32
// CHECK-NEXT:     %13 = arith.shli %11, %12 : i32
// CHECK-NEXT:     %14 = arith.bitcast %13 : i32 to f32
// CHECK-NEXT:     %15 = arith.constant 0.346573591 : f32
// CHECK-NEXT:     %16 = arith.mulf %10, %15 : f32
// CHECK-NEXT:     %17 = arith.addf %5, %16 : f32
// CHECK-NEXT:     %18 = arith.constant 0.152134717 : f32
// CHECK-NEXT:     %19 = arith.mulf %18, %17 : f32
// CHECK-NEXT:     %20 = arith.constant -0.53544718 : f32
// CHECK-NEXT:     %21 = arith.addf %19, %20 : f32
// CHECK-NEXT:     %22 = arith.mulf %21, %17 : f32
// CHECK-NEXT:     %23 = arith.constant 1.33441174 : f32
// CHECK-NEXT:     %24 = arith.addf %22, %23 : f32
// CHECK-NEXT:     %25 = arith.mulf %24, %17 : f32
// CHECK-NEXT:     %26 = arith.constant -2.66664696 : f32
// CHECK-NEXT:     %27 = arith.addf %25, %26 : f32
// CHECK-NEXT:     %28 = arith.mulf %27, %17 : f32
// CHECK-NEXT:     %29 = arith.constant 3.999990e+00 : f32
// CHECK-NEXT:     %30 = arith.addf %28, %29 : f32
// CHECK-NEXT:     %31 = arith.mulf %30, %17 : f32
// CHECK-NEXT:     %32 = arith.constant -4.000000e+00 : f32
// CHECK-NEXT:     %33 = arith.addf %31, %32 : f32
// CHECK-NEXT:     %34 = arith.mulf %33, %17 : f32
// CHECK-NEXT:     %35 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     %36 = arith.addf %34, %35 : f32
// CHECK-NEXT:     %37 = arith.mulf %36, %14 : f32
// CHECK-NEXT:     %38 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %39 = arith.addf %37, %38 : f32
// CHECK-NEXT:     %b = arith.divf %35, %39 : f32
// CHECK-NEXT:     %g = arith.mulf %h, %b : f32
// CHECK-NEXT:     uop.store %g, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @no_sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     %a = uop.load %x[%c0] : f32
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
// CHECK-NEXT:     %e = arith.mulf %38, %17 : f32
// CHECK-NEXT:     %b = arith.addf %e, %two : f32
// CHECK-NEXT:     %c = arith.subf %b, %one : f32
// CHECK-NEXT:     uop.store %c, %y[%c0]
// CHECK-NEXT:     %f = uop.load %x[%c1] : f32
// CHECK-NEXT:     %39 = math.sqrt %f : f32
// CHECK-NEXT:     %t = arith.divf %one, %39 : f32
// CHECK-NEXT:     %g = arith.addf %t, %one : f32
// CHECK-NEXT:     uop.store %g, %y[%c1]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @twice(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %a = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant -1.050000e+02 : f32
// CHECK-NEXT:     %1 = arith.cmpf olt, %a, %0 : f32
// CHECK-NEXT:     %2 = arith.select %1, %0, %a : f32
// CHECK-NEXT:     %3 = arith.constant 8.900000e+01 : f32
// CHECK-NEXT:     %4 = arith.cmpf ogt, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %3, %2 : f32
// CHECK-NEXT:     %6 = arith.constant 1.44269502 : f32
// CHECK-NEXT:     %7 = arith.mulf %5, %6 : f32
// CHECK-NEXT:     %8 = arith.constant 0x4B400098 : f32
// CHECK-NEXT:     %9 = arith.addf %7, %8 : f32
// CHECK-NEXT:     %10 = arith.bitcast %9 : f32 to i32
// CHECK-NEXT:     %11 = arith.constant 1 : i32
// CHECK-NEXT:     %12 = arith.shrui %10, %11 : i32
// CHECK-NEXT:     %13 = arith.constant 23 : i32
// CHECK-NEXT:     %14 = arith.shli %12, %13 : i32
// CHECK-NEXT:     %15 = arith.subf %9, %8 : f32
// CHECK-NEXT:     %16 = arith.bitcast %14 : i32 to f32
// CHECK-NEXT:     %17 = arith.shli %10, %13 : i32
// CHECK-NEXT:     %18 = arith.subi %17, %14 : i32
// CHECK-NEXT:     %19 = arith.bitcast %18 : i32 to f32
// CHECK-NEXT:     %20 = arith.constant 0.693145752 : f32
// CHECK-NEXT:     %21 = arith.mulf %15, %20 : f32
// CHECK-NEXT:     %22 = arith.subf %5, %21 : f32
// CHECK-NEXT:     %23 = arith.constant 1.42860677e-06 : f32
// CHECK-NEXT:     %24 = arith.mulf %15, %23 : f32
// CHECK-NEXT:     %25 = arith.subf %22, %24 : f32
// CHECK-NEXT:     %26 = arith.constant 7.01736635e+27 : f32
// CHECK-NEXT:     %27 = arith.mulf %26, %25 : f32
// CHECK-NEXT:     %28 = arith.constant 4.24369514e+28 : f32
// CHECK-NEXT:     %29 = arith.addf %27, %28 : f32
// CHECK-NEXT:     %30 = arith.mulf %29, %25 : f32
// CHECK-NEXT:     %31 = arith.constant 2.11282379e+29 : f32
// CHECK-NEXT:     %32 = arith.addf %30, %31 : f32
// CHECK-NEXT:     %33 = arith.mulf %32, %25 : f32
// CHECK-NEXT:     %34 = arith.constant 8.45092794e+29 : f32
// CHECK-NEXT:     %35 = arith.addf %33, %34 : f32
// CHECK-NEXT:     %36 = arith.mulf %35, %25 : f32
// CHECK-NEXT:     %37 = arith.constant 2.5353009e+30 : f32
// CHECK-NEXT:     %38 = arith.addf %36, %37 : f32
// CHECK-NEXT:     %39 = arith.mulf %38, %25 : f32
// CHECK-NEXT:     %40 = arith.constant 5.0706024e+30 : f32
// CHECK-NEXT:     %41 = arith.addf %39, %40 : f32
// CHECK-NEXT:     %42 = arith.mulf %41, %25 : f32
// CHECK-NEXT:     %43 = arith.addf %42, %40 : f32
// CHECK-NEXT:     %44 = arith.mulf %43, %16 : f32
// CHECK-NEXT:     %t = arith.mulf %44, %19 : f32
// CHECK-NEXT:     %b = arith.addf %t, %one : f32
// CHECK-NEXT:     uop.store %b, %y[%c0]
// CHECK-NEXT:     uop.store %t, %y[%c1]
// CHECK-NEXT:   }
// CHECK-NEXT: }
