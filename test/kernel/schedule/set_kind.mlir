// RUN: teeny-opt %s -p "kernel.func(set-kind{kernel=copy range=i kind=unroll},set-kind{kernel=copy range=j kind=vector},set-kind{kernel=back range=i kind=loop})" | FileCheck %s

kernel.func @copy(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

kernel.func @back(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4 unroll
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @copy(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %j = kernel.range 0 to 8 vector
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @back(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
