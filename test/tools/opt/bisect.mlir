// `--bisect=CMD` finds the pass and the rewrite after which a command fails.
// RUN: teeny-opt %s -p 'cse,func.func(canonicalize),dce' --bisect='grep -q arith.muli' | FileCheck %s
// RUN: teeny-opt %s -p cse,cse --bisect='grep -q twin' | FileCheck %s --check-prefix=PASS
// RUN: not teeny-opt %s -p cse --bisect='grep -q func' 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not teeny-opt %s -p cse --bisect='grep -q nothing' 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: not teeny-opt %s -p cse --bisect='teeny-nonesuch' 2>&1 | FileCheck %s --check-prefix=COMMAND

func.func @f(%a: i32) -> (i32, i32, i32, i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.muli %two, %two : i32 loc("m.py":7:3)
  %d = arith.subi %a, %b : i32
  %twin = arith.subi %a, %b : i32
  func.return %b, %c, %d, %twin : i32, i32, i32, i32
}

// CHECK:      pass #2 (canonicalize on @f) makes the command fail
// CHECK-NEXT: its rewrite #2: canonicalize: fold arith.muli ({{.*}}arith.py:{{[0-9]+}}) at m.py:7:3
// CHECK-NEXT:   - %{{.*}} = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:   + %{{.*}} = arith.constant 4 : i32

// PASS:      pass #1 (cse) makes the command fail
// PASS-NEXT: not by a rewrite row: by what else it does

// NEVER: error: --bisect: the command 'grep -q func' succeeds on the result: there is nothing to find
// ALWAYS: error: --bisect: the command 'grep -q nothing' fails on the input already
// COMMAND: error: --bisect: the command 'teeny-nonesuch' cannot be run
