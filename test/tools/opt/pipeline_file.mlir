// `-p @FILE` reads a pipeline from a file, with line breaks and comments; its errors stand there.
// RUN: teeny-opt %s -p @%S/Inputs/pipeline.txt --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: not teeny-opt %s -p @%S/Inputs/wrong_pipeline.txt 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not teeny-opt %s -p @%t.txt 2>&1 | FileCheck %s --check-prefix=MISSING

func.func @f() {
  func.return
}

// CHECK: builtin.module(func.func(canonicalize,cse),dce)

// WRONG:      {{.*}}/wrong_pipeline.txt:2:1: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?
// WRONG-NEXT:   canonicalise
// WRONG-NEXT:   ^~~~~~~~~~~~

// MISSING: error: cannot read '{{.*}}.txt': No such file or directory
