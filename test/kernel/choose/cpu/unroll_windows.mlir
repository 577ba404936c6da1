// RUN: teeny-opt %s -p "kernel.func(unroll-windows{vector-bits=256})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(unroll-windows{vector-bits=256})" --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK:      {{.*}}/unroll_windows.mlir:19:1: remark: a window of 3 steps: set-kind{range=m kind=unroll} [unroll-windows, passed]
// REMARK-NEXT:   kernel.func @window(out %y: !kernel.buf<[8, 62] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %w: !kernel.buf<[3] x f32>) {
// REMARK-NEXT:   ^
// REMARK-NEXT: {{.*}}/unroll_windows.mlir:29:1: remark: a window of 3 steps: set-kind{range=m kind=unroll} [unroll-windows, passed]
// REMARK-NEXT:   kernel.func @maximum(out %y: !kernel.buf<[62] x f32>, in %x: !kernel.buf<[64] x f32>) {
// REMARK-NEXT:   ^
// REMARK-NEXT: {{.*}}/unroll_windows.mlir:37:1: remark: a window of 2 steps: set-kind{range=m kind=unroll},peel-range{range=k at=8 start=3 rest=r},set-kind{range=kr kind=vector},split-range{range=k by=8 outer=ko inner=kv loads=gated},set-kind{range=kv kind=vector} [unroll-windows, passed]
// REMARK-NEXT:   kernel.func @pairs(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[23] x f32>) {
// REMARK-NEXT:   ^
// REMARK-NEXT: {{.*}}/unroll_windows.mlir:90:1: remark: a window of 101 steps is not written out [unroll-windows, missed]
// REMARK-NEXT:   kernel.func @long(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[164] x f32>) {
// REMARK-NEXT:   ^


// Three steps along a row, of a sum and of a maximum.
kernel.func @window(out %y: !kernel.buf<[8, 62] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %w: !kernel.buf<[3] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 62
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%i, %k + %m]
  %b = kernel.load %w[%m]
  %p = arith.mulf %a, %b : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%i, %k]
}
kernel.func @maximum(out %y: !kernel.buf<[62] x f32>, in %x: !kernel.buf<[64] x f32>) {
  %k = kernel.range 0 to 62
  %m = kernel.range 0 to 3
  %a = kernel.load %x[%k + %m]
  %s = kernel.reduce %a over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}
// Two apart, in vectors, of which the last one overlaps.
kernel.func @pairs(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[23] x f32>) {
  %k = kernel.range 0 to 11
  %m = kernel.range 0 to 2
  %a = kernel.load %x[%k * 2 + %m]
  %s = kernel.reduce %a over(%m) {kind = "min"}
  kernel.store %s, %y[%k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @window(out %y: !kernel.buf<[8, 62] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %w: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 62
// CHECK-NEXT:     %m = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %a = kernel.load %x[%i, %k + %m]
// CHECK-NEXT:     %b = kernel.load %w[%m]
// CHECK-NEXT:     %p = arith.mulf %a, %b : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @maximum(out %y: !kernel.buf<[62] x f32>, in %x: !kernel.buf<[64] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 62
// CHECK-NEXT:     %m = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %a = kernel.load %x[%k + %m]
// CHECK-NEXT:     %s = kernel.reduce %a over(%m) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @pairs(out %y: !kernel.buf<[11] x f32>, in %x: !kernel.buf<[23] x f32>) {
// CHECK-NEXT:     %ko = kernel.range 0 to 1
// CHECK-NEXT:     %kv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %k = kernel.index %ko * 8 + %kv
// CHECK-NEXT:     %m = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %a = kernel.load %x[%k * 2 + %m]
// CHECK-NEXT:     %s = kernel.reduce %a over(%m) {kind = "min"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:     %kr = kernel.range 0 to 8 vector
// CHECK-NEXT:     %mr = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %k_1 = kernel.index %kr + 3
// CHECK-NEXT:     %a_1 = kernel.load %x[%k_1 * 2 + %mr]
// CHECK-NEXT:     %s_1 = kernel.reduce %a_1 over(%mr) {kind = "min"}
// CHECK-NEXT:     kernel.store %s_1, %y[%k_1]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: no window, a long one, a gated load that is no factor.
kernel.func @row(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 16] x f32>) {
  %i = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  %a = kernel.load %x[%i, %k]
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
kernel.func @long(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[164] x f32>) {
  %k = kernel.range 0 to 64
  %m = kernel.range 0 to 101
  %a = kernel.load %x[%k + %m]
  %s = kernel.reduce %a over(%m) {kind = "add"}
  kernel.store %s, %y[%k]
}
kernel.func @padded(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
  %k = kernel.range 0 to 64
  %m = kernel.range 0 to 3
  %at = kernel.index %k + %m - 1
  %end = arith.constant 64 : index
  %g = arith.cmpi ult, %at, %end : index
  %zero = arith.constant 0.0 : f32
  %a = kernel.load %x[%k + %m - 1] if %g else %zero
  %s = kernel.reduce %a over(%m) {kind = "add"}
  kernel.store %s, %y[%k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @row(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 16] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %a = kernel.load %x[%i, %k]
// CHECK-NEXT:     %s = kernel.reduce %a over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @long(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[164] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %m = kernel.range 0 to 101
// CHECK-NEXT:     %a = kernel.load %x[%k + %m]
// CHECK-NEXT:     %s = kernel.reduce %a over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @padded(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %at = kernel.index %k + %m - 1
// CHECK-NEXT:     %end = arith.constant 64 : index
// CHECK-NEXT:     %g = arith.cmpi ult, %at, %end : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %a = kernel.load %x[%k + %m - 1] if %g else %zero
// CHECK-NEXT:     %s = kernel.reduce %a over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT: }
