// RUN: teeny-opt %s -p "kernel.func(split-range{range=k by=8},set-kind{range=ki kind=unroll},split-reduction{over=ko})" | FileCheck %s

kernel.func @sums(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sums(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %ko = kernel.range 0 to 8
// CHECK-NEXT:     %ki = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %k = kernel.index %ko * 8 + %ki
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%ki) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
