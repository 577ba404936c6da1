// RUN: teeny-opt %s -p tensor-cores{capability=sm_80},cse,dce --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p tensor-cores{capability=sm_80} --check-each -o %t
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
// CHECK-NEXT:      %block = kernel.range 0 to 1 grid.x
// CHECK-NEXT:      %thread = kernel.range 0 to 64 thread.x
// CHECK-NEXT:      %kk = kernel.range 0 to 2
// CHECK-NEXT:      %u = kernel.range 0 to 2 unroll
// CHECK-NEXT:      %v = kernel.range 0 to 3 unroll
// CHECK-NEXT:      %p = kernel.range 0 to 8 unroll
// CHECK-NEXT:      %q = kernel.range 0 to 4 unroll
// CHECK-NEXT:      %r = kernel.range 0 to 4 unroll
// CHECK-NEXT:      %0 = kernel.index (%thread mod 32) floordiv 4 + (%p floordiv 2) mod 2 * 8 + %thread floordiv 32 * 32 + %block * 64 + %u * 16
// CHECK-NEXT:      %1 = kernel.index 40
// CHECK-NEXT:      %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:      %3 = kernel.index %thread mod 4 * 2 + %kk * 16 + %p floordiv 4 * 8 + %p mod 2
// CHECK-NEXT:      %4 = kernel.index 20
// CHECK-NEXT:      %5 = arith.cmpi slt, %3, %4 : index
// CHECK-NEXT:      %6 = arith.andi %2, %5 : i1
// CHECK-NEXT:      %7 = kernel.index %thread mod 4 * 2 + %kk * 16 + %q floordiv 2 * 8 + %q mod 2
// CHECK-NEXT:      %8 = arith.cmpi slt, %7, %4 : index
// CHECK-NEXT:      %9 = kernel.index (%thread mod 32) floordiv 4 + %thread floordiv 32 * 32 + %block * 64 + %u * 16 + %r floordiv 2 * 8
// CHECK-NEXT:      %10 = arith.cmpi slt, %9, %1 : index
// CHECK-NEXT:      %11 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:      %12 = kernel.load %a[(%thread mod 32) floordiv 4 + (%p floordiv 2) mod 2 * 8 + %thread floordiv 32 * 32 + %block * 64 + %u * 16, %thread mod 4 * 2 + %p floordiv 4 * 8 + %p mod 2 + %kk * 16] if %6 else %11
// CHECK-NEXT:      %13 = kernel.load %b[%thread mod 4 * 2 + %kk * 16 + %q floordiv 2 * 8 + %q mod 2, (%thread mod 32) floordiv 4 + %v * 8] if %8 else %11
// CHECK-NEXT:      %s = kernel.mma %12(%p), %13(%q) over(%kk) as(%r) {shape = "m16n8k16", type = "f16"}
// CHECK-NEXT:      kernel.store %s, %y[(%thread mod 32) floordiv 4 + %thread floordiv 32 * 32 + %block * 64 + %u * 16 + %r floordiv 2 * 8, %thread mod 4 * 2 + %r mod 2 + %v * 8] if %10
// CHECK-NEXT:    }
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

// SM75: remark: no matrix instruction: there is none of i8, only of f16
// SM80: remark: is summed by m16n8k32 of s8
// TF32: remark: is summed by m16n8k32 of s8
// SM89: remark: is summed by m16n8k32 of s8
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
