// RUN: teeny-opt %s -p "kernel.func(clamp-window{window=l})" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(clamp-window{window=l})" --check-each -o /dev/null

// The condition on columns stays.
kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %low = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %h = kernel.index 16
// CHECK-NEXT:     %r = kernel.index %j * 2 + %l - 1
// CHECK-NEXT:     %gr = arith.cmpi ult, %r, %h : index
// CHECK-NEXT:     %one = kernel.index 1
// CHECK-NEXT:     %c = kernel.index %k * 2 + %m
// CHECK-NEXT:     %gc = arith.cmpi sge, %c, %one : index
// CHECK-NEXT:     %g = arith.andi %gr, %gc : i1
// CHECK-NEXT:     %v = kernel.load %x[%i, min(max(%l + %j * 2 - 1, 0), 15), %k * 2 + %m - 1] if %gc else %low
// CHECK-NEXT:     %s = kernel.reduce %v over(%l, %m) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT: }
