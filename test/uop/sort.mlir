// RUN: teeny-opt %s | teeny-opt | FileCheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | FileCheck %s

uop.func @f(inout %s: !uop.ptr<i32>, scratch %t: !uop.ptr<f32>) dims(%N: N in 1..64) {
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  uop.sort(%s, %t)[%zero] count %N first %five by [ugt]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @f(inout %s: !uop.ptr<i32>, scratch %t: !uop.ptr<f32>) dims(%N: N in 1..64) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %five = arith.constant 5 : index
// CHECK-NEXT:     uop.sort(%s, %t)[%zero] count %N first %five by [ugt]
// CHECK-NEXT:   }
// CHECK-NEXT: }
