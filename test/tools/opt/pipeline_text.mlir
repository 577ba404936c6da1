// `--dump-pass-pipeline` prints the pipeline as text that recreates it.
// RUN: teeny-opt %s -p 'cse , any( canonicalize ),scf-for-loop-unroll,func.func(cse,apply-individual-rewrite{matched-operation-index=3 operation_name=a.b pattern-name="x y"})' --disable-pass=apply-individual-rewrite --disable-pass=scf-for-loop-unroll --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s
// RUN: teeny-opt %s --cse --canonicalize --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=FLAGS

func.func @f() {
  func.return
}

// CHECK:      builtin.module(cse,any(canonicalize),scf-for-loop-unroll,func.func(cse,apply-individual-rewrite{matched-operation-index=3 operation-name=a.b pattern-name="x y"}))

// FLAGS:      builtin.module(cse,canonicalize)
