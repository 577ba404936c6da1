// RUN: teeny-opt %s -p thread-tiles,cse,dce | FileCheck %s
// RUN: teeny-opt %s -p thread-tiles --check-each --verify-roundtrip -o %t
// RUN: teeny-opt %s -p thread-tiles --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Sizes that tiles do not divide: factors are zero beyond the edge, and nothing is stored there. The
// first factor is computed, and what follows the sum is done on the registers that hold it.
// WHY: remark: each thread sums 4 by 4 elements
kernel.func @edges(out %y: !kernel.buf<[70, 33] x f32>, in %a: !kernel.buf<[70, 20] x f32>, in %b: !kernel.buf<[20, 33] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 70
  %j = kernel.range 0 to 33
  %k = kernel.range 0 to 20
  %x = kernel.load %a[%i, %k]
  %e = math.exp %x : f32
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %e, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %r = arith.maximumf %s, %zero : f32
  kernel.store %r, %y[%i, %j]
}

// Transposed factors, in as many blocks as make larger tiles worth it: elements that lie side by side
// in shared memory are of one thread.
// WHY: remark: each thread sums 8 by 4 elements
kernel.func @turned(out %y: !kernel.buf<[1024, 512] x f32>, in %a: !kernel.buf<[64, 1024] x f32>, in %b: !kernel.buf<[512, 64] x f32>) {
  %i = kernel.range 0 to 1024
  %j = kernel.range 0 to 512
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%k, %i]
  %w = kernel.load %b[%j, %k]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Each thread goes on summing its own elements: of few rows,
// WHY: remark: no tile of registers: there are 16 rows at most, and not 32
kernel.func @few(out %y: !kernel.buf<[16, 64] x f32>, in %a: !kernel.buf<[16, 64] x f32>, in %b: !kernel.buf<[64, 64] x f32>) {
  %i = kernel.range 0 to 16
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// of short sums,
// WHY: remark: no tile of registers: there are 4 products of a sum at most, and not 8
kernel.func @short(out %y: !kernel.buf<[64, 64] x f32>, in %a: !kernel.buf<[64, 4] x f32>, in %b: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 4
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// and of other types.
// WHY: remark: no tile of registers: f16 and f16 are summed in f32
kernel.func @cast(out %y: !kernel.buf<[64, 64] x f32>, in %a: !kernel.buf<[64, 64] x f16>, in %b: !kernel.buf<[64, 64] x f16>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%i, %k]
  %v = arith.extf %x : f16 to f32
  %w = kernel.load %b[%k, %j]
  %u = arith.extf %w : f16 to f32
  %p = arith.mulf %v, %u : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @edges(out %y: !kernel.buf<[70, 33] x f32>, in %a: !kernel.buf<[70, 20] x f32>, in %b: !kernel.buf<[20, 33] x f32>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %block = kernel.range 0 to 2 grid.x
// CHECK-NEXT:     %thread = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %kk = kernel.range 0 to 2
// CHECK-NEXT:     %at = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %al = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %ae = kernel.range 0 to 4 vector
// CHECK-NEXT:     %bt = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %bl = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %be = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %s = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %u = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %v = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %0 = kernel.index %block * 64 + %at floordiv 4 + %al * 64
// CHECK-NEXT:     %1 = kernel.index 70
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:     %3 = kernel.index %kk * 16 + %at mod 4 * 4
// CHECK-NEXT:     %4 = kernel.index 20
// CHECK-NEXT:     %5 = arith.cmpi slt, %3, %4 : index
// CHECK-NEXT:     %6 = arith.andi %2, %5 : i1
// CHECK-NEXT:     %7 = kernel.index %bt mod 64
// CHECK-NEXT:     %8 = kernel.index 33
// CHECK-NEXT:     %9 = arith.cmpi slt, %7, %8 : index
// CHECK-NEXT:     %10 = kernel.index %kk * 16 + %bt floordiv 64 + %bl * 4
// CHECK-NEXT:     %11 = arith.cmpi slt, %10, %4 : index
// CHECK-NEXT:     %12 = arith.andi %9, %11 : i1
// CHECK-NEXT:     %13 = kernel.index %block * 64 + %thread floordiv 16 + %u * 16
// CHECK-NEXT:     %14 = arith.cmpi slt, %13, %1 : index
// CHECK-NEXT:     %15 = kernel.index %thread mod 16 * 4 + %v floordiv 4 * 64 + %v mod 4
// CHECK-NEXT:     %16 = arith.cmpi slt, %15, %8 : index
// CHECK-NEXT:     %17 = arith.andi %14, %16 : i1
// CHECK-NEXT:     %x = kernel.load %a[%block * 64 + %at floordiv 4 + %al * 64, %at mod 4 * 4 + %kk * 16 + %ae] if %6 else %zero
// CHECK-NEXT:     %e = math.exp %x : f32
// CHECK-NEXT:     %18 = arith.select %5, %e, %zero : f32
// CHECK-NEXT:     %as = kernel.stage %18[%at floordiv 4 + %al * 64, (%at floordiv 8 + %at mod 4) mod 4, %ae] over(%at, %al, %ae) : !kernel.buf<[64, 4, 4] x f32, shared>
// CHECK-NEXT:     %w = kernel.load %b[%kk * 16 + %bt floordiv 64 + %bl * 4, %bt mod 64 + %be] if %12 else %zero
// CHECK-NEXT:     %bs = kernel.stage %w[%bt floordiv 64 + %bl * 4, %bt mod 64 + %be] over(%bt, %bl, %be) : !kernel.buf<[16, 72] x f32, shared>
// CHECK-NEXT:     %19 = kernel.load %as[%thread floordiv 16 + %u * 16, (%thread floordiv 32 + %s floordiv 4) mod 4, %s mod 4]
// CHECK-NEXT:     %20 = kernel.load %bs[%s, %thread mod 16 * 4 + %v floordiv 4 * 64 + %v mod 4]
// CHECK-NEXT:     %21 = arith.mulf %19, %20 : f32
// CHECK-NEXT:     %s_1 = kernel.reduce %21 over(%kk, %s) {kind = "add"}
// CHECK-NEXT:     %r = arith.maximumf %s_1, %zero : f32
// CHECK-NEXT:     kernel.store %r, %y[%block * 64 + %thread floordiv 16 + %u * 16, %thread mod 16 * 4 + %v floordiv 4 * 64 + %v mod 4] if %17
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @turned(out %y: !kernel.buf<[1024, 512] x f32>, in %a: !kernel.buf<[64, 1024] x f32>, in %b: !kernel.buf<[512, 64] x f32>) {
// CHECK-NEXT:     %block = kernel.range 0 to 64 grid.x
// CHECK-NEXT:     %thread = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %kk = kernel.range 0 to 4
// CHECK-NEXT:     %at = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %al = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ae = kernel.range 0 to 4 vector
// CHECK-NEXT:     %bt = kernel.range 0 to 256 thread.x
// CHECK-NEXT:     %bl = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %be = kernel.range 0 to 4 vector
// CHECK-NEXT:     %s = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %u = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %v = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %x = kernel.load %a[%kk * 16 + %at floordiv 32 + %al * 8, %at mod 32 * 4 + %block floordiv 8 * 128 + %ae]
// CHECK-NEXT:     %as = kernel.stage %x[%at floordiv 32 + %al * 8, %at mod 32 * 4 + %ae] over(%at, %al, %ae) : !kernel.buf<[16, 136] x f32, shared>
// CHECK-NEXT:     %w = kernel.load %b[%block mod 8 * 64 + %bt floordiv 4 + %bl * 64, %bt mod 4 * 4 + %kk * 16 + %be]
// CHECK-NEXT:     %bs = kernel.stage %w[%bt floordiv 4 + %bl * 64, (%bt floordiv 8 + %bt mod 4) mod 4, %be] over(%bt, %bl, %be) : !kernel.buf<[64, 4, 4] x f32, shared>
// CHECK-NEXT:     %0 = kernel.load %as[%s, %thread floordiv 16 * 4 + %u floordiv 4 * 64 + %u mod 4]
// CHECK-NEXT:     %1 = kernel.load %bs[%thread mod 16 + %v * 16, ((%thread mod 16) floordiv 2 + %s floordiv 4) mod 4, %s mod 4]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 fastmath<contract> : f32
// CHECK-NEXT:     %s_1 = kernel.reduce %2 over(%kk, %s) {kind = "add"}
// CHECK-NEXT:     kernel.store %s_1, %y[%block floordiv 8 * 128 + %thread floordiv 16 * 4 + %u floordiv 4 * 64 + %u mod 4, %block mod 8 * 64 + %thread mod 16 + %v * 16]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few(out %y: !kernel.buf<[16, 64] x f32>, in %a: !kernel.buf<[16, 64] x f32>, in %b: !kernel.buf<[64, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 16
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @short(out %y: !kernel.buf<[64, 64] x f32>, in %a: !kernel.buf<[64, 4] x f32>, in %b: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 4
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @cast(out %y: !kernel.buf<[64, 64] x f32>, in %a: !kernel.buf<[64, 64] x f16>, in %b: !kernel.buf<[64, 64] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %v = arith.extf %x : f16 to f32
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %u = arith.extf %w : f16 to f32
// CHECK-NEXT:     %p = arith.mulf %v, %u : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

