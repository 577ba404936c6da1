// How IR prints: the generic form, with locations, without large constants.
// RUN: teeny-opt %s --print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: teeny-opt %s --print-debuginfo | FileCheck %s --check-prefix=LOCATIONS
// RUN: teeny-opt %s --elide-constants-larger-than=2 | FileCheck %s --check-prefix=ELIDED
// RUN: teeny-opt %s --mlir-print-op-generic --mlir-print-debuginfo | teeny-opt --print-debuginfo | FileCheck %s --check-prefix=LOCATIONS

func.func @f() -> tensor<3xi32> {
  %small = arith.constant dense<[1, 2]> : tensor<2xi32> loc("small.py":3:4)
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  func.return %c : tensor<3xi32>
}

// GENERIC:      "builtin.module"() ({
// GENERIC-NEXT:   "func.func"() <{sym_name = "f", function_type = () -> tensor<3xi32>}> ({
// GENERIC-NEXT:     %small = "arith.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
// GENERIC-NEXT:     %c = "arith.constant"() <{value = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
// GENERIC-NEXT:     "func.return"(%c) : (tensor<3xi32>) -> ()
// GENERIC-NEXT:   }) : () -> ()
// GENERIC-NEXT: }) : () -> ()

// LOCATIONS:      builtin.module {
// LOCATIONS-NEXT:   func.func @f() -> tensor<3xi32> {
// LOCATIONS-NEXT:     %small = arith.constant dense<[1, 2]> : tensor<2xi32> loc("small.py":3:4)
// LOCATIONS-NEXT:     %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32> loc("{{.*}}/forms.mlir":9:3)
// LOCATIONS-NEXT:     func.return %c : tensor<3xi32> loc("{{.*}}/forms.mlir":10:3)
// LOCATIONS-NEXT:   } loc("{{.*}}/forms.mlir":7:1)
// LOCATIONS-NEXT: } loc("{{.*}}/forms.mlir":7:1)

// ELIDED:      builtin.module {
// ELIDED-NEXT:   func.func @f() -> tensor<3xi32> {
// ELIDED-NEXT:     %small = arith.constant dense<[1, 2]> : tensor<2xi32>
// ELIDED-NEXT:     %c = arith.constant dense_resource<__elided__> : tensor<3xi32>
// ELIDED-NEXT:     func.return %c : tensor<3xi32>
// ELIDED-NEXT:   }
// ELIDED-NEXT: }
