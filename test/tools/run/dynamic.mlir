// Named extents come from --dim or the inputs' shapes, and what is wrong with them is said.
// RUN: teeny-run %s --target=interpret --dim N=3 --input x=zeros --print | FileCheck %s
// RUN: teeny-run %s --dim N=3 --compare=interpret -o %t.npz
// RUN: teeny-run %s --input x=%t.npz | FileCheck %s --check-prefix=FILE
// RUN: not teeny-run %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not teeny-run %s --dim N=65 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not teeny-run %s --dim M=3 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not teeny-run %s --dim N=4 --input x=%t.npz 2>&1 | FileCheck %s --check-prefix=SHAPE

// CHECK: output: float32[3, 4]
// CHECK-NEXT: {{\[\[1. 1. 1. 1.\]}}
// FILE: output: float32[3, 4]
// OPEN: error: no input says what N is: give it a value (N in 1..64)
// RANGE: error: N = 65 is outside N in 1..64 (as given)
// NAME: error: @main has no extent named M (it has N)
// SHAPE: error: input 'x': expected float32[N, 4], but axis 0 is 3, not N = 4, with N = 4 as given
func.func @main(%x: tensor<?x4xf32, #graph.dims<[N, 4]>> {graph.name = "x"})
    -> tensor<?x4xf32, #graph.dims<[N, 4]>>
    attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  %r = graph.exp %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return %r : tensor<?x4xf32, #graph.dims<[N, 4]>>
}
