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
// CHECK-NEXT:   llvm.func @numbers(%y_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c8 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %c64 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:     %least = llvm.mlir.constant(0xff800000 : f32) : f32
// CHECK-NEXT:     %start = llvm.mlir.constant(dense<0xff800000> : vector<8xf32>) : vector<8xf32>
// CHECK-NEXT:     llvm.br ^bb1(%c0_2, %start : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb1(%k: i64, %a: vector<8xf32>):
// CHECK-NEXT:     %7 = llvm.icmp "slt" %k, %c64 : i64
// CHECK-NEXT:     llvm.cond_br %7, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %8 = llvm.getelementptr inbounds %x_2[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_2 = llvm.load %8 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %9 = llvm.fcmp "ogt" %v_2, %a : vector<8xf32>
// CHECK-NEXT:     %b = llvm.select %9, %v_2, %a : vector<8xi1>, vector<8xf32>
// CHECK-NEXT:     %10 = llvm.add %k, %c8 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%10, %b : i64, vector<8xf32>)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %s = llvm.intr.vector.reduce.fmax(%a) {fastmathFlags = #llvm.fastmath<nnan,nsz>} : (vector<8xf32>) -> f32
// CHECK-NEXT:     %11 = llvm.getelementptr inbounds %y_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %s, %11 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @any(%y_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_3: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %c1_1 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:     %c8_1 = llvm.mlir.constant(8) : i64
// CHECK-NEXT:     %least_1 = llvm.mlir.constant(0xff800000 : f32) : f32
// CHECK-NEXT:     %12 = llvm.getelementptr inbounds %x_3[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %v_3 = llvm.load %12 {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:     %13 = llvm.getelementptr inbounds %x_3[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %first = llvm.load %13 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     llvm.br ^bb1(%c0_3, %first, %least_1 : i64, f32, f32)
// CHECK-NEXT:   ^bb1(%k_1: i64, %a_1: f32, %b_1: f32):
// CHECK-NEXT:     %14 = llvm.icmp "slt" %k_1, %c8_1 : i64
// CHECK-NEXT:     llvm.cond_br %14, ^bb2, ^bb3
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     %15 = llvm.getelementptr inbounds %x_3[%k_1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %u = llvm.load %15 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:     %c = llvm.intr.maxnum(%a_1, %u) : (f32, f32) -> f32
// CHECK-NEXT:     %d = llvm.intr.maxnum(%b_1, %u) : (f32, f32) -> f32
// CHECK-NEXT:     %e = llvm.fadd %d, %u : f32
// CHECK-NEXT:     %16 = llvm.add %k_1, %c1_1 overflow<nsw> : i64
// CHECK-NEXT:     llvm.br ^bb1(%16, %c, %e : i64, f32, f32)
// CHECK-NEXT:   ^bb3:
// CHECK-NEXT:     %s_1 = llvm.intr.vector.reduce.fmax(%v_3) : (vector<8xf32>) -> f32
// CHECK-NEXT:     %t = llvm.fadd %a_1, %b_1 : f32
// CHECK-NEXT:     %w_1 = llvm.fadd %s_1, %t : f32
// CHECK-NEXT:     %17 = llvm.getelementptr inbounds %y_3[%c0_3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %w_1, %17 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
