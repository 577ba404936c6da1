// Inputs that are none.
// RUN: not teeny-opt %t.nonesuch 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not teeny-opt %S 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not teeny-opt < /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: printf 'x\377' > %t
// RUN: not teeny-opt %t 2>&1 | FileCheck %s --check-prefix=BINARY
// RUN: printf 'ab\n\000' > %t
// RUN: not teeny-opt < %t 2>&1 | FileCheck %s --check-prefix=NUL
// RUN: not teeny-opt %s -o %t/nonesuch/out 2>&1 | FileCheck %s --check-prefix=OUTPUT

func.func @f() {
  func.return
}

// MISSING:      error: cannot read '{{.*}}/inputs.mlir.tmp.nonesuch': No such file or directory

// FOLDER:      error: cannot read '{{.*}}': Is a directory

// EMPTY:      <stdin>:1:1: error: expected an operation

// BINARY:      {{.*}}/inputs.mlir.tmp:1:2: error: this is not text: byte 0xff is not valid UTF-8
// BINARY-NEXT:   x
// BINARY-NEXT:    ^

// NUL:      <stdin>:2:1: error: this is not text: it holds a NUL character
// NUL-NEXT:   �
// NUL-NEXT:   ^

// OUTPUT:      error: cannot write '{{.*}}/inputs.mlir.tmp/nonesuch/out': Not a directory
