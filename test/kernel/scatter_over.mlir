// RUN: teeny-opt %s --verify-roundtrip -o %t
// RUN: teeny-opt %s -p simplify-kernel,canonicalize,cse | FileCheck %s
// RUN: teeny-opt %s -p simplify-kernel,kernel-to-uop --check-each -o %t
// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=3}),cse" | FileCheck %s --check-prefix=SPLIT
// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=3},set-kind{range=ii kind=unroll}),kernel-to-uop" --check-each -o %t
// RUN: teeny-opt %s -p "kernel.func(fuse-ranges{outer=i inner=j}),cse" | FileCheck %s --check-prefix=FUSE
// RUN: teeny-opt %s -p "kernel.func(fuse-ranges{outer=i inner=j}),kernel-to-uop" --check-each -o %t
// RUN: teeny-opt %s -p map-to-grid,canonicalize | FileCheck %s --check-prefix=GRID
// RUN: teeny-opt %s -p "map-to-grid,canonicalize" --check-each -o %t

// A scatter runs as often as it is over ranges, although nothing in it changes with them.
kernel.func @constant(inout %y: !kernel.buf<[3] x f32>) dims(N in 0..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 4
  %one = arith.constant 1.0 : f32
  kernel.scatter %one, %y[2] over(%i, %j) {kind = "add"}
}

// What no longer depends on a range is still over it; two that are met as one are one.
kernel.func @simpler(inout %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[20] x i32>) {
  %i = kernel.range 0 to 5
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i * 4 + %j]
  %zero = arith.constant 0 : i32
  %w = arith.muli %v, %zero : i32
  kernel.scatter %w, %y[%i floordiv 5] over(%i, %j) {kind = "max"}
}

// One iteration is no loop, and none at all stays one.
kernel.func @few(inout %y: !kernel.buf<[3] x i32>) {
  %i = kernel.range 0 to 0
  %j = kernel.range 0 to 1
  %seven = arith.constant 7 : i32
  kernel.scatter %seven, %y[0] over(%i, %j) {kind = "set"}
}

// What changes along one range is combined once for each iteration of the other.
kernel.func @rows(inout %y: !kernel.buf<[9, 64] x f32>, in %u: !kernel.buf<[64] x f32>) {
  %i = kernel.range 0 to 5
  %j = kernel.range 0 to 64
  %v = kernel.load %u[%j]
  kernel.scatter %v, %y[7, %j] over(%i, %j) {kind = "add"}
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @constant(inout %y: !kernel.buf<[3] x f32>) dims(N in 0..) {
// CHECK-NEXT:     %i = kernel.range 0 to N * 4
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     kernel.scatter %one, %y[2] over(%i) {kind = "add"}
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @simpler(inout %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[20] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 20
// CHECK-NEXT:     %zero = arith.constant 0 : i32
// CHECK-NEXT:     kernel.scatter %zero, %y[0] over(%i) {kind = "max"}
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few(inout %y: !kernel.buf<[3] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 0
// CHECK-NEXT:     %seven = arith.constant 7 : i32
// CHECK-NEXT:     kernel.scatter %seven, %y[0] over(%i) {kind = "set"}
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @rows(inout %y: !kernel.buf<[9, 64] x f32>, in %u: !kernel.buf<[64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 5
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %u[%j]
// CHECK-NEXT:     kernel.scatter %v, %y[7, %j] over(%i, %j) {kind = "add"}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// SPLIT:      builtin.module {
// SPLIT-NEXT:   kernel.func @constant(inout %y: !kernel.buf<[3] x f32>) dims(N in 0..) {
// SPLIT-NEXT:     %io = kernel.range 0 to (N + 2) floordiv 3
// SPLIT-NEXT:     %ii = kernel.range 0 to 3
// SPLIT-NEXT:     %i = kernel.index %io * 3 + %ii
// SPLIT-NEXT:     %0 = kernel.index N
// SPLIT-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// SPLIT-NEXT:     %j = kernel.range 0 to 4
// SPLIT-NEXT:     %one = arith.constant 1.000000e+00 : f32
// SPLIT-NEXT:     kernel.scatter %one, %y[2] if %1 over(%io, %ii, %j) {kind = "add"}
// SPLIT-NEXT:   }
// SPLIT-NEXT:   kernel.func @simpler(inout %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[20] x i32>) {
// SPLIT-NEXT:     %io = kernel.range 0 to 2
// SPLIT-NEXT:     %ii = kernel.range 0 to 3
// SPLIT-NEXT:     %i = kernel.index %io * 3 + %ii
// SPLIT-NEXT:     %0 = kernel.index 5
// SPLIT-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// SPLIT-NEXT:     %j = kernel.range 0 to 4
// SPLIT-NEXT:     %zero = arith.constant 0 : i32
// SPLIT-NEXT:     %v = kernel.load %x[%i * 4 + %j] if %1 else %zero
// SPLIT-NEXT:     %w = arith.muli %v, %zero : i32
// SPLIT-NEXT:     kernel.scatter %w, %y[%i floordiv 5] if %1 over(%io, %ii, %j) {kind = "max"}
// SPLIT-NEXT:   }
// SPLIT-NEXT:   kernel.func @few(inout %y: !kernel.buf<[3] x i32>) {
// SPLIT-NEXT:     %io = kernel.range 0 to 0
// SPLIT-NEXT:     %ii = kernel.range 0 to 3
// SPLIT-NEXT:     %j = kernel.range 0 to 1
// SPLIT-NEXT:     %seven = arith.constant 7 : i32
// SPLIT-NEXT:     kernel.scatter %seven, %y[0] over(%io, %ii, %j) {kind = "set"}
// SPLIT-NEXT:   }
// SPLIT-NEXT:   kernel.func @rows(inout %y: !kernel.buf<[9, 64] x f32>, in %u: !kernel.buf<[64] x f32>) {
// SPLIT-NEXT:     %io = kernel.range 0 to 2
// SPLIT-NEXT:     %ii = kernel.range 0 to 3
// SPLIT-NEXT:     %i = kernel.index %io * 3 + %ii
// SPLIT-NEXT:     %0 = kernel.index 5
// SPLIT-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// SPLIT-NEXT:     %j = kernel.range 0 to 64
// SPLIT-NEXT:     %v = kernel.load %u[%j]
// SPLIT-NEXT:     kernel.scatter %v, %y[7, %j] if %1 over(%io, %ii, %j) {kind = "add"}
// SPLIT-NEXT:   }
// SPLIT-NEXT: }

// FUSE:      builtin.module {
// FUSE-NEXT:   kernel.func @constant(inout %y: !kernel.buf<[3] x f32>) dims(N in 0..) {
// FUSE-NEXT:     %ij = kernel.range 0 to N * 4
// FUSE-NEXT:     %one = arith.constant 1.000000e+00 : f32
// FUSE-NEXT:     kernel.scatter %one, %y[2] over(%ij) {kind = "add"}
// FUSE-NEXT:   }
// FUSE-NEXT:   kernel.func @simpler(inout %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[20] x i32>) {
// FUSE-NEXT:     %ij = kernel.range 0 to 20
// FUSE-NEXT:     %i = kernel.index %ij floordiv 4
// FUSE-NEXT:     %j = kernel.index %ij mod 4
// FUSE-NEXT:     %v = kernel.load %x[%i * 4 + %j]
// FUSE-NEXT:     %zero = arith.constant 0 : i32
// FUSE-NEXT:     %w = arith.muli %v, %zero : i32
// FUSE-NEXT:     kernel.scatter %w, %y[%i floordiv 5] over(%ij) {kind = "max"}
// FUSE-NEXT:   }
// FUSE-NEXT:   kernel.func @few(inout %y: !kernel.buf<[3] x i32>) {
// FUSE-NEXT:     %ij = kernel.range 0 to 0
// FUSE-NEXT:     %seven = arith.constant 7 : i32
// FUSE-NEXT:     kernel.scatter %seven, %y[0] over(%ij) {kind = "set"}
// FUSE-NEXT:   }
// FUSE-NEXT:   kernel.func @rows(inout %y: !kernel.buf<[9, 64] x f32>, in %u: !kernel.buf<[64] x f32>) {
// FUSE-NEXT:     %ij = kernel.range 0 to 320
// FUSE-NEXT:     %j = kernel.index %ij mod 64
// FUSE-NEXT:     %v = kernel.load %u[%j]
// FUSE-NEXT:     kernel.scatter %v, %y[7, %j] over(%ij) {kind = "add"}
// FUSE-NEXT:   }
// FUSE-NEXT: }

// GRID:      builtin.module {
// GRID-NEXT:   kernel.func @constant(inout %y: !kernel.buf<[3] x f32>) dims(N in 0..) {
// GRID-NEXT:     %i = kernel.range 0 to N
// GRID-NEXT:     %j = kernel.range 0 to 4
// GRID-NEXT:     %one = arith.constant 1.000000e+00 : f32
// GRID-NEXT:     kernel.scatter %one, %y[2] over(%i, %j) {kind = "add"}
// GRID-NEXT:   }
// GRID-NEXT:   kernel.func @simpler(inout %y: !kernel.buf<[3] x i32>, in %x: !kernel.buf<[20] x i32>) {
// GRID-NEXT:     %i = kernel.range 0 to 5
// GRID-NEXT:     %j = kernel.range 0 to 4
// GRID-NEXT:     %zero = arith.constant 0 : i32
// GRID-NEXT:     kernel.scatter %zero, %y[%i floordiv 5] over(%i, %j) {kind = "max"}
// GRID-NEXT:   }
// GRID-NEXT:   kernel.func @few(inout %y: !kernel.buf<[3] x i32>) {
// GRID-NEXT:     %i = kernel.range 0 to 0
// GRID-NEXT:     %j = kernel.range 0 to 1
// GRID-NEXT:     %seven = arith.constant 7 : i32
// GRID-NEXT:     kernel.scatter %seven, %y[0] over(%i, %j) {kind = "set"}
// GRID-NEXT:   }
// GRID-NEXT:   kernel.func @rows(inout %y: !kernel.buf<[9, 64] x f32>, in %u: !kernel.buf<[64] x f32>) {
// GRID-NEXT:     %i = kernel.range 0 to 5
// GRID-NEXT:     %j = kernel.range 0 to 64
// GRID-NEXT:     %v = kernel.load %u[%j]
// GRID-NEXT:     kernel.scatter %v, %y[7, %j] over(%i, %j) {kind = "add"}
// GRID-NEXT:   }
// GRID-NEXT: }
