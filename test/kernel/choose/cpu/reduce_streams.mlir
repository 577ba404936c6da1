// RUN: teeny-opt %s -p "kernel.func(reduce-streams{l2=65536})" --split-input-file | FileCheck %s

// A row of four pages and more is read in four parts side by side.
kernel.func @rows(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4096] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 4096
  %v = kernel.load %x[%i, %k]
  %q = arith.mulf %v, %v : f32
  %s = kernel.reduce %q over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @rows(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4096] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %kp = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %kq = kernel.range 0 to 1024
// CHECK-NEXT:     %k = kernel.index %kp * 1024 + %kq
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %q = arith.mulf %v, %v : f32
// CHECK-NEXT:     %0 = kernel.reduce %q over(%kq) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kp) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// So is what is narrower, and what is reduced otherwise, where it is as many pages.
kernel.func @greatest(out %y: !kernel.buf<[] x bf16>, in %x: !kernel.buf<[65536] x bf16>) {
  %k = kernel.range 0 to 65536
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @greatest(out %y: !kernel.buf<[] x bf16>, in %x: !kernel.buf<[65536] x bf16>) {
// CHECK-NEXT:     %kp = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %kq = kernel.range 0 to 16384
// CHECK-NEXT:     %k = kernel.index %kp * 16384 + %kq
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%kq) {kind = "max"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kp) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: what fits the second cache; rows of parts of pages; what takes long to compute;
// two factors; what lies across memory; and two reductions in one loop.
kernel.func @small(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16384] x f32>) {
  %k = kernel.range 0 to 16384
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

kernel.func @odd(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4095] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 4095
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

kernel.func @exponentials(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4096] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 4096
  %v = kernel.load %x[%i, %k]
  %e = math.exp %v : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

kernel.func @dot(out %y: !kernel.buf<[] x f32>, in %a: !kernel.buf<[32768] x f32>, in %b: !kernel.buf<[32768] x f32>) {
  %k = kernel.range 0 to 32768
  %v = kernel.load %a[%k]
  %w = kernel.load %b[%k]
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

kernel.func @across(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[4096, 8] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 4096
  %v = kernel.load %x[%k, %i]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

kernel.func @both(out %y: !kernel.buf<[] x f32>, out %z: !kernel.buf<[] x f32>, in %x: !kernel.buf<[32768] x f32>) {
  %k = kernel.range 0 to 32768
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %m = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[]
  kernel.store %m, %z[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @small(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16384] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 16384
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @odd(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4095] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 4095
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @exponentials(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 4096] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 4096
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %e = math.exp %v : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @dot(out %y: !kernel.buf<[] x f32>, in %a: !kernel.buf<[32768] x f32>, in %b: !kernel.buf<[32768] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 32768
// CHECK-NEXT:     %v = kernel.load %a[%k]
// CHECK-NEXT:     %w = kernel.load %b[%k]
// CHECK-NEXT:     %p = arith.mulf %v, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @across(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[4096, 8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 4096
// CHECK-NEXT:     %v = kernel.load %x[%k, %i]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @both(out %y: !kernel.buf<[] x f32>, out %z: !kernel.buf<[] x f32>, in %x: !kernel.buf<[32768] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 32768
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:     kernel.store %m, %z[]
// CHECK-NEXT:   }
// CHECK-NEXT: }
