// RUN: teeny-opt %s -p "kernel.func(tile-transposes{line=16 l1=1024 vector-bits=128 beyond=4096})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-transposes{line=16 l1=1024 vector-bits=128 beyond=4096})" --split-input-file --check-each -o %t

// A result beyond the last cache: square blocks of whole lines, eight side by side, past the caches.
kernel.func @transpose(out %y: !kernel.buf<[96, 32] x f32>, in %x: !kernel.buf<[32, 96] x f32>) {
  %i = kernel.range 0 to 96
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @transpose(out %y: !kernel.buf<[96, 32] x f32>, in %x: !kernel.buf<[32, 96] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 3
// CHECK-NEXT:     %jo = kernel.range 0 to 8
// CHECK-NEXT:     %ib = kernel.range 0 to 8
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 4 vector
// CHECK-NEXT:     %ii = kernel.index %ib * 4 + %iu
// CHECK-NEXT:     %i = kernel.index %io * 32 + %ii
// CHECK-NEXT:     %j = kernel.index %jo * 4 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j] streaming
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Rows of the result that are no whole lines.
kernel.func @lines(out %y: !kernel.buf<[96, 30] x f32>, in %x: !kernel.buf<[30, 96] x f32>) {
  %i = kernel.range 0 to 96
  %j = kernel.range 0 to 30
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @lines(out %y: !kernel.buf<[96, 30] x f32>, in %x: !kernel.buf<[30, 96] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 24
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jo = kernel.range 0 to 15
// CHECK-NEXT:     %jv = kernel.range 0 to 2 vector
// CHECK-NEXT:     %j = kernel.index %jo * 2 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A result that fits.
kernel.func @fits(out %y: !kernel.buf<[32, 16] x f32>, in %x: !kernel.buf<[16, 32] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 16
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @fits(out %y: !kernel.buf<[32, 16] x f32>, in %x: !kernel.buf<[16, 32] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jo = kernel.range 0 to 8
// CHECK-NEXT:     %jv = kernel.range 0 to 2 vector
// CHECK-NEXT:     %j = kernel.index %jo * 2 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
