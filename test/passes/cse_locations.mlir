// The operation that serves for several has the locations of all; a constant keeps its own.
// RUN: teeny-opt %s -p cse --print-debuginfo | FileCheck %s

func.func @f(%a: i32) -> (i32, i32) {
  %c = arith.constant 1 : i32 loc("m.py":1:1)
  %d = arith.constant 1 : i32 loc("m.py":2:1)
  %0 = arith.addi %a, %c : i32 loc("m.py":3:1)
  %1 = arith.addi %a, %d : i32 loc("m.py":4:1)
  func.return %0, %1 : i32, i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32 loc(unknown)) -> (i32, i32) {
// CHECK-NEXT:     %c = arith.constant 1 : i32 loc("m.py":1:1)
// CHECK-NEXT:     %0 = arith.addi %a, %c : i32 loc(fused["m.py":3:1, "m.py":4:1])
// CHECK-NEXT:     func.return %0, %0 : i32, i32 loc("{{.*}}/cse_locations.mlir":9:3)
// CHECK-NEXT:   } loc("{{.*}}/cse_locations.mlir":4:1)
// CHECK-NEXT: } loc("{{.*}}/cse_locations.mlir":4:1)
