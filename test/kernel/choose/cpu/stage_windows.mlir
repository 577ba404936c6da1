// RUN: teeny-opt %s -p "kernel.func(stage-windows{l2=65536 vector-bits=256})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(stage-windows{l2=4000 vector-bits=256})" --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SMALL

// SMALL:      {{.*}}/stage_windows.mlir:15:1: remark: windows beyond an edge: clamp-window{window=l},split-reduction{over=l},stage-image{ranges=k windows=m},set-kind{range=m kind=unroll},set-kind{range=l kind=unroll},peel-range{range=k at=16 start=11 rest=r},set-kind{range=kr kind=vector},split-range{range=k by=8 outer=ko inner=kv loads=gated},set-kind{range=kv kind=vector} [stage-windows, passed]
// SMALL-NEXT:   kernel.func @pool(out %y: !kernel.buf<[4, 8, 19] x f32>, in %x: !kernel.buf<[4, 16, 38] x f32>) {
// SMALL-NEXT:   ^
// SMALL-NEXT: {{.*}}/stage_windows.mlir:72:1: remark: windows beyond an edge: split-range{range=j by=8 outer=jo inner=ji loads=gated},stage-image{ranges=ji,k windows=l,m},set-kind{range=m kind=unroll},set-kind{range=l kind=unroll} [stage-windows, passed]
// SMALL-NEXT:   kernel.func @depthwise(out %y: !kernel.buf<[4, 16, 32] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>, in %w: !kernel.buf<[4, 3, 3] x f32>) {
// SMALL-NEXT:   ^
// SMALL-NEXT: {{.*}}/stage_windows.mlir:153:1: remark: windows are not staged: some positions of %k, %m are in no window [stage-windows, missed]
// SMALL-NEXT:   kernel.func @sparse(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[32] x f32>, in %w: !kernel.buf<[2] x f32>) {
// SMALL-NEXT:   ^

// A maximum: of a row, what the columns of windows have. The last windows are in a vector too.
kernel.func @pool(out %y: !kernel.buf<[4, 8, 19] x f32>, in %x: !kernel.buf<[4, 16, 38] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 19
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pool(out %y: !kernel.buf<[4, 8, 19] x f32>, in %x: !kernel.buf<[4, 16, 38] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %kp = kernel.range 0 to 39
// CHECK-NEXT:     %ko = kernel.range 0 to 2
// CHECK-NEXT:     %kv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %k = kernel.index %ko * 8 + %kv
// CHECK-NEXT:     %l = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %m = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %low = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %h = kernel.index 16
// CHECK-NEXT:     %r = kernel.index %j * 2 + %l - 1
// CHECK-NEXT:     %gr = arith.cmpi ult, %r, %h : index
// CHECK-NEXT:     %one = kernel.index 1
// CHECK-NEXT:     %c = kernel.index %k * 2 + %m
// CHECK-NEXT:     %gc = arith.cmpi sge, %c, %one : index
// CHECK-NEXT:     %g = arith.andi %gr, %gc : i1
// CHECK-NEXT:     %c_1 = kernel.index %kp
// CHECK-NEXT:     %gc_1 = arith.cmpi sge, %c_1, %one : index
// CHECK-NEXT:     %v = kernel.load %x[%i, min(max(%l + %j * 2 - 1, 0), 15), %kp - 1] if %gc_1 else %low
// CHECK-NEXT:     %0 = kernel.reduce %v over(%l) {kind = "max"}
// CHECK-NEXT:     %image = kernel.stage %0[%kp] over(%kp) : !kernel.buf<[39] x f32, local>
// CHECK-NEXT:     %1 = kernel.load %image[%k * 2 + %m]
// CHECK-NEXT:     %s = kernel.reduce %1 over(%m) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k]
// CHECK-NEXT:     %kr = kernel.range 0 to 8 vector
// CHECK-NEXT:     %mr = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %k_1 = kernel.index %kr + 11
// CHECK-NEXT:     %2 = kernel.load %image[%k_1 * 2 + %mr]
// CHECK-NEXT:     %s_1 = kernel.reduce %2 over(%mr) {kind = "max"}
// CHECK-NEXT:     kernel.store %s_1, %y[%i, %j, %k_1]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Products: the padded image.
kernel.func @depthwise(out %y: !kernel.buf<[4, 16, 32] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>, in %w: !kernel.buf<[4, 3, 3] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 16
  %k = kernel.range 0 to 32
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %zero = arith.constant 0.0 : f32
  %h = kernel.index 16
  %r = kernel.index %j + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %e = kernel.index 32
  %c = kernel.index %k + %m - 1
  %gc = arith.cmpi ult, %c, %e : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j + %l - 1, %k + %m - 1] if %g else %zero
  %f = kernel.load %w[%i, %l, %m]
  %p = arith.mulf %v, %f : f32
  %s = kernel.reduce %p over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%i, %j, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @depthwise(out %y: !kernel.buf<[4, 16, 32] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>, in %w: !kernel.buf<[4, 3, 3] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %jp = kernel.range 0 to 18
// CHECK-NEXT:     %kp = kernel.range 0 to 34
// CHECK-NEXT:     %j = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.range 0 to 32
// CHECK-NEXT:     %l = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %m = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %h = kernel.index 16
// CHECK-NEXT:     %e = kernel.index 32
// CHECK-NEXT:     %r = kernel.index %jp - 1
// CHECK-NEXT:     %gr = arith.cmpi ult, %r, %h : index
// CHECK-NEXT:     %c = kernel.index %kp - 1
// CHECK-NEXT:     %gc = arith.cmpi ult, %c, %e : index
// CHECK-NEXT:     %g = arith.andi %gr, %gc : i1
// CHECK-NEXT:     %v = kernel.load %x[%i, %jp - 1, %kp - 1] if %g else %zero
// CHECK-NEXT:     %image = kernel.stage %v[%jp, %kp] over(%jp, %kp) : !kernel.buf<[18, 34] x f32, local>
// CHECK-NEXT:     %v_1 = kernel.load %image[%j + %l, %k + %m]
// CHECK-NEXT:     %f = kernel.load %w[%i, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %v_1, %f : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: windows without conditions that have nothing in common, or are of products; a
// line; windows that leave positions out.
kernel.func @apart(out %y: !kernel.buf<[8, 16] x f32>, in %x: !kernel.buf<[16, 32] x f32>) {
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  %l = kernel.range 0 to 2
  %m = kernel.range 0 to 2
  %v = kernel.load %x[%j * 2 + %l, %k * 2 + %m]
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%j, %k]
}
kernel.func @products(out %y: !kernel.buf<[30] x f32>, in %x: !kernel.buf<[32] x f32>, in %w: !kernel.buf<[3] x f32>) {
  %k = kernel.range 0 to 30
  %m = kernel.range 0 to 3
  %v = kernel.load %x[%k + %m]
  %f = kernel.load %w[%m]
  %p = arith.mulf %v, %f : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%k]
}
kernel.func @line(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %k = kernel.range 0 to 16
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %g = arith.cmpi sge, %c, %one : index
  %v = kernel.load %x[%k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%m) {kind = "max"}
  kernel.store %s, %y[%k]
}
kernel.func @sparse(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[32] x f32>, in %w: !kernel.buf<[2] x f32>) {
  %k = kernel.range 0 to 8
  %m = kernel.range 0 to 2
  %zero = arith.constant 0.0 : f32
  %one = kernel.index 1
  %c = kernel.index %k * 4 + %m
  %g = arith.cmpi sge, %c, %one : index
  %v = kernel.load %x[%k * 4 + %m - 1] if %g else %zero
  %f = kernel.load %w[%m]
  %p = arith.mulf %v, %f : f32
  %s = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %s, %y[%k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @apart(out %y: !kernel.buf<[8, 16] x f32>, in %x: !kernel.buf<[16, 32] x f32>) {
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %l = kernel.range 0 to 2
// CHECK-NEXT:     %m = kernel.range 0 to 2
// CHECK-NEXT:     %v = kernel.load %x[%j * 2 + %l, %k * 2 + %m]
// CHECK-NEXT:     %s = kernel.reduce %v over(%l, %m) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @products(out %y: !kernel.buf<[30] x f32>, in %x: !kernel.buf<[32] x f32>, in %w: !kernel.buf<[3] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 30
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %v = kernel.load %x[%k + %m]
// CHECK-NEXT:     %f = kernel.load %w[%m]
// CHECK-NEXT:     %p = arith.mulf %v, %f : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @line(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[32] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %low = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %one = kernel.index 1
// CHECK-NEXT:     %c = kernel.index %k * 2 + %m
// CHECK-NEXT:     %g = arith.cmpi sge, %c, %one : index
// CHECK-NEXT:     %v = kernel.load %x[%k * 2 + %m - 1] if %g else %low
// CHECK-NEXT:     %s = kernel.reduce %v over(%m) {kind = "max"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @sparse(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[32] x f32>, in %w: !kernel.buf<[2] x f32>) {
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %m = kernel.range 0 to 2
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %one = kernel.index 1
// CHECK-NEXT:     %c = kernel.index %k * 4 + %m
// CHECK-NEXT:     %g = arith.cmpi sge, %c, %one : index
// CHECK-NEXT:     %v = kernel.load %x[%k * 4 + %m - 1] if %g else %zero
// CHECK-NEXT:     %f = kernel.load %w[%m]
// CHECK-NEXT:     %p = arith.mulf %v, %f : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%k]
// CHECK-NEXT:   }
// CHECK-NEXT: }
