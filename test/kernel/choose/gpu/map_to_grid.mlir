// RUN: teeny-opt %s -p map-to-grid,canonicalize | filecheck %s
// RUN: teeny-opt %s -p map-to-grid --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: teeny-opt %s -p map-to-grid --check-each --verify-roundtrip -o %t

// One thread an element, whatever the shape; what is beyond the last one is gated.
// CHECK-LABEL: kernel.func @elementwise(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..1024) {
// CHECK-NEXT:      %block = kernel.range 0 to (N * 50 + 255) floordiv 256 grid.x
// CHECK-NEXT:      %thread = kernel.range 0 to 256 thread.x
// CHECK-NEXT:      %at = kernel.index %block * 256 + %thread
// CHECK-NEXT:      %count = kernel.index N * 50
// CHECK-NEXT:      %inside = arith.cmpi slt, %at, %count : index
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %v = kernel.load %x[(%block * 256 + %thread) floordiv 50, (%block * 256 + %thread) mod 50] if %inside else %0
// CHECK-NEXT:      %w = arith.addf %v, %v : f32
// CHECK-NEXT:      kernel.store %w, %y[(%block * 256 + %thread) floordiv 50, (%block * 256 + %thread) mod 50] if %inside
// CHECK-NEXT:    }
kernel.func @elementwise(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..1024) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%i, %j]
}
// REMARK: remark: %i, %j: spread over threads [map-to-grid, passed]

// The iterations fill the blocks: nothing to gate.
// CHECK-LABEL: kernel.func @whole_blocks(out %y: !kernel.buf<[N, 256] x i32>, in %x: !kernel.buf<[N, 256] x i32>) dims(N in 1..1024) {
// CHECK-NEXT:      %block = kernel.range 0 to N grid.x
// CHECK-NEXT:      %thread = kernel.range 0 to 256 thread.x
// CHECK-NEXT:      %v = kernel.load %x[%block + %thread floordiv 256, %thread mod 256]
// CHECK-NEXT:      kernel.store %v, %y[%block + %thread floordiv 256, %thread mod 256]
// CHECK-NEXT:    }
kernel.func @whole_blocks(out %y: !kernel.buf<[N, 256] x i32>, in %x: !kernel.buf<[N, 256] x i32>) dims(N in 1..1024) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 256
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// A reduction stays in its thread, and the loops after it too; its loads are gated.
// CHECK-LABEL: kernel.func @rows(out %y: !kernel.buf<[40, 3] x f32>, in %x: !kernel.buf<[40, 3] x f32>) {
// CHECK-NEXT:      %thread = kernel.range 0 to 64 thread.x
// CHECK-NEXT:      %at = kernel.index %thread
// CHECK-NEXT:      %count = kernel.index 40
// CHECK-NEXT:      %inside = arith.cmpi slt, %at, %count : index
// CHECK-NEXT:      %k = kernel.range 0 to 3
// CHECK-NEXT:      %j = kernel.range 0 to 3
// CHECK-NEXT:      %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %v = kernel.load %x[%thread, %k] if %inside else %0
// CHECK-NEXT:      %s = kernel.reduce %v over(%k) {kind = "add"}
// CHECK-NEXT:      %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %w = kernel.load %x[%thread, %j] if %inside else %1
// CHECK-NEXT:      %q = arith.divf %w, %s : f32
// CHECK-NEXT:      kernel.store %q, %y[%thread, %j] if %inside
// CHECK-NEXT:    }
kernel.func @rows(out %y: !kernel.buf<[40, 3] x f32>, in %x: !kernel.buf<[40, 3] x f32>) {
  %i = kernel.range 0 to 40
  %k = kernel.range 0 to 3
  %j = kernel.range 0 to 3
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %w = kernel.load %x[%i, %j]
  %q = arith.divf %w, %s : f32
  kernel.store %q, %y[%i, %j]
}

// A gate that was there holds as well; an index used in arithmetic is an expression.
// CHECK-LABEL: kernel.func @gated(out %y: !kernel.buf<[40] x i64>, in %x: !kernel.buf<[40] x i64>) {
// CHECK-NEXT:      %thread = kernel.range 0 to 64 thread.x
// CHECK-NEXT:      %at = kernel.index %thread
// CHECK-NEXT:      %count = kernel.index 40
// CHECK-NEXT:      %inside = arith.cmpi slt, %at, %count : index
// CHECK-NEXT:      %i = kernel.index %thread
// CHECK-NEXT:      %n = arith.index_cast %i : index to i64
// CHECK-NEXT:      %c = arith.constant 7 : i64
// CHECK-NEXT:      %g = arith.cmpi slt, %n, %c : i64
// CHECK-NEXT:      %0 = arith.andi %inside, %g : i1
// CHECK-NEXT:      %v = kernel.load %x[%thread] if %0 else %c
// CHECK-NEXT:      kernel.store %v, %y[%thread] if %inside
// CHECK-NEXT:    }
kernel.func @gated(out %y: !kernel.buf<[40] x i64>, in %x: !kernel.buf<[40] x i64>) {
  %i = kernel.range 0 to 40
  %n = arith.index_cast %i : index to i64
  %c = arith.constant 7 : i64
  %g = arith.cmpi slt, %n, %c : i64
  %v = kernel.load %x[%i] if %g else %c
  kernel.store %v, %y[%i]
}

// The window of a scatter is spread, the rows that may meet are not.
// CHECK-LABEL: kernel.func @windows(inout %y: !kernel.buf<[9, 64] x f32>, in %at: !kernel.buf<[5] x i64>, in %u: !kernel.buf<[5, 64] x f32>) {
// CHECK-NEXT:      %thread = kernel.range 0 to 64 thread.x
// CHECK-NEXT:      %k = kernel.range 0 to 5
// CHECK-NEXT:      %n = kernel.load %at[%k]
// CHECK-NEXT:      %i = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %v = kernel.load %u[%k, %thread]
// CHECK-NEXT:      kernel.scatter %v, %y[%i, %thread] over(%k, %thread) {kind = "add"}
// CHECK-NEXT:    }
kernel.func @windows(inout %y: !kernel.buf<[9, 64] x f32>, in %at: !kernel.buf<[5] x i64>, in %u: !kernel.buf<[5, 64] x f32>) {
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 5
  %n = kernel.load %at[%k]
  %i = arith.index_cast %n : i64 to index
  %v = kernel.load %u[%k, %j]
  kernel.scatter %v, %y[%i, %j] over(%j, %k) {kind = "add"}
}

// Nothing is independent: one thread.
// CHECK-LABEL: kernel.func @meet(inout %y: !kernel.buf<[9] x f32>, in %at: !kernel.buf<[5] x i64>, in %u: !kernel.buf<[5] x f32>) {
// CHECK-NEXT:      %k = kernel.range 0 to 5
// CHECK-NEXT:      %n = kernel.load %at[%k]
// CHECK-NEXT:      %i = arith.index_cast %n : i64 to index
// CHECK-NEXT:      %v = kernel.load %u[%k]
// CHECK-NEXT:      kernel.scatter %v, %y[%i] over(%k) {kind = "add"}
// CHECK-NEXT:    }
kernel.func @meet(inout %y: !kernel.buf<[9] x f32>, in %at: !kernel.buf<[5] x i64>, in %u: !kernel.buf<[5] x f32>) {
  %k = kernel.range 0 to 5
  %n = kernel.load %at[%k]
  %i = arith.index_cast %n : i64 to index
  %v = kernel.load %u[%k]
  kernel.scatter %v, %y[%i] over(%k) {kind = "add"}
}

// A scan runs along its range.
// CHECK-LABEL: kernel.func @running(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[9] x f32>) {
// CHECK-NEXT:      %k = kernel.range 0 to 9
// CHECK-NEXT:      %v = kernel.load %x[%k]
// CHECK-NEXT:      %s = kernel.scan %v along %k {kind = "add"}
// CHECK-NEXT:      kernel.store %s, %y[%k]
// CHECK-NEXT:    }
kernel.func @running(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[9] x f32>) {
  %k = kernel.range 0 to 9
  %v = kernel.load %x[%k]
  %s = kernel.scan %v along %k {kind = "add"}
  kernel.store %s, %y[%k]
}

// Somebody has chosen.
// CHECK-LABEL: kernel.func @chosen(out %y: !kernel.buf<[9, 32] x f32>, in %x: !kernel.buf<[9, 32] x f32>) {
// CHECK-NEXT:      %i = kernel.range 0 to 9 grid.x
// CHECK-NEXT:      %j = kernel.range 0 to 32 thread.x
// CHECK-NEXT:      %v = kernel.load %x[%i, %j]
// CHECK-NEXT:      kernel.store %v, %y[%i, %j]
// CHECK-NEXT:    }
kernel.func @chosen(out %y: !kernel.buf<[9, 32] x f32>, in %x: !kernel.buf<[9, 32] x f32>) {
  %i = kernel.range 0 to 9 grid.x
  %j = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// A range whose bounds depend on the loops has others than before, and so has what it reaches.
// CHECK-LABEL: kernel.func @triangle(out %y: !kernel.buf<[40, 40] x f32>, in %x: !kernel.buf<[40] x f32>) {
// CHECK:           %k = kernel.range %thread + 1 to 40
// CHECK:           %w = kernel.load %x[%k] if %inside else %{{.*}}
// CHECK-NEXT:      kernel.store %w, %y[%thread, %k] if %inside
kernel.func @triangle(out %y: !kernel.buf<[40, 40] x f32>, in %x: !kernel.buf<[40] x f32>) {
  %i = kernel.range 0 to 40
  %k = kernel.range %i + 1 to 40
  %w = kernel.load %x[%k]
  kernel.store %w, %y[%i, %k]
}
