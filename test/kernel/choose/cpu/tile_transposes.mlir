// RUN: teeny-opt %s -p "kernel.func(tile-transposes{line=16 l1=1024})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-transposes{line=16 l1=1024})" --split-input-file --check-each -o %t

// Blocks that divide the extents are unrolled.
kernel.func @transpose(out %y: !kernel.buf<[64, 32] x f32>, in %x: !kernel.buf<[32, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @transpose(out %y: !kernel.buf<[64, 32] x f32>, in %x: !kernel.buf<[32, 64] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 16
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jo = kernel.range 0 to 16
// CHECK-NEXT:     %jv = kernel.range 0 to 2 vector
// CHECK-NEXT:     %j = kernel.index %jo * 2 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Inside other loops, beside what is read as it is written; others stay loops.
kernel.func @odd(out %y: !kernel.buf<[8, 63, 32] x f32>, in %x: !kernel.buf<[8, 32, 63] x f32>, in %w: !kernel.buf<[32] x f32>) {
  %n = kernel.range 0 to 8
  %i = kernel.range 0 to 63
  %j = kernel.range 0 to 32
  %v = kernel.load %x[%n, %j, %i]
  %u = kernel.load %w[%j]
  %s = arith.addf %v, %u : f32
  kernel.store %s, %y[%n, %i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @odd(out %y: !kernel.buf<[8, 63, 32] x f32>, in %x: !kernel.buf<[8, 32, 63] x f32>, in %w: !kernel.buf<[32] x f32>) {
// CHECK-NEXT:     %n = kernel.range 0 to 8
// CHECK-NEXT:     %io = kernel.range 0 to 15
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jo = kernel.range 0 to 16
// CHECK-NEXT:     %jv = kernel.range 0 to 2 vector
// CHECK-NEXT:     %j = kernel.index %jo * 2 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%n, %j, %i]
// CHECK-NEXT:     %u = kernel.load %w[%j]
// CHECK-NEXT:     %s = arith.addf %v, %u : f32
// CHECK-NEXT:     kernel.store %s, %y[%n, %i, %j]
// CHECK-NEXT:     %iro = kernel.range 0 to 1
// CHECK-NEXT:     %iru = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ir = kernel.index %iro * 4 + %iru
// CHECK-NEXT:     %jro = kernel.range 0 to 16
// CHECK-NEXT:     %jrv = kernel.range 0 to 2 vector
// CHECK-NEXT:     %jr = kernel.index %jro * 2 + %jrv
// CHECK-NEXT:     %i_1 = kernel.index %ir + 59
// CHECK-NEXT:     %v_1 = kernel.load %x[%n, %jr, %i_1]
// CHECK-NEXT:     %u_1 = kernel.load %w[%jr]
// CHECK-NEXT:     %s_1 = arith.addf %v_1, %u_1 : f32
// CHECK-NEXT:     kernel.store %s_1, %y[%n, %i_1, %jr]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: what fits the first cache, and a copy that keeps the order of its last axis.
kernel.func @small(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 8
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}
kernel.func @rows(out %y: !kernel.buf<[64, 32, 8] x f32>, in %x: !kernel.buf<[32, 64, 8] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 32
  %k = kernel.range 0 to 8
  %v = kernel.load %x[%j, %i, %k]
  kernel.store %v, %y[%i, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @small(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @rows(out %y: !kernel.buf<[64, 32, 8] x f32>, in %x: !kernel.buf<[32, 64, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %j = kernel.range 0 to 32
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%j, %i, %k]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT: }
