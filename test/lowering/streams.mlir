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

// What is read as it is written is asked for a page ahead, if much is done with it; what is read for
// each row again is not.
uop.func @add(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %row = arith.muli %i, %c64 : index
    scf.for %j = %c0 to %c64 step %c16 {
      %place = arith.addi %row, %j : index
      %v = uop.load %x[%place] : vector<16xf32>
      %w = uop.load %b[%j] : vector<16xf32>
      %s = arith.addf %v, %w : vector<16xf32>
      %s1 = arith.mulf %s, %v : vector<16xf32>
      %s2 = arith.mulf %s1, %v : vector<16xf32>
      %s3 = arith.mulf %s2, %v : vector<16xf32>
      %s4 = arith.mulf %s3, %v : vector<16xf32>
      %s5 = arith.mulf %s4, %v : vector<16xf32>
      %s6 = arith.mulf %s5, %v : vector<16xf32>
      %s7 = arith.mulf %s6, %v : vector<16xf32>
      %s8 = arith.mulf %s7, %v : vector<16xf32>
      %s9 = arith.mulf %s8, %v : vector<16xf32>
      %s10 = arith.mulf %s9, %v : vector<16xf32>
      %s11 = arith.mulf %s10, %v : vector<16xf32>
      uop.store %s11, %y[%place] streaming
    }
  }
}

// Rows that a loop has read by then are asked for one row ahead; what it read at other places is not.
uop.func @centre(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<f32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %row = arith.muli %i, %c64 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (f32) {
      %place = arith.addi %row, %k : index
      %v = uop.load %x[%place] : f32
      %w = uop.load %b[%k] : f32
      %p = arith.mulf %v, %w : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    %every = vector.broadcast %sum : f32 to vector<16xf32>
    scf.for %j = %c0 to %c64 step %c16 {
      %place_1 = arith.addi %row, %j : index
      uop.store %every, %y[%place_1] streaming
    }
  }
}

// A row that is read again, in vectors, is asked for one row ahead, a line at a time; one of which
// a loop before has read a part is not, nor what every row reads.
uop.func @again(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<f32>) {
  %zero = arith.constant 0.0 : f32
  %zeros = vector.broadcast %zero : f32 to vector<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %row = arith.muli %i, %c64 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (f32) {
      %place = arith.addi %row, %k : index
      %v = uop.load %x[%place] : f32
      %w = uop.load %b[%k] : f32
      %p = arith.mulf %v, %w : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    %all = scf.for %j = %c0 to %c4 step %c1 iter_args(%s_1 = %zeros) -> (vector<8xf32>) {
      %along = arith.muli %j, %c16 : index
      %place_1 = arith.addi %row, %along : index
      %place_2 = arith.addi %place_1, %c8 : index
      %v_1 = uop.load %x[%place_1] : vector<8xf32>
      %v_2 = uop.load %x[%place_2] : vector<8xf32>
      %w_1 = uop.load %b[%along] : vector<8xf32>
      %p_1 = arith.mulf %v_1, %v_2 : vector<8xf32>
      %p_2 = arith.mulf %p_1, %w_1 : vector<8xf32>
      %t_1 = arith.addf %s_1, %p_2 : vector<8xf32>
      scf.yield %t_1 : vector<8xf32>
    }
    %some = scf.for %l = %c0 to %c3 step %c1 iter_args(%s_2 = %all) -> (vector<8xf32>) {
      %along_1 = arith.muli %l, %c16 : index
      %place_3 = arith.addi %row, %along_1 : index
      %v_3 = uop.load %x[%place_3] : vector<8xf32>
      %t_2 = arith.addf %s_2, %v_3 : vector<8xf32>
      scf.yield %t_2 : vector<8xf32>
    }
    %every = vector.broadcast %sum : f32 to vector<8xf32>
    %r = arith.addf %some, %every : vector<8xf32>
    uop.store %r, %y[%row]
  }
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
// CHECK-NEXT:   llvm.func internal @add.streaming(%y_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) attributes {no_inline} {
// CHECK-NEXT:     %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %c64 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %c16_2 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     llvm.br ^bb1(%c0_2 : i64)
// CHECK-NEXT:   ^bb1(%i: i64):
// CHECK-NEXT:     %18 = llvm.icmp "slt" %i, %c2 : i64
// CHECK-NEXT:     llvm.cond_br %18, ^bb2, ^bb6
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %row = llvm.mul %i, %c64 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%c0_2 : i64)
// CHECK-NEXT:   ^bb3(%j: i64):
// CHECK-NEXT:     %19 = llvm.icmp "slt" %j, %c64 : i64
// CHECK-NEXT:     llvm.cond_br %19, ^bb4, ^bb5
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %place = llvm.add %row, %j overflow<nsw> : i64
// CHECK-NEXT:     %20 = llvm.getelementptr inbounds %x_2[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_2 = llvm.load %20 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %21 = llvm.getelementptr inbounds %b[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w = llvm.load %21 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %s_2 = llvm.fadd %v_2, %w : vector<16xf32>
// CHECK-NEXT:     %s1 = llvm.fmul %s_2, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s2 = llvm.fmul %s1, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s3 = llvm.fmul %s2, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s4 = llvm.fmul %s3, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s5 = llvm.fmul %s4, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s6 = llvm.fmul %s5, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s7 = llvm.fmul %s6, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s8 = llvm.fmul %s7, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s9 = llvm.fmul %s8, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s10 = llvm.fmul %s9, %v_2 : vector<16xf32>
// CHECK-NEXT:     %s11 = llvm.fmul %s10, %v_2 : vector<16xf32>
// CHECK-NEXT:     %22 = llvm.mlir.constant(1024) : i64
// CHECK-NEXT:     %23 = llvm.add %place, %22 : i64
// CHECK-NEXT:     %24 = llvm.getelementptr %x_2[%23] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %25 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:     %26 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:     %27 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     llvm.call_intrinsic "llvm.prefetch.p0"(%24, %25, %26, %27) : (!llvm.ptr, i32, i32, i32) -> ()
// CHECK-NEXT:     %28 = llvm.getelementptr inbounds %y_2[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s11, %28 {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %29 = llvm.add %j, %c16_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%29 : i64)
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     %30 = llvm.add %i, %c1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%30 : i64)
// CHECK-NEXT:   ^bb6:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @add(%y_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %31 = llvm.ptrtoint %y_3 : !llvm.ptr to i64
// CHECK-NEXT:     %32 = llvm.mlir.constant(63) : i64
// CHECK-NEXT:     %33 = llvm.and %31, %32 : i64
// CHECK-NEXT:     %34 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %35 = llvm.icmp "eq" %33, %34 : i64
// CHECK-NEXT:     llvm.cond_br %35, ^bb1, ^bb2
// CHECK-NEXT:   ^bb1:
// CHECK-NEXT:     llvm.call @add.streaming(%y_3, %x_3, %b_1) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NEXT:     llvm.fence seq_cst
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %c0_3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2_1 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %c64_1 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %c16_3 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     llvm.br ^bb3(%c0_3 : i64)
// CHECK-NEXT:   ^bb3(%i_1: i64):
// CHECK-NEXT:     %36 = llvm.icmp "slt" %i_1, %c2_1 : i64
// CHECK-NEXT:     llvm.cond_br %36, ^bb4, ^bb8
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %row_1 = llvm.mul %i_1, %c64_1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb5(%c0_3 : i64)
// CHECK-NEXT:   ^bb5(%j_1: i64):
// CHECK-NEXT:     %37 = llvm.icmp "slt" %j_1, %c64_1 : i64
// CHECK-NEXT:     llvm.cond_br %37, ^bb6, ^bb7
// CHECK-NEXT:   ^bb6:
// CHECK-NEXT:     %place_1 = llvm.add %row_1, %j_1 overflow<nsw> : i64
// CHECK-NEXT:     %38 = llvm.getelementptr inbounds %x_3[%place_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_3 = llvm.load %38 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %39 = llvm.getelementptr inbounds %b_1[%j_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w_1 = llvm.load %39 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK-NEXT:     %s_3 = llvm.fadd %v_3, %w_1 : vector<16xf32>
// CHECK-NEXT:     %s1_1 = llvm.fmul %s_3, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s2_1 = llvm.fmul %s1_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s3_1 = llvm.fmul %s2_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s4_1 = llvm.fmul %s3_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s5_1 = llvm.fmul %s4_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s6_1 = llvm.fmul %s5_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s7_1 = llvm.fmul %s6_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s8_1 = llvm.fmul %s7_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s9_1 = llvm.fmul %s8_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s10_1 = llvm.fmul %s9_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %s11_1 = llvm.fmul %s10_1, %v_3 : vector<16xf32>
// CHECK-NEXT:     %40 = llvm.getelementptr inbounds %y_3[%place_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s11_1, %40 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %41 = llvm.add %j_1, %c16_3 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb5(%41 : i64)
// CHECK-NEXT:   ^bb7:
// CHECK-NEXT:     %42 = llvm.add %i_1, %c1_1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%42 : i64)
// CHECK-NEXT:   ^bb8:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func internal @centre.streaming(%y_4: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_4: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) attributes {no_inline} {
// CHECK-NEXT:     %zero = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %c0_4 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_2 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2_2 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %c64_2 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %c16_4 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     llvm.br ^bb1(%c0_4 : i64)
// CHECK-NEXT:   ^bb1(%i_2: i64):
// CHECK-NEXT:     %43 = llvm.icmp "slt" %i_2, %c2_2 : i64
// CHECK-NEXT:     llvm.cond_br %43, ^bb2, ^bb9
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %row_2 = llvm.mul %i_2, %c64_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%c0_4, %zero : i64, f32)
// CHECK-NEXT:   ^bb3(%k: i64, %s_4: f32):
// CHECK-NEXT:     %44 = llvm.icmp "slt" %k, %c64_2 : i64
// CHECK-NEXT:     llvm.cond_br %44, ^bb4, ^bb5
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %place_2 = llvm.add %row_2, %k overflow<nsw> : i64
// CHECK-NEXT:     %45 = llvm.getelementptr inbounds %x_4[%place_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_4 = llvm.load %45 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %46 = llvm.getelementptr inbounds %b_2[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w_2 = llvm.load %46 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %p = llvm.fmul %v_4, %w_2 : f32
// CHECK-NEXT:     %t = llvm.fadd %s_4, %p : f32
// CHECK-NEXT:     %47 = llvm.add %k, %c1_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%47, %t : i64, f32)
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     %48 = llvm.mlir.poison : vector<16xf32>
// CHECK-NEXT:     %49 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %50 = llvm.insertelement %s_4, %48[%49 : i64] : vector<16xf32>
// CHECK-NEXT:     %every = llvm.shufflevector %50, %48 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
// CHECK-NEXT:     llvm.br ^bb6(%c0_4 : i64)
// CHECK-NEXT:   ^bb6(%j_2: i64):
// CHECK-NEXT:     %51 = llvm.icmp "slt" %j_2, %c64_2 : i64
// CHECK-NEXT:     llvm.cond_br %51, ^bb7, ^bb8
// CHECK-NEXT:   ^bb7:
// CHECK-NEXT:     %place_3 = llvm.add %row_2, %j_2 overflow<nsw> : i64
// CHECK-NEXT:     %52 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %53 = llvm.add %place_3, %52 : i64
// CHECK-NEXT:     %54 = llvm.getelementptr %x_4[%53] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %55 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:     %56 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:     %57 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     llvm.call_intrinsic "llvm.prefetch.p0"(%54, %55, %56, %57) : (!llvm.ptr, i32, i32, i32) -> ()
// CHECK-NEXT:     %58 = llvm.getelementptr inbounds %y_4[%place_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %every, %58 {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %59 = llvm.add %j_2, %c16_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb6(%59 : i64)
// CHECK-NEXT:   ^bb8:
// CHECK-NEXT:     %60 = llvm.add %i_2, %c1_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%60 : i64)
// CHECK-NEXT:   ^bb9:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @centre(%y_5: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_5: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %61 = llvm.ptrtoint %y_5 : !llvm.ptr to i64
// CHECK-NEXT:     %62 = llvm.mlir.constant(63) : i64
// CHECK-NEXT:     %63 = llvm.and %61, %62 : i64
// CHECK-NEXT:     %64 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %65 = llvm.icmp "eq" %63, %64 : i64
// CHECK-NEXT:     llvm.cond_br %65, ^bb1, ^bb2
// CHECK-NEXT:   ^bb1:
// CHECK-NEXT:     llvm.call @centre.streaming(%y_5, %x_5, %b_3) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// CHECK-NEXT:     llvm.fence seq_cst
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %zero_1 = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %c0_5 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_3 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2_3 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %c64_3 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %c16_5 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     llvm.br ^bb3(%c0_5 : i64)
// CHECK-NEXT:   ^bb3(%i_3: i64):
// CHECK-NEXT:     %66 = llvm.icmp "slt" %i_3, %c2_3 : i64
// CHECK-NEXT:     llvm.cond_br %66, ^bb4, ^bb11
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %row_3 = llvm.mul %i_3, %c64_3 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb5(%c0_5, %zero_1 : i64, f32)
// CHECK-NEXT:   ^bb5(%k_1: i64, %s_5: f32):
// CHECK-NEXT:     %67 = llvm.icmp "slt" %k_1, %c64_3 : i64
// CHECK-NEXT:     llvm.cond_br %67, ^bb6, ^bb7
// CHECK-NEXT:   ^bb6:
// CHECK-NEXT:     %place_4 = llvm.add %row_3, %k_1 overflow<nsw> : i64
// CHECK-NEXT:     %68 = llvm.getelementptr inbounds %x_5[%place_4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_5 = llvm.load %68 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %69 = llvm.getelementptr inbounds %b_3[%k_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w_3 = llvm.load %69 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %p_1 = llvm.fmul %v_5, %w_3 : f32
// CHECK-NEXT:     %t_1 = llvm.fadd %s_5, %p_1 : f32
// CHECK-NEXT:     %70 = llvm.add %k_1, %c1_3 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb5(%70, %t_1 : i64, f32)
// CHECK-NEXT:   ^bb7:
// CHECK-NEXT:     %71 = llvm.mlir.poison : vector<16xf32>
// CHECK-NEXT:     %72 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %73 = llvm.insertelement %s_5, %71[%72 : i64] : vector<16xf32>
// CHECK-NEXT:     %every_1 = llvm.shufflevector %73, %71 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xf32>
// CHECK-NEXT:     llvm.br ^bb8(%c0_5 : i64)
// CHECK-NEXT:   ^bb8(%j_3: i64):
// CHECK-NEXT:     %74 = llvm.icmp "slt" %j_3, %c64_3 : i64
// CHECK-NEXT:     llvm.cond_br %74, ^bb9, ^bb10
// CHECK-NEXT:   ^bb9:
// CHECK-NEXT:     %place_5 = llvm.add %row_3, %j_3 overflow<nsw> : i64
// CHECK-NEXT:     %75 = llvm.getelementptr inbounds %y_5[%place_5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %every_1, %75 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     %76 = llvm.add %j_3, %c16_5 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb8(%76 : i64)
// CHECK-NEXT:   ^bb10:
// CHECK-NEXT:     %77 = llvm.add %i_3, %c1_3 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%77 : i64)
// CHECK-NEXT:   ^bb11:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @again(%y_6: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_6: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b_4: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %zero_2 = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %zeros = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     %c0_6 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_4 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c2_4 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:     %c3 = llvm.mlir.constant(3) : i64
// CHECK-NEXT:     %c4 = llvm.mlir.constant(4) : i64
// CHECK-NEXT:     %c8 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %c16_6 = llvm.mlir.constant(16) : i64
// CHECK-NEXT:     %c64_4 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     llvm.br ^bb1(%c0_6 : i64)
// CHECK-NEXT:   ^bb1(%i_4: i64):
// CHECK-NEXT:     %78 = llvm.icmp "slt" %i_4, %c2_4 : i64
// CHECK-NEXT:     llvm.cond_br %78, ^bb2, ^bb12
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %row_4 = llvm.mul %i_4, %c64_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%c0_6, %zero_2 : i64, f32)
// CHECK-NEXT:   ^bb3(%k_2: i64, %s_6: f32):
// CHECK-NEXT:     %79 = llvm.icmp "slt" %k_2, %c64_4 : i64
// CHECK-NEXT:     llvm.cond_br %79, ^bb4, ^bb5
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %place_6 = llvm.add %row_4, %k_2 overflow<nsw> : i64
// CHECK-NEXT:     %80 = llvm.getelementptr inbounds %x_6[%place_6] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_6 = llvm.load %80 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %81 = llvm.getelementptr inbounds %b_4[%k_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w_4 = llvm.load %81 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %p_2 = llvm.fmul %v_6, %w_4 : f32
// CHECK-NEXT:     %t_2 = llvm.fadd %s_6, %p_2 : f32
// CHECK-NEXT:     %82 = llvm.add %k_2, %c1_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%82, %t_2 : i64, f32)
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     llvm.br ^bb6(%c0_6, %zeros : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb6(%j_4: i64, %s_7: vector<8xf32>):
// CHECK-NEXT:     %83 = llvm.icmp "slt" %j_4, %c4 : i64
// CHECK-NEXT:     llvm.cond_br %83, ^bb7, ^bb8
// CHECK-NEXT:   ^bb7:
// CHECK-NEXT:     %along = llvm.mul %j_4, %c16_6 overflow<nsw> : i64
// CHECK-NEXT:     %place_7 = llvm.add %row_4, %along overflow<nsw> : i64
// CHECK-NEXT:     %place_8 = llvm.add %place_7, %c8 overflow<nsw> : i64
// CHECK-NEXT:     %84 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %85 = llvm.add %place_7, %84 : i64
// CHECK-NEXT:     %86 = llvm.getelementptr %x_6[%85] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %87 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:     %88 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:     %89 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     llvm.call_intrinsic "llvm.prefetch.p0"(%86, %87, %88, %89) : (!llvm.ptr, i32, i32, i32) -> ()
// CHECK-NEXT:     %90 = llvm.getelementptr inbounds %x_6[%place_7] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_7 = llvm.load %90 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %91 = llvm.getelementptr inbounds %x_6[%place_8] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_8 = llvm.load %91 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %92 = llvm.getelementptr inbounds %b_4[%along] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w_5 = llvm.load %92 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %p_3 = llvm.fmul %v_7, %v_8 : vector<8xf32>
// CHECK-NEXT:     %p_4 = llvm.fmul %p_3, %w_5 : vector<8xf32>
// CHECK-NEXT:     %t_3 = llvm.fadd %s_7, %p_4 : vector<8xf32>
// CHECK-NEXT:     %93 = llvm.add %j_4, %c1_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb6(%93, %t_3 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb8:
// CHECK-NEXT:     llvm.br ^bb9(%c0_6, %s_7 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb9(%l: i64, %s_8: vector<8xf32>):
// CHECK-NEXT:     %94 = llvm.icmp "slt" %l, %c3 : i64
// CHECK-NEXT:     llvm.cond_br %94, ^bb10, ^bb11
// CHECK-NEXT:   ^bb10:
// CHECK-NEXT:     %along_1 = llvm.mul %l, %c16_6 overflow<nsw> : i64
// CHECK-NEXT:     %place_9 = llvm.add %row_4, %along_1 overflow<nsw> : i64
// CHECK-NEXT:     %95 = llvm.getelementptr inbounds %x_6[%place_9] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_9 = llvm.load %95 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %t_4 = llvm.fadd %s_8, %v_9 : vector<8xf32>
// CHECK-NEXT:     %96 = llvm.add %l, %c1_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb9(%96, %t_4 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb11:
// CHECK-NEXT:     %97 = llvm.mlir.poison : vector<8xf32>
// CHECK-NEXT:     %98 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %99 = llvm.insertelement %s_6, %97[%98 : i64] : vector<8xf32>
// CHECK-NEXT:     %every_2 = llvm.shufflevector %99, %97 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
// CHECK-NEXT:     %r = llvm.fadd %s_8, %every_2 : vector<8xf32>
// CHECK-NEXT:     %100 = llvm.getelementptr inbounds %y_6[%row_4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %r, %100 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     %101 = llvm.add %i_4, %c1_4 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%101 : i64)
// CHECK-NEXT:   ^bb12:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
