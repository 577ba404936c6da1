// `--print-ir-diff` shows what each pass changed, and nothing for a pass that changed nothing.
// RUN: teeny-opt %s -p cse,canonicalize,cse --print-ir-diff 2>&1 >/dev/null | FileCheck %s

func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}

// CHECK:      // -----// IR Dump Difference After canonicalize //----- //
// CHECK-NEXT: --- before canonicalize
// CHECK-NEXT: +++ after canonicalize
// CHECK-NEXT: @@ -1,7 +1,5 @@
// CHECK-NEXT:  builtin.module {
// CHECK-NEXT:    func.func @f(%a: i32) -> i32 {
// CHECK-NEXT: -    %zero = arith.constant 0 : i32
// CHECK-NEXT: -    %b = arith.addi %a, %zero : i32
// CHECK-NEXT: -    func.return %b : i32
// CHECK-NEXT: +    func.return %a : i32
// CHECK-NEXT:    }
// CHECK-NEXT:  }
