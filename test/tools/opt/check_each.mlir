// The first pass that changes what the program means is named, with the values that differ.
// RUN: teeny-opt %s --check-each -p optimize-graph,graph-to-kernel,kernel-to-uop -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: not teeny-opt %s --check-each --load-plugin=%S/Inputs/wrong_passes.py -p canonicalize,wrong-swap-operands,graph-to-kernel --crash-reproducer=%t.repro.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPRODUCER --input-file=%t.repro.mlir
// RUN: not teeny-opt --check-each --load-plugin=%S/Inputs/wrong_passes.py --run-reproducer %t.repro.mlir 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: teeny-opt %s --bisect=--check-each --load-plugin=%S/Inputs/wrong_passes.py -p canonicalize,wrong-swap-operands,graph-to-kernel | FileCheck %s --check-prefix=BISECT
// RUN: not teeny-opt %s --check-each --load-plugin=%S/Inputs/wrong_passes.py -p graph-to-kernel,wrong-shift-loads --crash-reproducer=%t.shift.mlir 2>&1 | FileCheck %s --check-prefix=FAULT
// RUN: teeny-opt %s --check-each -p cpu 2>&1 >/dev/null | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: not teeny-opt %s --check-each --load-plugin=%S/Inputs/wrong_passes.py -p cpu,wrong-add --crash-reproducer=%t.add.mlir 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: teeny-opt %s --check-each --load-plugin=%S/Inputs/wrong_passes.py -p wrong-rename 2>&1 >/dev/null | FileCheck %s --check-prefix=UNCHECKED

// SILENT-NOT: {{warning|error}}

// CHECK: error: @main has another meaning: output 'output': 5 of 5 elements differ, the worst at [
// CHECK-NEXT: note: on random inputs with N = 5
// CHECK-NEXT: note: in pass wrong-swap-operands on @main (#2)

// REPRODUCER:      // A reproducer: teeny-opt --run-reproducer --check-each --load-plugin={{.*}}/wrong_passes.py
// REPRODUCER-NEXT: // pipeline: builtin.module(func.func(wrong-swap-operands))

// REPLAY: error: @main has another meaning

// BISECT: pass #2 (wrong-swap-operands on @main) changes the meaning
// BISECT-NEXT: not by a rewrite row: by what else it does

// NATIVE:      error: @main has another meaning: output 'output': 5 of 5 elements differ, the worst at [
// NATIVE:      note: in pass wrong-add (#

// FAULT: error: @main has become faulty
// FAULT-NEXT: {{.*}}note: 'kernel.load': index [5] is out of bounds of %a, whose extents are [5] at %i = 4
// FAULT: note: in pass wrong-shift-loads on @sub (#2)

// UNCHECKED: warning: @main is unchecked: it is on no floor that runs
func.func @main(%a: tensor<?xf32, #graph.dims<[N]>>, %b: tensor<?xf32, #graph.dims<[N]>>)
    -> tensor<?xf32, #graph.dims<[N]>>
    attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  %r = graph.sub %a, %b : tensor<?xf32, #graph.dims<[N]>>
  func.return %r : tensor<?xf32, #graph.dims<[N]>>
}
