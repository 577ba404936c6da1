// Every op of the nvvm dialect, once or more: read by test_nvvm.py.
module {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>

  llvm.func @registers() {
    SPECIAL_REGISTERS
    llvm.return
  }

  llvm.func @threads(%i: i32, %v: f32, %b: i1, %z: i64) {
    "nvvm.barrier0"() : () -> ()
    "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
    "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
    "nvvm.barrier"(%i, %i) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
    "nvvm.bar.warp.sync"(%i) : (i32) -> ()
    %0 = "nvvm.shfl.sync"(%i, %v, %i, %i) <{kind = #nvvm<shfl_kind bfly>}> : (i32, f32, i32, i32) -> f32
    %1 = "nvvm.shfl.sync"(%i, %i, %i, %i) <{kind = #nvvm<shfl_kind up>}> : (i32, i32, i32, i32) -> i32
    %2 = "nvvm.shfl.sync"(%i, %v, %i, %i) <{kind = #nvvm<shfl_kind idx>}> : (i32, f32, i32, i32) -> f32
    %3 = "nvvm.shfl.sync"(%i, %i, %i, %i) <{kind = #nvvm<shfl_kind down>, return_value_and_is_valid}> : (i32, i32, i32, i32) -> !llvm.struct<(i32, i1)>
    %4 = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind ballot>}> : (i32, i1) -> i32
    %5 = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind any>}> : (i32, i1) -> i1
    %6 = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind all>}> : (i32, i1) -> i1
    %7 = "nvvm.vote.sync"(%i, %b) <{kind = #nvvm<vote_sync_kind uni>}> : (i32, i1) -> i1
    REDUX
    %8 = "nvvm.match.sync"(%i, %i) <{kind = #nvvm<match_sync_kind any>}> : (i32, i32) -> i32
    %9 = "nvvm.match.sync"(%i, %z) <{kind = #nvvm<match_sync_kind all>}> : (i32, i64) -> !llvm.struct<(i32, i1)>
    llvm.return
  }

  llvm.func @memory(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %i: i32) {
    "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier cg>, size = 16 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
    "nvvm.cp.async.shared.global"(%s, %g) <{modifier = #nvvm<load_cache_modifier ca>, size = 4 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
    "nvvm.cp.async.shared.global"(%s, %g, %i) <{modifier = #nvvm<load_cache_modifier cg>, size = 16 : i32}> : (!llvm.ptr<3>, !llvm.ptr<1>, i32) -> ()
    "nvvm.cp.async.commit.group"() : () -> ()
    "nvvm.cp.async.wait.group"() <{n = 1 : i32}> : () -> ()
    %0 = "nvvm.ldmatrix"(%s) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
    %1 = "nvvm.ldmatrix"(%s) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    %2 = "nvvm.ldmatrix"(%s) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (!llvm.ptr<3>) -> i32
    "nvvm.stmatrix"(%s, %i, %i) <{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}> : (!llvm.ptr<3>, i32, i32) -> ()
    llvm.return
  }

  llvm.func @barriers(%s: !llvm.ptr<3>, %g: !llvm.ptr, %i: i32, %z: i64) {
    "nvvm.mbarrier.init"(%s, %i) : (!llvm.ptr<3>, i32) -> ()
    "nvvm.fence.mbarrier.init"() : () -> ()
    %0 = "nvvm.mbarrier.arrive"(%s) : (!llvm.ptr<3>) -> i64
    %1 = "nvvm.mbarrier.arrive"(%s, %i) <{relaxed = false, scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.arrive"(%s) <{relaxed = true, scope = #nvvm.mem_scope<cta>}> : (!llvm.ptr<3>) -> ()
    %2 = "nvvm.mbarrier.arrive_drop"(%s) : (!llvm.ptr<3>) -> i64
    %3 = "nvvm.mbarrier.arrive_drop"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
    %4 = "nvvm.mbarrier.arrive.nocomplete"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
    %5 = "nvvm.mbarrier.arrive_drop.nocomplete"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
    "nvvm.cp.async.mbarrier.arrive"(%s) : (!llvm.ptr<3>) -> ()
    "nvvm.cp.async.mbarrier.arrive"(%s) <{noinc = true}> : (!llvm.ptr<3>) -> ()
    %6 = "nvvm.mbarrier.arrive.expect_tx"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.arrive.expect_tx"(%s, %i) <{relaxed = true}> : (!llvm.ptr<3>, i32) -> ()
    %7 = "nvvm.mbarrier.arrive_drop.expect_tx"(%s, %i) : (!llvm.ptr<3>, i32) -> i64
    "nvvm.mbarrier.expect_tx"(%s, %i) : (!llvm.ptr<3>, i32) -> ()
    "nvvm.mbarrier.complete_tx"(%s, %i) <{scope = #nvvm.mem_scope<cluster>}> : (!llvm.ptr<3>, i32) -> ()
    %8 = "nvvm.mbarrier.test.wait"(%s, %z) : (!llvm.ptr<3>, i64) -> i1
    %9 = "nvvm.mbarrier.test.wait"(%s, %i) <{relaxed = true}> : (!llvm.ptr<3>, i32) -> i1
    %10 = "nvvm.mbarrier.try_wait"(%s, %z) : (!llvm.ptr<3>, i64) -> i1
    %11 = "nvvm.mbarrier.try_wait"(%s, %i, %i) : (!llvm.ptr<3>, i32, i32) -> i1
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<alias>}> : () -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async>}> : () -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.global>}> : () -> ()
    "nvvm.fence.proxy"() <{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}> : () -> ()
    "nvvm.mbarrier.inval"(%s) : (!llvm.ptr<3>) -> ()
    llvm.return
  }

  llvm.func @matrix(%h: vector<2xf16>, %i: i32, %v: f32, %d: f64) {
    %t0 = "nvvm.convert.float.to.tf32"(%v) <{rnd = #nvvm.fp_rnd_mode<rna>}> : (f32) -> i32
    %t1 = "nvvm.convert.float.to.tf32"(%v) <{rnd = #nvvm.fp_rnd_mode<rz>}> : (f32) -> i32
    MMA
    llvm.return
  }

  llvm.func @kernel(%p: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
    llvm.return
  }
}
