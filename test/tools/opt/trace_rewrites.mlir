// `--trace-rewrites`: the row, where it is written, and the operation before and after.
// RUN: teeny-opt %s -p canonicalize --trace-rewrites 2>&1 >/dev/null | FileCheck %s
// RUN: teeny-opt %s -p canonicalize --trace-rewrites=%t | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --input-file=%t

func.func @f(%a: i32) -> i32 {
  %two = arith.constant 2 : i32
  %b = arith.muli %two, %two : i32 loc("m.py":7:3)
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}

// CHECK:      #1 canonicalize: fold arith.muli ({{.*}}arith.py:{{[0-9]+}}) at m.py:7:3
// CHECK-NEXT:   - %{{.*}} = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:   + %{{.*}} = arith.constant 4 : i32
// CHECK-NOT:  #2

// IR: arith.constant 4
