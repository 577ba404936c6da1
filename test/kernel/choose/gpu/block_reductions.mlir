// RUN: teeny-opt %s -p block-reductions,canonicalize,cse | filecheck %s
// RUN: teeny-opt %s -p block-reductions,kernel-to-uop --check-each --verify-roundtrip -o %t
// RUN: teeny-opt %s -p block-reductions --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// A block for each row; the threads share it, 16 bytes at a time.
// REMARK: remark: is shared by 128 threads, 2 times 4 elements each
// CHECK-LABEL: kernel.func @few(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
// CHECK-NEXT:        %block = kernel.range 0 to 4 grid.x
// CHECK-NEXT:        %t = kernel.range 0 to 128 thread.x
// CHECK-NEXT:        %u0 = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %e = kernel.range 0 to 4 vector
// CHECK-NEXT:        %0 = kernel.index %t * 4 + %u0 * 512
// CHECK-NEXT:        %1 = kernel.index 1000
// CHECK-NEXT:        %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:        %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %v = kernel.load %x[%block, %t * 4 + %u0 * 512 + %e] if %2 else %3
// CHECK-NEXT:        %4 = arith.constant 0xff800000 : f32
// CHECK-NEXT:        %5 = arith.select %2, %v, %4 : f32
// CHECK-NEXT:        %6 = kernel.reduce %5 over(%u0, %e) {kind = "max"}
// CHECK-NEXT:        %s = kernel.all_reduce %6 across(%t) {kind = "max"}
// CHECK-NEXT:        kernel.store %s, %y[%block]
// CHECK-NEXT:      }
kernel.func @few(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 1000] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// All of an array, over two ranges, that fill the threads: nothing to gate, and one block.
// REMARK: remark: is shared by 128 threads, 2 times 4 elements each
// CHECK-LABEL: kernel.func @all(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16, 64] x f32>) {
// CHECK-NEXT:        %t = kernel.range 0 to 128 thread.x
// CHECK-NEXT:        %u0 = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %e = kernel.range 0 to 4 vector
// CHECK-NEXT:        %v = kernel.load %x[(%t * 4 + %e) floordiv 64 + %u0 * 8, (%t * 4 + %e) mod 64]
// CHECK-NEXT:        %0 = kernel.reduce %v over(%u0, %e) {kind = "add"}
// CHECK-NEXT:        %s = kernel.all_reduce %0 across(%t) {kind = "add"}
// CHECK-NEXT:        kernel.store %s, %y[]
// CHECK-NEXT:      }
kernel.func @all(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[16, 64] x f32>) {
  %i = kernel.range 0 to 16
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%i, %k) {kind = "add"}
  kernel.store %s, %y[]
}

// Another loop of the same length, and a stage: a warp a row, four rows a block, each element is
// loaded once, and computed where it was kept.
// REMARK: remark: is shared by 32 threads, 2 times 4 elements each
// CHECK-LABEL: kernel.func @rows(out %y: !kernel.buf<[5, 200] x f32>, in %x: !kernel.buf<[5, 200] x f32>) {
// CHECK-NEXT:        %block = kernel.range 0 to 2 grid.x
// CHECK-NEXT:        %row = kernel.range 0 to 4 thread.y
// CHECK-NEXT:        %0 = kernel.index %block * 4 + %row
// CHECK-NEXT:        %1 = kernel.index 5
// CHECK-NEXT:        %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:        %t = kernel.range 0 to 32 thread.x
// CHECK-NEXT:        %u0 = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %e = kernel.range 0 to 4 vector
// CHECK-NEXT:        %3 = kernel.index %t * 4 + %u0 * 128
// CHECK-NEXT:        %4 = kernel.index 200
// CHECK-NEXT:        %5 = arith.cmpi slt, %3, %4 : index
// CHECK-NEXT:        %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %7 = arith.andi %5, %2 : i1
// CHECK-NEXT:        %v = kernel.load %x[%block * 4 + %row, %t * 4 + %u0 * 128 + %e] if %7 else %6
// CHECK-NEXT:        %w = arith.addf %v, %v : f32
// CHECK-NEXT:        %8 = arith.constant 0xff800000 : f32
// CHECK-NEXT:        %9 = arith.select %5, %w, %8 : f32
// CHECK-NEXT:        %10 = kernel.reduce %9 over(%u0, %e) {kind = "max"}
// CHECK-NEXT:        %s = kernel.all_reduce %10 across(%t) {kind = "max"}
// CHECK-NEXT:        %q = arith.divf %w, %s : f32
// CHECK-NEXT:        kernel.store %q, %y[%block * 4 + %row, %t * 4 + %u0 * 128 + %e] if %7
// CHECK-NEXT:      }
kernel.func @rows(out %y: !kernel.buf<[5, 200] x f32>, in %x: !kernel.buf<[5, 200] x f32>) {
  %i = kernel.range 0 to 5
  %k = kernel.range 0 to 200
  %j = kernel.range 0 to 200
  %v = kernel.load %x[%i, %k]
  %w = arith.addf %v, %v : f32
  %row = kernel.stage %w[%k] over(%k) : !kernel.buf<[200] x f32, local>
  %s = kernel.reduce %w over(%k) {kind = "max"}
  %u = kernel.load %row[%j]
  %q = arith.divf %u, %s : f32
  kernel.store %q, %y[%i, %j]
}

// What is staged of something staged is computed of it where that is computed again.
// REMARK: remark: is shared by 32 threads, 1 times 2 elements each
// REMARK: remark: is shared by 32 threads, 1 times 2 elements each
// CHECK-LABEL: kernel.func @softmax(
// CHECK-NOT:     kernel.stage
// CHECK:         %w = arith.mulf %v, %v : f32
// CHECK:         %m = kernel.all_reduce %{{.*}} across(%t) {kind = "max"}
// CHECK-NEXT:    %d = arith.subf %w, %m : f32
// CHECK-NEXT:    %[[POWER:.*]] = math.exp %d : f32
// CHECK:         %s = kernel.all_reduce %{{.*}} across(%t) {kind = "add"}
// CHECK-NEXT:    arith.divf %[[POWER]], %s : f32
kernel.func @softmax(out %y: !kernel.buf<[5, 64] x f32>, in %x: !kernel.buf<[5, 64] x f32>) {
  %i = kernel.range 0 to 5
  %k = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %l = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %w = arith.mulf %v, %v : f32
  %row = kernel.stage %w[%k] over(%k) : !kernel.buf<[64] x f32, local>
  %m = kernel.reduce %w over(%k) {kind = "max"}
  %u = kernel.load %row[%j]
  %d = arith.subf %u, %m : f32
  %e = math.exp %d : f32
  %powers = kernel.stage %e[%j] over(%j) : !kernel.buf<[64] x f32, local>
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %p = kernel.load %powers[%l]
  %q = arith.divf %p, %s : f32
  kernel.store %q, %y[%i, %l]
}

// What is reduced depends on the place itself, not only on what is loaded from there.
// REMARK: remark: is shared by 32 threads, 1 times 2 elements each
// CHECK-LABEL: kernel.func @triangle(
// CHECK:             %i = kernel.index %block * 4 + %row
// CHECK-NEXT:        %k = kernel.index %t * 2 + %u0 * 64 + %e
// CHECK-NEXT:        %v = kernel.load %x[%block * 4 + %row, %t * 2 + %u0 * 64 + %e]
// CHECK-NEXT:        %before = arith.cmpi sle, %k, %i : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %w = arith.select %before, %v, %zero : f32
// CHECK-NEXT:        %0 = kernel.reduce %w over(%u0, %e) {kind = "max"}
// CHECK-NEXT:        %s = kernel.all_reduce %0 across(%t) {kind = "max"}
kernel.func @triangle(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64, 64] x f32>) {
  %i = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %before = arith.cmpi sle, %k, %i : index
  %zero = arith.constant 0.0 : f32
  %w = arith.select %before, %v, %zero : f32
  %s = kernel.reduce %w over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// Rows whose length is not known: each loop is its own.
// REMARK: remark: is shared by 512 threads
// REMARK-NOT: times
// CHECK-LABEL: kernel.func @long(out %y: !kernel.buf<[4, N] x f32>, in %x: !kernel.buf<[4, N] x f32>) dims(N in 1..) {
// CHECK-NEXT:        %block = kernel.range 0 to 4 grid.x
// CHECK-NEXT:        %t = kernel.range 0 to 512 thread.x
// CHECK-NEXT:        %u0 = kernel.range 0 to (N + 511) floordiv 512
// CHECK-NEXT:        %u1 = kernel.range 0 to (N + 511) floordiv 512
// CHECK-NEXT:        %0 = kernel.index %t + %u0 * 512
// CHECK-NEXT:        %1 = kernel.index N
// CHECK-NEXT:        %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:        %3 = kernel.index %t + %u1 * 512
// CHECK-NEXT:        %4 = arith.cmpi slt, %3, %1 : index
// CHECK-NEXT:        %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %v = kernel.load %x[%block, %t + %u0 * 512] if %2 else %5
// CHECK-NEXT:        %6 = arith.constant 0xff800000 : f32
// CHECK-NEXT:        %7 = arith.select %2, %v, %6 : f32
// CHECK-NEXT:        %8 = kernel.reduce %7 over(%u0) {kind = "max"}
// CHECK-NEXT:        %s = kernel.all_reduce %8 across(%t) {kind = "max"}
// CHECK-NEXT:        %w = kernel.load %x[%block, %t + %u1 * 512] if %4 else %5
// CHECK-NEXT:        %q = arith.divf %w, %s : f32
// CHECK-NEXT:        kernel.store %q, %y[%block, %t + %u1 * 512] if %4
// CHECK-NEXT:      }
kernel.func @long(out %y: !kernel.buf<[4, N] x f32>, in %x: !kernel.buf<[4, N] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to N
  %j = kernel.range 0 to N
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  %w = kernel.load %x[%i, %j]
  %q = arith.divf %w, %s : f32
  kernel.store %q, %y[%i, %j]
}

// Enough results for a thread each, whose neighbours are neighbours in memory.
// REMARK: remark: is not shared by threads: neighbours along it are no neighbours in memory
kernel.func @columns(out %y: !kernel.buf<[5000] x f32>, in %x: !kernel.buf<[1000, 5000] x f32>) {
  %i = kernel.range 0 to 5000
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%k, %i]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// Too short to be shared.
// REMARK: remark: is not shared by threads: a row of 20 elements is short
kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 20] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 20
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i]
}

// Loops of another length.
// REMARK: remark: is not shared by threads: there are loops of other lengths besides it
kernel.func @other(out %y: !kernel.buf<[4, 300] x f32>, in %x: !kernel.buf<[4, 200] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 200
  %j = kernel.range 0 to 300
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  kernel.store %s, %y[%i, %j]
}
