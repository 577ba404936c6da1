// RUN: teeny-opt %s -p "uop-to-llvm" | FileCheck %s

// What is stored behind a long sum of vectors is asked for before it.
uop.func @long(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %c99 step %c1 {
    %s = scf.for %k = %c0 to %c99 step %c1 iter_args(%a = %zero) -> (vector<8xf32>) {
      %v = uop.load %x[%k] : vector<8xf32>
      %b = arith.addf %a, %v : vector<8xf32>
      scf.yield %b : vector<8xf32>
    }
    %o = arith.muli %i, %c8 : index
    uop.store %s, %y[%o]
  }
}

// A short one: it is complete as soon as its line is there.
uop.func @short(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %s = scf.for %k = %c0 to %c9 step %c1 iter_args(%a = %zero) -> (vector<8xf32>) {
    %v = uop.load %x[%k] : vector<8xf32>
    %b = arith.addf %a, %v : vector<8xf32>
    scf.yield %b : vector<8xf32>
  }
  uop.store %s, %y[%c1]
}

// Where it is stored is found in what is summed, or read.
uop.func @needed(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %at: !uop.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant dense<0> : vector<8xindex>
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %s = scf.for %k = %c0 to %c99 step %c1 iter_args(%a = %zero) -> (vector<8xindex>) {
    %b = arith.addi %a, %a : vector<8xindex>
    scf.yield %b : vector<8xindex>
  }
  %o = vector.extract %s[0] : index from vector<8xindex>
  uop.store %zeros, %y[%o]
  %t = scf.for %k = %c0 to %c99 step %c1 iter_args(%a = %zeros) -> (vector<8xf32>) {
    %v = uop.load %x[%k] : vector<8xf32>
    %b = arith.addf %a, %v : vector<8xf32>
    scf.yield %b : vector<8xf32>
  }
  %n = uop.load %at[%c0] : i64
  %p = arith.index_cast %n : i64 to index
  uop.store %t, %y[%p]
}

// It is stored into local memory that is not there before.
uop.func @local(in %x: !uop.ptr<f32>, out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %s = scf.for %k = %c0 to %c99 step %c1 iter_args(%a = %zero) -> (vector<8xf32>) {
    %v = uop.load %x[%k] : vector<8xf32>
    %b = arith.addf %a, %v : vector<8xf32>
    scf.yield %b : vector<8xf32>
  }
  %t = uop.local [8] : !uop.ptr<f32, local>
  uop.store %s, %t[%c0]
  %w = uop.load %t[%c1] : f32
  uop.store %w, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   llvm.func @long(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c8 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %c99 = llvm.mlir.constant(99) : i64
// CHECK-NEXT:     %zero = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0 : i64)
// CHECK-NEXT:   ^bb1(%i: i64):
// CHECK-NEXT:     %0 = llvm.icmp "slt" %i, %c99 : i64
// CHECK-NEXT:     llvm.cond_br %0, ^bb2, ^bb6
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %o = llvm.mul %i, %c8 overflow<nsw> : i64
// CHECK-NEXT:     %1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %2 = llvm.add %o, %1 : i64
// CHECK-NEXT:     %3 = llvm.getelementptr %y[%2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %4 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     %5 = llvm.mlir.constant(3 : i32) : i32
// CHECK-NEXT:     %6 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     llvm.call_intrinsic "llvm.prefetch.p0"(%3, %4, %5, %6) : (!llvm.ptr, i32, i32, i32) -> ()
// CHECK-NEXT:     llvm.br ^bb3(%c0, %zero : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb3(%k: i64, %a: vector<8xf32>):
// CHECK-NEXT:     %7 = llvm.icmp "slt" %k, %c99 : i64
// CHECK-NEXT:     llvm.cond_br %7, ^bb4, ^bb5
// CHECK-NEXT:   ^bb4:
// CHECK-NEXT:     %8 = llvm.getelementptr inbounds %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v = llvm.load %8 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %b = llvm.fadd %a, %v : vector<8xf32>
// CHECK-NEXT:     %9 = llvm.add %k, %c1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb3(%9, %b : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     %o_1 = llvm.mul %i, %c8 overflow<nsw> : i64
// CHECK-NEXT:     %10 = llvm.getelementptr inbounds %y[%o_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %a, %10 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     %11 = llvm.add %i, %c1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%11 : i64)
// CHECK-NEXT:   ^bb6:
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @short(%y_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c9 = llvm.mlir.constant(9) : i64
// CHECK-NEXT:     %zero_1 = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0_1, %zero_1 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb1(%k_1: i64, %a_1: vector<8xf32>):
// CHECK-NEXT:     %12 = llvm.icmp "slt" %k_1, %c9 : i64
// CHECK-NEXT:     llvm.cond_br %12, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %13 = llvm.getelementptr inbounds %x_1[%k_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_1 = llvm.load %13 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %b_1 = llvm.fadd %a_1, %v_1 : vector<8xf32>
// CHECK-NEXT:     %14 = llvm.add %k_1, %c1_1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%14, %b_1 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %15 = llvm.getelementptr inbounds %y_1[%c1_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %a_1, %15 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @needed(%y_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %at: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_2 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c99_1 = llvm.mlir.constant(99) : i64
// CHECK-NEXT:     %zero_2 = llvm.mlir.constant(dense<0> : vector<8xi64>) : vector<8xi64>
// CHECK-NEXT:     %zeros = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0_2, %zero_2 : i64, vector<8xi64>)
// CHECK-NEXT:   ^bb1(%k_2: i64, %a_2: vector<8xi64>):
// CHECK-NEXT:     %16 = llvm.icmp "slt" %k_2, %c99_1 : i64
// CHECK-NEXT:     llvm.cond_br %16, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %b_2 = llvm.add %a_2, %a_2 overflow<nsw> : vector<8xi64>
// CHECK-NEXT:     %17 = llvm.add %k_2, %c1_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%17, %b_2 : i64, vector<8xi64>)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %18 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %o_2 = llvm.extractelement %a_2[%18 : i64] : vector<8xi64>
// CHECK-NEXT:     %19 = llvm.getelementptr inbounds %y_2[%o_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %zeros, %19 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     llvm.br ^bb4(%c0_2, %zeros : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb4(%k_3: i64, %a_3: vector<8xf32>):
// CHECK-NEXT:     %20 = llvm.icmp "slt" %k_3, %c99_1 : i64
// CHECK-NEXT:     llvm.cond_br %20, ^bb5, ^bb6
// CHECK-NEXT:   ^bb5:
// CHECK-NEXT:     %21 = llvm.getelementptr inbounds %x_2[%k_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_2 = llvm.load %21 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %b_3 = llvm.fadd %a_3, %v_2 : vector<8xf32>
// CHECK-NEXT:     %22 = llvm.add %k_3, %c1_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb4(%22, %b_3 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb6:
// CHECK-NEXT:     %23 = llvm.getelementptr inbounds %at[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT:     %n = llvm.load %23 {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK-NEXT:     %24 = llvm.getelementptr inbounds %y_2[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %a_3, %24 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @local(%x_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %y_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}) {
// CHECK-NEXT:     %25 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %t = llvm.alloca %25 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:     %c0_3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_3 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c99_2 = llvm.mlir.constant(99) : i64
// CHECK-NEXT:     %zero_3 = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0_3, %zero_3 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb1(%k_4: i64, %a_4: vector<8xf32>):
// CHECK-NEXT:     %26 = llvm.icmp "slt" %k_4, %c99_2 : i64
// CHECK-NEXT:     llvm.cond_br %26, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %27 = llvm.getelementptr inbounds %x_3[%k_4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_3 = llvm.load %27 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %b_4 = llvm.fadd %a_4, %v_3 : vector<8xf32>
// CHECK-NEXT:     %28 = llvm.add %k_4, %c1_3 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%28, %b_4 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %29 = llvm.getelementptr inbounds %t[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %a_4, %29 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT:     %30 = llvm.getelementptr inbounds %t[%c1_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w = llvm.load %30 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %31 = llvm.getelementptr inbounds %y_3[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %w, %31 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
