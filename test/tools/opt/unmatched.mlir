// A nested pipeline that met no operation warns.
// RUN: teeny-opt %s -p 'kernel.func(cse)' 2>&1 >/dev/null | FileCheck %s

func.func @f() {
  func.return
}

// CHECK:      {{.*}}/unmatched.mlir:4:1: warning: the pipeline 'kernel.func(cse)' met no operation that it is for
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:   ^
