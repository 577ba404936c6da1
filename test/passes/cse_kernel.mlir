// Equal ranges are two loops and stay two; the index arithmetic on one of them merges.
// RUN: teeny-opt %s -p cse | FileCheck %s

kernel.func @f(out %o: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 8
  %unused = kernel.range 0 to 4
  %a = kernel.load %x[%i]
  %b = kernel.load %x[%i]
  %c = kernel.load %x[%j]
  %d = arith.addf %a, %b : f32
  %e = arith.addf %d, %c : f32
  kernel.store %e, %o[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @f(out %o: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %a = kernel.load %x[%i]
// CHECK-NEXT:     %c = kernel.load %x[%j]
// CHECK-NEXT:     %d = arith.addf %a, %a : f32
// CHECK-NEXT:     %e = arith.addf %d, %c : f32
// CHECK-NEXT:     kernel.store %e, %o[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
