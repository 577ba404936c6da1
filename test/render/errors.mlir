// RUN: not teeny-translate %s --to=c 2>&1 | FileCheck %s

// CHECK: errors.mlir:7:3: error: C has no row for arith.mulsi_extended
uop.func @wide(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : i32
  %low, %high = arith.mulsi_extended %a, %a : i32
  uop.store %high, %y[%c0]
}
