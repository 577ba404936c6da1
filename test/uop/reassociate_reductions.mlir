// RUN: teeny-opt %s -p reassociate-reductions --split-input-file | FileCheck %s

// A sum over two loops: the inner loop accumulates, the outer one hands on.
// CHECK:      uop.func @sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %one = arith.constant 1 : index
// CHECK-NEXT:   %start = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %s = scf.for %i = %zero to %n step %one iter_args(%a = %start) -> (f32) {
// CHECK-NEXT:     %t = scf.for %j = %zero to %n step %one iter_args(%b = %a) -> (f32) {
// CHECK-NEXT:       %v = uop.load %x[%j] : f32
// CHECK-NEXT:       %w = arith.addf %b, %v fastmath<reassoc> : f32
// CHECK-NEXT:       scf.yield %w : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     scf.yield %t : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.store %s, %y[%zero]
// CHECK-NEXT: }
uop.func @sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  %s = scf.for %i = %zero to %n step %one iter_args(%a = %start) -> (f32) {
    %t = scf.for %j = %zero to %n step %one iter_args(%b = %a) -> (f32) {
      %v = uop.load %x[%j] : f32
      %w = arith.addf %b, %v : f32
      scf.yield %w : f32
    }
    scf.yield %t : f32
  }
  uop.store %s, %y[%zero]
}

// -----

// Not a scan, whose every step is seen; not a difference; not what a max depends on besides.
// CHECK:      uop.func @ordered(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
// CHECK-NEXT:   %zero = arith.constant 0 : index
// CHECK-NEXT:   %one = arith.constant 1 : index
// CHECK-NEXT:   %start = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %r, %r_1, %r_2 = scf.for %i = %zero to %n step %one iter_args(%a = %start, %b = %start, %c = %start) -> (f32, f32, f32) {
// CHECK-NEXT:     %v = uop.load %x[%i] : f32
// CHECK-NEXT:     %seen = arith.addf %a, %v : f32
// CHECK-NEXT:     uop.store %seen, %y[%i]
// CHECK-NEXT:     %difference = arith.subf %v, %b : f32
// CHECK-NEXT:     %other = arith.addf %c, %v : f32
// CHECK-NEXT:     %twice = arith.mulf %c, %other : f32
// CHECK-NEXT:     scf.yield %seen, %difference, %twice : f32, f32, f32
// CHECK-NEXT:   }
// CHECK-NEXT: }
uop.func @ordered(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %zero to %n step %one iter_args(%a = %start, %b = %start, %c = %start) -> (f32, f32, f32) {
    %v = uop.load %x[%i] : f32
    %seen = arith.addf %a, %v : f32
    uop.store %seen, %y[%i]
    %difference = arith.subf %v, %b : f32
    %other = arith.addf %c, %v : f32
    %twice = arith.mulf %c, %other : f32
    scf.yield %seen, %difference, %twice : f32, f32, f32
  }
}
