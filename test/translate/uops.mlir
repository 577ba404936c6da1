// RUN: teeny-translate %s --to=uops | FileCheck %s

// CHECK:      @f(out %y: f32*, in %x: f32*, in %b: i1*, %n: N in 1..64)
// CHECK-NEXT:   0  arith.constant      index  0
// CHECK-NEXT:   1  arith.constant      index  1
// CHECK-NEXT:   2  arith.constant      f32    -0.000000e+00
// CHECK-NEXT:   3  scf.for                    %i = %0 to %n step %1, parallel
// CHECK-NEXT:   4    uop.load          i1     %b[%i]
// CHECK-NEXT:   5    scf.for           f32    %i_1 = %0 to %n step %1, %sum = %2
// CHECK-NEXT:   6      uop.load        f32    %x[%i_1] if %4 else %2
// CHECK-NEXT:   7      arith.addf      f32    %sum, %6
// CHECK-NEXT:   8      scf.yield              %7
// CHECK-NEXT:           end
// CHECK-NEXT:   9    arith.cmpf        i1     olt %5, %2
// CHECK-NEXT:  10    scf.if            f32    %9
// CHECK-NEXT:  11      math.absf       f32    %5
// CHECK-NEXT:  12      scf.yield              %11
// CHECK-NEXT:         else
// CHECK-NEXT:  13      scf.yield              %5
// CHECK-NEXT:         end
// CHECK-NEXT:  14    uop.store                %10 -> %y[%i] if %4
// CHECK-NEXT:       end
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<i1>) dims(%n: N in 1..64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant -0.0 : f32
  scf.for %i = %zero to %n step %one {
    %g = uop.load %b[%i] : i1
    %s = scf.for %i_1 = %zero to %n step %one iter_args(%sum = %start) -> (f32) {
      %v = uop.load %x[%i_1] if %g else %start : f32
      %next = arith.addf %sum, %v : f32
      scf.yield %next : f32
    }
    %c = arith.cmpf olt, %s, %start : f32
    %r = scf.if %c -> (f32) {
      %a = math.absf %s : f32
      scf.yield %a : f32
    } else {
      scf.yield %s : f32
    }
    uop.store %r, %y[%i] if %g
  } {uop.parallel}
}
