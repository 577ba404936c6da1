// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=4 outer=io inner=iu loads=clamped},set-kind{range=iu kind=unroll},split-range{range=j by=8 outer=jo inner=jv},set-kind{range=jv kind=vector},stage-result{over=iu,jv},set-kind{range=iur kind=loop},order-ranges{order=jo,io})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(stage-result{over=i,j})" --check-each -o /dev/null

// What follows the sum runs in a loop over the rows of a tile; what is beyond the last row is in the
// tile, and is not stored.
kernel.func @product_tanh(out %y: !kernel.buf<[30, 24] x f32>, in %a: !kernel.buf<[30, 50] x f32>, in %b: !kernel.buf<[50, 24] x f32>, in %c: !kernel.buf<[24] x f32>) {
  %i = kernel.range 0 to 30
  %j = kernel.range 0 to 24
  %k = kernel.range 0 to 50
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %bias = kernel.load %c[%j]
  %t = arith.addf %s, %bias : f32
  %u = math.tanh %t : f32
  kernel.store %u, %y[%i, %j]
}

// Several stores take the one sum; what does not depend on it moves along where they need it.
kernel.func @two_results(out %y: !kernel.buf<[4, 8] x f32>, out %z: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j, %k]
  %s = kernel.reduce %v over(%k) {kind = "max"}
  %e = math.exp %s : f32
  kernel.store %e, %y[%i, %j]
  %n = arith.negf %s : f32
  kernel.store %n, %z[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product_tanh(out %y: !kernel.buf<[30, 24] x f32>, in %a: !kernel.buf<[30, 50] x f32>, in %b: !kernel.buf<[50, 24] x f32>, in %c: !kernel.buf<[24] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iur = kernel.range 0 to 4
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iur
// CHECK-NEXT:     %i_1 = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %0 = kernel.index 30
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(%i_1, 29)
// CHECK-NEXT:     %jvr = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %jvr
// CHECK-NEXT:     %j_1 = kernel.index %jo * 8 + %jv
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %v = kernel.load %a[%2, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j_1]
// CHECK-NEXT:     %p = arith.mulf %v, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     %tile = kernel.stage %s[%iu, %jv] over(%iu, %jv) : !kernel.buf<[4, 8] x f32, local>
// CHECK-NEXT:     %s_1 = kernel.load %tile[%iur, %jvr]
// CHECK-NEXT:     %bias = kernel.load %c[%j]
// CHECK-NEXT:     %t = arith.addf %s_1, %bias : f32
// CHECK-NEXT:     %u = math.tanh %t : f32
// CHECK-NEXT:     kernel.store %u, %y[%i, %j] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @product_tanh:
// CHECK-NEXT:   //   %0 = kernel.index
// CHECK-NEXT:   //   for %jo in 0 to 3: 3 times
// CHECK-NEXT:   //     %j = kernel.index
// CHECK-NEXT:   //     %j_1 = kernel.index
// CHECK-NEXT:   //     %bias = kernel.load
// CHECK-NEXT:   //     for %io in 0 to 8: 8 times
// CHECK-NEXT:   //       %i_1 = kernel.index
// CHECK-NEXT:   //       %2 = kernel.index
// CHECK-NEXT:   //       for %k in 0 to 50: 50 times
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         %w = kernel.load
// CHECK-NEXT:   //         update %s
// CHECK-NEXT:   //       %s = kernel.reduce
// CHECK-NEXT:   //       update %tile
// CHECK-NEXT:   //       %tile = kernel.stage
// CHECK-NEXT:   //       for %iur in 0 to 4: 4 times
// CHECK-NEXT:   //         %i = kernel.index
// CHECK-NEXT:   //         %s_1 = kernel.load
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @two_results(out %y: !kernel.buf<[4, 8] x f32>, out %z: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8, 50] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 1
// CHECK-NEXT:     %iur = kernel.range 0 to 4
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iur
// CHECK-NEXT:     %i_1 = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jvr = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %jvr
// CHECK-NEXT:     %j_1 = kernel.index %jo * 8 + %jv
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %v = kernel.load %x[%i_1, %j_1, %k]
// CHECK-NEXT:     %s = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %tile = kernel.stage %s[%iu, %jv] over(%iu, %jv) : !kernel.buf<[4, 8] x f32, local>
// CHECK-NEXT:     %s_1 = kernel.load %tile[%iur, %jvr]
// CHECK-NEXT:     %e = math.exp %s_1 : f32
// CHECK-NEXT:     kernel.store %e, %y[%i, %j]
// CHECK-NEXT:     %n = arith.negf %s_1 : f32
// CHECK-NEXT:     kernel.store %n, %z[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @two_results:
// CHECK-NEXT:   //   for %jo in 0 to 1: 1 times
// CHECK-NEXT:   //     %j = kernel.index
// CHECK-NEXT:   //     %j_1 = kernel.index
// CHECK-NEXT:   //     for %io in 0 to 1: 1 times
// CHECK-NEXT:   //       %i_1 = kernel.index
// CHECK-NEXT:   //       for %k in 0 to 50: 50 times
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         update %s
// CHECK-NEXT:   //       %s = kernel.reduce
// CHECK-NEXT:   //       update %tile
// CHECK-NEXT:   //       %tile = kernel.stage
// CHECK-NEXT:   //       for %iur in 0 to 4: 4 times
// CHECK-NEXT:   //         %i = kernel.index
// CHECK-NEXT:   //         %s_1 = kernel.load
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT: }
