// RUN: teeny-opt %s -p "kernel.func(split-range{kernel=product range=j by=32},split-range{kernel=product range=i by=12 outer=blocks inner=rows},split-range{kernel=product range=k by=16},split-range{kernel=clamped range=i by=12 loads=clamped},split-range{kernel=maximum range=j by=8},split-range{kernel=staged range=j by=8})" | FileCheck %s

// A block that divides the extent needs no guard; else loads and stores are gated, and a sum of
// products of what is loaded stays as it is.
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

// What is loaded beyond the end is the last element once more.
kernel.func @clamped(out %y: !kernel.buf<[N, 8] x f32>, in %a: !kernel.buf<[N, 8] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 8
  %x = kernel.load %a[%i, %j]
  kernel.store %x, %y[%i, %j]
}

// Another combiner than a sum takes in its identity; a gate that was there is kept.
kernel.func @maximum(out %y: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 50] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %inside = arith.cmpi ult, %i, %j : index
  %x = kernel.load %a[%i, %j] if %inside else %zero
  %m = kernel.reduce %x over(%j) {kind = "max"}
  kernel.store %m, %y[%i]
}

// What is staged has room for all of the last block.
kernel.func @staged(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %v = kernel.load %x[%i, %j]
  %row = kernel.stage %v[%j] over(%j) : !kernel.buf<[50] x f32, local>
  %k = kernel.range 0 to 50
  %w = kernel.load %row[49 - %k]
  kernel.store %w, %y[%i, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %blocks = kernel.range 0 to 9
// CHECK-NEXT:     %rows = kernel.range 0 to 12
// CHECK-NEXT:     %i = kernel.index %blocks * 12 + %rows
// CHECK-NEXT:     %0 = kernel.index 100
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ji = kernel.range 0 to 32
// CHECK-NEXT:     %j = kernel.index %jo * 32 + %ji
// CHECK-NEXT:     %ko = kernel.range 0 to 5
// CHECK-NEXT:     %ki = kernel.range 0 to 16
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %ki
// CHECK-NEXT:     %2 = kernel.index 70
// CHECK-NEXT:     %3 = arith.cmpi slt, %k, %2 : index
// CHECK-NEXT:     %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %5 = arith.andi %1, %3 : i1
// CHECK-NEXT:     %x = kernel.load %a[%i, %k] if %5 else %4
// CHECK-NEXT:     %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %w = kernel.load %b[%k, %j] if %3 else %6
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%ko, %ki) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @clamped(out %y: !kernel.buf<[N, 8] x f32>, in %a: !kernel.buf<[N, 8] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %io = kernel.range 0 to (N + 11) floordiv 12
// CHECK-NEXT:     %ii = kernel.range 0 to 12
// CHECK-NEXT:     %i = kernel.index %io * 12 + %ii
// CHECK-NEXT:     %0 = kernel.index N
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(N - 1, %i)
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %x = kernel.load %a[%2, %j]
// CHECK-NEXT:     kernel.store %x, %y[%i, %j] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @maximum(out %y: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4, 50] x f32>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %jo = kernel.range 0 to 7
// CHECK-NEXT:     %ji = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %ji
// CHECK-NEXT:     %0 = kernel.index 50
// CHECK-NEXT:     %1 = arith.cmpi slt, %j, %0 : index
// CHECK-NEXT:     %inside = arith.cmpi ult, %i, %j : index
// CHECK-NEXT:     %2 = arith.andi %inside, %1 : i1
// CHECK-NEXT:     %x = kernel.load %a[%i, %j] if %2 else %zero
// CHECK-NEXT:     %3 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %4 = arith.select %1, %x, %3 : f32
// CHECK-NEXT:     %m = kernel.reduce %4 over(%jo, %ji) {kind = "max"}
// CHECK-NEXT:     kernel.store %m, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @staged(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %jo = kernel.range 0 to 7
// CHECK-NEXT:     %ji = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %ji
// CHECK-NEXT:     %0 = kernel.index 50
// CHECK-NEXT:     %1 = arith.cmpi slt, %j, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %j] if %1 else %2
// CHECK-NEXT:     %row = kernel.stage %v[%j] over(%jo, %ji) : !kernel.buf<[56] x f32, local>
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %w = kernel.load %row[-%k + 49]
// CHECK-NEXT:     kernel.store %w, %y[%i, %k]
// CHECK-NEXT:   }
// CHECK-NEXT: }
