// RUN: teeny-opt %s -p uop-to-llvm | filecheck %s
// RUN: teeny-opt %s -p uop-to-llvm --check-each -o %t

// A loop that threads share becomes a function of its share, and one that takes what it uses out of
// a frame. The kernel's pointers are captured there. Constants are written again.
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..100) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = uop.load %x[%c0] : f32
  %g = arith.cmpi slt, %c0, %N : index
  %w = vector.broadcast %v : f32 to vector<4xf32>
  scf.for %i = %c1 to %N step %c1 {
    %t = uop.thread %i
    %a = arith.muli %i, %c2 : index
    %b = vector.extract %w[0] : f32 from vector<4xf32>
    uop.store %b, %y[%a] if %g
  } {uop.threads = #uop.threads<2, N floordiv 8 + 1>}
}
program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[2 * N] x f32>) dims(N in 1..100) arena(0) {
  program.launch @f(%y, %x)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   llvm.func @teenyir_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64)
// CHECK-NEXT:   llvm.func internal @f.share.0(%w: vector<4xf32>, %y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %g: i1, %begin: i64, %end: i64, %thread: i64) attributes {no_inline} {
// CHECK-NEXT:     %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     llvm.br ^bb1(%begin : i64)
// CHECK-NEXT:   ^bb1(%i: i64):
// CHECK-NEXT:     %0 = llvm.icmp "slt" %i, %end : i64
// CHECK-NEXT:     llvm.cond_br %0, ^bb2, ^bb5
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %a = llvm.mul %i, %c2 overflow<nsw> : i64
// CHECK-NEXT:     %1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %b = llvm.extractelement %w[%1 : i64] : vector<4xf32>
// CHECK-NEXT:     llvm.cond_br %g, ^bb3, ^bb4
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %2 = llvm.getelementptr inbounds %y[%a] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %b, %2 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.br ^bb4
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %3 = llvm.add %i, %c1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%3 : i64)
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func internal @f.task.0(%frame: !llvm.ptr, %begin_1: i64, %end_1: i64, %thread_1: i64) attributes {no_inline} {
// CHECK-NEXT:     %4 = llvm.getelementptr %frame[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     %5 = llvm.load %4 {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:     %6 = llvm.getelementptr %frame[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     %7 = llvm.load %6 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:     %8 = llvm.getelementptr %frame[24] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     %9 = llvm.load %8 {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:     %10 = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:     %11 = llvm.icmp "ne" %9, %10 : i8
// CHECK-NEXT:     llvm.call @f.share.0(%5, %7, %11, %begin_1, %end_1, %thread_1) : (vector<4xf32>, !llvm.ptr, i1, i64, i64, i64) -> ()
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func internal @f(%y_1: !llvm.ptr {llvm.noalias, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.readonly}, %N: i64) attributes {no_inline} {
// CHECK-NEXT:     %12 = llvm.mlir.constant(25) : i64
// CHECK-NEXT:     %13 = llvm.alloca %12 x i8 {alignment = 16 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:     %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2_1 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %14 = llvm.getelementptr inbounds %x[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v = llvm.load %14 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %g_1 = llvm.icmp "slt" %c0, %N : i64
// CHECK-NEXT:     %15 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:     %16 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %17 = llvm.insertelement %v, %15[%16 : i64] : vector<4xf32>
// CHECK-NEXT:     %w_1 = llvm.shufflevector %17, %15 [0, 0, 0, 0] : vector<4xf32>
// CHECK-NEXT:     %18 = llvm.getelementptr %13[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     llvm.store %w_1, %18 {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// CHECK-NEXT:     %19 = llvm.getelementptr %13[16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     llvm.store %y_1, %19 {alignment = 8 : i64} : !llvm.ptr, !llvm.ptr
// CHECK-NEXT:     %20 = llvm.getelementptr %13[24] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:     %21 = llvm.zext %g_1 : i1 to i8
// CHECK-NEXT:     llvm.store %21, %20 {alignment = 1 : i64} : i8, !llvm.ptr
// CHECK-NEXT:     %22 = llvm.sub %N, %c1_1 : i64
// CHECK-NEXT:     %23 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %24 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %25 = llvm.sdiv %N, %24 : i64
// CHECK-NEXT:     %26 = llvm.srem %N, %24 : i64
// CHECK-NEXT:     %27 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %28 = llvm.icmp "ne" %26, %27 : i64
// CHECK-NEXT:     %29 = llvm.xor %26, %24 : i64
// CHECK-NEXT:     %30 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %31 = llvm.icmp "slt" %29, %30 : i64
// CHECK-NEXT:     %32 = llvm.and %28, %31 : i1
// CHECK-NEXT:     %33 = llvm.sext %32 : i1 to i64
// CHECK-NEXT:     %34 = llvm.add %25, %33 : i64
// CHECK-NEXT:     %35 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %36 = llvm.add %34, %35 : i64
// CHECK-NEXT:     %37 = llvm.mlir.addressof @f.task.0 : !llvm.ptr
// CHECK-NEXT:     llvm.call @teenyir_parallel_for(%37, %13, %c1_1, %22, %23, %36) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64) -> ()
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @main(%buffers: !llvm.ptr {llvm.noalias, llvm.readonly}, %dims: !llvm.ptr {llvm.noalias, llvm.readonly}, %arena: !llvm.ptr) attributes {program.arena = "0"} {
// CHECK-NEXT:     %38 = llvm.getelementptr %buffers[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:     %x_1 = llvm.load %38 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:     %39 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:     %y_2 = llvm.load %39 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:     %40 = llvm.getelementptr %dims[0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:     %N_1 = llvm.load %40 {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK-NEXT:     llvm.call @f(%y_2, %x_1, %N_1) : (!llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
