// RUN: teeny-opt %s -p "kernel.func(stream-store{buffer=y})" | FileCheck %s

kernel.func @copy(out %y: !kernel.buf<[8] x f32>, out %z: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>, in %m: !kernel.buf<[8] x i1>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %g = kernel.load %m[%i]
  kernel.store %v, %y[%i] if %g
  kernel.store %v, %z[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @copy(out %y: !kernel.buf<[8] x f32>, out %z: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>, in %m: !kernel.buf<[8] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %g = kernel.load %m[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i] if %g streaming
// CHECK-NEXT:     kernel.store %v, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
