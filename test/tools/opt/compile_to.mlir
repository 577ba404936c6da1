// `--compile-to` goes down to a floor; `--target` alone, to the bottom.
// RUN: teeny-opt %s --compile-to=graph --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: teeny-opt %s --compile-to=kernel | FileCheck %s --check-prefix=KERNEL
// RUN: teeny-opt %s --compile-to=uop --target=cpu | FileCheck %s --check-prefix=UOP
// RUN: teeny-opt %s --target=cpu | FileCheck %s --check-prefix=MACHINE
// RUN: teeny-opt %s --compile-to=kernel | teeny-opt -p kernel-to-uop,plan-arena,uop-to-llvm | FileCheck %s --check-prefix=MACHINE

func.func @main(%x: tensor<3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %y = graph.neg %x : tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// GRAPH: builtin.module({{.*}})
// GRAPH: graph.neg
// KERNEL: kernel.func
// UOP: uop.func
// MACHINE: llvm.func
