// Two warps hand each other what they wrote by a barrier in shared memory: read by test_nvvm.py.
module {
  llvm.mlir.global internal @barrier() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<1 x i64>
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i32>

  llvm.func @hand_over(%out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
    %barrier = llvm.mlir.addressof @barrier : !llvm.ptr<3>
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %last = llvm.mlir.constant(63 : i32) : i32
    %all = llvm.mlir.constant(64 : i32) : i32
    %t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %is_first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %is_first, ^init, ^start
  ^init:
    "nvvm.mbarrier.init"(%barrier, %all) : (!llvm.ptr<3>, i32) -> ()
    "nvvm.fence.mbarrier.init"() : () -> ()
    llvm.br ^start
  ^start:
    "nvvm.barrier0"() : () -> ()
    %mine = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %mine : i32, !llvm.ptr<3>
    %state = "nvvm.mbarrier.arrive.expect_tx"(%barrier, %four) : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.complete_tx"(%barrier, %four) : (!llvm.ptr<3>, i32) -> ()
    llvm.br ^wait
  ^wait:
    %is_over = "nvvm.mbarrier.WAIT( -> i1
    llvm.cond_br %is_over, ^read, ^wait
  ^read:
    %other = llvm.sub %last, %t : i32
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %value = llvm.load %from : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %value, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
