// `--print-ir-tree-dir` leaves numbered files.
// RUN: rm -rf %t
// RUN: teeny-opt %s -p 'func.func(cse),canonicalize' --print-ir-tree-dir=%t -o %t.out
// RUN: ls %t | FileCheck %s
// RUN: diff %t.out %t/003-canonicalize.mlir

func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}

func.func @g(%a: i32) -> i32 {
  func.return %a : i32
}

// CHECK:      000-input.mlir
// CHECK-NEXT: 001-cse-on-f.mlir
// CHECK-NEXT: 002-cse-on-g.mlir
// CHECK-NEXT: 003-canonicalize.mlir
