// RUN: teeny-opt %s -p "kernel.func(peel-range{kernel=rows range=i at=96 start=84},peel-range{kernel=columns range=j at=8 rest=e},peel-range{kernel=sums range=j at=8 start=3})" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(peel-range{kernel=rows range=i at=96 start=84},peel-range{kernel=columns range=j at=8 rest=e},peel-range{kernel=sums range=j at=8 start=3})" --check-each -o /dev/null

// The last block of 16 rows begins among those that the loop before does.
kernel.func @rows(out %y: !kernel.buf<[100, 8] x f32>, in %x: !kernel.buf<[8, 100] x f32>) {
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 8
  %v = kernel.load %x[%j, %i]
  %s = arith.addf %v, %one : f32
  kernel.store %s, %y[%i, %j]
}

// Both loops are in that around them; what the range does not decide is there once.
kernel.func @columns(out %y: !kernel.buf<[4, 9] x f32>, in %x: !kernel.buf<[4] x f32>, in %z: !kernel.buf<[9] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i]
  %w = kernel.load %z[%j]
  %s = arith.mulf %v, %w : f32
  kernel.store %s, %y[%i, %j]
}

// A sum over another range is there for each of the two.
kernel.func @sums(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[13] x f32>, in %w: !kernel.buf<[3] x f32>) {
  %m = kernel.range 0 to 3
  %j = kernel.range 0 to 11
  %v = kernel.load %x[%j + %m]
  %w1 = kernel.load %w[%m]
  %p = arith.mulf %v, %w1 : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @rows(out %y: !kernel.buf<[100, 8] x f32>, in %x: !kernel.buf<[8, 100] x f32>) {
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %i = kernel.range 0 to 96
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     %s = arith.addf %v, %one : f32
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:     %ir = kernel.range 0 to 16
// CHECK-NEXT:     %jr = kernel.range 0 to 8
// CHECK-NEXT:     %i_1 = kernel.index %ir + 84
// CHECK-NEXT:     %v_1 = kernel.load %x[%jr, %i_1]
// CHECK-NEXT:     %s_1 = arith.addf %v_1, %one : f32
// CHECK-NEXT:     kernel.store %s_1, %y[%i_1, %jr]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @columns(out %y: !kernel.buf<[4, 9] x f32>, in %x: !kernel.buf<[4] x f32>, in %z: !kernel.buf<[9] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %w = kernel.load %z[%j]
// CHECK-NEXT:     %s = arith.mulf %v, %w : f32
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:     %je = kernel.range 0 to 1
// CHECK-NEXT:     %j_1 = kernel.index %je + 8
// CHECK-NEXT:     %w_1 = kernel.load %z[%j_1]
// CHECK-NEXT:     %s_1 = arith.mulf %v, %w_1 : f32
// CHECK-NEXT:     kernel.store %s_1, %y[%i, %j_1]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sums(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[13] x f32>, in %w: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%j + %m]
// CHECK-NEXT:     %w1 = kernel.load %w[%m]
// CHECK-NEXT:     %p = arith.mulf %v, %w1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%j]
// CHECK-NEXT:     %jr = kernel.range 0 to 8
// CHECK-NEXT:     %mr = kernel.range 0 to 3
// CHECK-NEXT:     %j_1 = kernel.index %jr + 3
// CHECK-NEXT:     %v_1 = kernel.load %x[%j_1 + %mr]
// CHECK-NEXT:     %w1_1 = kernel.load %w[%mr]
// CHECK-NEXT:     %p_1 = arith.mulf %v_1, %w1_1 : f32
// CHECK-NEXT:     %s_1 = kernel.reduce %p_1 over(%mr) {kind = "add"}
// CHECK-NEXT:     kernel.store %s_1, %y[%j_1]
// CHECK-NEXT:   }
// CHECK-NEXT: }
