// Unknown dialects are refused, or let through on demand.
// RUN: not teeny-opt %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: teeny-opt %s --allow-unregistered-dialect | FileCheck %s

%a = "my.op"() {b = #my.attr<x>} : () -> !my.type

// ERROR:      {{.*}}/unregistered.mlir:5:7: error: unknown operation 'my.op': there is no dialect 'my'
// ERROR-NEXT:   %a = "my.op"() {b = #my.attr<x>} : () -> !my.type
// ERROR-NEXT:         ^~~~~

// CHECK:      builtin.module {
// CHECK-NEXT:   %a = "my.op"() {b = #my.attr<x>} : () -> !my.type
// CHECK-NEXT: }
