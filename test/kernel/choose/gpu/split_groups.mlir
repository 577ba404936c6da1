// RUN: teeny-opt %s -p split-groups --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p split-groups --check-each -o %t
// RUN: teeny-opt %s -p split-groups --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | filecheck %s --check-prefix=REMARK

// Groups of five channels, of which each has three others to itself.
kernel.func @groups(out %y: !kernel.buf<[15, 7] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[15, 3] x f32>) {
  %j = kernel.range 0 to 15
  %k = kernel.range 0 to 7
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%j floordiv 5 * 3 + %m, %k]
  %b = kernel.load %w[%j, %m]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%j, %k]
}

// Not of a group alone: the second factor's row is the channel itself.
kernel.func @channels(out %y: !kernel.buf<[15, 7] x f32>, in %x: !kernel.buf<[15, 9, 7] x f32>, in %w: !kernel.buf<[15, 3] x f32>) {
  %j = kernel.range 0 to 15
  %k = kernel.range 0 to 7
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%j, %j floordiv 5 * 3 + %m, %k]
  %b = kernel.load %w[%j, %m]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%j, %k]
}

// The last group is a short one.
kernel.func @uneven(out %y: !kernel.buf<[14, 7] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[14, 3] x f32>) {
  %j = kernel.range 0 to 14
  %k = kernel.range 0 to 7
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%j floordiv 5 * 3 + %m, %k]
  %b = kernel.load %w[%j, %m]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%j, %k]
}

// Both factors have an axis of their own: it is a product as it is.
kernel.func @heads(out %y: !kernel.buf<[15, 7, 4] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[15, 4, 3] x f32>) {
  %j = kernel.range 0 to 15
  %k = kernel.range 0 to 7
  %l = kernel.range 0 to 4
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%j floordiv 5 * 3 + %m, %k]
  %b = kernel.load %w[%j, %l, %m]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%j, %k, %l]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @groups(out %y: !kernel.buf<[15, 7] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[15, 3] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ji = kernel.range 0 to 5
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %a = kernel.load %x[%jo * 3 + %m, %k]
// CHECK-NEXT:     %b = kernel.load %w[%jo * 5 + %ji, %m]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%jo * 5 + %ji, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @channels(out %y: !kernel.buf<[15, 7] x f32>, in %x: !kernel.buf<[15, 9, 7] x f32>, in %w: !kernel.buf<[15, 3] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 15
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %a = kernel.load %x[%j, %j floordiv 5 * 3 + %m, %k]
// CHECK-NEXT:     %b = kernel.load %w[%j, %m]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @uneven(out %y: !kernel.buf<[14, 7] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[14, 3] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 14
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %a = kernel.load %x[%j floordiv 5 * 3 + %m, %k]
// CHECK-NEXT:     %b = kernel.load %w[%j, %m]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @heads(out %y: !kernel.buf<[15, 7, 4] x f32>, in %x: !kernel.buf<[9, 7] x f32>, in %w: !kernel.buf<[15, 4, 3] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 15
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %l = kernel.range 0 to 4
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %a = kernel.load %x[%j floordiv 5 * 3 + %m, %k]
// CHECK-NEXT:     %b = kernel.load %w[%j, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%j, %k, %l]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// REMARK:      remark: has groups of 5: split-range{range=j by=5 loads=gated} [split-groups, passed]
