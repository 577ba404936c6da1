// `--debug-counter=ROW:skip=N,count=M` lets only some applications of a rewrite row happen.
// RUN: teeny-opt %s -p canonicalize '--debug-counter=fold arith.addi:skip=1,count=1' | FileCheck %s --check-prefix=SECOND
// RUN: teeny-opt %s -p canonicalize '--debug-counter=fold arith.addi:count=1' | FileCheck %s --check-prefix=FIRST
// RUN: teeny-opt %s -p canonicalize,canonicalize '--debug-counter=fold arith.addi:skip=2' | FileCheck %s --check-prefix=THIRD
// RUN: teeny-opt %s -p canonicalize '--debug-counter=fold arith.addi:skip=9' --pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE
// RUN: teeny-opt %s -p canonicalize '--debug-counter=fold arith.subi:skip=9' 2>&1 >/dev/null | FileCheck %s --check-prefix=IDLE
// RUN: not teeny-opt %s -p canonicalize --debug-counter=skip=9 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not teeny-opt %s -p canonicalize --debug-counter=x:skip=a 2>&1 | FileCheck %s --check-prefix=NUMBER

func.func @f(%a: i32) -> (i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.addi %b, %zero : i32
  %d = arith.addi %c, %zero : i32
  func.return %b, %c, %d : i32, i32, i32
}

// SECOND:      %b = arith.addi %a, %zero : i32
// SECOND-NEXT: %d = arith.addi %b, %zero : i32
// SECOND-NEXT: func.return %b, %b, %d

// FIRST:      %c = arith.addi %a, %zero : i32
// FIRST-NEXT: %d = arith.addi %c, %zero : i32
// FIRST-NEXT: func.return %a, %c, %d

// THIRD:      %b = arith.addi %a, %zero : i32
// THIRD-NEXT: %c = arith.addi %b, %zero : i32
// THIRD-NEXT: func.return %b, %c, %c

// NONE-NOT: 1 fold arith.addi

// IDLE: warning: --debug-counter: no row 'fold arith.subi' was tried; did you mean 'fold arith.addi'?

// USAGE: error: --debug-counter: expected ROW:skip=N,count=M

// NUMBER: error: --debug-counter: expected skip=N or count=M, not 'skip=a'
