// RUN: teeny-opt %s -p track-zeros --split-input-file | FileCheck %s

// A maximum over a loop: the sign of a zero is carried beside it.
uop.func @maximum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xff800000 : f32
  %m = scf.for %k = %c0 to %N step %c1 iter_args(%a = %least) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.maximumf %a, %v : f32
    scf.yield %b : f32
  }
  uop.store %m, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @maximum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %0 = arith.bitcast %least : f32 to i32
// CHECK-NEXT:     %m, %1 = scf.for %k = %c0 to %N step %c1 iter_args(%a = %least, %2 = %0) -> (f32, i32) {
// CHECK-NEXT:       %v = uop.load %x[%k] : f32
// CHECK-NEXT:       %b = arith.maximumf %v, %a fastmath<nsz> : f32
// CHECK-NEXT:       %3 = arith.bitcast %v : f32 to i32
// CHECK-NEXT:       %4 = arith.andi %2, %3 : i32
// CHECK-NEXT:       scf.yield %b, %4 : f32, i32
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %6 = arith.bitcast %1 : i32 to f32
// CHECK-NEXT:     %7 = math.copysign %5, %6 : f32
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %9 = arith.cmpf oeq, %m, %8 : f32
// CHECK-NEXT:     %m_1 = arith.select %9, %7, %m : f32
// CHECK-NEXT:     uop.store %m_1, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A minimum of vectors, beside a sum.
uop.func @minimum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %most = arith.constant dense<0x7f800000> : vector<4xf32>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %m, %s = scf.for %k = %c0 to %N step %c16 iter_args(%a = %most, %t = %zero) -> (vector<4xf32>, vector<4xf32>) {
    %v = uop.load %x[%k] : vector<4xf32>
    %b = arith.minimumf %v, %a : vector<4xf32>
    %u = arith.addf %t, %v : vector<4xf32>
    scf.yield %b, %u : vector<4xf32>, vector<4xf32>
  }
  uop.store %m, %y[%c0]
  uop.store %s, %y[%c16]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @minimum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c16 = arith.constant 16 : index
// CHECK-NEXT:     %most = arith.constant dense<0x7f800000> : vector<4xf32>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %0 = arith.bitcast %most : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %m, %s, %1 = scf.for %k = %c0 to %N step %c16 iter_args(%a = %most, %t = %zero, %2 = %0) -> (vector<4xf32>, vector<4xf32>, vector<4xi32>) {
// CHECK-NEXT:       %v = uop.load %x[%k] : vector<4xf32>
// CHECK-NEXT:       %b = arith.minimumf %v, %a fastmath<nsz> : vector<4xf32>
// CHECK-NEXT:       %u = arith.addf %t, %v : vector<4xf32>
// CHECK-NEXT:       %3 = arith.bitcast %v : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:       %4 = arith.ori %2, %3 : vector<4xi32>
// CHECK-NEXT:       scf.yield %b, %u, %4 : vector<4xf32>, vector<4xf32>, vector<4xi32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %6 = vector.broadcast %5 : f32 to vector<4xf32>
// CHECK-NEXT:     %7 = arith.bitcast %1 : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:     %8 = math.copysign %6, %7 : vector<4xf32>
// CHECK-NEXT:     %9 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %10 = vector.broadcast %9 : f32 to vector<4xf32>
// CHECK-NEXT:     %11 = uop.cmpf oeq, %m, %10 : vector<4xf32>
// CHECK-NEXT:     %m_1 = uop.select %11, %8, %m : vector<4xf32>
// CHECK-NEXT:     uop.store %m_1, %y[%c0]
// CHECK-NEXT:     uop.store %s, %y[%c16]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: a maximum that an iteration also reads, and one of integers.
uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, out %z: !uop.ptr<i32>, in %w: !uop.ptr<i32>) dims(%N: N in 0..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant 0xff800000 : f32
  %lowest = arith.constant -2147483648 : i32
  %m, %n = scf.for %k = %c0 to %N step %c1 iter_args(%a = %least, %i = %lowest) -> (f32, i32) {
    %v = uop.load %x[%k] : f32
    %b = arith.maximumf %a, %v : f32
    uop.store %b, %y[%k]
    %u = uop.load %w[%k] : i32
    %j = arith.maxsi %i, %u : i32
    scf.yield %b, %j : f32, i32
  }
  uop.store %n, %z[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, out %z: !uop.ptr<i32>, in %w: !uop.ptr<i32>) dims(%N: N in 0..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %lowest = arith.constant -2147483648 : i32
// CHECK-NEXT:     %m, %n = scf.for %k = %c0 to %N step %c1 iter_args(%a = %least, %i = %lowest) -> (f32, i32) {
// CHECK-NEXT:       %v = uop.load %x[%k] : f32
// CHECK-NEXT:       %b = arith.maximumf %a, %v : f32
// CHECK-NEXT:       uop.store %b, %y[%k]
// CHECK-NEXT:       %u = uop.load %w[%k] : i32
// CHECK-NEXT:       %j = arith.maxsi %i, %u : i32
// CHECK-NEXT:       scf.yield %b, %j : f32, i32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %n, %z[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
