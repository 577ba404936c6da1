// RUN: teeny-opt %s -p "kernel.func(split-range{range=j by=32},pack-buffer{buffer=b over=k,ji})" --print-kernel-nest | FileCheck %s

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

// What is computed from the load alone is in the panel.
kernel.func @widened(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f16>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %h = kernel.load %b[%k, %j]
  %w = arith.extf %h : f16 to f32
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// An argument has the name of the panel already.
kernel.func @named(out %y: !kernel.buf<[100, 96] x f32>, in %b_panel: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %x = kernel.load %b_panel[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 100
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ji = kernel.range 0 to 32
// CHECK-NEXT:     %j = kernel.index %jo * 32 + %ji
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %jip = kernel.range 0 to 32
// CHECK-NEXT:     %j_1 = kernel.index %jo * 32 + %jip
// CHECK-NEXT:     %w = kernel.load %b[%kp, %j_1]
// CHECK-NEXT:     %b_panel = kernel.stage %w[%kp, %jip] over(%kp, %jip) : !kernel.buf<[70, 32] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel[%k, %ji]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @product:
// CHECK-NEXT:   //   for %i in 0 to 100: 100 times
// CHECK-NEXT:   //     for %jo in 0 to 3: 3 times
// CHECK-NEXT:   //       for %kp in 0 to 70: 70 times
// CHECK-NEXT:   //         for %jip in 0 to 32: 32 times
// CHECK-NEXT:   //           %j_1 = kernel.index
// CHECK-NEXT:   //           %w = kernel.load
// CHECK-NEXT:   //           update %b_panel
// CHECK-NEXT:   //       %b_panel = kernel.stage
// CHECK-NEXT:   //       for %ji in 0 to 32: 32 times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         for %k in 0 to 70: 70 times
// CHECK-NEXT:   //           %x = kernel.load
// CHECK-NEXT:   //           %w_1 = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @widened(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 100
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ji = kernel.range 0 to 32
// CHECK-NEXT:     %j = kernel.index %jo * 32 + %ji
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %jip = kernel.range 0 to 32
// CHECK-NEXT:     %j_1 = kernel.index %jo * 32 + %jip
// CHECK-NEXT:     %h = kernel.load %b[%kp, %j_1]
// CHECK-NEXT:     %w = arith.extf %h : f16 to f32
// CHECK-NEXT:     %b_panel = kernel.stage %w[%kp, %jip] over(%kp, %jip) : !kernel.buf<[70, 32] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel[%k, %ji]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @widened:
// CHECK-NEXT:   //   for %i in 0 to 100: 100 times
// CHECK-NEXT:   //     for %jo in 0 to 3: 3 times
// CHECK-NEXT:   //       for %kp in 0 to 70: 70 times
// CHECK-NEXT:   //         for %jip in 0 to 32: 32 times
// CHECK-NEXT:   //           %j_1 = kernel.index
// CHECK-NEXT:   //           %h = kernel.load
// CHECK-NEXT:   //           update %b_panel
// CHECK-NEXT:   //       %b_panel = kernel.stage
// CHECK-NEXT:   //       for %ji in 0 to 32: 32 times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         for %k in 0 to 70: 70 times
// CHECK-NEXT:   //           %x = kernel.load
// CHECK-NEXT:   //           %w_1 = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT:   kernel.func @named(out %y: !kernel.buf<[100, 96] x f32>, in %b_panel: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 100
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ji = kernel.range 0 to 32
// CHECK-NEXT:     %j = kernel.index %jo * 32 + %ji
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %b_panel[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %jip = kernel.range 0 to 32
// CHECK-NEXT:     %j_1 = kernel.index %jo * 32 + %jip
// CHECK-NEXT:     %w = kernel.load %b[%kp, %j_1]
// CHECK-NEXT:     %b_panel2 = kernel.stage %w[%kp, %jip] over(%kp, %jip) : !kernel.buf<[70, 32] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel2[%k, %ji]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @named:
// CHECK-NEXT:   //   for %i in 0 to 100: 100 times
// CHECK-NEXT:   //     for %jo in 0 to 3: 3 times
// CHECK-NEXT:   //       for %kp in 0 to 70: 70 times
// CHECK-NEXT:   //         for %jip in 0 to 32: 32 times
// CHECK-NEXT:   //           %j_1 = kernel.index
// CHECK-NEXT:   //           %w = kernel.load
// CHECK-NEXT:   //           update %b_panel2
// CHECK-NEXT:   //       %b_panel2 = kernel.stage
// CHECK-NEXT:   //       for %ji in 0 to 32: 32 times
// CHECK-NEXT:   //         %j = kernel.index
// CHECK-NEXT:   //         for %k in 0 to 70: 70 times
// CHECK-NEXT:   //           %x = kernel.load
// CHECK-NEXT:   //           %w_1 = kernel.load
// CHECK-NEXT:   //           update %s
// CHECK-NEXT:   //         %s = kernel.reduce
// CHECK-NEXT:   //         kernel.store
// CHECK-NEXT: }
