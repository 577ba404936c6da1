// What is wrong with a pipeline is shown in the user's own string.
// RUN: not teeny-opt %s -p 'cse,func.func(canonicalise)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not teeny-opt %s -p 'func.func(cse' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not teeny-opt %s -p 'cse{size=1}' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not teeny-opt %s -p 'apply-pdl{pdl-fil=x}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not teeny-opt %s -p 'scf-parallel-loop-tiling{parallel-loop-tile-sizes=1,x}' 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not teeny-opt %s -p 'apply-individual-rewrite{pattern-name=x}' 2>&1 | FileCheck %s --check-prefix=REQUIRED
// RUN: not teeny-opt %s -p 'cse(canonicalize)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not teeny-opt %s -p 'cse,,cse' 2>&1 | FileCheck %s --check-prefix=COMMA
// RUN: not teeny-opt %s -p 'cse)' 2>&1 | FileCheck %s --check-prefix=CLOSE
// RUN: not teeny-opt %s -p 'func.func' 2>&1 | FileCheck %s --check-prefix=BARE

func.func @f() {
  func.return
}

// UNKNOWN:      <pipeline>:1:15: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?
// UNKNOWN-NEXT:   cse,func.func(canonicalise)
// UNKNOWN-NEXT:                 ^~~~~~~~~~~~

// OPEN:      <pipeline>:1:14: error: expected ')'
// OPEN-NEXT:   func.func(cse
// OPEN-NEXT:                ^
// OPEN-NEXT: <pipeline>:1:10: note: it was opened here
// OPEN-NEXT:   func.func(cse
// OPEN-NEXT:            ^

// NONE:      <pipeline>:1:5: error: 'cse' takes no options, but was given 'size'
// NONE-NEXT:   cse{size=1}
// NONE-NEXT:       ^~~~~~

// OPTION:      <pipeline>:1:11: error: 'apply-pdl' has no option 'pdl-fil'; did you mean 'pdl-file'?
// OPTION-NEXT:   apply-pdl{pdl-fil=x}
// OPTION-NEXT:             ^~~~~~~~~

// TYPE:      <pipeline>:1:26: error: option 'parallel-loop-tile-sizes' of 'scf-parallel-loop-tiling': expected an integer, not 'x'
// TYPE-NEXT:   scf-parallel-loop-tiling{parallel-loop-tile-sizes=1,x}
// TYPE-NEXT:                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~

// REQUIRED:      <pipeline>:1:1: error: 'apply-individual-rewrite' needs the option 'matched-operation-index=integer'
// REQUIRED-NEXT:   apply-individual-rewrite{pattern-name=x}
// REQUIRED-NEXT:   ^~~~~~~~~~~~~~~~~~~~~~~~

// ANCHOR:      <pipeline>:1:1: error: 'cse' is a pass, and passes nest in operations only
// ANCHOR-NEXT:   cse(canonicalize)
// ANCHOR-NEXT:   ^~~

// COMMA:      <pipeline>:1:5: error: expected the name of a pass or an operation
// COMMA-NEXT:   cse,,cse
// COMMA-NEXT:       ^

// CLOSE:      <pipeline>:1:4: error: expected ',' or the end, not ')'
// CLOSE-NEXT:   cse)
// CLOSE-NEXT:      ^

// BARE:      <pipeline>:1:1: error: expected '(' and passes for 'func.func'
// BARE-NEXT:   func.func
// BARE-NEXT:   ^~~~~~~~~
