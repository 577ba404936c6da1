// RUN: teeny-opt %s -p running-products,cse,dce --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p running-products --split-input-file --check-each --verify-roundtrip -o %t
// RUN: teeny-opt %s -p running-products --split-input-file --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// Sizes that blocks do not divide: beyond the last key scores are -inf, beyond the other edges
// factors are zero, and nothing is stored there.
// WHY: remark: two products are computed in one pass: 64 rows, 64 of what is reduced at a time
kernel.func @edges(out %y: !kernel.buf<[40, 16] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
  %i = kernel.range 0 to 40
  %c = kernel.range 0 to 16
  %j3 = kernel.range 0 to 70
  %j2 = kernel.range 0 to 70
  %j1 = kernel.range 0 to 70
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %qf1 = arith.extf %q1 : f16 to f32
  %k1 = kernel.load %k[%j1, %d1]
  %kf1 = arith.extf %k1 : f16 to f32
  %qk1 = arith.mulf %qf1, %kf1 : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %qf2 = arith.extf %q2 : f16 to f32
  %k2 = kernel.load %k[%j2, %d2]
  %kf2 = arith.extf %k2 : f16 to f32
  %qk2 = arith.mulf %qf2, %kf2 : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %qf3 = arith.extf %q3 : f16 to f32
  %k3 = kernel.load %k[%j3, %d3]
  %kf3 = arith.extf %k3 : f16 to f32
  %qk3 = arith.mulf %qf3, %kf3 : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %n3 = arith.divf %p3, %l : f32
  %w16 = arith.truncf %n3 : f32 to f16
  %w3 = arith.extf %w16 : f16 to f32
  %v3 = kernel.load %v[%j3, %c]
  %vf = arith.extf %v3 : f16 to f32
  %o3 = arith.mulf %w3, %vf : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  %ot = arith.truncf %o : f32 to f16
  kernel.store %ot, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @edges(out %y: !kernel.buf<[40, 16] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
// CHECK-NEXT:     %block = kernel.range 0 to 1 grid.x
// CHECK-NEXT:     %thread = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %at = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %al = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ae = kernel.range 0 to 8 vector
// CHECK-NEXT:     %bt = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %bl = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %be = kernel.range 0 to 8 vector
// CHECK-NEXT:     %ct = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %cl = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %ce = kernel.range 0 to 8 vector
// CHECK-NEXT:     %s = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %v_1 = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %w = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %p = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %q_1 = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %r = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %t = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %c = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %h = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ks = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %u = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %0 = kernel.index (%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r floordiv 2 * 8
// CHECK-NEXT:     %1 = kernel.index 40
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:     %3 = kernel.index %at mod 4 * 8
// CHECK-NEXT:     %4 = kernel.index 24
// CHECK-NEXT:     %5 = arith.cmpi slt, %3, %4 : index
// CHECK-NEXT:     %6 = kernel.index %block * 64 + %at floordiv 4 + %al * 32
// CHECK-NEXT:     %7 = arith.cmpi slt, %6, %1 : index
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f16
// CHECK-NEXT:     %9 = arith.andi %7, %5 : i1
// CHECK-NEXT:     %q1 = kernel.load %q[%block * 64 + %at floordiv 4 + %al * 32, %at mod 4 * 8 + %ae] if %9 else %8
// CHECK-NEXT:     %qs = kernel.stage %q1[%at floordiv 4 + %al * 32, (%at floordiv 8 + %at mod 4) mod 4, %ae] over(%at, %al, %ae) : !kernel.buf<[64, 4, 8] x f16, shared>
// CHECK-NEXT:     %10 = kernel.index %bt mod 4 * 8
// CHECK-NEXT:     %11 = arith.cmpi slt, %10, %4 : index
// CHECK-NEXT:     %12 = kernel.index %jo * 64 + %bt floordiv 4 + %bl * 32
// CHECK-NEXT:     %13 = kernel.index 70
// CHECK-NEXT:     %14 = arith.cmpi slt, %12, %13 : index
// CHECK-NEXT:     %15 = arith.andi %14, %11 : i1
// CHECK-NEXT:     %k1 = kernel.load %k[%jo * 64 + %bt floordiv 4 + %bl * 32, %bt mod 4 * 8 + %be] if %15 else %8
// CHECK-NEXT:     %ks_1 = kernel.stage %k1[%bt floordiv 4 + %bl * 32, (%bt floordiv 8 + %bt mod 4) mod 4, %be] over(%bt, %bl, %be) : !kernel.buf<[64, 4, 8] x f16, shared>
// CHECK-NEXT:     %16 = kernel.load_matrix %qs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread floordiv 32 * 16 + %thread mod 8, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 2 + %s * 2) mod 4, 0] as(%p)
// CHECK-NEXT:     %17 = kernel.load_matrix %ks_1[((%thread mod 32) floordiv 16) mod 2 * 8 + %thread mod 8 + %v_1 * 16, (((%thread mod 32) floordiv 8) mod 2 + (%thread mod 8) floordiv 2 + %s * 2) mod 4, 0] as(%w, %q_1)
// CHECK-NEXT:     %18 = kernel.mma %16(%p), %17(%q_1) over(%s) as(%r) {shape = "m16n8k16", type = "f16"}
// CHECK-NEXT:     %19 = kernel.index %thread mod 4 * 2 + %jo * 64 + %v_1 * 16 + %w * 8 + %r mod 2
// CHECK-NEXT:     %20 = arith.cmpi slt, %19, %13 : index
// CHECK-NEXT:     %21 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %22 = arith.select %20, %18, %21 : f32
// CHECK-NEXT:     %scores = kernel.stage %22[%v_1 * 2 + %w, %r] over(%v_1, %w, %r) : !kernel.buf<[8, 4] x f32, local>
// CHECK-NEXT:     %23 = kernel.load %scores[%t, %h * 2 + %c]
// CHECK-NEXT:     %24 = kernel.reduce %23 over(%t, %c) {kind = "max"}
// CHECK-NEXT:     %25 = kernel.all_reduce %24 across(%thread) lanes(4) {kind = "max"}
// CHECK-NEXT:     %26 = kernel.scan %25 along %jo {kind = "max", exclusive}
// CHECK-NEXT:     %27 = arith.maximumf %26, %25 : f32
// CHECK-NEXT:     %28 = arith.cmpf oeq, %27, %21 : f32
// CHECK-NEXT:     %29 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %30 = arith.select %28, %29, %27 : f32
// CHECK-NEXT:     %31 = arith.cmpf oeq, %26, %30 : f32
// CHECK-NEXT:     %32 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %33 = arith.subf %26, %30 : f32
// CHECK-NEXT:     %34 = math.exp %33 {math.nonpositive} : f32
// CHECK-NEXT:     %35 = arith.select %31, %32, %34 : f32
// CHECK-NEXT:     %36 = arith.subf %23, %30 : f32
// CHECK-NEXT:     %37 = math.exp %36 fastmath<afn> {math.nonpositive} : f32
// CHECK-NEXT:     %38 = arith.truncf %37 : f32 to f16
// CHECK-NEXT:     %weights = kernel.stage %38[%t, %h * 2 + %c] over(%t, %h, %c) : !kernel.buf<[8, 4] x f16, local>
// CHECK-NEXT:     %39 = kernel.reduce %37 over(%t, %c) {kind = "add"}
// CHECK-NEXT:     %sums = kernel.stage %39[%h] over(%h) accumulating(%jo) scaled(%35) {kind = "add"} : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %40 = kernel.load %sums[%h]
// CHECK-NEXT:     %41 = kernel.all_reduce %40 across(%thread) lanes(4) {kind = "add"}
// CHECK-NEXT:     %totals = kernel.stage %41[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %42 = kernel.load %totals[%r floordiv 2]
// CHECK-NEXT:     %43 = arith.cmpf oeq, %42, %29 : f32
// CHECK-NEXT:     %44 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %l = arith.select %43, %44, %42 : f32
// CHECK-NEXT:     %45 = kernel.index %jo * 64 + %ct floordiv 2 + %cl * 64
// CHECK-NEXT:     %46 = arith.cmpi slt, %45, %13 : index
// CHECK-NEXT:     %v3 = kernel.load %v[%jo * 64 + %ct floordiv 2 + %cl * 64, %ct mod 2 * 8 + %ce] if %46 else %8
// CHECK-NEXT:     %vs = kernel.stage %v3[%ct floordiv 2 + %cl * 64, (%ct floordiv 8 + %ct mod 2) mod 2, %ce] over(%ct, %cl, %ce) : !kernel.buf<[64, 2, 8] x f16, shared>
// CHECK-NEXT:     %47 = kernel.load %weights[%ks * 2 + %p floordiv 4, %p mod 4]
// CHECK-NEXT:     %48 = kernel.load_matrix %vs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8 + %ks * 16, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 4) mod 2, 0] as(%w, %q_1) transposed
// CHECK-NEXT:     %49 = kernel.mma %47(%p), %48(%q_1) over(%ks) as(%r) {shape = "m16n8k16", type = "f16"}
// CHECK-NEXT:     %scales = kernel.stage %35[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %50 = kernel.load %scales[%r floordiv 2]
// CHECK-NEXT:     %results = kernel.stage %49[%u * 2 + %w, %r] over(%u, %w, %r) accumulating(%jo) scaled(%50) {kind = "add"} : !kernel.buf<[2, 4] x f32, local>
// CHECK-NEXT:     %51 = kernel.load %results[%u * 2 + %w, %r]
// CHECK-NEXT:     %52 = arith.divf %32, %l fastmath<afn> : f32
// CHECK-NEXT:     %o = arith.mulf %51, %52 : f32
// CHECK-NEXT:     %ot = arith.truncf %o : f32 to f16
// CHECK-NEXT:     kernel.store %ot, %y[(%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r floordiv 2 * 8, %thread mod 4 * 2 + %r mod 2 + %u * 16 + %w * 8] if %2
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Any number of keys: where there are none, sums stay 0.
// WHY: remark: two products are computed in one pass: 16 rows, 64 of what is reduced at a time
kernel.func @any(out %y: !kernel.buf<[16, 16] x bf16>, in %q: !kernel.buf<[16, 24] x bf16>, in %k: !kernel.buf<[N, 24] x bf16>, in %v: !kernel.buf<[N, 16] x bf16>) dims(N in 0..) {
  %i = kernel.range 0 to 16
  %c = kernel.range 0 to 16
  %j3 = kernel.range 0 to N
  %j2 = kernel.range 0 to N
  %j1 = kernel.range 0 to N
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %qf1 = arith.extf %q1 : bf16 to f32
  %k1 = kernel.load %k[%j1, %d1]
  %kf1 = arith.extf %k1 : bf16 to f32
  %qk1 = arith.mulf %qf1, %kf1 : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %qf2 = arith.extf %q2 : bf16 to f32
  %k2 = kernel.load %k[%j2, %d2]
  %kf2 = arith.extf %k2 : bf16 to f32
  %qk2 = arith.mulf %qf2, %kf2 : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %qf3 = arith.extf %q3 : bf16 to f32
  %k3 = kernel.load %k[%j3, %d3]
  %kf3 = arith.extf %k3 : bf16 to f32
  %qk3 = arith.mulf %qf3, %kf3 : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %n3 = arith.divf %p3, %l : f32
  %w16 = arith.truncf %n3 : f32 to bf16
  %w3 = arith.extf %w16 : bf16 to f32
  %v3 = kernel.load %v[%j3, %c]
  %vf = arith.extf %v3 : bf16 to f32
  %o3 = arith.mulf %w3, %vf : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  %ot = arith.truncf %o : f32 to bf16
  kernel.store %ot, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @any(out %y: !kernel.buf<[16, 16] x bf16>, in %q: !kernel.buf<[16, 24] x bf16>, in %k: !kernel.buf<[N, 24] x bf16>, in %v: !kernel.buf<[N, 16] x bf16>) dims(N in 0..) {
// CHECK-NEXT:     %block = kernel.range 0 to 1 grid.x
// CHECK-NEXT:     %thread = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %jo = kernel.range 0 to (N + 63) floordiv 64
// CHECK-NEXT:     %at = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %al = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ae = kernel.range 0 to 8 vector
// CHECK-NEXT:     %bt = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %bl = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %be = kernel.range 0 to 8 vector
// CHECK-NEXT:     %ct = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %cl = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ce = kernel.range 0 to 8 vector
// CHECK-NEXT:     %s = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %v_1 = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %w = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %p = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %q_1 = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %r = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %t = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %c = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %h = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ks = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %u = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %0 = kernel.index %at mod 4 * 8
// CHECK-NEXT:     %1 = kernel.index 24
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : bf16
// CHECK-NEXT:     %q1 = kernel.load %q[%block * 16 + %at floordiv 4 + %al * 8, %at mod 4 * 8 + %ae] if %2 else %3
// CHECK-NEXT:     %qs = kernel.stage %q1[%at floordiv 4 + %al * 8, (%at floordiv 8 + %at mod 4) mod 4, %ae] over(%at, %al, %ae) : !kernel.buf<[16, 4, 8] x bf16, shared>
// CHECK-NEXT:     %4 = kernel.index %bt mod 4 * 8
// CHECK-NEXT:     %5 = arith.cmpi slt, %4, %1 : index
// CHECK-NEXT:     %6 = kernel.index %jo * 64 + %bt floordiv 4 + %bl * 8
// CHECK-NEXT:     %7 = kernel.index N
// CHECK-NEXT:     %8 = arith.cmpi slt, %6, %7 : index
// CHECK-NEXT:     %9 = arith.andi %8, %5 : i1
// CHECK-NEXT:     %k1 = kernel.load %k[%jo * 64 + %bt floordiv 4 + %bl * 8, %bt mod 4 * 8 + %be] if %9 else %3
// CHECK-NEXT:     %ks_1 = kernel.stage %k1[%bt floordiv 4 + %bl * 8, (%bt floordiv 8 + %bt mod 4) mod 4, %be] over(%bt, %bl, %be) : !kernel.buf<[64, 4, 8] x bf16, shared>
// CHECK-NEXT:     %10 = kernel.load_matrix %qs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 2 + %s * 2) mod 4, 0] as(%p)
// CHECK-NEXT:     %11 = kernel.load_matrix %ks_1[((%thread mod 32) floordiv 16) mod 2 * 8 + %thread mod 8 + %v_1 * 16, (((%thread mod 32) floordiv 8) mod 2 + (%thread mod 8) floordiv 2 + %s * 2) mod 4, 0] as(%w, %q_1)
// CHECK-NEXT:     %12 = kernel.mma %10(%p), %11(%q_1) over(%s) as(%r) {shape = "m16n8k16", type = "bf16"}
// CHECK-NEXT:     %13 = kernel.index %thread mod 4 * 2 + %jo * 64 + %v_1 * 16 + %w * 8 + %r mod 2
// CHECK-NEXT:     %14 = arith.cmpi slt, %13, %7 : index
// CHECK-NEXT:     %15 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %16 = arith.select %14, %12, %15 : f32
// CHECK-NEXT:     %scores = kernel.stage %16[%v_1 * 2 + %w, %r] over(%v_1, %w, %r) : !kernel.buf<[8, 4] x f32, local>
// CHECK-NEXT:     %17 = kernel.load %scores[%t, %h * 2 + %c]
// CHECK-NEXT:     %18 = kernel.reduce %17 over(%t, %c) {kind = "max"}
// CHECK-NEXT:     %19 = kernel.all_reduce %18 across(%thread) lanes(4) {kind = "max"}
// CHECK-NEXT:     %20 = kernel.scan %19 along %jo {kind = "max", exclusive}
// CHECK-NEXT:     %21 = arith.maximumf %20, %19 : f32
// CHECK-NEXT:     %22 = arith.cmpf oeq, %21, %15 : f32
// CHECK-NEXT:     %23 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %24 = arith.select %22, %23, %21 : f32
// CHECK-NEXT:     %25 = arith.cmpf oeq, %20, %24 : f32
// CHECK-NEXT:     %26 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %27 = arith.subf %20, %24 : f32
// CHECK-NEXT:     %28 = math.exp %27 {math.nonpositive} : f32
// CHECK-NEXT:     %29 = arith.select %25, %26, %28 : f32
// CHECK-NEXT:     %30 = arith.subf %17, %24 : f32
// CHECK-NEXT:     %31 = math.exp %30 fastmath<afn> {math.nonpositive} : f32
// CHECK-NEXT:     %32 = arith.truncf %31 : f32 to bf16
// CHECK-NEXT:     %weights = kernel.stage %32[%t, %h * 2 + %c] over(%t, %h, %c) : !kernel.buf<[8, 4] x bf16, local>
// CHECK-NEXT:     %33 = kernel.reduce %31 over(%t, %c) {kind = "add"}
// CHECK-NEXT:     %sums = kernel.stage %33[%h] over(%h) accumulating(%jo) scaled(%29) {kind = "add"} : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %34 = kernel.load %sums[%h]
// CHECK-NEXT:     %35 = kernel.all_reduce %34 across(%thread) lanes(4) {kind = "add"}
// CHECK-NEXT:     %totals = kernel.stage %35[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %36 = kernel.load %totals[%r floordiv 2]
// CHECK-NEXT:     %37 = kernel.index 0
// CHECK-NEXT:     %38 = arith.cmpi slt, %37, %7 : index
// CHECK-NEXT:     %39 = arith.cmpf oeq, %36, %23 : f32
// CHECK-NEXT:     %40 = arith.andi %39, %38 : i1
// CHECK-NEXT:     %41 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %l = arith.select %40, %41, %36 : f32
// CHECK-NEXT:     %42 = kernel.index %jo * 64 + %ct floordiv 2 + %cl * 16
// CHECK-NEXT:     %43 = arith.cmpi slt, %42, %7 : index
// CHECK-NEXT:     %v3 = kernel.load %v[%jo * 64 + %ct floordiv 2 + %cl * 16, %ct mod 2 * 8 + %ce] if %43 else %3
// CHECK-NEXT:     %vs = kernel.stage %v3[%ct floordiv 2 + %cl * 16, (%ct floordiv 8 + %ct mod 2) mod 2, %ce] over(%ct, %cl, %ce) : !kernel.buf<[64, 2, 8] x bf16, shared>
// CHECK-NEXT:     %44 = kernel.load %weights[%ks * 2 + %p floordiv 4, %p mod 4]
// CHECK-NEXT:     %45 = kernel.load_matrix %vs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread mod 8 + %ks * 16, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 4) mod 2, 0] as(%w, %q_1) transposed
// CHECK-NEXT:     %46 = kernel.mma %44(%p), %45(%q_1) over(%ks) as(%r) {shape = "m16n8k16", type = "bf16"}
// CHECK-NEXT:     %scales = kernel.stage %29[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %47 = kernel.load %scales[%r floordiv 2]
// CHECK-NEXT:     %results = kernel.stage %46[%u * 2 + %w, %r] over(%u, %w, %r) accumulating(%jo) scaled(%47) {kind = "add"} : !kernel.buf<[2, 4] x f32, local>
// CHECK-NEXT:     %48 = kernel.load %results[%u * 2 + %w, %r]
// CHECK-NEXT:     %49 = arith.divf %26, %l fastmath<afn> : f32
// CHECK-NEXT:     %50 = arith.mulf %48, %49 : f32
// CHECK-NEXT:     %o = arith.select %38, %50, %48 : f32
// CHECK-NEXT:     %ot = arith.truncf %o : f32 to bf16
// CHECK-NEXT:     kernel.store %ot, %y[(%thread mod 32) floordiv 4 + %block * 16 + %r floordiv 2 * 8, %thread mod 4 * 2 + %r mod 2 + %u * 16 + %w * 8]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Not where rows are fewer than an instruction has,
// WHY: remark: two products are not computed in one pass: there are 8 rows at most, and not 16
kernel.func @few(out %y: !kernel.buf<[8, 16] x f16>, in %q: !kernel.buf<[8, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
  %i = kernel.range 0 to 8
  %c = kernel.range 0 to 16
  %j3 = kernel.range 0 to 70
  %j2 = kernel.range 0 to 70
  %j1 = kernel.range 0 to 70
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %qf1 = arith.extf %q1 : f16 to f32
  %k1 = kernel.load %k[%j1, %d1]
  %kf1 = arith.extf %k1 : f16 to f32
  %qk1 = arith.mulf %qf1, %kf1 : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %qf2 = arith.extf %q2 : f16 to f32
  %k2 = kernel.load %k[%j2, %d2]
  %kf2 = arith.extf %k2 : f16 to f32
  %qk2 = arith.mulf %qf2, %kf2 : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %qf3 = arith.extf %q3 : f16 to f32
  %k3 = kernel.load %k[%j3, %d3]
  %kf3 = arith.extf %k3 : f16 to f32
  %qk3 = arith.mulf %qf3, %kf3 : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %n3 = arith.divf %p3, %l : f32
  %w16 = arith.truncf %n3 : f32 to f16
  %w3 = arith.extf %w16 : f16 to f32
  %v3 = kernel.load %v[%j3, %c]
  %vf = arith.extf %v3 : f16 to f32
  %o3 = arith.mulf %w3, %vf : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  %ot = arith.truncf %o : f32 to f16
  kernel.store %ot, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @few(out %y: !kernel.buf<[8, 16] x f16>, in %q: !kernel.buf<[8, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %c = kernel.range 0 to 16
// CHECK-NEXT:     %j3 = kernel.range 0 to 70
// CHECK-NEXT:     %j2 = kernel.range 0 to 70
// CHECK-NEXT:     %j1 = kernel.range 0 to 70
// CHECK-NEXT:     %d1 = kernel.range 0 to 24
// CHECK-NEXT:     %q1 = kernel.load %q[%i, %d1]
// CHECK-NEXT:     %qf1 = arith.extf %q1 : f16 to f32
// CHECK-NEXT:     %k1 = kernel.load %k[%j1, %d1]
// CHECK-NEXT:     %kf1 = arith.extf %k1 : f16 to f32
// CHECK-NEXT:     %qk1 = arith.mulf %qf1, %kf1 : f32
// CHECK-NEXT:     %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
// CHECK-NEXT:     %m = kernel.reduce %s1 over(%j1) {kind = "max"}
// CHECK-NEXT:     %d2 = kernel.range 0 to 24
// CHECK-NEXT:     %q2 = kernel.load %q[%i, %d2]
// CHECK-NEXT:     %qf2 = arith.extf %q2 : f16 to f32
// CHECK-NEXT:     %k2 = kernel.load %k[%j2, %d2]
// CHECK-NEXT:     %kf2 = arith.extf %k2 : f16 to f32
// CHECK-NEXT:     %qk2 = arith.mulf %qf2, %kf2 : f32
// CHECK-NEXT:     %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
// CHECK-NEXT:     %x2 = arith.subf %s2, %m : f32
// CHECK-NEXT:     %p2 = math.exp %x2 : f32
// CHECK-NEXT:     %l = kernel.reduce %p2 over(%j2) {kind = "add"}
// CHECK-NEXT:     %d3 = kernel.range 0 to 24
// CHECK-NEXT:     %q3 = kernel.load %q[%i, %d3]
// CHECK-NEXT:     %qf3 = arith.extf %q3 : f16 to f32
// CHECK-NEXT:     %k3 = kernel.load %k[%j3, %d3]
// CHECK-NEXT:     %kf3 = arith.extf %k3 : f16 to f32
// CHECK-NEXT:     %qk3 = arith.mulf %qf3, %kf3 : f32
// CHECK-NEXT:     %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
// CHECK-NEXT:     %x3 = arith.subf %s3, %m : f32
// CHECK-NEXT:     %p3 = math.exp %x3 : f32
// CHECK-NEXT:     %n3 = arith.divf %p3, %l : f32
// CHECK-NEXT:     %w16 = arith.truncf %n3 : f32 to f16
// CHECK-NEXT:     %w3 = arith.extf %w16 : f16 to f32
// CHECK-NEXT:     %v3 = kernel.load %v[%j3, %c]
// CHECK-NEXT:     %vf = arith.extf %v3 : f16 to f32
// CHECK-NEXT:     %o3 = arith.mulf %w3, %vf : f32
// CHECK-NEXT:     %o = kernel.reduce %o3 over(%j3) {kind = "add"}
// CHECK-NEXT:     %ot = arith.truncf %o : f32 to f16
// CHECK-NEXT:     kernel.store %ot, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// where a warp has no registers for the columns,
// WHY: remark: two products are not computed in one pass: there are 136 columns, and not 128 at most
kernel.func @wide(out %y: !kernel.buf<[40, 136] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 136] x f16>) {
  %i = kernel.range 0 to 40
  %c = kernel.range 0 to 136
  %j3 = kernel.range 0 to 70
  %j2 = kernel.range 0 to 70
  %j1 = kernel.range 0 to 70
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %qf1 = arith.extf %q1 : f16 to f32
  %k1 = kernel.load %k[%j1, %d1]
  %kf1 = arith.extf %k1 : f16 to f32
  %qk1 = arith.mulf %qf1, %kf1 : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %qf2 = arith.extf %q2 : f16 to f32
  %k2 = kernel.load %k[%j2, %d2]
  %kf2 = arith.extf %k2 : f16 to f32
  %qk2 = arith.mulf %qf2, %kf2 : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %qf3 = arith.extf %q3 : f16 to f32
  %k3 = kernel.load %k[%j3, %d3]
  %kf3 = arith.extf %k3 : f16 to f32
  %qk3 = arith.mulf %qf3, %kf3 : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %n3 = arith.divf %p3, %l : f32
  %w16 = arith.truncf %n3 : f32 to f16
  %w3 = arith.extf %w16 : f16 to f32
  %v3 = kernel.load %v[%j3, %c]
  %vf = arith.extf %v3 : f16 to f32
  %o3 = arith.mulf %w3, %vf : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  %ot = arith.truncf %o : f32 to f16
  kernel.store %ot, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @wide(out %y: !kernel.buf<[40, 136] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 136] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 40
// CHECK-NEXT:     %c = kernel.range 0 to 136
// CHECK-NEXT:     %j3 = kernel.range 0 to 70
// CHECK-NEXT:     %j2 = kernel.range 0 to 70
// CHECK-NEXT:     %j1 = kernel.range 0 to 70
// CHECK-NEXT:     %d1 = kernel.range 0 to 24
// CHECK-NEXT:     %q1 = kernel.load %q[%i, %d1]
// CHECK-NEXT:     %qf1 = arith.extf %q1 : f16 to f32
// CHECK-NEXT:     %k1 = kernel.load %k[%j1, %d1]
// CHECK-NEXT:     %kf1 = arith.extf %k1 : f16 to f32
// CHECK-NEXT:     %qk1 = arith.mulf %qf1, %kf1 : f32
// CHECK-NEXT:     %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
// CHECK-NEXT:     %m = kernel.reduce %s1 over(%j1) {kind = "max"}
// CHECK-NEXT:     %d2 = kernel.range 0 to 24
// CHECK-NEXT:     %q2 = kernel.load %q[%i, %d2]
// CHECK-NEXT:     %qf2 = arith.extf %q2 : f16 to f32
// CHECK-NEXT:     %k2 = kernel.load %k[%j2, %d2]
// CHECK-NEXT:     %kf2 = arith.extf %k2 : f16 to f32
// CHECK-NEXT:     %qk2 = arith.mulf %qf2, %kf2 : f32
// CHECK-NEXT:     %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
// CHECK-NEXT:     %x2 = arith.subf %s2, %m : f32
// CHECK-NEXT:     %p2 = math.exp %x2 : f32
// CHECK-NEXT:     %l = kernel.reduce %p2 over(%j2) {kind = "add"}
// CHECK-NEXT:     %d3 = kernel.range 0 to 24
// CHECK-NEXT:     %q3 = kernel.load %q[%i, %d3]
// CHECK-NEXT:     %qf3 = arith.extf %q3 : f16 to f32
// CHECK-NEXT:     %k3 = kernel.load %k[%j3, %d3]
// CHECK-NEXT:     %kf3 = arith.extf %k3 : f16 to f32
// CHECK-NEXT:     %qk3 = arith.mulf %qf3, %kf3 : f32
// CHECK-NEXT:     %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
// CHECK-NEXT:     %x3 = arith.subf %s3, %m : f32
// CHECK-NEXT:     %p3 = math.exp %x3 : f32
// CHECK-NEXT:     %n3 = arith.divf %p3, %l : f32
// CHECK-NEXT:     %w16 = arith.truncf %n3 : f32 to f16
// CHECK-NEXT:     %w3 = arith.extf %w16 : f16 to f32
// CHECK-NEXT:     %v3 = kernel.load %v[%j3, %c]
// CHECK-NEXT:     %vf = arith.extf %v3 : f16 to f32
// CHECK-NEXT:     %o3 = arith.mulf %w3, %vf : f32
// CHECK-NEXT:     %o = kernel.reduce %o3 over(%j3) {kind = "add"}
// CHECK-NEXT:     %ot = arith.truncf %o : f32 to f16
// CHECK-NEXT:     kernel.store %ot, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// or where the second product is one of numbers that no instruction multiplies.
// WHY: remark: two products are not computed in one pass: there is no matrix instruction of f32 and f16 in f32
kernel.func @exact(out %y: !kernel.buf<[40, 16] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
  %i = kernel.range 0 to 40
  %c = kernel.range 0 to 16
  %j3 = kernel.range 0 to 70
  %j2 = kernel.range 0 to 70
  %j1 = kernel.range 0 to 70
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %qf1 = arith.extf %q1 : f16 to f32
  %k1 = kernel.load %k[%j1, %d1]
  %kf1 = arith.extf %k1 : f16 to f32
  %qk1 = arith.mulf %qf1, %kf1 : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %qf2 = arith.extf %q2 : f16 to f32
  %k2 = kernel.load %k[%j2, %d2]
  %kf2 = arith.extf %k2 : f16 to f32
  %qk2 = arith.mulf %qf2, %kf2 : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %qf3 = arith.extf %q3 : f16 to f32
  %k3 = kernel.load %k[%j3, %d3]
  %kf3 = arith.extf %k3 : f16 to f32
  %qk3 = arith.mulf %qf3, %kf3 : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %w3 = arith.divf %p3, %l : f32
  %v3 = kernel.load %v[%j3, %c]
  %vf = arith.extf %v3 : f16 to f32
  %o3 = arith.mulf %w3, %vf : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  %ot = arith.truncf %o : f32 to f16
  kernel.store %ot, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exact(out %y: !kernel.buf<[40, 16] x f16>, in %q: !kernel.buf<[40, 24] x f16>, in %k: !kernel.buf<[70, 24] x f16>, in %v: !kernel.buf<[70, 16] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 40
// CHECK-NEXT:     %c = kernel.range 0 to 16
// CHECK-NEXT:     %j3 = kernel.range 0 to 70
// CHECK-NEXT:     %j2 = kernel.range 0 to 70
// CHECK-NEXT:     %j1 = kernel.range 0 to 70
// CHECK-NEXT:     %d1 = kernel.range 0 to 24
// CHECK-NEXT:     %q1 = kernel.load %q[%i, %d1]
// CHECK-NEXT:     %qf1 = arith.extf %q1 : f16 to f32
// CHECK-NEXT:     %k1 = kernel.load %k[%j1, %d1]
// CHECK-NEXT:     %kf1 = arith.extf %k1 : f16 to f32
// CHECK-NEXT:     %qk1 = arith.mulf %qf1, %kf1 : f32
// CHECK-NEXT:     %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
// CHECK-NEXT:     %m = kernel.reduce %s1 over(%j1) {kind = "max"}
// CHECK-NEXT:     %d2 = kernel.range 0 to 24
// CHECK-NEXT:     %q2 = kernel.load %q[%i, %d2]
// CHECK-NEXT:     %qf2 = arith.extf %q2 : f16 to f32
// CHECK-NEXT:     %k2 = kernel.load %k[%j2, %d2]
// CHECK-NEXT:     %kf2 = arith.extf %k2 : f16 to f32
// CHECK-NEXT:     %qk2 = arith.mulf %qf2, %kf2 : f32
// CHECK-NEXT:     %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
// CHECK-NEXT:     %x2 = arith.subf %s2, %m : f32
// CHECK-NEXT:     %p2 = math.exp %x2 : f32
// CHECK-NEXT:     %l = kernel.reduce %p2 over(%j2) {kind = "add"}
// CHECK-NEXT:     %d3 = kernel.range 0 to 24
// CHECK-NEXT:     %q3 = kernel.load %q[%i, %d3]
// CHECK-NEXT:     %qf3 = arith.extf %q3 : f16 to f32
// CHECK-NEXT:     %k3 = kernel.load %k[%j3, %d3]
// CHECK-NEXT:     %kf3 = arith.extf %k3 : f16 to f32
// CHECK-NEXT:     %qk3 = arith.mulf %qf3, %kf3 : f32
// CHECK-NEXT:     %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
// CHECK-NEXT:     %x3 = arith.subf %s3, %m : f32
// CHECK-NEXT:     %p3 = math.exp %x3 : f32
// CHECK-NEXT:     %w3 = arith.divf %p3, %l : f32
// CHECK-NEXT:     %v3 = kernel.load %v[%j3, %c]
// CHECK-NEXT:     %vf = arith.extf %v3 : f16 to f32
// CHECK-NEXT:     %o3 = arith.mulf %w3, %vf : f32
// CHECK-NEXT:     %o = kernel.reduce %o3 over(%j3) {kind = "add"}
// CHECK-NEXT:     %ot = arith.truncf %o : f32 to f16
// CHECK-NEXT:     kernel.store %ot, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT: }

