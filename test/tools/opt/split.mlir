// A bad part under `--split-input-file` does not hide the others.
// RUN: not teeny-opt %s --split-input-file --canonicalize 2>/dev/null | FileCheck %s
// RUN: not teeny-opt %s --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=ERROR
// RUN: echo untouched > %t
// RUN: not teeny-opt %s --split-input-file -o %t
// RUN: FileCheck %s --input-file=%t --check-prefix=UNTOUCHED
// UNTOUCHED: untouched

func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}

// -----

func.func @g(%a: i32) -> i32 {
  func.return %b : i32
}

// -----

func.func @h(%a: i32) -> i32 {
  func.return %a, %a : i32, i32
}

// -----

func.func @i(%a: i32) -> i32 {
  func.return %a : i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: // -----
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @i(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// ERROR:      {{.*}}/split.mlir:16:15: error: use of undefined value '%b'
// ERROR-NEXT:     func.return %b : i32
// ERROR-NEXT:                 ^~
// ERROR-NEXT: {{.*}}/split.mlir:22:3: error: 'func.return': Expected arguments to have the same types as the function output types: expected [i32], got [i32, i32]
// ERROR-NEXT:     func.return %a, %a : i32, i32
// ERROR-NEXT:     ^
