// `--bisect-limit=N` applies no rewrite row after the Nth, over all passes.
// RUN: teeny-opt %s -p canonicalize,canonicalize --bisect-limit=1 | FileCheck %s --check-prefix=ONE
// RUN: teeny-opt %s -p canonicalize,canonicalize --bisect-limit=0 | FileCheck %s --check-prefix=NONE

func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.addi %b, %zero : i32
  func.return %c : i32
}

// ONE:      builtin.module {
// ONE-NEXT:   func.func @f(%a: i32) -> i32 {
// ONE-NEXT:     %zero = arith.constant 0 : i32
// ONE-NEXT:     %c = arith.addi %a, %zero : i32
// ONE-NEXT:     func.return %c : i32
// ONE-NEXT:   }
// ONE-NEXT: }

// NONE:      builtin.module {
// NONE-NEXT:   func.func @f(%a: i32) -> i32 {
// NONE-NEXT:     %zero = arith.constant 0 : i32
// NONE-NEXT:     %b = arith.addi %a, %zero : i32
// NONE-NEXT:     %c = arith.addi %b, %zero : i32
// NONE-NEXT:     func.return %c : i32
// NONE-NEXT:   }
// NONE-NEXT: }
