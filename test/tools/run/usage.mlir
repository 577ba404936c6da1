// Wrong usage of teeny-run, with hints.
// RUN: not teeny-run %s --target=metal 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not teeny-run %s --target=interpret{floor=machine} 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not teeny-run %s --floor=kernel 2>&1 | FileCheck %s --check-prefix=FLOOR
// RUN: not teeny-run %s --input x 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not teeny-run %s --input x=zeros --input x=range 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not teeny-run %s --input x=random:seed 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not teeny-run %s --input x=zeroes 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not teeny-run %s --input y=zeros 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not teeny-run %s --input x=%S/nonesuch.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not teeny-run %s --dim N=-1 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not teeny-run %s --repeat 0 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not teeny-run %s --sats=json 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not teeny-run %S 2>&1 | FileCheck %s --check-prefix=FOLDER

// TARGET: error: unknown target 'metal' (there is cpu, c, cuda, cuda-emulated, cuda-c-emulated, interpret)
// OPTION: error: no floor 'machine' can be interpreted; there is graph, kernel, uop
// FLOOR: error: --floor is for --target=interpret
// PAIR: error: --input takes NAME=FILE.npy, NAME=random, ..., not 'x'
// TWICE: error: --input x is given twice
// SEED: error: --input x: 'seed' is no seed
// SOURCE: error: input 'x': 'zeroes' is not FILE.npy, FILE.npz, random[:SEED], zeros or range; did you mean 'zeros'?
// NAME: error: @main has no input named 'y' (it has x)
// MISSING: error: input 'x': cannot read '{{.*}}nonesuch.npy': No such file or directory
// DIM: error: --dim N: '-1' is no extent
// REPEAT: error: --repeat takes 1 or more, not 0
// FLAG: error: unknown argument '--sats=json'; did you mean '--stats'?
// FOLDER: error: cannot read '{{.*}}': Is a directory
func.func @main(%x: tensor<2xf32> {graph.name = "x"}) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
