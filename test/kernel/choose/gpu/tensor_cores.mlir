// RUN: teeny-opt %s -p tensor-cores{capability=sm_80},cse,dce | filecheck %s
// RUN: teeny-opt %s -p tensor-cores{capability=sm_80} --check-each --verify-roundtrip -o %t
// RUN: teeny-opt %s -p tensor-cores{capability=sm_75} --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM75
// RUN: teeny-opt %s -p tensor-cores{capability=sm_80} --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM80
// RUN: teeny-opt %s -p 'tensor-cores{capability=sm_80 tf32=true}' --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=TF32
// RUN: teeny-opt %s -p tensor-cores{capability=sm_89} --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM89

// Each row of the table, where there is one and where there is none. The whole of one product:
// rows and columns of several warps, factors and stores gated at the edges, the sum cut in steps.

// SM75: remark: is summed by m16n8k8 of f16
// SM80: remark: is summed by m16n8k16 of f16
// TF32: remark: is summed by m16n8k16 of f16
// SM89: remark: is summed by m16n8k16 of f16
// CHECK-LABEL: kernel.func @half(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f16>, in %b: !kernel.buf<[20, 24] x f16>) {
// CHECK-NEXT:        %block = kernel.range 0 to 1 grid.x
// CHECK-NEXT:        %thread = kernel.range 0 to 32 thread.x
// CHECK-NEXT:        %kk = kernel.range 0 to 1
// CHECK-NEXT:        %at = kernel.range 0 to 32 thread.x
// CHECK-NEXT:        %al = kernel.range 0 to 16 unroll
// CHECK-NEXT:        %ae = kernel.range 0 to 4 vector
// CHECK-NEXT:        %bt = kernel.range 0 to 32 thread.x
// CHECK-NEXT:        %bl = kernel.range 0 to 4 unroll
// CHECK-NEXT:        %be = kernel.range 0 to 8 vector
// CHECK-NEXT:        %s = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %u = kernel.range 0 to 4 unroll
// CHECK-NEXT:        %v = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %w = kernel.range 0 to 2 unroll
// CHECK-NEXT:        %p = kernel.range 0 to 8 unroll
// CHECK-NEXT:        %q = kernel.range 0 to 4 unroll
// CHECK-NEXT:        %r = kernel.range 0 to 4 unroll
// CHECK-NEXT:        %0 = kernel.index %block * 64 + %at floordiv 8 + %al * 4
// CHECK-NEXT:        %1 = kernel.index 40
// CHECK-NEXT:        %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:        %3 = kernel.index %kk * 32 + %at mod 8 * 4
// CHECK-NEXT:        %4 = kernel.index 20
// CHECK-NEXT:        %5 = arith.cmpi slt, %3, %4 : index
// CHECK-NEXT:        %6 = arith.andi %2, %5 : i1
// CHECK-NEXT:        %7 = kernel.index %bt mod 4 * 8
// CHECK-NEXT:        %8 = kernel.index 24
// CHECK-NEXT:        %9 = arith.cmpi slt, %7, %8 : index
// CHECK-NEXT:        %10 = kernel.index %kk * 32 + %bt floordiv 4 + %bl * 8
// CHECK-NEXT:        %11 = arith.cmpi slt, %10, %4 : index
// CHECK-NEXT:        %12 = arith.andi %9, %11 : i1
// CHECK-NEXT:        %13 = kernel.index (%thread mod 32) floordiv 4 + %block * 64 + %u * 16 + %r floordiv 2 * 8
// CHECK-NEXT:        %14 = arith.cmpi slt, %13, %1 : index
// CHECK-NEXT:        %15 = kernel.index %thread mod 4 * 2 + %v * 16 + %w * 8 + %r mod 2
// CHECK-NEXT:        %16 = arith.cmpi slt, %15, %8 : index
// CHECK-NEXT:        %17 = arith.andi %14, %16 : i1
// CHECK-NEXT:        %18 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:        %19 = kernel.load %a[%block * 64 + %at floordiv 8 + %al * 4, %at mod 8 * 4 + %kk * 32 + %ae] if %6 else %18
// CHECK-NEXT:        %as = kernel.stage %19[%at floordiv 8 + %al * 4, ((%at mod 8) floordiv 2 + %at floordiv 16 + %al * 2) mod 4, %at mod 2 * 4 + %ae] over(%at, %al, %ae) : !kernel.buf<[64, 4, 8] x f16, shared>
// CHECK-NEXT:        %20 = kernel.load %b[%kk * 32 + %bt floordiv 4 + %bl * 8, %bt mod 4 * 8 + %be] if %12 else %18
// CHECK-NEXT:        %bs = kernel.stage %20[%bt floordiv 4 + %bl * 8, (%bt floordiv 8 + %bt mod 4) mod 4, %be] over(%bt, %bl, %be) : !kernel.buf<[32, 4, 8] x f16, shared>
// CHECK-NEXT:        %21 = kernel.load_matrix %as[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8 + %u * 16, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 2 + %s * 2) mod 4, 0] as(%p)
// CHECK-NEXT:        %22 = kernel.load_matrix %bs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8 + %s * 16, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 2 + %v * 2) mod 4, 0] as(%w, %q) transposed
// CHECK-NEXT:        %s_1 = kernel.mma %21(%p), %22(%q) over(%kk, %s) as(%r) {shape = "m16n8k16", type = "f16"}
// CHECK-NEXT:        kernel.store %s_1, %y[(%thread mod 32) floordiv 4 + %block * 64 + %u * 16 + %r floordiv 2 * 8, %thread mod 4 * 2 + %r mod 2 + %v * 16 + %w * 8] if %17
// CHECK-NEXT:      }
kernel.func @half(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f16>, in %b: !kernel.buf<[20, 24] x f16>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// SM75: remark: no matrix instruction: there is none of bf16, only of f16
// SM80: remark: is summed by m16n8k16 of bf16
// TF32: remark: is summed by m16n8k16 of bf16
// SM89: remark: is summed by m16n8k16 of bf16
kernel.func @brain(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x bf16>, in %b: !kernel.buf<[20, 24] x bf16>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : bf16 to f32
  %3 = arith.extf %1 : bf16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// SM75: remark: no matrix instruction: f32 is multiplied exactly, unless the pipeline says tf32
// SM80: remark: no matrix instruction: f32 is multiplied exactly, unless the pipeline says tf32
// TF32: remark: is summed by m16n8k8 of tf32
// SM89: remark: no matrix instruction: f32 is multiplied exactly
kernel.func @single(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f32>, in %b: !kernel.buf<[20, 24] x f32>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %p = arith.mulf %0, %1 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Two columns of 8 bits are transposed as one: element %w of each pair is of one instruction.
// SM75: remark: no matrix instruction: there is none of i8, only of f16
// SM80: remark: is summed by m16n8k32 of s8
// TF32: remark: is summed by m16n8k32 of s8
// SM89: remark: is summed by m16n8k32 of s8
// CHECK-LABEL: kernel.func @bytes(
// CHECK: %bs = kernel.stage %20[%bt floordiv 4 + %bl * 8, ((%bt mod 4) floordiv 2 + %bt floordiv 16) mod 2, %bt mod 2 * 8 + %be] over(%bt, %bl, %be) : !kernel.buf<[32, 2, 16] x i8, shared>
// CHECK: %21 = kernel.load_matrix %as[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8 + %u * 16, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 4) mod 2, 0] as(%p)
// CHECK: %22 = kernel.load_matrix %bs[((%thread mod 32) floordiv 8) mod 4 * 8 + %thread mod 8 + %s * 32, ((%thread mod 8) floordiv 4 + %v) mod 2, 0] as(%q, %w) transposed
// CHECK: kernel.store %s_1, %y[(%thread mod 32) floordiv 4 + %block * 64 + %u * 16 + %r floordiv 2 * 8, %thread mod 4 * 4 + %r mod 2 * 2 + %v * 16 + %w] if %17
kernel.func @bytes(out %y: !kernel.buf<[40, 24] x i32>, in %a: !kernel.buf<[40, 20] x i8>, in %b: !kernel.buf<[20, 24] x i8>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extsi %0 : i8 to i32
  %3 = arith.extsi %1 : i8 to i32
  %p = arith.muli %2, %3 : i32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Those of a first factor, whose rows are 8 apart in a lane, are taken one by one.
// SM75: remark: no matrix instruction: there is none of i8, only of f16
// SM80: remark: is summed by m16n8k32 of s8
// TF32: remark: is summed by m16n8k32 of s8
// SM89: remark: is summed by m16n8k32 of s8
// CHECK-LABEL: kernel.func @turned_bytes(
// CHECK: = kernel.load %as
// CHECK: = kernel.load_matrix %bs
// CHECK-SAME: as(%w, %q)
kernel.func @turned_bytes(out %y: !kernel.buf<[40, 24] x i32>, in %a: !kernel.buf<[20, 40] x i8>, in %b: !kernel.buf<[24, 20] x i8>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%k, %i]
  %1 = kernel.load %b[%j, %k]
  %2 = arith.extsi %0 : i8 to i32
  %3 = arith.extsi %1 : i8 to i32
  %p = arith.muli %2, %3 : i32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// SM75: remark: no matrix instruction: there is none of f8E4M3FN, only of f16
// SM80: remark: no matrix instruction: there is none of f8E4M3FN, only of f16, bf16, s8
// TF32: remark: no matrix instruction: there is none of f8E4M3FN
// SM89: remark: is summed by m16n8k32 of e4m3
kernel.func @e4m3(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f8E4M3FN>, in %b: !kernel.buf<[20, 24] x f8E4M3FN>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f8E4M3FN to f32
  %3 = arith.extf %1 : f8E4M3FN to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// SM75: remark: no matrix instruction: there is none of f8E5M2, only of f16
// SM80: remark: no matrix instruction: there is none of f8E5M2
// TF32: remark: no matrix instruction: there is none of f8E5M2
// SM89: remark: is summed by m16n8k32 of e5m2
kernel.func @e5m2(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f8E5M2>, in %b: !kernel.buf<[20, 24] x f8E5M2>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f8E5M2 to f32
  %3 = arith.extf %1 : f8E5M2 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// SM75: remark: no matrix instruction: there is none of f64, only of f16
// SM80: remark: no matrix instruction: there is none of f64
// TF32: remark: no matrix instruction: there is none of f64
// SM89: remark: no matrix instruction: there is none of f64
kernel.func @double(out %y: !kernel.buf<[40, 24] x f64>, in %a: !kernel.buf<[40, 20] x f64>, in %b: !kernel.buf<[20, 24] x f64>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %p = arith.mulf %0, %1 : f64
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is no product of matrices, and why.
// SM80: remark: no matrix instruction: one factor has no axis of its own: it is a vector
kernel.func @vector(out %y: !kernel.buf<[40] x f32>, in %a: !kernel.buf<[40, 20] x f16>, in %b: !kernel.buf<[20] x f16>) {
  %i = kernel.range 0 to 40
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// SM80: remark: no matrix instruction: what is summed is no product
kernel.func @sum(out %y: !kernel.buf<[40] x f32>, in %a: !kernel.buf<[40, 20] x f32>) {
  %i = kernel.range 0 to 40
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %s = kernel.reduce %0 over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// SM80: remark: no matrix instruction: the kernel has a reduce besides it
kernel.func @two(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40, 20] x f16>, in %b: !kernel.buf<[20, 24] x f16>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %l = kernel.range 0 to 20
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %4 = kernel.load %a[%i, %l]
  %5 = arith.extf %4 : f16 to f32
  %m = kernel.reduce %5 over(%l) {kind = "max"}
  %d = arith.divf %s, %m : f32
  kernel.store %d, %y[%i, %j]
}

// SM80: remark: no matrix instruction: %k is not of both factors
kernel.func @weighted(out %y: !kernel.buf<[40, 24] x f32>, in %a: !kernel.buf<[40] x f16>, in %b: !kernel.buf<[20, 24] x f16>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%i]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Batches, a permuted factor, one that is computed, and what follows the sum.
// SM80: remark: is summed by m16n8k16 of f16
kernel.func @batches(out %y: !kernel.buf<[3, 24, 40] x f16>, in %a: !kernel.buf<[20, 3, 40] x f16>, in %b: !kernel.buf<[3, 24, 20] x f16>, in %c: !kernel.buf<[24] x f32>) {
  %n = kernel.range 0 to 3
  %j = kernel.range 0 to 24
  %i = kernel.range 0 to 40
  %k = kernel.range 0 to 20
  %0 = kernel.load %a[%k, %n, %i]
  %1 = kernel.load %b[%n, %j, %k]
  %one = arith.constant 1.0 : f16
  %r = arith.addf %0, %one : f16
  %2 = arith.extf %r : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %bias = kernel.load %c[%j]
  %t = arith.addf %s, %bias : f32
  %u = arith.truncf %t : f32 to f16
  kernel.store %u, %y[%n, %j, %i]
}

// A convolution is a product whose rows are positions and whose sum is over a window.
// SM80: remark: is summed by m16n8k16 of f16
kernel.func @convolution(out %y: !kernel.buf<[2, 5, 7, 7] x f32>, in %x: !kernel.buf<[2, 3, 9, 9] x f16>, in %w: !kernel.buf<[5, 3, 3, 3] x f16>) {
  %n = kernel.range 0 to 2
  %o = kernel.range 0 to 5
  %h = kernel.range 0 to 7
  %v = kernel.range 0 to 7
  %c = kernel.range 0 to 3
  %e = kernel.range 0 to 3
  %f = kernel.range 0 to 3
  %0 = kernel.load %x[%n, %c, %h + %e, %v + %f]
  %1 = kernel.load %w[%o, %c, %e, %f]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %p = arith.mulf %2, %3 : f32
  %s = kernel.reduce %p over(%c, %e, %f) {kind = "add"}
  kernel.store %s, %y[%n, %o, %h, %v]
}
