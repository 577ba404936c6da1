// Every op that the LLVM text has a row for, once or more: read by test_llvm_text.py.
module {
  llvm.mlir.global private unnamed_addr constant @table(dense<[1.0, -0.0, 0.1]> : tensor<3xf32>) {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<3 x f32>
  llvm.mlir.global internal @text("a\"b") {addr_space = 0 : i32} : !llvm.array<3 x i8>
  llvm.mlir.global private constant @zeros(dense<0> : tensor<4xi64>) {addr_space = 0 : i32} : !llvm.array<4 x i64>
  llvm.mlir.global private constant @grid(dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>) {addr_space = 0 : i32} : !llvm.array<2 x array<2 x i16>>
  llvm.func @expf(f32) -> f32
  llvm.func @printf(!llvm.ptr, ...) -> i32

  llvm.func private @integers(%a: i32, %b: i32, %v: vector<4xi32>, %wide: i64) -> i32 {
    %0 = llvm.add %a, %b overflow<nsw, nuw> : i32
    %1 = llvm.sub %0, %b : i32
    %2 = llvm.mul %1, %b : i32
    %3 = llvm.shl %2, %b : i32
    %4 = llvm.udiv %3, %b : i32
    %5 = llvm.sdiv exact %4, %b : i32
    %6 = llvm.lshr %5, %b : i32
    %7 = llvm.ashr %6, %b : i32
    %8 = llvm.urem %7, %b : i32
    %9 = llvm.srem %8, %b : i32
    %10 = llvm.and %9, %b : i32
    %11 = llvm.or disjoint %10, %b : i32
    %12 = llvm.xor %11, %b : i32
    %13 = llvm.intr.smax(%12, %b) : (i32, i32) -> i32
    %14 = llvm.intr.smin(%13, %b) : (i32, i32) -> i32
    %15 = llvm.intr.umax(%14, %b) : (i32, i32) -> i32
    %16 = llvm.intr.umin(%15, %b) : (i32, i32) -> i32
    %17 = llvm.intr.ctpop(%16) : (i32) -> i32
    %18 = "llvm.intr.abs"(%17) <{is_int_min_poison = false}> : (i32) -> i32
    %19 = "llvm.intr.ctlz"(%18) <{is_zero_poison = false}> : (i32) -> i32
    %20 = "llvm.intr.cttz"(%19) <{is_zero_poison = true}> : (i32) -> i32
    %21 = "llvm.intr.vector.reduce.add"(%v) : (vector<4xi32>) -> i32
    %22 = "llvm.intr.vector.reduce.mul"(%v) : (vector<4xi32>) -> i32
    %23 = "llvm.intr.vector.reduce.and"(%v) : (vector<4xi32>) -> i32
    %24 = "llvm.intr.vector.reduce.or"(%v) : (vector<4xi32>) -> i32
    %25 = "llvm.intr.vector.reduce.xor"(%v) : (vector<4xi32>) -> i32
    %26 = "llvm.intr.vector.reduce.smax"(%v) : (vector<4xi32>) -> i32
    %27 = "llvm.intr.vector.reduce.smin"(%v) : (vector<4xi32>) -> i32
    %28 = "llvm.intr.vector.reduce.umax"(%v) : (vector<4xi32>) -> i32
    %29 = "llvm.intr.vector.reduce.umin"(%v) : (vector<4xi32>) -> i32
    %30 = llvm.trunc %wide : i64 to i32
    %31 = llvm.zext nneg %30 : i32 to i64
    %32 = llvm.sext %30 : i32 to i64
    %33 = llvm.icmp "slt" %31, %32 : i64
    %34 = llvm.freeze %33 : i1
    llvm.intr.assume %34 : i1
    %35 = llvm.select %34, %29, %20 : i1, i32
    llvm.return %35 : i32
  }

  llvm.func private @floats(%x: f32, %y: f32, %v: vector<4xf32>, %d: f64, %i: i32) -> f32 {
    %0 = llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<fast>} : f32
    %1 = llvm.fsub %0, %y {fastmathFlags = #llvm.fastmath<nnan, reassoc>} : f32
    %2 = llvm.fmul %1, %y : f32
    %3 = llvm.fdiv %2, %y : f32
    %4 = llvm.frem %3, %y : f32
    %5 = llvm.fneg %4 : f32
    %6 = llvm.intr.fabs(%5) : (f32) -> f32
    %7 = llvm.intr.ceil(%6) : (f32) -> f32
    %8 = llvm.intr.floor(%7) : (f32) -> f32
    %9 = llvm.intr.trunc(%8) : (f32) -> f32
    %10 = llvm.intr.round(%9) : (f32) -> f32
    %11 = llvm.intr.roundeven(%10) : (f32) -> f32
    %12 = llvm.intr.rint(%11) : (f32) -> f32
    %13 = llvm.intr.sqrt(%12) : (f32) -> f32
    %14 = llvm.intr.exp(%13) : (f32) -> f32
    %15 = llvm.intr.exp2(%14) : (f32) -> f32
    %16 = llvm.intr.log(%15) : (f32) -> f32
    %17 = llvm.intr.log2(%16) : (f32) -> f32
    %18 = llvm.intr.log10(%17) : (f32) -> f32
    %19 = llvm.intr.sin(%18) : (f32) -> f32
    %20 = llvm.intr.cos(%19) : (f32) -> f32
    %21 = llvm.intr.pow(%20, %y) : (f32, f32) -> f32
    %22 = llvm.intr.copysign(%21, %y) : (f32, f32) -> f32
    %23 = llvm.intr.fma(%22, %y, %x) : (f32, f32, f32) -> f32
    %24 = llvm.intr.fmuladd(%23, %y, %x) : (f32, f32, f32) -> f32
    %25 = llvm.intr.maxnum(%24, %y) : (f32, f32) -> f32
    %26 = llvm.intr.minnum(%25, %y) : (f32, f32) -> f32
    %27 = llvm.intr.maximum(%26, %y) : (f32, f32) -> f32
    %28 = llvm.intr.minimum(%27, %y) : (f32, f32) -> f32
    %29 = llvm.intr.vector.reduce.fmax(%v) : (vector<4xf32>) -> f32
    %30 = llvm.intr.vector.reduce.fmin(%v) : (vector<4xf32>) -> f32
    %31 = llvm.intr.vector.reduce.fmaximum(%v) : (vector<4xf32>) -> f32
    %32 = llvm.intr.vector.reduce.fminimum(%v) : (vector<4xf32>) -> f32
    %33 = "llvm.intr.vector.reduce.fadd"(%x, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}> : (f32, vector<4xf32>) -> f32
    %34 = "llvm.intr.vector.reduce.fmul"(%x, %v) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
    %35 = llvm.fpext %x : f32 to f64
    %36 = llvm.fptrunc %35 : f64 to f32
    %37 = llvm.sitofp %i : i32 to f32
    %38 = llvm.uitofp %i : i32 to f32
    %39 = llvm.fptosi %37 : f32 to i32
    %40 = llvm.fptoui %38 : f32 to i32
    %41 = llvm.bitcast %40 : i32 to f32
    %42 = llvm.call_intrinsic "llvm.fptosi.sat.i32.f32"(%41) : (f32) -> i32
    %43 = llvm.call @expf(%41) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
    %44 = llvm.fcmp "ole" %v, %v : vector<4xf32>
    %45 = llvm.select %44, %v, %v : vector<4xi1>, vector<4xf32>
    %t0 = llvm.intr.tan(%x) : (f32) -> f32
    %t1 = llvm.intr.asin(%x) : (f32) -> f32
    %t2 = llvm.intr.acos(%x) : (f32) -> f32
    %t3 = llvm.intr.atan(%x) : (f32) -> f32
    %t4 = llvm.intr.sinh(%x) : (f32) -> f32
    %t5 = llvm.intr.cosh(%x) : (f32) -> f32
    %t6 = llvm.intr.tanh(%x) : (f32) -> f32
    %t7 = llvm.intr.atan2(%x, %y) : (f32, f32) -> f32
    llvm.return %43 : f32
  }

  llvm.func private @memory(%p: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 64 : i64}, %n: i64, %m: vector<4xi1>, %v: vector<4xf32>, %iv: vector<4xi32>) {
    %zero = llvm.mlir.constant(0 : i8) : i8
    %one = llvm.mlir.constant(1 : i32) : i32
    %size = llvm.mlir.constant(16) : i64
    %half = llvm.mlir.constant(1.5 : f16) : f16
    %brain = llvm.mlir.constant(-3.0 : bf16) : bf16
    %double = llvm.mlir.constant(0.1 : f64) : f64
    %ones = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
    %null = llvm.mlir.zero : !llvm.ptr
    %undef = llvm.mlir.undef : !llvm.struct<(i32, !llvm.array<2 x f32>)>
    %poison = llvm.mlir.poison : vector<4xf32>
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %stack = "llvm.intr.stacksave"() : () -> !llvm.ptr
    %a = llvm.alloca %size x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr
    %0 = llvm.getelementptr inbounds|nuw %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %1 = llvm.getelementptr %p[%iv] : (!llvm.ptr, vector<4xi32>) -> vector<4x!llvm.ptr>, f32
    %2 = llvm.getelementptr inbounds %a[0, 1, %n] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, !llvm.array<2 x f32>)>
    %3 = llvm.load %0 {alignment = 4 : i64} : !llvm.ptr -> f32
    %4 = llvm.load %0 atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %3, %a {alignment = 4 : i64} : f32, !llvm.ptr
    llvm.store %v, %a {alignment = 64 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
    llvm.fence seq_cst
    llvm.store volatile %half, %a : f16, !llvm.ptr
    llvm.store %brain, %a : bf16, !llvm.ptr
    llvm.store %double, %a : f64, !llvm.ptr
    llvm.store %null, %a : !llvm.ptr, !llvm.ptr
    %5 = llvm.intr.masked.load %p, %m, %poison {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    llvm.intr.masked.store %5, %a, %m {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
    %6 = llvm.intr.masked.gather %1, %m, %ones {alignment = 4 : i32} : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
    llvm.intr.masked.scatter %6, %1, %m {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
    %7 = llvm.extractelement %6[%one : i32] : vector<4xf32>
    %8 = llvm.insertelement %7, %6[%one : i32] : vector<4xf32>
    %9 = llvm.shufflevector %8, %poison [0, 3, -1, 1] : vector<4xf32>
    %10 = llvm.insertvalue %7, %undef[1, 0] : !llvm.struct<(i32, !llvm.array<2 x f32>)>
    %11 = llvm.extractvalue %10[1, 0] : !llvm.struct<(i32, !llvm.array<2 x f32>)>
    "llvm.intr.memcpy"(%a, %table, %size) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    "llvm.intr.memset"(%a, %zero, %size) <{isVolatile = false}> : (!llvm.ptr, i8, i64) -> ()
    %12 = llvm.ptrtoint %a : !llvm.ptr to i64
    %13 = llvm.inttoptr %12 : i64 to !llvm.ptr
    %shared = llvm.addrspacecast %13 : !llvm.ptr to !llvm.ptr<3>
    llvm.inline_asm has_side_effects "nop", "" : () -> ()
    %14 = llvm.call @printf(%13) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
    llvm.intr.stackrestore %stack : !llvm.ptr
    llvm.return
  }

  llvm.func @sum_to(%n: i64) -> i64 {
    %zero = llvm.mlir.constant(0) : i64
    %one = llvm.mlir.constant(1) : i64
    %empty = llvm.icmp "sle" %n, %zero : i64
    llvm.cond_br %empty, ^done(%zero : i64), ^loop(%zero, %zero : i64, i64)
  ^loop(%i: i64, %sum: i64):
    %next = llvm.add %i, %one : i64
    %total = llvm.add %sum, %next : i64
    %more = llvm.icmp "slt" %next, %n : i64
    llvm.cond_br %more, ^loop(%next, %total : i64, i64), ^done(%total : i64)
  ^done(%result: i64):
    llvm.return %result : i64
  }

  llvm.func @pick(%c: i1) -> i64 {
    %seven = llvm.mlir.constant(7) : i64
    %nine = llvm.mlir.constant(9) : i64
    llvm.cond_br %c, ^join(%seven : i64), ^join(%nine : i64)
  ^join(%result: i64):
    llvm.br ^out
  ^out:
    llvm.return %result : i64
  }

  llvm.func private @trap() {
    llvm.unreachable
  }
}
