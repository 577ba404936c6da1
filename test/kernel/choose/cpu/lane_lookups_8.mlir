// RUN: teeny-opt %s -p "kernel.func(lane-lookups{lanes=8})" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(lane-lookups{lanes=8})" --check-each -o %t
// RUN: teeny-opt %s -p "kernel.func(lane-lookups{lanes=0})" | FileCheck %s --check-prefix=NONE

// By 8 lanes there are coefficients of erf alone.
kernel.func @erf(out %y: !kernel.buf<[3, 24] x f32>, in %x: !kernel.buf<[3, 24] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 24
  %v = kernel.load %x[%i, %j]
  %t = math.erf %v : f32
  kernel.store %t, %y[%i, %j]
}
kernel.func @tanh(out %y: !kernel.buf<[3, 24] x f32>, in %x: !kernel.buf<[3, 24] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 24
  %v = kernel.load %x[%i, %j]
  %t = math.tanh %v : f32
  kernel.store %t, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @erf(out %y: !kernel.buf<[3, 24] x f32>, in %x: !kernel.buf<[3, 24] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %t = math.erf %v : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @tanh(out %y: !kernel.buf<[3, 24] x f32>, in %x: !kernel.buf<[3, 24] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 24
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %t = math.tanh %v : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }


// NONE-NOT: {{ vector$}}
