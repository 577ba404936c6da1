// RUN: teeny-opt %s -p running-products,cse,dce | FileCheck %s
// RUN: teeny-opt %s -p running-products{tf32=true},cse,dce | FileCheck %s --check-prefix=TF32
// RUN: teeny-opt %s -p running-products --check-each --verify-roundtrip -o %t

// f32 is multiplied by threads: four lanes have the features of a query, and the sums of all keys.
// As tf32 it is multiplied by matrix instructions: the values of neighbouring keys stand four apart.
kernel.func @attention(out %y: !kernel.buf<[40, 16] x f32>, in %q: !kernel.buf<[40, 24] x f32>, in %k: !kernel.buf<[70, 24] x f32>, in %v: !kernel.buf<[70, 16] x f32>) {
  %i = kernel.range 0 to 40
  %c = kernel.range 0 to 16
  %j3 = kernel.range 0 to 70
  %j2 = kernel.range 0 to 70
  %j1 = kernel.range 0 to 70
  %d1 = kernel.range 0 to 24
  %q1 = kernel.load %q[%i, %d1]
  %k1 = kernel.load %k[%j1, %d1]
  %qk1 = arith.mulf %q1, %k1 fastmath<contract> : f32
  %s1 = kernel.reduce %qk1 over(%d1) {kind = "add"}
  %m = kernel.reduce %s1 over(%j1) {kind = "max"}
  %d2 = kernel.range 0 to 24
  %q2 = kernel.load %q[%i, %d2]
  %k2 = kernel.load %k[%j2, %d2]
  %qk2 = arith.mulf %q2, %k2 fastmath<contract> : f32
  %s2 = kernel.reduce %qk2 over(%d2) {kind = "add"}
  %x2 = arith.subf %s2, %m : f32
  %p2 = math.exp %x2 : f32
  %l = kernel.reduce %p2 over(%j2) {kind = "add"}
  %d3 = kernel.range 0 to 24
  %q3 = kernel.load %q[%i, %d3]
  %k3 = kernel.load %k[%j3, %d3]
  %qk3 = arith.mulf %q3, %k3 fastmath<contract> : f32
  %s3 = kernel.reduce %qk3 over(%d3) {kind = "add"}
  %x3 = arith.subf %s3, %m : f32
  %p3 = math.exp %x3 : f32
  %n3 = arith.divf %p3, %l : f32
  %v3 = kernel.load %v[%j3, %c]
  %o3 = arith.mulf %n3, %v3 fastmath<contract> : f32
  %o = kernel.reduce %o3 over(%j3) {kind = "add"}
  kernel.store %o, %y[%i, %c]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @attention(out %y: !kernel.buf<[40, 16] x f32>, in %q: !kernel.buf<[40, 24] x f32>, in %k: !kernel.buf<[70, 24] x f32>, in %v: !kernel.buf<[70, 16] x f32>) {
// CHECK-NEXT:     %block = kernel.range 0 to 1 grid.x
// CHECK-NEXT:     %thread = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %jo = kernel.range 0 to 5
// CHECK-NEXT:     %bt = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %bl = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %be = kernel.range 0 to 4 vector
// CHECK-NEXT:     %ct = kernel.range 0 to 128 thread.x
// CHECK-NEXT:     %cl = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %ce = kernel.range 0 to 2 vector
// CHECK-NEXT:     %y_1 = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %f = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %x = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %z = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %d = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %t = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %h = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %ks = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %g = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %r = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %0 = kernel.index (%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r * 8
// CHECK-NEXT:     %1 = kernel.index 40
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %1 : index
// CHECK-NEXT:     %3 = kernel.index (%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %y_1 * 8
// CHECK-NEXT:     %4 = arith.cmpi slt, %3, %1 : index
// CHECK-NEXT:     %5 = kernel.index %thread mod 4 * 4 + %f floordiv 4 * 16 + %f mod 4
// CHECK-NEXT:     %6 = kernel.index 24
// CHECK-NEXT:     %7 = arith.cmpi slt, %5, %6 : index
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %9 = arith.andi %4, %7 : i1
// CHECK-NEXT:     %q1 = kernel.load %q[(%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %y_1 * 8, %thread mod 4 * 4 + %f floordiv 4 * 16 + %f mod 4] if %9 else %8
// CHECK-NEXT:     %qs = kernel.stage %q1[%y_1, %f] over(%y_1, %f) : !kernel.buf<[2, 8] x f32, local>
// CHECK-NEXT:     %10 = kernel.index %bt mod 8 * 4
// CHECK-NEXT:     %11 = arith.cmpi slt, %10, %6 : index
// CHECK-NEXT:     %12 = kernel.index %jo * 16 + %bt floordiv 8 + %bl * 16
// CHECK-NEXT:     %13 = kernel.index 70
// CHECK-NEXT:     %14 = arith.cmpi slt, %12, %13 : index
// CHECK-NEXT:     %15 = arith.andi %14, %11 : i1
// CHECK-NEXT:     %k1 = kernel.load %k[%jo * 16 + %bt floordiv 8 + %bl * 16, %bt mod 8 * 4 + %be] if %15 else %8
// CHECK-NEXT:     %ks_1 = kernel.stage %k1[%bt floordiv 8 + %bl * 16, %bt mod 8 * 4 + %be] over(%bt, %bl, %be) : !kernel.buf<[16, 32] x f32, shared>
// CHECK-NEXT:     %16 = kernel.load %qs[%z, %d]
// CHECK-NEXT:     %17 = kernel.load %ks_1[%x, %thread mod 4 * 4 + %d floordiv 4 * 16 + %d mod 4]
// CHECK-NEXT:     %18 = arith.mulf %16, %17 fastmath<contract> : f32
// CHECK-NEXT:     %19 = kernel.reduce %18 over(%d) {kind = "add"}
// CHECK-NEXT:     %20 = kernel.all_reduce %19 across(%thread) lanes(4) {kind = "add"}
// CHECK-NEXT:     %21 = kernel.index %jo * 16 + %x
// CHECK-NEXT:     %22 = arith.cmpi slt, %21, %13 : index
// CHECK-NEXT:     %23 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %24 = arith.select %22, %20, %23 : f32
// CHECK-NEXT:     %scores = kernel.stage %24[%z, %x] over(%z, %x) : !kernel.buf<[2, 16] x f32, local>
// CHECK-NEXT:     %25 = kernel.load %scores[%h, %t]
// CHECK-NEXT:     %26 = kernel.reduce %25 over(%t) {kind = "max"}
// CHECK-NEXT:     %27 = kernel.scan %26 along %jo {kind = "max", exclusive}
// CHECK-NEXT:     %28 = arith.maximumf %27, %26 : f32
// CHECK-NEXT:     %29 = arith.cmpf oeq, %28, %23 : f32
// CHECK-NEXT:     %30 = arith.select %29, %8, %28 : f32
// CHECK-NEXT:     %31 = arith.cmpf oeq, %27, %30 : f32
// CHECK-NEXT:     %32 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %33 = arith.subf %27, %30 : f32
// CHECK-NEXT:     %34 = math.exp %33 {math.nonpositive} : f32
// CHECK-NEXT:     %35 = arith.select %31, %32, %34 : f32
// CHECK-NEXT:     %36 = arith.subf %25, %30 : f32
// CHECK-NEXT:     %37 = math.exp %36 {math.nonpositive} : f32
// CHECK-NEXT:     %weights = kernel.stage %37[%h, %t] over(%h, %t) : !kernel.buf<[2, 16] x f32, local>
// CHECK-NEXT:     %38 = kernel.reduce %37 over(%t) {kind = "add"}
// CHECK-NEXT:     %sums = kernel.stage %38[%h] over(%h) accumulating(%jo) scaled(%35) {kind = "add"} : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %39 = kernel.load %sums[%h]
// CHECK-NEXT:     %totals = kernel.stage %39[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %40 = kernel.load %totals[%r]
// CHECK-NEXT:     %41 = arith.cmpf oeq, %40, %8 : f32
// CHECK-NEXT:     %42 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %l = arith.select %41, %42, %40 : f32
// CHECK-NEXT:     %43 = kernel.index %jo * 16 + %ct floordiv 8 + %cl * 16
// CHECK-NEXT:     %44 = arith.cmpi slt, %43, %13 : index
// CHECK-NEXT:     %v3 = kernel.load %v[%jo * 16 + %ct floordiv 8 + %cl * 16, %ct mod 8 * 2 + %ce] if %44 else %8
// CHECK-NEXT:     %vs = kernel.stage %v3[%ct floordiv 8 + %cl * 16, %ct mod 8 * 2 + %ce] over(%ct, %cl, %ce) : !kernel.buf<[16, 16] x f32, shared>
// CHECK-NEXT:     %45 = kernel.load %weights[%r, %ks]
// CHECK-NEXT:     %46 = kernel.load %vs[%ks, %thread mod 4 * 4 + %g floordiv 4 * 16 + %g mod 4]
// CHECK-NEXT:     %47 = arith.mulf %45, %46 fastmath<contract> : f32
// CHECK-NEXT:     %48 = kernel.reduce %47 over(%ks) {kind = "add"}
// CHECK-NEXT:     %scales = kernel.stage %35[%h] over(%h) : !kernel.buf<[2] x f32, local>
// CHECK-NEXT:     %49 = kernel.load %scales[%r]
// CHECK-NEXT:     %results = kernel.stage %48[%r, %g] over(%r, %g) accumulating(%jo) scaled(%49) {kind = "add"} : !kernel.buf<[2, 4] x f32, local>
// CHECK-NEXT:     %50 = kernel.load %results[%r, %g]
// CHECK-NEXT:     %51 = arith.divf %32, %l : f32
// CHECK-NEXT:     %o = arith.mulf %50, %51 : f32
// CHECK-NEXT:     kernel.store %o, %y[(%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r * 8, %thread mod 4 * 4 + %g floordiv 4 * 16 + %g mod 4] if %2
// CHECK-NEXT:   }
// CHECK-NEXT: }

// TF32:      builtin.module {
// TF32-NEXT:   kernel.func @attention(out %y: !kernel.buf<[40, 16] x f32>, in %q: !kernel.buf<[40, 24] x f32>, in %k: !kernel.buf<[70, 24] x f32>, in %v: !kernel.buf<[70, 16] x f32>) {
// TF32-NEXT:     %block = kernel.range 0 to 1 grid.x
// TF32-NEXT:     %thread = kernel.range 0 to 128 thread.x
// TF32-NEXT:     %jo = kernel.range 0 to 2
// TF32-NEXT:     %at = kernel.range 0 to 128 thread.x
// TF32-NEXT:     %al = kernel.range 0 to 3 unroll
// TF32-NEXT:     %ae = kernel.range 0 to 4 vector
// TF32-NEXT:     %bt = kernel.range 0 to 128 thread.x
// TF32-NEXT:     %bl = kernel.range 0 to 3 unroll
// TF32-NEXT:     %be = kernel.range 0 to 4 vector
// TF32-NEXT:     %ct = kernel.range 0 to 128 thread.x
// TF32-NEXT:     %cl = kernel.range 0 to 2 unroll
// TF32-NEXT:     %ce = kernel.range 0 to 4 vector
// TF32-NEXT:     %s = kernel.range 0 to 3 unroll
// TF32-NEXT:     %v_1 = kernel.range 0 to 4 unroll
// TF32-NEXT:     %w = kernel.range 0 to 2 unroll
// TF32-NEXT:     %p = kernel.range 0 to 4 unroll
// TF32-NEXT:     %q_1 = kernel.range 0 to 2 unroll
// TF32-NEXT:     %r = kernel.range 0 to 4 unroll
// TF32-NEXT:     %t = kernel.range 0 to 8 unroll
// TF32-NEXT:     %c = kernel.range 0 to 2 unroll
// TF32-NEXT:     %h = kernel.range 0 to 2 unroll
// TF32-NEXT:     %ks = kernel.range 0 to 8 unroll
// TF32-NEXT:     %u = kernel.range 0 to 1 unroll
// TF32-NEXT:     %0 = kernel.index (%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r floordiv 2 * 8
// TF32-NEXT:     %1 = kernel.index 40
// TF32-NEXT:     %2 = arith.cmpi slt, %0, %1 : index
// TF32-NEXT:     %3 = kernel.index (%at + %al * 128) floordiv 6 + %block * 64
// TF32-NEXT:     %4 = arith.cmpi slt, %3, %1 : index
// TF32-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// TF32-NEXT:     %q1 = kernel.load %q[(%at + %al * 128) floordiv 6 + %block * 64, (%at + %al * 128) mod 6 * 4 + %ae] if %4 else %5
// TF32-NEXT:     %qs = kernel.stage %q1[(%at + %al * 128) floordiv 6, ((%at + %al * 128) floordiv 24 + (%at + %al * 128) mod 6) mod 2 + ((%at + %al * 128) mod 6) floordiv 2 * 2, %ae] over(%at, %al, %ae) : !kernel.buf<[64, 6, 4] x f32, shared>
// TF32-NEXT:     %6 = kernel.index (%bt + %bl * 128) floordiv 6 + %jo * 64
// TF32-NEXT:     %7 = kernel.index 70
// TF32-NEXT:     %8 = arith.cmpi slt, %6, %7 : index
// TF32-NEXT:     %k1 = kernel.load %k[(%bt + %bl * 128) floordiv 6 + %jo * 64, (%bt + %bl * 128) mod 6 * 4 + %be] if %8 else %5
// TF32-NEXT:     %ks_1 = kernel.stage %k1[(%bt + %bl * 128) floordiv 6, ((%bt + %bl * 128) floordiv 24 + (%bt + %bl * 128) mod 6) mod 2 + ((%bt + %bl * 128) mod 6) floordiv 2 * 2, %be] over(%bt, %bl, %be) : !kernel.buf<[64, 6, 4] x f32, shared>
// TF32-NEXT:     %9 = kernel.load_matrix %qs[((%thread mod 32) floordiv 8) mod 2 * 8 + %thread floordiv 32 * 16 + %thread mod 8, (((%thread mod 32) floordiv 16) mod 2 + (%thread mod 8) floordiv 4) mod 2 + (((%thread mod 32) floordiv 16) mod 2) floordiv 2 * 2 + %s * 2, 0] as(%p)
// TF32-NEXT:     %10 = kernel.load_matrix %ks_1[((%thread mod 32) floordiv 16) mod 2 * 8 + %thread mod 8 + %v_1 * 16, (((%thread mod 32) floordiv 8) mod 2 + (%thread mod 8) floordiv 4) mod 2 + (((%thread mod 32) floordiv 8) mod 2) floordiv 2 * 2 + %s * 2, 0] as(%w, %q_1)
// TF32-NEXT:     %11 = kernel.mma %9(%p), %10(%q_1) over(%s) as(%r) {shape = "m16n8k8", type = "tf32"}
// TF32-NEXT:     %12 = kernel.index %thread mod 4 * 2 + %jo * 64 + %v_1 * 16 + %w * 8 + %r mod 2
// TF32-NEXT:     %13 = arith.cmpi slt, %12, %7 : index
// TF32-NEXT:     %14 = arith.constant 0xff800000 : f32
// TF32-NEXT:     %15 = arith.select %13, %11, %14 : f32
// TF32-NEXT:     %scores = kernel.stage %15[%v_1 * 2 + %w, %r] over(%v_1, %w, %r) : !kernel.buf<[8, 4] x f32, local>
// TF32-NEXT:     %16 = kernel.load %scores[%t, %h * 2 + %c]
// TF32-NEXT:     %17 = kernel.reduce %16 over(%t, %c) {kind = "max"}
// TF32-NEXT:     %18 = kernel.all_reduce %17 across(%thread) lanes(4) {kind = "max"}
// TF32-NEXT:     %19 = kernel.scan %18 along %jo {kind = "max", exclusive}
// TF32-NEXT:     %20 = arith.maximumf %19, %18 : f32
// TF32-NEXT:     %21 = arith.cmpf oeq, %20, %14 : f32
// TF32-NEXT:     %22 = arith.select %21, %5, %20 : f32
// TF32-NEXT:     %23 = arith.cmpf oeq, %19, %22 : f32
// TF32-NEXT:     %24 = arith.constant 1.000000e+00 : f32
// TF32-NEXT:     %25 = arith.subf %19, %22 : f32
// TF32-NEXT:     %26 = math.exp %25 {math.nonpositive} : f32
// TF32-NEXT:     %27 = arith.select %23, %24, %26 : f32
// TF32-NEXT:     %28 = arith.subf %16, %22 : f32
// TF32-NEXT:     %29 = math.exp %28 {math.nonpositive} : f32
// TF32-NEXT:     %weights = kernel.stage %29[%t, %h * 2 + %c] over(%t, %h, %c) : !kernel.buf<[8, 4] x f32, local>
// TF32-NEXT:     %30 = kernel.reduce %29 over(%t, %c) {kind = "add"}
// TF32-NEXT:     %sums = kernel.stage %30[%h] over(%h) accumulating(%jo) scaled(%27) {kind = "add"} : !kernel.buf<[2] x f32, local>
// TF32-NEXT:     %31 = kernel.load %sums[%h]
// TF32-NEXT:     %32 = kernel.all_reduce %31 across(%thread) lanes(4) {kind = "add"}
// TF32-NEXT:     %totals = kernel.stage %32[%h] over(%h) : !kernel.buf<[2] x f32, local>
// TF32-NEXT:     %33 = kernel.load %totals[%r floordiv 2]
// TF32-NEXT:     %34 = arith.cmpf oeq, %33, %5 : f32
// TF32-NEXT:     %35 = arith.constant 0x7fc00000 : f32
// TF32-NEXT:     %l = arith.select %34, %35, %33 : f32
// TF32-NEXT:     %36 = kernel.index ((%ct floordiv 4) mod 8) floordiv 4 + (%ct floordiv 4) mod 4 * 2 + %ct floordiv 32 * 8 + %jo * 64 + %cl * 32
// TF32-NEXT:     %37 = arith.cmpi slt, %36, %7 : index
// TF32-NEXT:     %v3 = kernel.load %v[((%ct floordiv 4) mod 8) floordiv 4 + (%ct floordiv 4) mod 4 * 2 + %ct floordiv 32 * 8 + %jo * 64 + %cl * 32, %ct mod 4 * 4 + %ce] if %37 else %5
// TF32-NEXT:     %vs = kernel.stage %v3[%ct floordiv 4 + %cl * 32, (%ct floordiv 8 * 2 + %ct mod 4) mod 4, %ce] over(%ct, %cl, %ce) : !kernel.buf<[64, 4, 4] x f32, shared>
// TF32-NEXT:     %38 = kernel.load %weights[%ks, %p floordiv 2 + %p mod 2 * 2]
// TF32-NEXT:     %39 = kernel.load %vs[%thread mod 4 + %q_1 * 4 + %ks * 8, ((%thread mod 32) floordiv 16 + (%thread mod 4) floordiv 2 * 2 + %w * 2) mod 4, ((%thread mod 32) floordiv 4) mod 4]
// TF32-NEXT:     %40 = kernel.mma %38(%p), %39(%q_1) over(%ks) as(%r) {shape = "m16n8k8", type = "tf32"}
// TF32-NEXT:     %scales = kernel.stage %27[%h] over(%h) : !kernel.buf<[2] x f32, local>
// TF32-NEXT:     %41 = kernel.load %scales[%r floordiv 2]
// TF32-NEXT:     %results = kernel.stage %40[%u * 2 + %w, %r] over(%u, %w, %r) accumulating(%jo) scaled(%41) {kind = "add"} : !kernel.buf<[2, 4] x f32, local>
// TF32-NEXT:     %42 = kernel.load %results[%u * 2 + %w, %r]
// TF32-NEXT:     %43 = arith.divf %24, %l : f32
// TF32-NEXT:     %o = arith.mulf %42, %43 : f32
// TF32-NEXT:     kernel.store %o, %y[(%thread mod 32) floordiv 4 + %thread floordiv 32 * 16 + %block * 64 + %r floordiv 2 * 8, %thread mod 4 * 2 + %r mod 2 + %u * 16 + %w * 8] if %2
// TF32-NEXT:   }
// TF32-NEXT: }

