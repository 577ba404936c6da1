// RUN: teeny-opt %s -p uop-to-llvm | FileCheck %s
// RUN: teeny-opt %s -p "uop-to-llvm{extrema=instruction}" | grep -c 'llvm.intr.m..imum(' | filecheck %s --check-prefix=INSTRUCTION

// INSTRUCTION:      8

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

// Left as they are: what zeros of the other sign would make wrong.
uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  %v = uop.load %x[%c0] : f32
  %l = arith.maximumf %v, %minus : f32
  %m = arith.minimumf %l, %zero : f32
  uop.store %m, %y[%c0]
}

// Of two values in both orders; a maximum of another one takes in its negative as it is.
uop.func @pairs(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %u = uop.load %x[%c0] : vector<4xf32>
  %v = uop.load %x[%c4] : vector<4xf32>
  %w = uop.load %x[%c8] : vector<4xf32>
  %l = arith.maximumf %u, %v : vector<4xf32>
  %m = arith.maximumf %l, %w : vector<4xf32>
  %n = arith.minimumf %m, %u : vector<4xf32>
  uop.store %n, %y[%c0]
}

// Left as they are: what a loop carries, by way of several; and what may be taken to be numbers.
uop.func @carried(inout %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %least = arith.constant 0xfff0000000000000 : f64
  %m = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %least) -> (f64) {
    %u = uop.load %x[%k] : f64
    %v = uop.load %y[%k] : f64
    %b = arith.maximumf %u, %v : f64
    %c = arith.maximumf %a, %b : f64
    %d = arith.minimumf %u, %v fastmath<nnan,nsz> : f64
    uop.store %d, %y[%k]
    scf.yield %c : f64
  }
  uop.store %m, %y[%c0]
}

// A maximum of numbers, where what it is so far began as one; of the lanes in the end.
uop.func @numbers(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant 0xff800000 : f32
  %start = vector.broadcast %least : f32 to vector<8xf32>
  %m = scf.for %k = %c0 to %c64 step %c8 iter_args(%a = %start) -> (vector<8xf32>) {
    %v = uop.load %x[%k] : vector<8xf32>
    %b = arith.maxnumf %a, %v : vector<8xf32>
    scf.yield %b : vector<8xf32>
  }
  %s = vector.reduction <maxnumf>, %m : vector<8xf32> into f32
  uop.store %s, %y[%c0]
}

// Left as it is: what may have begun as NaN, or may have become it.
uop.func @any(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %least = arith.constant 0xff800000 : f32
  %v = uop.load %x[%c0] : vector<8xf32>
  %first = uop.load %x[%c0] : f32
  %m, %n = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %first, %b = %least) -> (f32, f32) {
    %u = uop.load %x[%k] : f32
    %c = arith.maxnumf %a, %u : f32
    %d = arith.maxnumf %b, %u : f32
    %e = arith.addf %d, %u : f32
    scf.yield %c, %e : f32, f32
  }
  %s = vector.reduction <maxnumf>, %v : vector<8xf32> into f32
  %t = arith.addf %m, %n : f32
  %w = arith.addf %s, %t : f32
  uop.store %w, %y[%c0]
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
// CHECK-NEXT:     %zero_1 = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:     %minus = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT:     %4 = llvm.getelementptr inbounds %x_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_1 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %l = llvm.intr.maximum(%v_1, %minus) : (f32, f32) -> f32
// CHECK-NEXT:     %m_1 = llvm.intr.minimum(%l, %zero_1) : (f32, f32) -> f32
// CHECK-NEXT:     %5 = llvm.getelementptr inbounds %y_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %m_1, %5 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @pairs(%y_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c4 = llvm.mlir.constant(4) : i64
// CHECK-NEXT:     %c8 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %6 = llvm.getelementptr inbounds %x_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %u = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:     %7 = llvm.getelementptr inbounds %x_2[%c4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_2 = llvm.load %7 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:     %8 = llvm.getelementptr inbounds %x_2[%c8] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %w = llvm.load %8 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:     %9 = llvm.fcmp "ogt" %u, %v_2 : vector<4xf32>
// CHECK-NEXT:     %10 = llvm.fcmp "ogt" %v_2, %u : vector<4xf32>
// CHECK-NEXT:     %11 = llvm.select %9, %u, %v_2 : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %12 = llvm.select %10, %v_2, %u : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %13 = llvm.fneg %11 : vector<4xf32>
// CHECK-NEXT:     %14 = llvm.fneg %12 : vector<4xf32>
// CHECK-NEXT:     %15 = llvm.bitcast %13 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %16 = llvm.bitcast %14 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %17 = llvm.or %15, %16 : vector<4xi32>
// CHECK-NEXT:     %18 = llvm.bitcast %17 : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:     %l_1 = llvm.fneg %18 : vector<4xf32>
// CHECK-NEXT:     %19 = llvm.fneg %w : vector<4xf32>
// CHECK-NEXT:     %20 = llvm.fcmp "olt" %18, %19 : vector<4xf32>
// CHECK-NEXT:     %21 = llvm.fcmp "olt" %19, %18 : vector<4xf32>
// CHECK-NEXT:     %22 = llvm.select %20, %18, %19 : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %23 = llvm.select %21, %19, %18 : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %24 = llvm.bitcast %22 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %25 = llvm.bitcast %23 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %26 = llvm.or %24, %25 : vector<4xi32>
// CHECK-NEXT:     %27 = llvm.bitcast %26 : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:     %m_2 = llvm.fneg %27 : vector<4xf32>
// CHECK-NEXT:     %28 = llvm.fcmp "olt" %m_2, %u : vector<4xf32>
// CHECK-NEXT:     %29 = llvm.fcmp "olt" %u, %m_2 : vector<4xf32>
// CHECK-NEXT:     %30 = llvm.select %28, %m_2, %u : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %31 = llvm.select %29, %u, %m_2 : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:     %32 = llvm.bitcast %30 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %33 = llvm.bitcast %31 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %34 = llvm.or %32, %33 : vector<4xi32>
// CHECK-NEXT:     %n_1 = llvm.bitcast %34 : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:     %35 = llvm.getelementptr inbounds %y_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %n_1, %35 {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @carried(%y_3: !llvm.ptr {llvm.noalias, llvm.nocapture}, %x_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c8_1 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %least = llvm.mlir.constant(0xfff0000000000000 : f64) : f64
// CHECK-NEXT:     llvm.br ^bb1(%c0_3, %least : i64, f64)
// CHECK-NEXT:   ^bb1(%k: i64, %a: f64):
// CHECK-NEXT:     %36 = llvm.icmp "slt" %k, %c8_1 : i64
// CHECK-NEXT:     llvm.cond_br %36, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %37 = llvm.getelementptr inbounds %x_3[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     %u_1 = llvm.load %37 {alignment = 8 : i64} : !llvm.ptr -> f64
// CHECK-NEXT:     %38 = llvm.getelementptr inbounds %y_3[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     %v_3 = llvm.load %38 {alignment = 8 : i64} : !llvm.ptr -> f64
// CHECK-NEXT:     %b = llvm.intr.maximum(%u_1, %v_3) : (f64, f64) -> f64
// CHECK-NEXT:     %c = llvm.intr.maximum(%a, %b) : (f64, f64) -> f64
// CHECK-NEXT:     %d = llvm.intr.minimum(%u_1, %v_3) {fastmathFlags = #llvm.fastmath<nnan,nsz>} : (f64, f64) -> f64
// CHECK-NEXT:     %39 = llvm.getelementptr inbounds %y_3[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     llvm.store %d, %39 {alignment = 8 : i64} : f64, !llvm.ptr
// CHECK-NEXT:     %40 = llvm.add %k, %c1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%40, %c : i64, f64)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %41 = llvm.getelementptr inbounds %y_3[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     llvm.store %a, %41 {alignment = 8 : i64} : f64, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @numbers(%y_4: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_4: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_4 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c8_2 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %c64 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %least_1 = llvm.mlir.constant(0xff800000 : f32) : f32
// CHECK-NEXT:     %start = llvm.mlir.constant(dense<0xff800000> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0_4, %start : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb1(%k_1: i64, %a_1: vector<8xf32>):
// CHECK-NEXT:     %42 = llvm.icmp "slt" %k_1, %c64 : i64
// CHECK-NEXT:     llvm.cond_br %42, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %43 = llvm.getelementptr inbounds %x_4[%k_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_4 = llvm.load %43 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %44 = llvm.fcmp "ogt" %v_4, %a_1 : vector<8xf32>
// CHECK-NEXT:     %b_1 = llvm.select %44, %v_4, %a_1 : vector<8xi1>, vector<8xf32>
// CHECK-NEXT:     %45 = llvm.add %k_1, %c8_2 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%45, %b_1 : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %s = llvm.intr.vector.reduce.fmax(%a_1) {fastmathFlags = #llvm.fastmath<nnan,nsz>} : (vector<8xf32>) -> f32
// CHECK-NEXT:     %46 = llvm.getelementptr inbounds %y_4[%c0_4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s, %46 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @any(%y_5: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_5: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_5 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c8_3 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %least_2 = llvm.mlir.constant(0xff800000 : f32) : f32
// CHECK-NEXT:     %47 = llvm.getelementptr inbounds %x_5[%c0_5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_5 = llvm.load %47 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %48 = llvm.getelementptr inbounds %x_5[%c0_5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %first = llvm.load %48 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     llvm.br ^bb1(%c0_5, %first, %least_2 : i64, f32, f32)
// CHECK-NEXT:   ^bb1(%k_2: i64, %a_2: f32, %b_2: f32):
// CHECK-NEXT:     %49 = llvm.icmp "slt" %k_2, %c8_3 : i64
// CHECK-NEXT:     llvm.cond_br %49, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %50 = llvm.getelementptr inbounds %x_5[%k_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %u_2 = llvm.load %50 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %c_1 = llvm.intr.maxnum(%a_2, %u_2) : (f32, f32) -> f32
// CHECK-NEXT:     %d_1 = llvm.intr.maxnum(%b_2, %u_2) : (f32, f32) -> f32
// CHECK-NEXT:     %e = llvm.fadd %d_1, %u_2 : f32
// CHECK-NEXT:     %51 = llvm.add %k_2, %c1_1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%51, %c_1, %e : i64, f32, f32)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %s_1 = llvm.intr.vector.reduce.fmax(%v_5) : (vector<8xf32>) -> f32
// CHECK-NEXT:     %t = llvm.fadd %a_2, %b_2 : f32
// CHECK-NEXT:     %w_1 = llvm.fadd %s_1, %t : f32
// CHECK-NEXT:     %52 = llvm.getelementptr inbounds %y_5[%c0_5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %w_1, %52 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

