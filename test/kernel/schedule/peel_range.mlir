// RUN: teeny-opt %s -p "kernel.func(peel-range{kernel=rows range=i at=96 start=84},peel-range{kernel=columns range=j at=8 rest=e},peel-range{kernel=sums range=j at=8 start=5})" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(peel-range{kernel=rows range=i at=96 start=84},peel-range{kernel=columns range=j at=8 rest=e},peel-range{kernel=sums range=j at=8 start=5})" --check-each -o %t

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

// Each has loops of its own over what is summed.
kernel.func @sums(out %y: !kernel.buf<[4, 13] x f32>, in %x: !kernel.buf<[4, 6] x f32>, in %z: !kernel.buf<[6, 13] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 6
  %j = kernel.range 0 to 13
  %l = kernel.range 0 to 6
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %a = kernel.load %x[%i, %l]
  %b = kernel.load %z[%l, %j]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%l) {kind = "add"}
  %t = arith.addf %s, %m : f32
  kernel.store %t, %y[%i, %j]
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
// CHECK-NEXT:   kernel.func @sums(out %y: !kernel.buf<[4, 13] x f32>, in %x: !kernel.buf<[4, 6] x f32>, in %z: !kernel.buf<[6, 13] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 6
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %l = kernel.range 0 to 6
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %a = kernel.load %x[%i, %l]
// CHECK-NEXT:     %b = kernel.load %z[%l, %j]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l) {kind = "add"}
// CHECK-NEXT:     %t = arith.addf %s, %m : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:     %jr = kernel.range 0 to 8
// CHECK-NEXT:     %lr = kernel.range 0 to 6
// CHECK-NEXT:     %j_1 = kernel.index %jr + 5
// CHECK-NEXT:     %a_1 = kernel.load %x[%i, %lr]
// CHECK-NEXT:     %b_1 = kernel.load %z[%lr, %j_1]
// CHECK-NEXT:     %p_1 = arith.mulf %a_1, %b_1 : f32
// CHECK-NEXT:     %s_1 = kernel.reduce %p_1 over(%lr) {kind = "add"}
// CHECK-NEXT:     %t_1 = arith.addf %s_1, %m : f32
// CHECK-NEXT:     kernel.store %t_1, %y[%i, %j_1]
// CHECK-NEXT:   }
// CHECK-NEXT: }
