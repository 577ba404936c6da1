// `--print-ir-before` and `--print-ir-after` of named passes; `--print-ir-filter` of one symbol.
// RUN: teeny-opt %s -p cse,canonicalize,cse --print-ir-before=canonicalize --print-ir-after=cse --print-ir-filter=@g 2>&1 >/dev/null | FileCheck %s

func.func @f() {
  func.return
}

func.func @g(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}

// CHECK:      // -----// IR Dump After cse //----- //
// CHECK-NEXT: func.func @g(%a: i32) -> i32 {
// CHECK-NEXT:   %zero = arith.constant 0 : i32
// CHECK-NEXT:   %b = arith.addi %a, %zero : i32
// CHECK-NEXT:   func.return %b : i32
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // -----// IR Dump Before canonicalize //----- //
// CHECK-NEXT: func.func @g(%a: i32) -> i32 {
// CHECK-NEXT:   %zero = arith.constant 0 : i32
// CHECK-NEXT:   %b = arith.addi %a, %zero : i32
// CHECK-NEXT:   func.return %b : i32
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // -----// IR Dump After cse //----- //
// CHECK-NEXT: func.func @g(%a: i32) -> i32 {
// CHECK-NEXT:   func.return %a : i32
// CHECK-NEXT: }
