// What takes an operation's place takes its location, and the pass's author does nothing for it.
// RUN: teeny-opt %s -p canonicalize --print-debuginfo | FileCheck %s

func.func @f(%a: i32) -> i32 {
  %two = arith.constant 2 : i32 loc("m.py":1:1)
  %c = arith.muli %two, %two : i32 loc("m.py":2:1)
  %d = arith.addi %c, %a : i32 loc("m.py":3:1)
  %zero = arith.constant 0 : i32 loc("m.py":4:1)
  %e = arith.addi %d, %zero : i32 loc("m.py":5:1)
  func.return %e : i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32 loc(unknown)) -> i32 {
// CHECK-NEXT:     %c = arith.constant 4 : i32 loc("m.py":2:1)
// CHECK-NEXT:     %d = arith.addi %a, %c : i32 loc(fused["m.py":3:1, "m.py":5:1])
// CHECK-NEXT:     func.return %d : i32 loc("{{.*}}/canonicalize_locations.mlir":10:3)
// CHECK-NEXT:   } loc("{{.*}}/canonicalize_locations.mlir":4:1)
// CHECK-NEXT: } loc("{{.*}}/canonicalize_locations.mlir":4:1)
