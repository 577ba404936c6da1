// `--print-ir-before-all` and `--print-ir-after-all`, with mlir-opt's spellings.
// RUN: teeny-opt %s -p 'func.func(cse),canonicalize' --print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=AFTER
// RUN: teeny-opt %s -p 'func.func(cse),canonicalize' --mlir-print-ir-before-all 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE

func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  %d = arith.addi %b, %c : i32
  func.return %d : i32
}

// AFTER:      // -----// IR Dump After cse on @f //----- //
// AFTER-NEXT: func.func @f(%a: i32) -> i32 {
// AFTER-NEXT:   %b = arith.addi %a, %a : i32
// AFTER-NEXT:   %d = arith.addi %b, %b : i32
// AFTER-NEXT:   func.return %d : i32
// AFTER-NEXT: }
// AFTER-EMPTY:
// AFTER-NEXT: // -----// IR Dump After canonicalize //----- //
// AFTER-NEXT: builtin.module {
// AFTER-NEXT:   func.func @f(%a: i32) -> i32 {
// AFTER-NEXT:     %b = arith.addi %a, %a : i32
// AFTER-NEXT:     %d = arith.addi %b, %b : i32
// AFTER-NEXT:     func.return %d : i32
// AFTER-NEXT:   }
// AFTER-NEXT: }

// BEFORE:      // -----// IR Dump Before cse on @f //----- //
// BEFORE-NEXT: func.func @f(%a: i32) -> i32 {
// BEFORE-NEXT:   %b = arith.addi %a, %a : i32
// BEFORE-NEXT:   %c = arith.addi %a, %a : i32
// BEFORE-NEXT:   %d = arith.addi %b, %c : i32
// BEFORE-NEXT:   func.return %d : i32
// BEFORE-NEXT: }
// BEFORE-EMPTY:
// BEFORE-NEXT: // -----// IR Dump Before canonicalize //----- //
// BEFORE-NEXT: builtin.module {
// BEFORE-NEXT:   func.func @f(%a: i32) -> i32 {
// BEFORE-NEXT:     %b = arith.addi %a, %a : i32
// BEFORE-NEXT:     %d = arith.addi %b, %b : i32
// BEFORE-NEXT:     func.return %d : i32
// BEFORE-NEXT:   }
// BEFORE-NEXT: }
