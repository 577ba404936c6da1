// RUN: teeny-opt %s -p plan-arena --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p 'plan-arena{reuse=false}' --split-input-file \
// RUN:   | FileCheck %s --check-prefix=APART

// %a is done when %c begins, and as large, so that they take turns.
// APART: arena((N * 40 + 63) floordiv 64 * 192)
// CHECK:      uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
// CHECK-NEXT: }
// CHECK-NEXT: program.func @chain(in %x: !kernel.buf<[N, 10] x f32>, out %y: !kernel.buf<[N, 10] x f32>) dims(N in 1..64) arena((N * 40 + 63) floordiv 64 * 128) {
// CHECK-NEXT:   %a = program.alloc at 0 : !kernel.buf<[N, 10] x f32>
// CHECK-NEXT:   %b = program.alloc at (N * 40 + 63) floordiv 64 * 64 : !kernel.buf<[N, 10] x f32>
// CHECK-NEXT:   %c = program.alloc at 0 : !kernel.buf<[N, 10] x f32>
// CHECK-NEXT:   program.launch @copy(%a, %x)
// CHECK-NEXT:   program.launch @copy(%b, %a)
// CHECK-NEXT:   program.launch @copy(%c, %b)
// CHECK-NEXT:   program.launch @copy(%y, %c)
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
}
program.func @chain(in %x: !kernel.buf<[N, 10] x f32>, out %y: !kernel.buf<[N, 10] x f32>) dims(N in 1..64) {
  %a = program.alloc : !kernel.buf<[N, 10] x f32>
  %b = program.alloc : !kernel.buf<[N, 10] x f32>
  %c = program.alloc : !kernel.buf<[N, 10] x f32>
  program.launch @copy(%a, %x)
  program.launch @copy(%b, %a)
  program.launch @copy(%c, %b)
  program.launch @copy(%y, %c)
}

// -----

// A launch reads %a and writes %b: they live at once, and share nothing.
// APART: arena(128)
// CHECK:      uop.func @copy(out %y: !uop.ptr<i1>, in %x: !uop.ptr<i1>) {
// CHECK-NEXT: }
// CHECK-NEXT: program.func @two(in %x: !kernel.buf<[3] x i1>, out %y: !kernel.buf<[3] x i1>) arena(128) {
// CHECK-NEXT:   %a = program.alloc at 0 : !kernel.buf<[3] x i1>
// CHECK-NEXT:   %b = program.alloc at 64 : !kernel.buf<[3] x i1>
// CHECK-NEXT:   program.launch @copy(%a, %x)
// CHECK-NEXT:   program.launch @copy(%b, %a)
// CHECK-NEXT:   program.launch @copy(%y, %b)
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<i1>, in %x: !uop.ptr<i1>) {
}
program.func @two(in %x: !kernel.buf<[3] x i1>, out %y: !kernel.buf<[3] x i1>) {
  %a = program.alloc : !kernel.buf<[3] x i1>
  %b = program.alloc : !kernel.buf<[3] x i1>
  program.launch @copy(%a, %x)
  program.launch @copy(%b, %a)
  program.launch @copy(%y, %b)
}

// -----

// The later buffer is the larger one for every N from 1 on: the place grows to it.
// APART: arena(
// CHECK:      uop.func @copy(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) dims(%n: N in 1..) {
// CHECK-NEXT: }
// CHECK-NEXT: program.func @grows(in %x: !kernel.buf<[N] x f64>, out %y: !kernel.buf<[N] x f64>) dims(N in 1..) arena((N * 8 + 55) floordiv 64 * 64 + 128) {
// CHECK-NEXT:   %a = program.alloc at 0 : !kernel.buf<[8] x f64>
// CHECK-NEXT:   %b = program.alloc at (N * 8 + 55) floordiv 64 * 64 + 64 : !kernel.buf<[2] x f64>
// CHECK-NEXT:   %c = program.alloc at 0 : !kernel.buf<[N + 7] x f64>
// CHECK-NEXT:   program.launch @copy(%a, %x)
// CHECK-NEXT:   program.launch @copy(%b, %a)
// CHECK-NEXT:   program.launch @copy(%c, %b)
// CHECK-NEXT:   program.launch @copy(%y, %c)
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) dims(%n: N in 1..) {
}
program.func @grows(in %x: !kernel.buf<[N] x f64>, out %y: !kernel.buf<[N] x f64>) dims(N in 1..) {
  %a = program.alloc : !kernel.buf<[8] x f64>
  %b = program.alloc : !kernel.buf<[2] x f64>
  %c = program.alloc : !kernel.buf<[N + 7] x f64>
  program.launch @copy(%a, %x)
  program.launch @copy(%b, %a)
  program.launch @copy(%c, %b)
  program.launch @copy(%y, %c)
}

// -----

// Whether 2 * N or 40 is more depends on N: nothing is certain, so nothing is shared.
// APART: arena(
// CHECK:      uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
// CHECK-NEXT: }
// CHECK-NEXT: program.func @unknown(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..64) arena((N * 8 + 63) floordiv 64 * 64 + 384) {
// CHECK-NEXT:   %a = program.alloc at 0 : !kernel.buf<[N * 2] x f32>
// CHECK-NEXT:   %b = program.alloc at (N * 8 + 63) floordiv 64 * 64 : !kernel.buf<[40] x f32>
// CHECK-NEXT:   %c = program.alloc at (N * 8 + 63) floordiv 64 * 64 + 192 : !kernel.buf<[40] x f32>
// CHECK-NEXT:   program.launch @copy(%a, %x)
// CHECK-NEXT:   program.launch @copy(%b, %a)
// CHECK-NEXT:   program.launch @copy(%c, %b)
// CHECK-NEXT:   program.launch @copy(%y, %c)
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
}
program.func @unknown(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %a = program.alloc : !kernel.buf<[N * 2] x f32>
  %b = program.alloc : !kernel.buf<[40] x f32>
  %c = program.alloc : !kernel.buf<[40] x f32>
  program.launch @copy(%a, %x)
  program.launch @copy(%b, %a)
  program.launch @copy(%c, %b)
  program.launch @copy(%y, %c)
}

// -----

// Nothing to place: the arena is empty.
// APART: arena(0)
// CHECK:      uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT: }
// CHECK-NEXT: program.func @none(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) arena(0) {
// CHECK-NEXT:   program.launch @copy(%y, %x)
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @none(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  program.launch @copy(%y, %x)
}

// -----

// What is touched in a loop lives for all of it: %a, of the body's start, and %b, of its end, share
// nothing. %c takes a place once the loop is left.
// APART: arena(192)
// CHECK:      program.func @loop
// CHECK-SAME: arena(128)
// CHECK-NEXT:   %a = program.alloc at 0 : !kernel.buf<[4] x f32>
// CHECK-NEXT:   %b = program.alloc at 64 : !kernel.buf<[4] x f32>
// CHECK-NEXT:   %c = program.alloc at 0 : !kernel.buf<[4] x f32>
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @loop(in %x: !kernel.buf<[4] x f32>, in %go: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  %a = program.alloc : !kernel.buf<[4] x f32>
  %b = program.alloc : !kernel.buf<[4] x f32>
  %c = program.alloc : !kernel.buf<[4] x f32>
  program.launch @copy(%y, %x)
  program.while %go cond {
  } do {
    program.launch @copy(%a, %y)
    program.if %go {
      program.launch @copy(%y, %a)
    }
    program.launch @copy(%b, %x)
    program.launch @copy(%y, %b)
  }
  program.launch @copy(%c, %x)
  program.launch @copy(%y, %c)
}
