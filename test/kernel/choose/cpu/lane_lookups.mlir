// RUN: teeny-opt %s -p "kernel.func(lane-lookups{lanes=16})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(lane-lookups{lanes=16})" --split-input-file --check-each -o %t

// A row of whole vectors.
kernel.func @tanh(out %y: !kernel.buf<[3, 32] x f32>, in %x: !kernel.buf<[3, 32] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%i, %j]
  %t = math.tanh %v : f32
  kernel.store %t, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @tanh(out %y: !kernel.buf<[3, 32] x f32>, in %x: !kernel.buf<[3, 32] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %t = math.tanh %v : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: rows of other lengths, other functions, other types, and what is computed once
// for a row.
kernel.func @odd(out %y: !kernel.buf<[3, 20] x f32>, in %x: !kernel.buf<[3, 20] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 20
  %v = kernel.load %x[%i, %j]
  %t = math.tanh %v : f32
  kernel.store %t, %y[%i, %j]
}
kernel.func @exp(out %y: !kernel.buf<[32] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%j]
  %t = math.exp %v : f32
  kernel.store %t, %y[%j]
}
kernel.func @wide(out %y: !kernel.buf<[32] x f64>, in %x: !kernel.buf<[32] x f64>) {
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%j]
  %t = math.erf %v : f64
  kernel.store %t, %y[%j]
}
kernel.func @rows(out %y: !kernel.buf<[3, 32] x f32>, in %x: !kernel.buf<[3, 32] x f32>, in %w: !kernel.buf<[3] x f32>) {
  %i = kernel.range 0 to 3
  %j = kernel.range 0 to 32
  %u = kernel.load %w[%i]
  %t = math.tanh %u : f32
  %v = kernel.load %x[%i, %j]
  %p = arith.mulf %v, %t : f32
  kernel.store %p, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @odd(out %y: !kernel.buf<[3, 20] x f32>, in %x: !kernel.buf<[3, 20] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 20
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %t = math.tanh %v : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @exp(out %y: !kernel.buf<[32] x f32>, in %x: !kernel.buf<[32] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 32
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %t = math.exp %v : f32
// CHECK-NEXT:     kernel.store %t, %y[%j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wide(out %y: !kernel.buf<[32] x f64>, in %x: !kernel.buf<[32] x f64>) {
// CHECK-NEXT:     %j = kernel.range 0 to 32
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %t = math.erf %v : f64
// CHECK-NEXT:     kernel.store %t, %y[%j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @rows(out %y: !kernel.buf<[3, 32] x f32>, in %x: !kernel.buf<[3, 32] x f32>, in %w: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 32
// CHECK-NEXT:     %u = kernel.load %w[%i]
// CHECK-NEXT:     %t = math.tanh %u : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %p = arith.mulf %v, %t : f32
// CHECK-NEXT:     kernel.store %p, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
