// Folders and patterns of the dialects, dead operations, unreachable blocks.
// RUN: teeny-opt %s -p canonicalize --split-input-file | FileCheck %s

func.func @folds(%a: i32) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.muli %two, %two : i32
  %d = arith.addi %c, %b : i32
  func.return %d, %c : i32, i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @folds(%a: i32) -> (i32, i32) {
// CHECK-NEXT:     %c = arith.constant 4 : i32
// CHECK-NEXT:     %d = arith.addi %a, %c : i32
// CHECK-NEXT:     func.return %d, %c : i32, i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What has effects stays; a chain that ends in nothing goes, from its end.
func.func @dead(%m: memref<4xi32>, %i: index, %a: i32) {
  %x = memref.load %m[%i] : memref<4xi32>
  %y = arith.addi %x, %a : i32
  %z = arith.muli %y, %y : i32
  memref.store %a, %m[%i] : memref<4xi32>
  func.return
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @dead(%m: memref<4xi32>, %i: index, %a: i32) {
// CHECK-NEXT:     memref.store %a, %m[%i] : memref<4xi32>
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @unreachable(%a: i32) -> i32 {
  func.return %a : i32
^dead:
  %x = arith.addi %a, %a : i32
  cf.br ^dead
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @unreachable(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Nothing to do: floats keep x + 0.0, which is not x for -0.0.
func.func @stays(%a: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %b = arith.addf %a, %zero : f32
  func.return %b : f32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @stays(%a: f32) -> f32 {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %b = arith.addf %a, %zero : f32
// CHECK-NEXT:     func.return %b : f32
// CHECK-NEXT:   }
// CHECK-NEXT: }
