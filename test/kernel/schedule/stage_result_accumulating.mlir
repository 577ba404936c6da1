// RUN: teeny-opt %s -p "kernel.func(split-range{range=k by=16 outer=ko inner=ki},stage-result{over=i,j accumulating=ko},order-ranges{order=ko,j,i,ir})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(split-range{range=k by=16 outer=ko inner=ki},stage-result{over=i,j accumulating=ko},order-ranges{order=ko,j,i,ir})" --check-each -o /dev/null

// Parts of the sum are added in turn, by a loop outside of those over the result.
kernel.func @in_parts(out %y: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 50] x f32>, in %b: !kernel.buf<[50, 8] x f32>, in %c: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 50
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %v, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %bias = kernel.load %c[%j]
  %t = arith.addf %s, %bias : f32
  kernel.store %t, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @in_parts(out %y: !kernel.buf<[4, 8] x f32>, in %a: !kernel.buf<[4, 50] x f32>, in %b: !kernel.buf<[50, 8] x f32>, in %c: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %ir = kernel.range 0 to 4
// CHECK-NEXT:     %jr = kernel.range 0 to 8
// CHECK-NEXT:     %ki = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %ki
// CHECK-NEXT:     %0 = kernel.index 50
// CHECK-NEXT:     %1 = arith.cmpi slt, %k, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %a[%i, %k] if %1 else %2
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %w = kernel.load %b[%k, %j] if %1 else %3
// CHECK-NEXT:     %p = arith.mulf %v, %w : f32
// CHECK-NEXT:     %4 = kernel.reduce %p over(%ki) {kind = "add"}
// CHECK-NEXT:     %tile = kernel.stage %4[%i, %j] over(%i, %j) accumulating(%ko) {kind = "add"} : !kernel.buf<[4, 8] x f32, local>
// CHECK-NEXT:     %s = kernel.load %tile[%ir, %jr]
// CHECK-NEXT:     %bias = kernel.load %c[%jr]
// CHECK-NEXT:     %t = arith.addf %s, %bias : f32
// CHECK-NEXT:     kernel.store %t, %y[%ir, %jr]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @in_parts:
// CHECK-NEXT:   //   %0 = kernel.index
// CHECK-NEXT:   //   for %ko in 0 to 4: 4 times
// CHECK-NEXT:   //     for %j in 0 to 8: 8 times
// CHECK-NEXT:   //       for %i in 0 to 4: 4 times
// CHECK-NEXT:   //         for %ki in 0 to 16: 16 times
// CHECK-NEXT:   //           %k = kernel.index
// CHECK-NEXT:   //           %v = kernel.load
// CHECK-NEXT:   //           %w = kernel.load
// CHECK-NEXT:   //           update %4
// CHECK-NEXT:   //         %4 = kernel.reduce
// CHECK-NEXT:   //         update %tile
// CHECK-NEXT:   //   %tile = kernel.stage
// CHECK-NEXT:   //   for %ir in 0 to 4: 4 times
// CHECK-NEXT:   //     for %jr in 0 to 8: 8 times
// CHECK-NEXT:   //       %s = kernel.load
// CHECK-NEXT:   //       %bias = kernel.load
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
