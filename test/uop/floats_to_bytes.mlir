// RUN: teeny-opt %s -p floats-to-bytes --split-input-file | FileCheck %s

// An f8 is an i8: exponent and digits move to where f32 has them.
uop.func @widen(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f8E5M2>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f8E5M2
  %b = arith.extf %a : f8E5M2 to f32
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @widen(out %y: !uop.ptr<f32>, in %x: !uop.ptr<i8>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : i8
// CHECK-NEXT:     %0 = arith.extui %a : i8 to i32
// CHECK-NEXT:     %1 = arith.constant 127 : i32
// CHECK-NEXT:     %2 = arith.andi %0, %1 : i32
// CHECK-NEXT:     %3 = arith.constant 128 : i32
// CHECK-NEXT:     %4 = arith.andi %0, %3 : i32
// CHECK-NEXT:     %5 = arith.constant 24 : i32
// CHECK-NEXT:     %6 = arith.shli %4, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 21 : i32
// CHECK-NEXT:     %8 = arith.shli %2, %7 : i32
// CHECK-NEXT:     %9 = arith.constant 939524096 : i32
// CHECK-NEXT:     %10 = arith.addi %8, %9 : i32
// CHECK-NEXT:     %11 = arith.sitofp %2 : i32 to f32
// CHECK-NEXT:     %12 = arith.constant 1.52587891e-05 : f32
// CHECK-NEXT:     %13 = arith.mulf %11, %12 : f32
// CHECK-NEXT:     %14 = arith.bitcast %13 : f32 to i32
// CHECK-NEXT:     %15 = arith.constant 4 : i32
// CHECK-NEXT:     %16 = arith.cmpi ult, %2, %15 : i32
// CHECK-NEXT:     %17 = arith.select %16, %14, %10 : i32
// CHECK-NEXT:     %18 = arith.constant 124 : i32
// CHECK-NEXT:     %19 = arith.cmpi eq, %2, %18 : i32
// CHECK-NEXT:     %20 = arith.constant 2139095040 : i32
// CHECK-NEXT:     %21 = arith.select %19, %20, %17 : i32
// CHECK-NEXT:     %22 = arith.constant 124 : i32
// CHECK-NEXT:     %23 = arith.cmpi ugt, %2, %22 : i32
// CHECK-NEXT:     %24 = arith.constant 2143289344 : i32
// CHECK-NEXT:     %25 = arith.select %23, %24, %21 : i32
// CHECK-NEXT:     %26 = arith.ori %25, %6 : i32
// CHECK-NEXT:     %b = arith.bitcast %26 : i32 to f32
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// And back, rounding half to even.
uop.func @narrow(out %y: !uop.ptr<f8E4M3FN>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = arith.truncf %a : f32 to f8E4M3FN
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @narrow(out %y: !uop.ptr<i8>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f32
// CHECK-NEXT:     %0 = arith.bitcast %a : f32 to i32
// CHECK-NEXT:     %1 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %2 = arith.andi %0, %1 : i32
// CHECK-NEXT:     %3 = arith.constant 20 : i32
// CHECK-NEXT:     %4 = arith.shrui %2, %3 : i32
// CHECK-NEXT:     %5 = arith.constant 1 : i32
// CHECK-NEXT:     %6 = arith.andi %4, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 1006632960 : i32
// CHECK-NEXT:     %8 = arith.subi %2, %7 : i32
// CHECK-NEXT:     %9 = arith.constant 524287 : i32
// CHECK-NEXT:     %10 = arith.addi %8, %9 : i32
// CHECK-NEXT:     %11 = arith.addi %10, %6 : i32
// CHECK-NEXT:     %12 = arith.constant 20 : i32
// CHECK-NEXT:     %13 = arith.shrui %11, %12 : i32
// CHECK-NEXT:     %14 = arith.bitcast %2 : i32 to f32
// CHECK-NEXT:     %15 = arith.constant 1.638400e+04 : f32
// CHECK-NEXT:     %16 = arith.addf %14, %15 : f32
// CHECK-NEXT:     %17 = arith.bitcast %16 : f32 to i32
// CHECK-NEXT:     %18 = arith.constant 1.638400e+04 : f32
// CHECK-NEXT:     %19 = arith.bitcast %18 : f32 to i32
// CHECK-NEXT:     %20 = arith.subi %17, %19 : i32
// CHECK-NEXT:     %21 = arith.constant 1015021568 : i32
// CHECK-NEXT:     %22 = arith.cmpi ult, %2, %21 : i32
// CHECK-NEXT:     %23 = arith.select %22, %20, %13 : i32
// CHECK-NEXT:     %24 = arith.constant 24 : i32
// CHECK-NEXT:     %25 = arith.shrui %0, %24 : i32
// CHECK-NEXT:     %26 = arith.constant 128 : i32
// CHECK-NEXT:     %27 = arith.andi %25, %26 : i32
// CHECK-NEXT:     %28 = arith.constant 2139095040 : i32
// CHECK-NEXT:     %29 = arith.cmpi ugt, %2, %28 : i32
// CHECK-NEXT:     %30 = arith.constant 127 : i32
// CHECK-NEXT:     %31 = arith.cmpi ugt, %23, %30 : i32
// CHECK-NEXT:     %32 = arith.constant 127 : i32
// CHECK-NEXT:     %33 = arith.select %31, %32, %23 : i32
// CHECK-NEXT:     %34 = arith.ori %33, %27 : i32
// CHECK-NEXT:     %b = arith.trunci %34 : i32 to i8
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Moves, constants and the program around them have bytes.
uop.func @move(out %y: !uop.ptr<f4E2M1FN>, in %x: !uop.ptr<f4E2M1FN>) {
  %zero = arith.constant 0 : index
  %row = uop.local [2] : !uop.ptr<f4E2M1FN, local>
  %c = arith.constant -6.0 : f4E2M1FN
  %v = arith.constant dense<1.5> : vector<4xf8E8M0FNU>
  %a = uop.load %x[%zero] : f4E2M1FN
  %t = arith.constant true
  %b = arith.select %t, %a, %c : f4E2M1FN
  uop.store %b, %row[%zero]
  uop.store %b, %y[%zero]
}
program.func @main(out %y: !kernel.buf<[2] x f4E2M1FN>) {
  %c = program.constant dense<[0.5, -1.0]> : tensor<2xf4E2M1FN>
  program.launch @move(%y, %c)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @move(out %y: !uop.ptr<i8>, in %x: !uop.ptr<i8>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %row = uop.local [2] : !uop.ptr<i8, local>
// CHECK-NEXT:     %c = arith.constant 15 : i8
// CHECK-NEXT:     %v = arith.constant dense<-128> : vector<4xi8>
// CHECK-NEXT:     %a = uop.load %x[%zero] : i8
// CHECK-NEXT:     %t = arith.constant true
// CHECK-NEXT:     %b = arith.select %t, %a, %c : i8
// CHECK-NEXT:     uop.store %b, %row[%zero]
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @main(out %y: !kernel.buf<[2] x i8>) {
// CHECK-NEXT:     %c = program.constant dense<[1, 10]> : tensor<2xi8>
// CHECK-NEXT:     program.launch @move(%y, %c)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What has no such float stays as it is.
uop.func @other(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = arith.truncf %a : f32 to f16
  uop.store %b, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @other(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %a = uop.load %x[%zero] : f32
// CHECK-NEXT:     %b = arith.truncf %a : f32 to f16
// CHECK-NEXT:     uop.store %b, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A bf16 is an i16; its conversions are integer arithmetic by now, on the same bits.
uop.func @halves(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>, in %s: !uop.ptr<i16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %g = arith.constant true
  %a = uop.load %x[%zero] if %g else %one : bf16
  %b = arith.bitcast %a : bf16 to i16
  %c = arith.bitcast %b : i16 to bf16
  uop.store %c, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @halves(out %y: !uop.ptr<i16>, in %x: !uop.ptr<i16>, in %s: !uop.ptr<i16>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %one = arith.constant 16256 : i16
// CHECK-NEXT:     %g = arith.constant true
// CHECK-NEXT:     %[[BITS:.*]] = uop.load %x[%zero] if %g else %one : i16
// CHECK-NEXT:     uop.store %[[BITS]], %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The bits of a bf16 as those of an f16, which stays: a bitcast from i16.
// CHECK:      uop.func @reread(out %y: !uop.ptr<f16>, in %x: !uop.ptr<i16>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : i16
// CHECK-NEXT:   %b = arith.bitcast %a : i16 to f16
// CHECK-NEXT:   uop.store %b, %y[%zero]
// CHECK-NEXT: }
uop.func @reread(out %y: !uop.ptr<f16>, in %x: !uop.ptr<bf16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : bf16
  %b = arith.bitcast %a : bf16 to f16
  uop.store %b, %y[%zero]
}

// -----

// What the machine itself rounds to bf16 are its bits from then on.
// CHECK:      uop.func @rounded(out %y: !uop.ptr<i16>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %a = uop.load %x[%zero] : f32
// CHECK-NEXT:   %0 = arith.truncf %a : f32 to bf16
// CHECK-NEXT:   %b = arith.bitcast %0 : bf16 to i16
// CHECK-NEXT:   uop.store %b, %y[%zero]
// CHECK-NEXT: }
uop.func @rounded(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = arith.truncf %a : f32 to bf16
  uop.store %b, %y[%zero]
}
