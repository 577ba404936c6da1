// RUN: not teeny-translate %s --to=cuda-c 2>&1 | FileCheck %s
// CHECK:      {{.*}}/cuda_errors.mlir:9:3: error: CUDA C has no row for arith.mulsi_extended
// CHECK-NEXT:     %low, %high = arith.mulsi_extended %a, %a : i32
// CHECK-NEXT:     ^
uop.func @wide(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : i32
  // both halves of the product
  %low, %high = arith.mulsi_extended %a, %a : i32
  uop.store %high, %y[%c0]
}
