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

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @exp(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : f32
// CHECK-NEXT:     %0 = arith.constant 1.44269502 : f32
// CHECK-NEXT:     %1 = arith.constant 0x4B40007F : f32
// CHECK-NEXT:     %2 = math.fma %v, %0, %1 : f32
// CHECK-NEXT:     %3 = arith.constant 0x4B400001 : f32
// CHECK-NEXT:     %4 = arith.maxnumf %2, %3 : f32
// CHECK-NEXT:     %5 = arith.constant 0x4B4000FE : f32
// CHECK-NEXT:     %6 = arith.minnumf %4, %5 : f32
// CHECK-NEXT:     %7 = arith.subf %1, %6 : f32
// CHECK-NEXT:     %8 = math.fma %v, %0, %7 : f32
// CHECK-NEXT:     %9 = arith.constant 1.92596303e-08 : f32
// CHECK-NEXT:     %10 = math.fma %v, %9, %8 : f32
// CHECK-NEXT:     %11 = uop.approximate exp2 %10 : f32
// CHECK-NEXT:     %12 = arith.bitcast %6 : f32 to i32
// CHECK-NEXT:     %13 = arith.constant 23 : i32
// CHECK-NEXT:     %14 = arith.shli %12, %13 : i32
// CHECK-NEXT:     %15 = arith.bitcast %14 : i32 to f32
// CHECK-NEXT:     %e = arith.mulf %11, %15 : f32
// CHECK-NEXT:     uop.store %e, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : vector<4xf32>
// CHECK-NEXT:     %0 = arith.constant -1.260000e+02 : f32
// CHECK-NEXT:     %1 = vector.broadcast %0 : f32 to vector<4xf32>
// CHECK-NEXT:     %2 = uop.cmpf olt, %v, %1 : vector<4xf32>
// CHECK-NEXT:     %3 = arith.constant 2.400000e+01 : f32
// CHECK-NEXT:     %4 = vector.broadcast %3 : f32 to vector<4xf32>
// CHECK-NEXT:     %5 = arith.addf %v, %4 : vector<4xf32>
// CHECK-NEXT:     %6 = uop.select %2, %5, %v : vector<4xf32>
// CHECK-NEXT:     %7 = uop.approximate exp2 %6 : vector<4xf32>
// CHECK-NEXT:     %8 = arith.constant 5.96046448e-08 : f32
// CHECK-NEXT:     %9 = vector.broadcast %8 : f32 to vector<4xf32>
// CHECK-NEXT:     %10 = arith.mulf %7, %9 : vector<4xf32>
// CHECK-NEXT:     %e = uop.select %2, %10, %7 : vector<4xf32>
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
// CHECK-NEXT: }
