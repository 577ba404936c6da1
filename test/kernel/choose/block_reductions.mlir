// RUN: teeny-opt %s -p block-reductions --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p block-reductions --check-each -o %t
// RUN: teeny-opt %s -p block-reductions,kernel-to-uop --check-each -o %t

// Few results and long reductions: a block for each result, the threads share it.
// CHECK-LABEL: kernel.func @few(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
// CHECK-NEXT:      %block = kernel.range 0 to 4 grid.x
// CHECK-NEXT:      %t0 = kernel.range 0 to 128 thread.x
// CHECK-NEXT:      %k0 = kernel.range 0 to 8
// CHECK-NEXT:      %0 = kernel.index %t0 + %k0 * 128
// CHECK-NEXT:      %1 = kernel.index 1000
// CHECK-NEXT:      %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:      %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %v = kernel.load %x[%block, %t0 + %k0 * 128] if %2 else %3
// CHECK-NEXT:      %4 = arith.constant 0xff800000 : f32
// CHECK-NEXT:      %5 = arith.select %2, %v, %4 : f32
// CHECK-NEXT:      %6 = kernel.reduce %5 over(%k0) {kind = "max"}
// CHECK-NEXT:      %part = kernel.stage %6[%t0] over(%t0) : !kernel.buf<[128] x f32, shared>
// CHECK-NEXT:      %7 = kernel.range 0 to 128
// CHECK-NEXT:      %8 = kernel.load %part[%7]
// CHECK-NEXT:      %s = kernel.reduce %8 over(%7) {kind = "max"}
// CHECK-NEXT:      kernel.store %s, %y[%block]
// CHECK-NEXT:    }
kernel.func @few(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// All of an array, over two ranges, that fill the threads: nothing to gate, and one block.
// CHECK-LABEL: kernel.func @all(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16, 64] x f32>) {
// CHECK-NEXT:      %t0 = kernel.range 0 to 128 thread.x
// CHECK-NEXT:      %k0 = kernel.range 0 to 8
// CHECK-NEXT:      %v = kernel.load %x[%t0 floordiv 64 + %k0 * 2, %t0 mod 64]
// CHECK-NEXT:      %0 = kernel.reduce %v over(%k0) {kind = "add"}
// CHECK-NEXT:      %part = kernel.stage %0[%t0] over(%t0) : !kernel.buf<[128] x f32, shared>
// CHECK-NEXT:      %1 = kernel.range 0 to 128
// CHECK-NEXT:      %2 = kernel.load %part[%1]
// CHECK-NEXT:      %s = kernel.reduce %2 over(%1) {kind = "add"}
// CHECK-NEXT:      kernel.store %s, %y[]
// CHECK-NEXT:    }
kernel.func @all(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16, 64] x f32>) {
  %i = kernel.range 0 to 16
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%i, %k) {kind = "add"}
  kernel.store %s, %y[]
}

// Enough results for a thread each.
// CHECK-LABEL: kernel.func @many(out %y: !kernel.buf<[5000] x f32>, in %x: !kernel.buf<[5000, 1000] x f32>) {
// CHECK-NEXT:      %i = kernel.range 0 to 5000
// CHECK-NEXT:      %k = kernel.range 0 to 1000
// CHECK-NEXT:      %v = kernel.load %x[%i, %k]
// CHECK-NEXT:      %s = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:      kernel.store %s, %y[%i]
// CHECK-NEXT:    }
kernel.func @many(out %y: !kernel.buf<[5000] x f32>, in %x: !kernel.buf<[5000, 1000] x f32>) {
  %i = kernel.range 0 to 5000
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// Too short to be shared.
// CHECK-LABEL: kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 100] x f32>) {
// CHECK-NEXT:      %i = kernel.range 0 to 4
// CHECK-NEXT:      %k = kernel.range 0 to 100
// CHECK-NEXT:      %v = kernel.load %x[%i, %k]
// CHECK-NEXT:      %s = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:      kernel.store %s, %y[%i]
// CHECK-NEXT:    }
kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 100] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 100
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// Another loop, which all threads would run.
// CHECK-LABEL: kernel.func @rows(out %y: !kernel.buf<[4, 1000] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
// CHECK-NEXT:      %i = kernel.range 0 to 4
// CHECK-NEXT:      %k = kernel.range 0 to 1000
// CHECK-NEXT:      %j = kernel.range 0 to 1000
// CHECK-NEXT:      %v = kernel.load %x[%i, %k]
// CHECK-NEXT:      %s = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:      %w = kernel.load %x[%i, %j]
// CHECK-NEXT:      %q = arith.divf %w, %s : f32
// CHECK-NEXT:      kernel.store %q, %y[%i, %j]
// CHECK-NEXT:    }
kernel.func @rows(out %y: !kernel.buf<[4, 1000] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 1000
  %j = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  %w = kernel.load %x[%i, %j]
  %q = arith.divf %w, %s : f32
  kernel.store %q, %y[%i, %j]
}
