// RUN: teeny-opt %s -p uop-to-nvvm{capability=90} --verify-roundtrip | filecheck %s

// Ids are special registers, buffers memory of the device, shared memory a variable, the launch says what the kernel said.
// Bytes of a buffer are counted where the number of the element is known.

// CHECK:      llvm.mlir.global internal @turn.shared.0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK-NEXT: llvm.func @turn(%y: !llvm.ptr<1> {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr<1> {llvm.noalias, llvm.nocapture, llvm.readonly}, %N: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>, target_cpu = "sm_90", target_features = #llvm.target_features<["+ptx84"]>} {
// CHECK-NEXT:   %0 = "nvvm.read.ptx.sreg.ctaid.x"() : () -> i32
// CHECK-NEXT:   %b = llvm.zext %0 : i32 to i64
// CHECK-NEXT:   %1 = llvm.mlir.constant(4) : i64
// CHECK-NEXT:   %2 = llvm.mul %b, %1 overflow<nsw> : i64
// CHECK-NEXT:   %3 = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
// CHECK-NEXT:   %t = llvm.zext %3 : i32 to i64
// CHECK-NEXT:   %s = llvm.mlir.addressof @turn.shared.0 : !llvm.ptr<3>
// CHECK-NEXT:   %4 = llvm.getelementptr inbounds %x[%2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK-NEXT:   %v = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NEXT:   %5 = llvm.getelementptr inbounds %s[%t] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NEXT:   llvm.store %v, %5 {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-NEXT:   "nvvm.barrier0"() : () -> ()
// CHECK:        llvm.return
uop.func @turn(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) grid [N] block [64] {
  %b = uop.special grid.x
  %t = uop.special thread.x
  %s = uop.local [64] : !uop.ptr<f32, shared>
  %v = uop.load %x[%b] : f32
  uop.store %v, %s[%t]
  uop.barrier
}

// Loads and stores share them, and what is added is a part of each; not in a kernel with a loop.
// CHECK:      llvm.func @copy
// CHECK:        [[BYTES:%.*]] = llvm.mul %t_1, %{{.*}} overflow<nsw> : i64
// CHECK:        llvm.getelementptr inbounds %x_1[[[BYTES]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
// CHECK:        [[FAR:%.*]] = llvm.add [[BYTES]], %{{.*}} overflow<nsw> : i64
// CHECK-NEXT:   llvm.getelementptr inbounds %y_1[[[FAR]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %c64 = arith.constant 64 : index
  %far = arith.addi %t, %c64 : index
  %v = uop.load %x[%t] : f32
  uop.store %v, %y[%far]
}

// CHECK:      llvm.func @repeated
// CHECK-NOT:    !llvm.ptr<1>, i8
uop.func @repeated(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %c64 step %c1 {
    %row = arith.muli %k, %c64 : index
    %at = arith.addi %row, %t : index
    %v = uop.load %x[%at] : f32
    uop.store %v, %y[%at]
  }
}

// A kernel without a grid runs in one thread.
// CHECK: nvvm.reqntid = array<i32: 1, 1, 1>
uop.func @one(out %y: !uop.ptr<f32>) {
}

// CHECK:      program.func @main
// CHECK-NEXT:   program.dispatch @turn(out %{{.*}}, in %{{.*}}) dims [N] grid [N] block [64]
// CHECK-NEXT:   program.dispatch @one(out %{{.*}}) dims [] grid [1] block [1]
program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  program.launch @turn(%y, %x)
  program.launch @one(%y)
}

// What threads do together: copies whose rest is zeros, matrices of rows, values of other lanes.
// CHECK-LABEL: llvm.func @together
// CHECK:         "nvvm.cp.async.shared.global"(%{{.*}}, %{{.*}}, %{{.*}}) <{size = 16 : i32, modifier = {{.*}}>
// CHECK:         "nvvm.cp.async.commit.group"
// CHECK:         "nvvm.cp.async.wait.group"() <{n = 1 : i32}>
// CHECK:         "nvvm.ldmatrix"(%{{.*}}) <{{.*}}num = 4 : i32
// CHECK:         "nvvm.shfl.sync"
uop.func @together(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) grid [1] block [32] {
  %t = uop.special thread.x
  %c8 = arith.constant 8 : index
  %more = arith.constant true
  %at = arith.muli %t, %c8 : index
  %s = uop.local [256] : !uop.ptr<f16, shared>
  uop.copy_async %x[%at], %s[%at] if %more : 8 x f16
  uop.commit_copies
  uop.wait_copies 1
  uop.barrier
  %m, %m_1, %m_2, %m_3, %m_4, %m_5, %m_6, %m_7 = uop.load_matrix %s[%at] transposed : 8 x f16
  %v = uop.shuffle %m xor 16
  uop.store %v, %y[%t]
}

// Functions that are approximated, lane by lane.
// CHECK-LABEL: llvm.func @functions
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"
uop.func @functions(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [1] {
  %zero = arith.constant 0 : index
  %v = uop.load %x[%zero] : f32
  %w = uop.load %x[%zero] : vector<2xf32>
  %a = uop.approximate exp2 %w : vector<2xf32>
  %b = uop.approximate reciprocal %v : f32
  %c = uop.approximate rsqrt %b : f32
  %d = uop.approximate gradual_exp2 %c : f32
  %e = uop.saturated_fma %w, %a, %w : vector<2xf32>
  uop.store %e, %y[%zero]
  uop.store %d, %y[%zero]
}

// Intrinsics that take lanes say which memory it is.
// CHECK-LABEL: llvm.func @lanes
// CHECK:         llvm.call_intrinsic "llvm.masked.store.v4f32.p3"
// CHECK:         llvm.call_intrinsic "llvm.masked.load.v4f32.p1"
// CHECK:         llvm.call_intrinsic "llvm.masked.store.v4f32.p1"
uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [4] {
  %t = uop.special thread.x
  %c4 = arith.constant 4 : index
  %at = arith.muli %t, %c4 : index
  %some = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %s = uop.local [16] : !uop.ptr<f32, shared>
  uop.store %zero, %s[%at] if %some
  %v = uop.load %x[%at] if %some else %zero : vector<4xf32>
  uop.store %v, %y[%at] if %some
}
