// RUN: teeny-opt %s -p "kernel.func(stream-results{vector-bits=512 beyond=4096})" --split-input-file | FileCheck %s

// The loop that runs along memory becomes vectors; what is loaded beside stays where it is, or runs
// along memory too.
kernel.func @scaled(out %y: !kernel.buf<[8, 128] x f32>, in %x: !kernel.buf<[8, 128] x f32>, in %w: !kernel.buf<[128] x f32>, in %s: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 128
  %v = kernel.load %x[%i, %j]
  %u = kernel.load %w[%j]
  %f = kernel.load %s[%i]
  %a = arith.mulf %v, %u : f32
  %b = arith.mulf %a, %f : f32
  kernel.store %b, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @scaled(out %y: !kernel.buf<[8, 128] x f32>, in %x: !kernel.buf<[8, 128] x f32>, in %w: !kernel.buf<[128] x f32>, in %s: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %jo = kernel.range 0 to 8
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %u = kernel.load %w[%j]
// CHECK-NEXT:     %f = kernel.load %s[%i]
// CHECK-NEXT:     %a = arith.mulf %v, %u : f32
// CHECK-NEXT:     %b = arith.mulf %a, %f : f32
// CHECK-NEXT:     kernel.store %b, %y[%i, %j] streaming
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Two results along one range, behind a reduction; a result of half the bytes stays in the caches.
kernel.func @several(out %y: !kernel.buf<[4, 256] x f32>, out %z: !kernel.buf<[4, 256] x f32>, out %n: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 256] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 256
  %j = kernel.range 0 to 256
  %u = kernel.load %x[%i, %k]
  %s = kernel.reduce %u over(%k) {kind = "add"}
  %v = kernel.load %x[%i, %j]
  %a = arith.divf %v, %s : f32
  %b = arith.subf %v, %s : f32
  kernel.store %a, %y[%i, %j]
  kernel.store %b, %z[%i, %j]
  kernel.store %s, %n[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @several(out %y: !kernel.buf<[4, 256] x f32>, out %z: !kernel.buf<[4, 256] x f32>, out %n: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 256] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 256
// CHECK-NEXT:     %jo = kernel.range 0 to 16
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jv
// CHECK-NEXT:     %u = kernel.load %x[%i, %k]
// CHECK-NEXT:     %s = kernel.reduce %u over(%k) {kind = "add"}
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %a = arith.divf %v, %s : f32
// CHECK-NEXT:     %b = arith.subf %v, %s : f32
// CHECK-NEXT:     kernel.store %a, %y[%i, %j] streaming
// CHECK-NEXT:     kernel.store %b, %z[%i, %j] streaming
// CHECK-NEXT:     kernel.store %s, %n[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: what fits the cache; rows that are no whole vectors; elements that are not
// neighbours; such of another width; a gate.
kernel.func @small(out %y: !kernel.buf<[992] x f32>, in %x: !kernel.buf<[992] x f32>) {
  %i = kernel.range 0 to 992
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

kernel.func @odd(out %y: !kernel.buf<[16, 100] x f32>, in %x: !kernel.buf<[16, 100] x f32>) {
  %i = kernel.range 0 to 16
  %j = kernel.range 0 to 100
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

kernel.func @transposed(out %y: !kernel.buf<[64, 64] x f32>, in %x: !kernel.buf<[64, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %v = kernel.load %x[%j, %i]
  kernel.store %v, %y[%i, %j]
}

kernel.func @widened(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4096] x f16>) {
  %i = kernel.range 0 to 4096
  %v = kernel.load %x[%i]
  %w = arith.extf %v : f16 to f32
  kernel.store %w, %y[%i]
}

kernel.func @gated(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4096] x f32>, in %m: !kernel.buf<[4096] x i1>) {
  %i = kernel.range 0 to 4096
  %v = kernel.load %x[%i]
  %g = kernel.load %m[%i]
  kernel.store %v, %y[%i] if %g
}

kernel.func @shifted(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4080] x f32>) {
  %i = kernel.range 0 to 4080
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i + 1]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @small(out %y: !kernel.buf<[992] x f32>, in %x: !kernel.buf<[992] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 992
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @odd(out %y: !kernel.buf<[16, 100] x f32>, in %x: !kernel.buf<[16, 100] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 16
// CHECK-NEXT:     %j = kernel.range 0 to 100
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @transposed(out %y: !kernel.buf<[64, 64] x f32>, in %x: !kernel.buf<[64, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%j, %i]
// CHECK-NEXT:     kernel.store %v, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @widened(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4096] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4096
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %w = arith.extf %v : f16 to f32
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @gated(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4096] x f32>, in %m: !kernel.buf<[4096] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4096
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %g = kernel.load %m[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i] if %g
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @shifted(out %y: !kernel.buf<[4096] x f32>, in %x: !kernel.buf<[4080] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4080
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i + 1]
// CHECK-NEXT:   }
// CHECK-NEXT: }
