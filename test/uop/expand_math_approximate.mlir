// RUN: teeny-opt %s -p "expand-math{approximate=true},cse" | FileCheck %s
// RUN: teeny-opt %s -p "expand-math{approximate=true}" --check-each -o %t

// An exponential starts from what a GPU approximates: of 2^n 2^r, n is made of bits.
uop.func @exp(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %e = math.exp %v : f32
  uop.store %e, %y[%c0]
}

// So does one of lanes.
uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : vector<4xf32>
  %e = math.exp2 %v : vector<4xf32>
  uop.store %e, %y[%c0]
}

// A root's reciprocal is one instruction.
uop.func @rsqrt(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %e = math.rsqrt %v : f32
  uop.store %e, %y[%c0]
}

// What is computed in f64 is not approximated.
uop.func @wide(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f64
  %e = math.exp %v : f64
  uop.store %e, %y[%c0]
}

// Of what is known to be no number above 0, 2^n needs no bits.
uop.func @nonpositive(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %zero = arith.constant 0.0 : f32
  %n = arith.minimumf %v, %zero : f32
  %e = math.exp %n {math.nonpositive} : f32
  uop.store %e, %y[%c0]
}

// A product and an instruction have digits enough for 16 bits.
uop.func @rounded(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %e = math.exp %v : f32
  %r = arith.truncf %e : f32 to f16
  uop.store %r, %y[%c0]
}

// So they have where few digits are asked for, denormal numbers aside.
uop.func @few_digits(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %e = math.exp %v fastmath<afn> : f32
  %f = math.exp2 %e fastmath<afn> : f32
  uop.store %f, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @exp(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant 0.00570235169 : f32
// CHECK-NEXT:     %1 = arith.constant 0.498023719 : f32
// CHECK-NEXT:     %2 = uop.saturated_fma %v, %0, %1 : f32
// CHECK-NEXT:     %3 = arith.constant 2.530000e+02 : f32
// CHECK-NEXT:     %4 = arith.constant 0x4B400001 : f32
// CHECK-NEXT:     %5 = math.fma %2, %3, %4 : f32
// CHECK-NEXT:     %6 = arith.constant 0x4B40007F : f32
// CHECK-NEXT:     %7 = arith.subf %6, %5 : f32
// CHECK-NEXT:     %8 = arith.constant 1.44269502 : f32
// CHECK-NEXT:     %9 = math.fma %v, %8, %7 : f32
// CHECK-NEXT:     %10 = arith.constant 1.92596303e-08 : f32
// CHECK-NEXT:     %11 = math.fma %v, %10, %9 : f32
// CHECK-NEXT:     %12 = uop.approximate exp2 %11 : f32
// CHECK-NEXT:     %13 = arith.bitcast %5 : f32 to i32
// CHECK-NEXT:     %14 = arith.constant 23 : i32
// CHECK-NEXT:     %15 = arith.shli %13, %14 : i32
// CHECK-NEXT:     %16 = arith.bitcast %15 : i32 to f32
// CHECK-NEXT:     %e = arith.mulf %12, %16 : f32
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : vector<4xf32>
// CHECK-NEXT:     %e = uop.approximate gradual_exp2 %v : vector<4xf32>
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @rsqrt(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %e = uop.approximate rsqrt %v : f32
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @wide(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f64
// CHECK-NEXT:     %e = math.exp %v : f64
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @nonpositive(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %n = arith.minimumf %v, %zero : f32
// CHECK-NEXT:     %0 = arith.constant 1.44269526 : f32
// CHECK-NEXT:     %1 = arith.mulf %n, %0 : f32
// CHECK-NEXT:     %2 = uop.approximate gradual_exp2 %1 : f32
// CHECK-NEXT:     %3 = arith.constant -0.693147182 : f32
// CHECK-NEXT:     %4 = math.fma %1, %3, %n : f32
// CHECK-NEXT:     %5 = arith.constant 1.90465421e-09 : f32
// CHECK-NEXT:     %6 = uop.saturated_fma %1, %5, %4 : f32
// CHECK-NEXT:     %e = math.fma %2, %6, %2 : f32
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @rounded(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant 1.44269502 : f32
// CHECK-NEXT:     %1 = arith.mulf %v, %0 : f32
// CHECK-NEXT:     %e = uop.approximate gradual_exp2 %1 : f32
// CHECK-NEXT:     %r = arith.truncf %e : f32 to f16
// CHECK-NEXT:     uop.store %r, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @few_digits(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant 1.44269502 : f32
// CHECK-NEXT:     %1 = arith.mulf %v, %0 : f32
// CHECK-NEXT:     %e = uop.approximate exp2 %1 : f32
// CHECK-NEXT:     %f = uop.approximate exp2 %e : f32
// CHECK-NEXT:     uop.store %f, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
