// Passes in an order that cannot be meant are refused, with the reason, before anything runs.
// RUN: not teeny-opt %s -p kernel-to-uop,cse,graph-to-kernel 2>&1 | FileCheck %s
// RUN: not teeny-opt %s -p 'expand-math,c' 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p graph-to-kernel,plug-count-ops 2>&1 | FileCheck %s --check-prefix=PLUGIN
// RUN: teeny-opt --list-passes | FileCheck %s --check-prefix=LIST

func.func @f() {
  func.return
}

// CHECK:      <pipeline>:1:19: error: 'graph-to-kernel' has to come before 'kernel-to-uop': kernels made after it would not become loops
// CHECK-NEXT:   kernel-to-uop,cse,graph-to-kernel
// CHECK-NEXT:                     ^~~~~~~~~~~~~~~
// CHECK-NEXT: <pipeline>:1:1: note: 'kernel-to-uop' comes here
// CHECK-NEXT:   kernel-to-uop,cse,graph-to-kernel
// CHECK-NEXT:   ^~~~~~~~~~~~~
// CHECK-NOT:  func.func

// NAMED:      <pipeline>:1:13: error: 'kernel-to-uop' has to come before 'expand-math': that works on loops, and would miss what is none
// NAMED-NEXT:   expand-math,c
// NAMED-NEXT:               ^
// NAMED-NEXT: <pipeline>:1:1: note: 'expand-math' comes here
// NAMED:      <pipeline>:1:13: error: 'legalize-floats' has to come before 'expand-math'

// PLUGIN: <pipeline>:1:17: error: 'plug-count-ops' has to come before 'graph-to-kernel': after it no functions are left to count in

// LIST:      Order, where a pipeline has both passes:
// LIST-NEXT:   expand-math before uop-to-llvm        after it no loops are left to expand in
