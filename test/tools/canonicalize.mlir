// RUN: teeny-opt %s -p canonicalize | FileCheck %s
// RUN: teeny-opt %s --canonicalize -o %t && cat %t | filecheck %s
// RUN: not teeny-opt %s -p nonesuch 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR

// CHECK:      func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:   func.return %a : i32
// ERROR: <pipeline>:1:1: error: unknown pass 'nonesuch'
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}
