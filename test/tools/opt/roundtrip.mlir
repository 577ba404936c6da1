// `--verify-roundtrip`: what is printed parses, and means the same.
// RUN: teeny-opt %s -p canonicalize,cse --verify-roundtrip | FileCheck %s

func.func @f(%c: i1, %a: f32) -> f32 {
  %nan = arith.constant 0x7FC00000 : f32
  cf.cond_br %c, ^yes(%a : f32), ^no
^yes(%b: f32):
  func.return %b : f32
^no:
  func.return %nan : f32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%c: i1, %a: f32) -> f32 {
// CHECK-NEXT:     %nan = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     cf.cond_br %c, ^yes(%a : f32), ^no
// CHECK-NEXT:   ^yes(%b: f32):
// CHECK-NEXT:     func.return %b : f32
// CHECK-NEXT:   ^no:
// CHECK-NEXT:     func.return %nan : f32
// CHECK-NEXT:   }
// CHECK-NEXT: }
