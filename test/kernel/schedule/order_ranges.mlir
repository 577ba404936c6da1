// RUN: teeny-opt %s -p "kernel.func(order-ranges{order=j,i})" --print-kernel-nest | FileCheck %s

kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 96
// CHECK-NEXT:     %i = kernel.range 0 to 100
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @product:
// CHECK-NEXT:   //   for %j in 0 to 96: 96 times
// CHECK-NEXT:   //     for %i in 0 to 100: 100 times
// CHECK-NEXT:   //       for %k in 0 to 70: 70 times
// CHECK-NEXT:   //         %x = kernel.load
// CHECK-NEXT:   //         %w = kernel.load
// CHECK-NEXT:   //         update %s
// CHECK-NEXT:   //       %s = kernel.reduce
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
