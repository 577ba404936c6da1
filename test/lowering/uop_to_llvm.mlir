// RUN: teeny-opt %s -p uop-to-llvm --split-input-file | FileCheck %s

// A loop with a carried register; a kernel that nothing launches is visible outside.
// CHECK:      llvm.func @sum(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %n: i64) {
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %one = llvm.mlir.constant(1) : i64
// CHECK-NEXT:   %start = llvm.mlir.constant(0.000000e+00 : f32) : f32
// CHECK-NEXT:   llvm.br ^bb1(%zero, %start : i64, f32)
// CHECK-NEXT: ^bb1(%i: i64, %acc: f32):
// CHECK-NEXT:   %0 = llvm.icmp "slt" %i, %n : i64
// CHECK-NEXT:   llvm.cond_br %0, ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT:   %1 = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   %v = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:   %next = llvm.fadd %acc, %v : f32
// CHECK-NEXT:   %2 = llvm.add %i, %one overflow<nsw> : i64
// CHECK-NEXT:   llvm.br ^bb1(%2, %next : i64, f32)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT:   %3 = llvm.getelementptr inbounds %y[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   llvm.store %acc, %3 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @sum(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  %s = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (f32) {
    %v = uop.load %x[%i] : f32
    %next = arith.addf %acc, %v : f32
    scf.yield %next : f32
  }
  uop.store %s, %y[%zero]
}

// -----

// Gates become branches, and a bool is a byte in memory.
// CHECK:      llvm.func @gated(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %0 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:   %1 = llvm.load %0 {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:   %2 = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:   %g = llvm.icmp "ne" %1, %2 : i8
// CHECK-NEXT:   llvm.cond_br %g, ^bb1, ^bb2(%g : i1)
// CHECK-NEXT: ^bb1:
// CHECK-NEXT:   %3 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:   %4 = llvm.load %3 {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:   %5 = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:   %6 = llvm.icmp "ne" %4, %5 : i8
// CHECK-NEXT:   llvm.br ^bb2(%6 : i1)
// CHECK-NEXT: ^bb2(%v: i1):
// CHECK-NEXT:   llvm.cond_br %g, ^bb3, ^bb4
// CHECK-NEXT: ^bb3:
// CHECK-NEXT:   %7 = llvm.getelementptr inbounds %y[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:   %8 = llvm.zext %v : i1 to i8
// CHECK-NEXT:   llvm.store %8, %7 {alignment = 1 : i64} : i8, !llvm.ptr
// CHECK-NEXT:   llvm.br ^bb4
// CHECK-NEXT: ^bb4:
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @gated(out %y: !uop.ptr<i1>, in %x: !uop.ptr<i1>) {
  %zero = arith.constant 0 : index
  %g = uop.load %x[%zero] : i1
  %v = uop.load %x[%zero] if %g else %g : i1
  uop.store %v, %y[%zero] if %g
}

// -----

// Local memory is reserved once, at the function's start.
// CHECK:      llvm.func @local(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %n: i64) {
// CHECK-NEXT:   %0 = llvm.mlir.constant(50) : i64
// CHECK-NEXT:   %l = llvm.alloca %0 x f64 {alignment = 64 : i64} : (i64) -> !llvm.ptr
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %one = llvm.mlir.constant(1) : i64
// CHECK-NEXT:   llvm.br ^bb1(%zero : i64)
// CHECK-NEXT: ^bb1(%i: i64):
// CHECK-NEXT:   %1 = llvm.icmp "slt" %i, %n : i64
// CHECK-NEXT:   llvm.cond_br %1, ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT:   %2 = llvm.getelementptr inbounds %l[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:   %v = llvm.load %2 {alignment = 8 : i64} : !llvm.ptr -> f64
// CHECK-NEXT:   %3 = llvm.getelementptr inbounds %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:   llvm.store %v, %3 {alignment = 8 : i64} : f64, !llvm.ptr
// CHECK-NEXT:   %4 = llvm.add %i, %one overflow<nsw> : i64
// CHECK-NEXT:   llvm.br ^bb1(%4 : i64)
// CHECK-NEXT: ^bb3:
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @local(out %y: !uop.ptr<f64>) dims(%n: N in 1..64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %l = uop.local [50] : !uop.ptr<f64, local>
    %v = uop.load %l[%i] : f64
    uop.store %v, %y[%i]
  }
}

// -----

// Branches that yield.
// CHECK:      llvm.func @branch(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %0 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   %a = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK-NEXT:   %b = llvm.mlir.constant(7 : i32) : i32
// CHECK-NEXT:   %c = llvm.icmp "slt" %a, %b : i32
// CHECK-NEXT:   llvm.cond_br %c, ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT:   %d = llvm.add %a, %b : i32
// CHECK-NEXT:   llvm.br ^bb3(%d : i32)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT:   llvm.br ^bb3(%a : i32)
// CHECK-NEXT: ^bb3(%r: i32):
// CHECK-NEXT:   llvm.cond_br %c, ^bb4, ^bb5
// CHECK-NEXT: ^bb4:
// CHECK-NEXT:   %1 = llvm.getelementptr inbounds %y[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   llvm.store %r, %1 {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK-NEXT:   llvm.br ^bb5
// CHECK-NEXT: ^bb5:
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @branch(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : i32
  %b = arith.constant 7 : i32
  %c = arith.cmpi slt, %a, %b : i32
  %r = scf.if %c -> (i32) {
    %d = arith.addi %a, %b : i32
    scf.yield %d : i32
  } else {
    scf.yield %a : i32
  }
  scf.if %c {
    uop.store %r, %y[%zero]
  }
}

// -----

// A division by something that may be zero is guarded, one by a constant or an extent is not.
// CHECK:      llvm.func @divide(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %n: i64) {
// CHECK-NEXT:   %i = llvm.udiv %n, %n : i64
// CHECK-NEXT:   %0 = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   %a = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK-NEXT:   %ten = llvm.mlir.constant(10 : i32) : i32
// CHECK-NEXT:   %b = llvm.sdiv %a, %ten : i32
// CHECK-NEXT:   %1 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:   %2 = llvm.icmp "eq" %b, %1 : i32
// CHECK-NEXT:   %3 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:   %4 = llvm.select %2, %3, %b : i1, i32
// CHECK-NEXT:   %5 = llvm.udiv %a, %4 : i32
// CHECK-NEXT:   %6 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:   %c = llvm.select %2, %6, %5 : i1, i32
// CHECK-NEXT:   %7 = llvm.getelementptr inbounds %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   llvm.store %c, %7 {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @divide(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i32>) dims(%n: N in 1..64) {
  %i = arith.divui %n, %n : index
  %a = uop.load %x[%i] : i32
  %ten = arith.constant 10 : i32
  %b = arith.divsi %a, %ten : i32
  %c = arith.divui %a, %b : i32
  uop.store %c, %y[%i]
}

// -----

// Shifts by the width or more, floats out of an integer's range, libm.
// CHECK:      llvm.func @erff(f32) -> f32
// CHECK-NEXT: llvm.func @defined(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %s: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %0 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   %a = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:   %b = llvm.call @erff(%a) : (f32) -> f32
// CHECK-NEXT:   %c = llvm.call_intrinsic "llvm.fptosi.sat.i32.f32"(%b) : (f32) -> i32
// CHECK-NEXT:   %1 = llvm.getelementptr inbounds %s[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   %d = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> i32
// CHECK-NEXT:   %2 = llvm.mlir.constant(31 : i32) : i32
// CHECK-NEXT:   %3 = llvm.intr.umin(%d, %2) : (i32, i32) -> i32
// CHECK-NEXT:   %e = llvm.ashr %c, %3 : i32
// CHECK-NEXT:   %4 = llvm.shl %e, %d : i32
// CHECK-NEXT:   %5 = llvm.mlir.constant(32 : i32) : i32
// CHECK-NEXT:   %6 = llvm.icmp "ult" %d, %5 : i32
// CHECK-NEXT:   %7 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:   %f = llvm.select %6, %4, %7 : i1, i32
// CHECK-NEXT:   %8 = llvm.getelementptr inbounds %y[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:   llvm.store %f, %8 {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @defined(out %y: !uop.ptr<i32>, in %x: !uop.ptr<f32>, in %s: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = math.erf %a : f32
  %c = arith.fptosi %b : f32 to i32
  %d = uop.load %s[%zero] : i32
  %e = arith.shrsi %c, %d : i32
  %f = arith.shli %e, %d : i32
  uop.store %f, %y[%zero]
}

// -----

// Vectors: one access, a splat, a horizontal sum in any order.
// CHECK:      llvm.func @erff(f32) -> f32
// CHECK-NEXT: llvm.func @vector(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:   %zero = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %0 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   %a = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK-NEXT:   %1 = llvm.getelementptr inbounds %x[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   %s = llvm.load %1 {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:   %2 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:   %3 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %4 = llvm.insertelement %s, %2[%3 : i64] : vector<4xf32>
// CHECK-NEXT:   %b = llvm.shufflevector %4, %2 [0, 0, 0, 0] : vector<4xf32>
// CHECK-NEXT:   %c = llvm.fmul %a, %b : vector<4xf32>
// CHECK-NEXT:   %5 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:   %6 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %7 = llvm.extractelement %c[%6 : i64] : vector<4xf32>
// CHECK-NEXT:   %8 = llvm.call @erff(%7) : (f32) -> f32
// CHECK-NEXT:   %9 = llvm.insertelement %8, %5[%6 : i64] : vector<4xf32>
// CHECK-NEXT:   %10 = llvm.mlir.constant(1) : i64
// CHECK-NEXT:   %11 = llvm.extractelement %c[%10 : i64] : vector<4xf32>
// CHECK-NEXT:   %12 = llvm.call @erff(%11) : (f32) -> f32
// CHECK-NEXT:   %13 = llvm.insertelement %12, %9[%10 : i64] : vector<4xf32>
// CHECK-NEXT:   %14 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:   %15 = llvm.extractelement %c[%14 : i64] : vector<4xf32>
// CHECK-NEXT:   %16 = llvm.call @erff(%15) : (f32) -> f32
// CHECK-NEXT:   %17 = llvm.insertelement %16, %13[%14 : i64] : vector<4xf32>
// CHECK-NEXT:   %18 = llvm.mlir.constant(3) : i64
// CHECK-NEXT:   %19 = llvm.extractelement %c[%18 : i64] : vector<4xf32>
// CHECK-NEXT:   %20 = llvm.call @erff(%19) : (f32) -> f32
// CHECK-NEXT:   %d = llvm.insertelement %20, %17[%18 : i64] : vector<4xf32>
// CHECK-NEXT:   %21 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT:   %e = "llvm.intr.vector.reduce.fadd"(%21, %d) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT:   %22 = llvm.getelementptr inbounds %y[%zero] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:   llvm.store %e, %22 {alignment = 4 : i64} : f32, !llvm.ptr
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @vector(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : vector<4xf32>
  %s = uop.load %x[%zero] : f32
  %b = vector.broadcast %s : f32 to vector<4xf32>
  %c = arith.mulf %a, %b : vector<4xf32>
  %d = math.erf %c : vector<4xf32>
  %e = vector.reduction <add>, %d : vector<4xf32> into f32
  uop.store %e, %y[%zero]
}

// -----

// The program: buffers and extents from the caller, temporaries in the arena, constants beside it.
// CHECK:      llvm.func internal @copy(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %n: i64) attributes {no_inline} {
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
// CHECK-NEXT: llvm.mlir.global private constant @main.constant.0(dense<[1, 0, 0, 1]> : tensor<4xi8>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<4 x i8>
// CHECK-NEXT: llvm.func @main(%buffers: !llvm.ptr {llvm.noalias, llvm.readonly}, %dims: !llvm.ptr {llvm.noalias, llvm.readonly}, %arena: !llvm.ptr) attributes {program.arena = "N * 12 + 64"} {
// CHECK-NEXT:   %0 = llvm.getelementptr %buffers[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:   %x_1 = llvm.load %0 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:   %1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:   %y_1 = llvm.load %1 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:   %2 = llvm.getelementptr %dims[0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:   %M = llvm.load %2 {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK-NEXT:   %3 = llvm.getelementptr %dims[1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT:   %N = llvm.load %3 {alignment = 8 : i64} : !llvm.ptr -> i64
// CHECK-NEXT:   %4 = llvm.mlir.constant(2) : i64
// CHECK-NEXT:   %5 = llvm.mul %M, %4 : i64
// CHECK-NEXT:   %6 = llvm.mlir.constant(4) : i64
// CHECK-NEXT:   %7 = llvm.intr.smin(%5, %6) : (i64, i64) -> i64
// CHECK-NEXT:   %8 = llvm.mlir.constant(3) : i64
// CHECK-NEXT:   %9 = llvm.sdiv %7, %8 : i64
// CHECK-NEXT:   %10 = llvm.srem %7, %8 : i64
// CHECK-NEXT:   %11 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %12 = llvm.icmp "ne" %10, %11 : i64
// CHECK-NEXT:   %13 = llvm.xor %10, %8 : i64
// CHECK-NEXT:   %14 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:   %15 = llvm.icmp "slt" %13, %14 : i64
// CHECK-NEXT:   %16 = llvm.and %12, %15 : i1
// CHECK-NEXT:   %17 = llvm.sext %16 : i1 to i64
// CHECK-NEXT:   %18 = llvm.add %9, %17 : i64
// CHECK-NEXT:   %19 = llvm.mlir.constant(64) : i64
// CHECK-NEXT:   %20 = llvm.mul %18, %19 : i64
// CHECK-NEXT:   %t = llvm.getelementptr %arena[%20] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:   %21 = llvm.mlir.addressof @main.constant.0 : !llvm.ptr
// CHECK-NEXT:   llvm.call @copy(%t, %x_1, %21, %N) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK-NEXT:   llvm.call @copy(%y_1, %t, %21, %N) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK-NEXT:   llvm.return
// CHECK-NEXT: }
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<i1>) dims(%n: N in 1..64) {
}
program.func @main(in %x: !kernel.buf<[N, 3] x f32>, out %y: !kernel.buf<[N, 3] x f32>) dims(M in 1..2, N in 1..64) arena(N * 12 + 64) {
  %t = program.alloc at min(M * 2, 4) floordiv 3 * 64 : !kernel.buf<[N, 3] x f32>
  %mask = program.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  program.launch @copy(%t, %x, %mask)
  program.launch @copy(%y, %t, %mask)
}
