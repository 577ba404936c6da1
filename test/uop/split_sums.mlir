// RUN: teeny-opt %s -p split-sums --split-input-file | FileCheck %s

// A long sum, block by block.
uop.func @long(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %N step %c1 iter_args(%a = %zero) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    scf.yield %b : f32
  }
  uop.store %s, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @long(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = arith.constant 1024 : index
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %s = scf.for %block = %c0 to %N step %0 iter_args(%2 = %zero) -> (f32) {
// CHECK-NEXT:       %3 = arith.addi %block, %0 : index
// CHECK-NEXT:       %4 = arith.minsi %3, %N : index
// CHECK-NEXT:       %5 = scf.for %k = %block to %4 step %c1 iter_args(%a = %1) -> (f32) {
// CHECK-NEXT:         %v = uop.load %x[%k] : f32
// CHECK-NEXT:         %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
// CHECK-NEXT:         scf.yield %b : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       %6 = arith.addf %2, %5 fastmath<reassoc,contract> : f32
// CHECK-NEXT:       scf.yield %6 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Over two axes: the inner sum starts anew, and neither loop is long.
uop.func @axes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %j = %c0 to %c512 step %c1 iter_args(%a = %zero) -> (f32) {
    %row = arith.muli %j, %c512 : index
    %t = scf.for %k = %c0 to %c512 step %c1 iter_args(%b = %a) -> (f32) {
      %at = arith.addi %row, %k : index
      %v = uop.load %x[%at] : f32
      %c = arith.addf %v, %b fastmath<reassoc> : f32
      scf.yield %c : f32
    }
    scf.yield %t : f32
  }
  uop.store %s, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @axes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c512 = arith.constant 512 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %s = scf.for %j = %c0 to %c512 step %c1 iter_args(%a = %zero) -> (f32) {
// CHECK-NEXT:       %row = arith.muli %j, %c512 : index
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %t = scf.for %k = %c0 to %c512 step %c1 iter_args(%b = %0) -> (f32) {
// CHECK-NEXT:         %at = arith.addi %row, %k : index
// CHECK-NEXT:         %v = uop.load %x[%at] : f32
// CHECK-NEXT:         %c = arith.addf %v, %b fastmath<reassoc> : f32
// CHECK-NEXT:         scf.yield %c : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       %1 = arith.addf %a, %t fastmath<reassoc> : f32
// CHECK-NEXT:       scf.yield %1 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Short ones, those whose order is fixed, other types, and what is read on the way stay.
uop.func @stay(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f64>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f64>) dims(%N: N in 0..1024, %M: M in 0..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %short = scf.for %k = %c0 to %N step %c1 iter_args(%a = %zero) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc> : f32
    scf.yield %b : f32
  }
  %ordered = scf.for %k = %c0 to %M step %c1 iter_args(%a = %short) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  %read = scf.for %k = %c0 to %M step %c1 iter_args(%a = %ordered) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc> : f32
    uop.store %b, %y[%k]
    scf.yield %b : f32
  }
  %wide = scf.for %k = %c0 to %M step %c1 iter_args(%a = %zero64) -> (f64) {
    %v = uop.load %w[%k] : f64
    %b = arith.addf %a, %v fastmath<reassoc> : f64
    scf.yield %b : f64
  }
  uop.store %read, %y[%c0]
  uop.store %wide, %z[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @stay(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f64>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f64>) dims(%N: N in 0..1024, %M: M in 0..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %zero64 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %short = scf.for %k = %c0 to %N step %c1 iter_args(%a = %zero) -> (f32) {
// CHECK-NEXT:       %v = uop.load %x[%k] : f32
// CHECK-NEXT:       %b = arith.addf %a, %v fastmath<reassoc> : f32
// CHECK-NEXT:       scf.yield %b : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %ordered = scf.for %k_1 = %c0 to %M step %c1 iter_args(%a_1 = %short) -> (f32) {
// CHECK-NEXT:       %v_1 = uop.load %x[%k_1] : f32
// CHECK-NEXT:       %b_1 = arith.addf %a_1, %v_1 : f32
// CHECK-NEXT:       scf.yield %b_1 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %read = scf.for %k_2 = %c0 to %M step %c1 iter_args(%a_2 = %ordered) -> (f32) {
// CHECK-NEXT:       %v_2 = uop.load %x[%k_2] : f32
// CHECK-NEXT:       %b_2 = arith.addf %a_2, %v_2 fastmath<reassoc> : f32
// CHECK-NEXT:       uop.store %b_2, %y[%k_2]
// CHECK-NEXT:       scf.yield %b_2 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %wide = scf.for %k_3 = %c0 to %M step %c1 iter_args(%a_3 = %zero64) -> (f64) {
// CHECK-NEXT:       %v_3 = uop.load %w[%k_3] : f64
// CHECK-NEXT:       %b_3 = arith.addf %a_3, %v_3 fastmath<reassoc> : f64
// CHECK-NEXT:       scf.yield %b_3 : f64
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %read, %y[%c0]
// CHECK-NEXT:     uop.store %wide, %z[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
