// `--pass-statistics` counts what each row did, how often it was tried, and the time it took.
// RUN: teeny-opt %s -p canonicalize --pass-statistics 2>&1 >/dev/null | FileCheck %s

func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.addi %b, %zero : i32
  func.return %c : i32
}

// CHECK:      canonicalize
// CHECK-NEXT:   1 dead operations removed
// CHECK-NEXT:   2 fold arith.addi
// CHECK-NEXT:   {{[0-9]+}} fold arith.addi (ns)
// CHECK-NEXT:   2 fold arith.addi (tried)
