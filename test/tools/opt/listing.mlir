// What there is.
// RUN: teeny-opt --list-passes | FileCheck %s --check-prefix=PASSES
// RUN: teeny-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: teeny-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: teeny-opt --help | FileCheck %s --check-prefix=HELP

// PASSES:      Named pipelines:
// PASSES:        cpu                                   From the graph floor to LLVM for the CPU
// PASSES:      canonicalize
// PASSES:      scf-parallel-loop-tiling
// PASSES-NEXT:       parallel-loop-tile-sizes=... (list of integer)

// DIALECTS: affine
// DIALECTS: arith
// DIALECTS: graph
// DIALECTS: kernel
// DIALECTS: llvm
// DIALECTS: program
// DIALECTS: uop

// VERSION: teeny-opt {{.*}} (xdsl 0.75.{{.*}})

// HELP: usage: teeny-opt
// HELP: examples:
