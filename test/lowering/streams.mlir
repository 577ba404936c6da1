// RUN: teeny-opt %s -p uop-to-llvm | FileCheck %s

// A kernel with streaming stores has a copy that runs where the array begins at a multiple of 64
// bytes. A store at a place that is no multiple of a vector's size, one of a scalar and one with a
// gate are as any other.
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = uop.load %x[%c0] : vector<16xf32>
  %s = uop.load %x[%c0] : f32
  %g = arith.cmpi slt, %n, %c16 : index
  uop.store %v, %y[%c16] streaming
  uop.store %v, %y[%n] streaming
  uop.store %s, %y[%c0] streaming
  uop.store %s, %y[%c16] if %g streaming
}

// CHECK:      builtin.module {
// CHECK-NEXT:   llvm.func internal @copy.streaming(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %n: i64) attributes {no_inline} {
// CHECK-NEXT:     %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c16 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     %0 = llvm.getelementptr inbounds %x[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %1 = llvm.getelementptr inbounds %x[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %s = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %g = llvm.icmp "slt" %n, %c16 : i64
// CHECK-NEXT:     %2 = llvm.getelementptr inbounds %y[%c16] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %v, %2 {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %3 = llvm.getelementptr inbounds %y[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %4 = llvm.getelementptr inbounds %y[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %v, %4 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %5 = llvm.getelementptr inbounds %y[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s, %5 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.cond_br %g, ^bb1, ^bb2
// CHECK-NEXT:   ^bb1:
// CHECK-NEXT:     %6 = llvm.getelementptr inbounds %y[%c16] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s, %6 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.br ^bb2
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @copy(%y_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %n_1: i64) {
// CHECK-NEXT:     %7 = llvm.ptrtoint %y_1 : !llvm.ptr to i64
// CHECK-NEXT:     %8 = llvm.mlir.constant(63) : i64
// CHECK-NEXT:     %9 = llvm.and %7, %8 : i64
// CHECK-NEXT:     %10 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %11 = llvm.icmp "eq" %9, %10 : i64
// CHECK-NEXT:     llvm.cond_br %11, ^bb1, ^bb2
// CHECK-NEXT:   ^bb1:
// CHECK-NEXT:     llvm.call @copy.streaming(%y_1, %x_1, %n_1) : (!llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK-NEXT:     llvm.fence seq_cst
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %c0_1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c16_1 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     %12 = llvm.getelementptr inbounds %x_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_1 = llvm.load %12 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %13 = llvm.getelementptr inbounds %x_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %s_1 = llvm.load %13 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %g_1 = llvm.icmp "slt" %n_1, %c16_1 : i64
// CHECK-NEXT:     %14 = llvm.getelementptr inbounds %y_1[%c16_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %v_1, %14 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %15 = llvm.getelementptr inbounds %y_1[%n_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %v_1, %15 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %16 = llvm.getelementptr inbounds %y_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s_1, %16 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.cond_br %g_1, ^bb3, ^bb4
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %17 = llvm.getelementptr inbounds %y_1[%c16_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s_1, %17 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.br ^bb4
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
