// RUN: teeny-opt %s -p bounded-powers | FileCheck %s
// RUN: teeny-opt %s -p "bounded-powers{infinite=true}" | FileCheck %s --check-prefix=INFINITE
// RUN: teeny-opt %s -p bounded-powers,bounded-powers | FileCheck %s
// RUN: teeny-opt %s -p bounded-powers --check-each -o %t
// RUN: teeny-opt %s -p "bounded-powers{infinite=true}" --check-each -o %t

// Exponentials relative to a maximum are 1 at most, their sum is 1 at least.
kernel.func @softmax(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %l = kernel.range 0 to 64
  %0 = kernel.load %x[%i, %l]
  %m = kernel.reduce %0 over(%l) {kind = "max"}
  %1 = kernel.load %x[%i, %k]
  %2 = arith.subf %1, %m : f32
  %3 = math.exp %2 : f32
  %s = kernel.reduce %3 over(%k) {kind = "add"}
  %4 = kernel.load %x[%i, %j]
  %5 = arith.subf %4, %m : f32
  %6 = math.exp %5 : f32
  %7 = arith.divf %6, %s : f32
  kernel.store %7, %y[%i, %j]
}

// So they are where another number takes the place of -inf, and 1 the place of no sum.
kernel.func @guarded(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %least = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %l = kernel.range 0 to 64
  %0 = kernel.load %x[%i, %l]
  %m = kernel.reduce %0 over(%l) {kind = "max"}
  %none = arith.cmpf oeq, %m, %least : f32
  %top = arith.select %none, %zero, %m : f32
  %1 = kernel.load %x[%i, %k]
  %2 = arith.subf %1, %top : f32
  %3 = math.exp %2 : f32
  %s = kernel.reduce %3 over(%k) {kind = "add"}
  %empty = arith.cmpf oeq, %s, %zero : f32
  %d = arith.select %empty, %one, %s : f32
  %4 = kernel.load %x[%i, %j]
  %5 = arith.subf %4, %top : f32
  %6 = math.exp %5 : f32
  %7 = arith.divf %6, %d : f32
  kernel.store %7, %y[%i, %j]
}

// Not where another number takes the place of +inf: a difference to that may be +inf. The sum is
// 1 at least even so.
kernel.func @guarded_twice(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %most = arith.constant 0x7f800000 : f32
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %l = kernel.range 0 to 64
  %0 = kernel.load %x[%i, %l]
  %m = kernel.reduce %0 over(%l) {kind = "max"}
  %size = math.absf %m : f32
  %none = arith.cmpf oeq, %size, %most : f32
  %top = arith.select %none, %zero, %m : f32
  %1 = kernel.load %x[%i, %k]
  %2 = arith.subf %1, %top : f32
  %3 = math.exp %2 : f32
  %s = kernel.reduce %3 over(%k) {kind = "add"}
  %4 = kernel.load %x[%i, %j]
  %7 = arith.divf %4, %s : f32
  kernel.store %7, %y[%i, %j]
}

// Not of other rows, and of sums of more than exponentials no reciprocal is known to be a number.
kernel.func @others(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>,
                    in %z: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %l = kernel.range 0 to 64
  %0 = kernel.load %x[%i, %l]
  %m = kernel.reduce %0 over(%l) {kind = "max"}
  %1 = kernel.load %x[%i, %k]
  %2 = arith.subf %1, %m : f32
  %3 = math.exp %2 : f32
  %w = kernel.load %z[%i, %k]
  %8 = arith.mulf %3, %w : f32
  %s = kernel.reduce %8 over(%k) {kind = "add"}
  %4 = kernel.load %z[%i, %j]
  %5 = arith.subf %4, %m : f32
  %6 = math.exp %5 : f32
  %7 = arith.divf %6, %s : f32
  kernel.store %7, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %0 = kernel.load %x[%i, %l]
// CHECK-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// CHECK-NEXT:     %1 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %2 = arith.subf %1, %m : f32
// CHECK-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// CHECK-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// CHECK-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.divf %4, %s : f32
// CHECK-NEXT:     %6 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %7 = arith.subf %6, %m : f32
// CHECK-NEXT:     %8 = math.exp %7 {math.nonpositive} : f32
// CHECK-NEXT:     %9 = arith.mulf %8, %5 : f32
// CHECK-NEXT:     kernel.store %9, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @guarded(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %0 = kernel.load %x[%i, %l]
// CHECK-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// CHECK-NEXT:     %none = arith.cmpf oeq, %m, %least : f32
// CHECK-NEXT:     %top = arith.select %none, %zero, %m : f32
// CHECK-NEXT:     %1 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %2 = arith.subf %1, %top : f32
// CHECK-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// CHECK-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// CHECK-NEXT:     %empty = arith.cmpf oeq, %s, %zero : f32
// CHECK-NEXT:     %d = arith.select %empty, %one, %s : f32
// CHECK-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.divf %4, %d : f32
// CHECK-NEXT:     %6 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %7 = arith.subf %6, %top : f32
// CHECK-NEXT:     %8 = math.exp %7 {math.nonpositive} : f32
// CHECK-NEXT:     %9 = arith.mulf %8, %5 : f32
// CHECK-NEXT:     kernel.store %9, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @guarded_twice(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// CHECK-NEXT:     %most = arith.constant 0x7f800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %0 = kernel.load %x[%i, %l]
// CHECK-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// CHECK-NEXT:     %size = math.absf %m : f32
// CHECK-NEXT:     %none = arith.cmpf oeq, %size, %most : f32
// CHECK-NEXT:     %top = arith.select %none, %zero, %m : f32
// CHECK-NEXT:     %1 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %2 = arith.subf %1, %top : f32
// CHECK-NEXT:     %3 = math.exp %2 : f32
// CHECK-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// CHECK-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.divf %4, %s : f32
// CHECK-NEXT:     %6 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %7 = arith.mulf %6, %5 : f32
// CHECK-NEXT:     kernel.store %7, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @others(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %z: !kernel.buf<[8, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %0 = kernel.load %x[%i, %l]
// CHECK-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// CHECK-NEXT:     %1 = kernel.load %x[%i, %k]
// CHECK-NEXT:     %2 = arith.subf %1, %m : f32
// CHECK-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// CHECK-NEXT:     %w = kernel.load %z[%i, %k]
// CHECK-NEXT:     %4 = arith.mulf %3, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %4 over(%k) {kind = "add"}
// CHECK-NEXT:     %5 = kernel.load %z[%i, %j]
// CHECK-NEXT:     %6 = arith.subf %5, %m : f32
// CHECK-NEXT:     %7 = math.exp %6 : f32
// CHECK-NEXT:     %8 = arith.divf %7, %s : f32
// CHECK-NEXT:     kernel.store %8, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// INFINITE:      builtin.module {
// INFINITE-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// INFINITE-NEXT:     %i = kernel.range 0 to 8
// INFINITE-NEXT:     %j = kernel.range 0 to 64
// INFINITE-NEXT:     %k = kernel.range 0 to 64
// INFINITE-NEXT:     %l = kernel.range 0 to 64
// INFINITE-NEXT:     %0 = kernel.load %x[%i, %l]
// INFINITE-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// INFINITE-NEXT:     %1 = kernel.load %x[%i, %k]
// INFINITE-NEXT:     %2 = arith.subf %1, %m : f32
// INFINITE-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// INFINITE-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// INFINITE-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// INFINITE-NEXT:     %5 = arith.divf %4, %s : f32
// INFINITE-NEXT:     %6 = kernel.load %x[%i, %j]
// INFINITE-NEXT:     %7 = arith.subf %6, %m : f32
// INFINITE-NEXT:     %8 = math.exp %7 {math.nonpositive} : f32
// INFINITE-NEXT:     %9 = arith.mulf %8, %5 : f32
// INFINITE-NEXT:     kernel.store %9, %y[%i, %j]
// INFINITE-NEXT:   }
// INFINITE-NEXT:   kernel.func @guarded(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// INFINITE-NEXT:     %least = arith.constant 0xff800000 : f32
// INFINITE-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// INFINITE-NEXT:     %one = arith.constant 1.000000e+00 : f32
// INFINITE-NEXT:     %i = kernel.range 0 to 8
// INFINITE-NEXT:     %j = kernel.range 0 to 64
// INFINITE-NEXT:     %k = kernel.range 0 to 64
// INFINITE-NEXT:     %l = kernel.range 0 to 64
// INFINITE-NEXT:     %0 = kernel.load %x[%i, %l]
// INFINITE-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// INFINITE-NEXT:     %none = arith.cmpf oeq, %m, %least : f32
// INFINITE-NEXT:     %top = arith.select %none, %zero, %m : f32
// INFINITE-NEXT:     %1 = kernel.load %x[%i, %k]
// INFINITE-NEXT:     %2 = arith.subf %1, %top : f32
// INFINITE-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// INFINITE-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// INFINITE-NEXT:     %empty = arith.cmpf oeq, %s, %zero : f32
// INFINITE-NEXT:     %d = arith.select %empty, %one, %s : f32
// INFINITE-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// INFINITE-NEXT:     %5 = arith.divf %4, %d : f32
// INFINITE-NEXT:     %6 = kernel.load %x[%i, %j]
// INFINITE-NEXT:     %7 = arith.subf %6, %top : f32
// INFINITE-NEXT:     %8 = math.exp %7 {math.nonpositive} : f32
// INFINITE-NEXT:     %9 = arith.mulf %8, %5 : f32
// INFINITE-NEXT:     kernel.store %9, %y[%i, %j]
// INFINITE-NEXT:   }
// INFINITE-NEXT:   kernel.func @guarded_twice(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
// INFINITE-NEXT:     %most = arith.constant 0x7f800000 : f32
// INFINITE-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// INFINITE-NEXT:     %i = kernel.range 0 to 8
// INFINITE-NEXT:     %j = kernel.range 0 to 64
// INFINITE-NEXT:     %k = kernel.range 0 to 64
// INFINITE-NEXT:     %l = kernel.range 0 to 64
// INFINITE-NEXT:     %0 = kernel.load %x[%i, %l]
// INFINITE-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// INFINITE-NEXT:     %size = math.absf %m : f32
// INFINITE-NEXT:     %none = arith.cmpf oeq, %size, %most : f32
// INFINITE-NEXT:     %top = arith.select %none, %zero, %m : f32
// INFINITE-NEXT:     %1 = kernel.load %x[%i, %k]
// INFINITE-NEXT:     %2 = arith.subf %1, %top : f32
// INFINITE-NEXT:     %3 = math.exp %2 {math.nonpositive_if_finite} : f32
// INFINITE-NEXT:     %s = kernel.reduce %3 over(%k) {kind = "add"}
// INFINITE-NEXT:     %4 = arith.constant 1.000000e+00 : f32
// INFINITE-NEXT:     %5 = arith.divf %4, %s : f32
// INFINITE-NEXT:     %6 = kernel.load %x[%i, %j]
// INFINITE-NEXT:     %7 = arith.mulf %6, %5 : f32
// INFINITE-NEXT:     kernel.store %7, %y[%i, %j]
// INFINITE-NEXT:   }
// INFINITE-NEXT:   kernel.func @others(out %y: !kernel.buf<[8, 64] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %z: !kernel.buf<[8, 64] x f32>) {
// INFINITE-NEXT:     %i = kernel.range 0 to 8
// INFINITE-NEXT:     %j = kernel.range 0 to 64
// INFINITE-NEXT:     %k = kernel.range 0 to 64
// INFINITE-NEXT:     %l = kernel.range 0 to 64
// INFINITE-NEXT:     %0 = kernel.load %x[%i, %l]
// INFINITE-NEXT:     %m = kernel.reduce %0 over(%l) {kind = "max"}
// INFINITE-NEXT:     %1 = kernel.load %x[%i, %k]
// INFINITE-NEXT:     %2 = arith.subf %1, %m : f32
// INFINITE-NEXT:     %3 = math.exp %2 {math.nonpositive} : f32
// INFINITE-NEXT:     %w = kernel.load %z[%i, %k]
// INFINITE-NEXT:     %4 = arith.mulf %3, %w : f32
// INFINITE-NEXT:     %s = kernel.reduce %4 over(%k) {kind = "add"}
// INFINITE-NEXT:     %5 = kernel.load %z[%i, %j]
// INFINITE-NEXT:     %6 = arith.subf %5, %m : f32
// INFINITE-NEXT:     %7 = math.exp %6 : f32
// INFINITE-NEXT:     %8 = arith.divf %7, %s : f32
// INFINITE-NEXT:     kernel.store %8, %y[%i, %j]
// INFINITE-NEXT:   }
// INFINITE-NEXT: }
