// `--print-ir-after-change`: a pass that changes nothing prints nothing.
// RUN: teeny-opt %s -p cse,canonicalize,cse --print-ir-after-change 2>&1 >/dev/null | FileCheck %s

func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}

// CHECK:      // -----// IR Dump After canonicalize //----- //
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }
