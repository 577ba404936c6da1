// A pass that fails says which it was; `--print-ir-after-failure` shows what it left.
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p cse,plug-fail 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p 'cse,func.func(plug-fail{how=xdsl})' 2>&1 | FileCheck %s --check-prefix=XDSL
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-fail{how=invalid} --print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-fail{how=raise} 2>&1 | FileCheck %s --check-prefix=RAISE
// RUN: teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-fail{how=invalid} --verify-each=false | FileCheck %s --check-prefix=UNCHECKED

func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}

// FAIL:      {{.*}}/failure.mlir:9:3: error: this return is not to my taste
// FAIL-NEXT:     func.return %a : i32
// FAIL-NEXT:     ^
// FAIL-NEXT: note: in pass plug-fail (#2)

// XDSL:      {{.*}}/failure.mlir:8:1: error: not like this
// XDSL-NEXT:   func.func @f(%a: i32) -> i32 {
// XDSL-NEXT:   ^
// XDSL-NEXT: note: in pass plug-fail on @f (#2)

// INVALID:      // -----// IR Dump After plug-fail Failed //----- //
// INVALID-NEXT: builtin.module {
// INVALID-NEXT:   func.func @f(%a: i32) -> i32 {
// INVALID-NEXT:     func.return
// INVALID-NEXT:   }
// INVALID-NEXT: }
// INVALID-EMPTY:
// INVALID-NEXT: {{.*}}/failure.mlir:9:3: error: 'func.return': Expected arguments to have the same types as the function output types: expected [i32], got []
// INVALID-NEXT:     func.return %a : i32
// INVALID-NEXT:     ^
// INVALID-NEXT: note: in pass plug-fail (#1)

// RAISE:      {{.*}}/failure.mlir:8:1: error: pass 'plug-fail' failed with KeyError: 'nonesuch'
// RAISE-NEXT:   func.func @f(%a: i32) -> i32 {
// RAISE-NEXT:   ^
// RAISE-NEXT: note: in pass plug-fail (#1)
// RAISE-NEXT: {{.*}}/Inputs/plugin.py:58:17: note: raised in 'run'
// RAISE-NEXT:                   raise KeyError("nonesuch")
// RAISE-NEXT:                   ^

// UNCHECKED:      builtin.module {
// UNCHECKED-NEXT:   func.func @f(%a: i32) -> i32 {
// UNCHECKED-NEXT:     func.return
// UNCHECKED-NEXT:   }
// UNCHECKED-NEXT: }
