// RUN: teeny-opt %s -p uop-to-llvm | FileCheck %s

// With a number a comparison is enough, on whichever side it is.
uop.func @compared(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %v = uop.load %x[%c0] : f32
  %m = arith.maximumf %zero, %v : f32
  %n = arith.minimumf %m, %six : f32
  uop.store %n, %y[%c0]
}

// Left as they are: what zeros of the other sign would make wrong, and two values.
uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %v = uop.load %x[%c0] : f32
  %w = uop.load %x[%c1] : f32
  %l = arith.maximumf %v, %minus : f32
  %m = arith.minimumf %l, %zero : f32
  %n = arith.maximumf %m, %w : f32
  uop.store %n, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   llvm.func @compared(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %zero = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %six = llvm.mlir.constant(6.000000e+00 : f32) : f32
// CHECK-NEXT:     %0 = llvm.getelementptr inbounds %x[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %1 = llvm.fcmp "ugt" %v, %zero : f32
// CHECK-NEXT:     %m = llvm.select %1, %v, %zero : i1, f32
// CHECK-NEXT:     %2 = llvm.fcmp "ult" %m, %six : f32
// CHECK-NEXT:     %n = llvm.select %2, %m, %six : i1, f32
// CHECK-NEXT:     %3 = llvm.getelementptr inbounds %y[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %n, %3 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @kept(%y_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %zero_1 = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %minus = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT:     %4 = llvm.getelementptr inbounds %x_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_1 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %5 = llvm.getelementptr inbounds %x_1[%c1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w = llvm.load %5 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %l = llvm.intr.maximum(%v_1, %minus) : (f32, f32) -> f32
// CHECK-NEXT:     %m_1 = llvm.intr.minimum(%l, %zero_1) : (f32, f32) -> f32
// CHECK-NEXT:     %n_1 = llvm.intr.maximum(%m_1, %w) : (f32, f32) -> f32
// CHECK-NEXT:     %6 = llvm.getelementptr inbounds %y_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %n_1, %6 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
