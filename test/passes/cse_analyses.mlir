// Dominance is worked out once for both runs of cse: neither that nor dce changes it.
// RUN: teeny-opt %s -p cse,dce,cse --pass-statistics 2>&1 >/dev/null | FileCheck %s

func.func @f(%a: i32, %c: i1) -> i32 {
  %x = arith.addi %a, %a : i32
  cf.cond_br %c, ^then, ^end(%x : i32)
^then:
  %y = arith.addi %a, %a : i32
  cf.br ^end(%y : i32)
^end(%r: i32):
  func.return %r : i32
}

// CHECK:      cse
// CHECK-NEXT:   1 analysis 'dominance' cached
// CHECK-NEXT:   1 analysis 'dominance' computed
// CHECK-NEXT:   1 operations merged
