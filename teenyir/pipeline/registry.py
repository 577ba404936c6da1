"""The tables of what there is: dialects, passes and named pipelines, by name.

An entry names its object as `module:object` and is imported when it is first used, so that
start-up pays for nothing. A new pass adds one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass

DIALECTS: dict[str, str] = {
    "arith": "teenyir.dialects.arith:ARITH",
    "graph": "teenyir.dialects.graph:GRAPH",
    "kernel": "teenyir.dialects.kernel:KERNEL",
    "llvm": "teenyir.dialects.llvm:LLVM",
    "nvvm": "teenyir.dialects.nvvm:NVVM",
    "program": "teenyir.dialects.program:PROGRAM",
    "uop": "teenyir.dialects.uop:UOP",
}
"""Our dialects; one named as one of xDSL's takes its place (`llvm` is theirs and our additions)."""

PASSES: dict[str, str] = {
    "apply-tuned": "teenyir.passes.kernel.choose.apply_tuned:ApplyTuned",
    "block-reductions": "teenyir.passes.kernel.choose.gpu.block_reductions:BlockReductions",
    "block-rows": "teenyir.passes.kernel.choose.cpu.block_rows:BlockRows",
    "bounded-powers": "teenyir.passes.kernel.choose.bounded_powers:BoundedPowers",
    "branch-on-gates": "teenyir.passes.uop.branch_on_gates:BranchOnGates",
    "branch-on-masks": "teenyir.passes.uop.branch_on_masks:BranchOnMasks",
    "canonicalize": "teenyir.passes.canonicalize:Canonicalize",
    "clamp-window": "teenyir.passes.kernel.schedule.clamp_window:ClampWindow",
    "cse": "teenyir.passes.cse:EliminateCommonSubexpressions",
    "dce": "teenyir.passes.dce:EliminateDeadCode",
    "expand-math": "teenyir.passes.uop.expand_math:ExpandMath",
    "expand-remainders": "teenyir.passes.uop.expand_remainders:ExpandRemainders",
    "expand-sort": "teenyir.passes.uop.expand_sort:ExpandSort",
    "fission-range": "teenyir.passes.kernel.schedule.fission_range:FissionRange",
    "floats-to-bytes": "teenyir.passes.uop.floats_to_bytes:FloatsToBytes",
    "fuse-ranges": "teenyir.passes.kernel.schedule.fuse_ranges:FuseRanges",
    "graph-to-kernel": "teenyir.lowering.graph_to_kernel.lower:GraphToKernel",
    "interchange-reductions": "teenyir.passes.kernel.interchange_reductions:InterchangeReductions",
    "keep-loops": "teenyir.passes.uop.keep_loops:KeepLoops",
    "kernel-to-uop": "teenyir.lowering.kernel_to_uop.lower:KernelToUop",
    "lane-columns": "teenyir.passes.kernel.choose.cpu.lane_columns:LaneColumns",
    "lane-lookups": "teenyir.passes.kernel.choose.cpu.lane_lookups:LaneLookups",
    "lane-rows": "teenyir.passes.kernel.choose.cpu.lane_rows:LaneRows",
    "legalize-floats": "teenyir.passes.uop.legalize_floats:LegalizeFloats",
    "locals-to-arena": "teenyir.passes.program.locals_to_arena:LocalsToArena",
    "map-to-grid": "teenyir.passes.kernel.choose.gpu.map_to_grid:MapToGrid",
    "maximum-of-numbers": "teenyir.passes.kernel.schedule.maximum_of_numbers:MaximumOfNumbers",
    "narrow-indices": "teenyir.passes.uop.narrow_indices:NarrowIndices",
    "order-launches": "teenyir.passes.program.order_launches:OrderLaunches",
    "order-ranges": "teenyir.passes.kernel.schedule.order_ranges:OrderRanges",
    "pack-buffer": "teenyir.passes.kernel.schedule.pack_buffer:PackBuffer",
    "parallel-ranges": "teenyir.passes.kernel.choose.cpu.parallel_ranges:ParallelRanges",
    "part-reduction": "teenyir.passes.kernel.schedule.part_reduction:PartReduction",
    "peel-range": "teenyir.passes.kernel.schedule.peel_range:PeelRange",
    "pipeline-copies": "teenyir.passes.uop.pipeline_copies:PipelineCopies",
    "plan-arena": "teenyir.passes.program.plan_arena:PlanArena",
    "recognize": "teenyir.passes.graph.recognize:Recognize",
    "reduce-streams": "teenyir.passes.kernel.choose.cpu.reduce_streams:ReduceStreams",
    "running-fold": "teenyir.passes.kernel.schedule.running_fold:RunningFold",
    "running-folds": "teenyir.passes.kernel.choose.cpu.running_folds:RunningFolds",
    "running-products": "teenyir.passes.kernel.choose.gpu.running_products:RunningProducts",
    "search-extremes": "teenyir.passes.kernel.choose.cpu.search_extremes:SearchExtremes",
    "set-kind": "teenyir.passes.kernel.schedule.set_kind:SetKind",
    "share-kernels": "teenyir.passes.program.share_kernels:ShareKernels",
    "share-reductions": "teenyir.passes.kernel.choose.cpu.share_reductions:ShareReductions",
    "simplify-graph": "teenyir.passes.graph.simplify:SimplifyGraph",
    "simplify-kernel": "teenyir.passes.kernel.simplify:SimplifyKernel",
    "split-at-gates": "teenyir.passes.uop.split_at_gates:SplitAtGates",
    "split-groups": "teenyir.passes.kernel.choose.gpu.split_groups:SplitGroups",
    "split-range": "teenyir.passes.kernel.schedule.split_range:SplitRange",
    "split-reduction": "teenyir.passes.kernel.schedule.split_reduction:SplitReduction",
    "split-sums": "teenyir.passes.uop.split_sums:SplitSums",
    "stage-image": "teenyir.passes.kernel.schedule.stage_image:StageImage",
    "stage-result": "teenyir.passes.kernel.schedule.stage_result:StageResult",
    "stage-windows": "teenyir.passes.kernel.choose.cpu.stage_windows:StageWindows",
    "stream-results": "teenyir.passes.kernel.choose.cpu.stream_results:StreamResults",
    "stream-store": "teenyir.passes.kernel.schedule.stream_store:StreamStore",
    "tensor-cores": "teenyir.passes.kernel.choose.gpu.tensor_cores:TensorCores",
    "thread-tiles": "teenyir.passes.kernel.choose.gpu.thread_tiles:ThreadTiles",
    "tile-dots": "teenyir.passes.kernel.choose.cpu.tile_dots:TileDots",
    "tile-products": "teenyir.passes.kernel.choose.cpu.tile_products:TileProducts",
    "tile-transposes": "teenyir.passes.kernel.choose.cpu.tile_transposes:TileTransposes",
    "track-zeros": "teenyir.passes.uop.track_zeros:TrackZeros",
    "unroll-windows": "teenyir.passes.kernel.choose.cpu.unroll_windows:UnrollWindows",
    "uop-to-llvm": "teenyir.lowering.uop_to_llvm.lower:UopToLLVM",
    "uop-to-nvvm": "teenyir.lowering.uop_to_nvvm.lower:UopToNVVM",
    "widen-stages": "teenyir.passes.kernel.schedule.widen_stages:WidenStages",
    "write-in-place": "teenyir.passes.program.write_in_place:WriteInPlace",
}
"""Our passes; one named as one of xDSL's takes its place."""


@dataclass(frozen=True)
class NamedPipeline:
    """A name that stands for a list of passes."""

    help: str
    """One line for `--list-passes`."""
    text: str
    """The pipeline, in the pipelines' syntax; `$option` stands for the value of an option."""
    options: dict[str, int | float | str | bool] = field(
        default_factory=dict[str, int | float | str | bool]
    )
    """The options with their defaults, whose types they have."""
    is_target: bool = False
    """Whether it goes from the top of the tower to a target's code."""


_CUDA_C = NamedPipeline(
    "From the graph floor to what the printer of CUDA C takes",
    "optimize-graph{fast-math=$fast-math},"
    "graph-to-kernel{apart=true matrices=$capability tf32=$tf32},"
    "optimize-kernel-for-cuda{capability=$capability tf32=$tf32 fast-math=$fast-math},"
    "kernel-to-uop,optimize-uop,pipeline-copies{capability=$capability},"
    "expand-sort,split-sums,branch-on-gates,legalize-floats{capability=$capability},"
    "floats-to-bytes,expand-math{f64=true approximate=true},expand-remainders,cse,plan-arena",
    options={"capability": "sm_80", "tf32": False, "fast-math": False},
    is_target=True,
)

_CUDA = NamedPipeline(
    "From the graph floor to LLVM for NVIDIA's GPUs",
    f"{_CUDA_C.text},narrow-indices,cse,"
    "uop-to-nvvm{capability=$capability ptx-version=$ptx-version}",
    options={"capability": "sm_80", "ptx-version": 0, "tf32": False, "fast-math": False},
    is_target=True,
)

PIPELINES: dict[str, NamedPipeline] = {
    "cpu": NamedPipeline(
        "From the graph floor to LLVM for the CPU",
        "optimize-graph{fast-math=$fast-math},"
        "graph-to-kernel{blocks=true columns=true running=true twice=$twice},"
        "optimize-kernel-for-cpu{fast-math=$fast-math threads=$threads tuned=$tuned},"
        "kernel-to-uop,split-at-gates,optimize-uop,"
        "expand-sort,split-sums,legalize-floats,floats-to-bytes,track-zeros,"
        "expand-math{fuse=true scale=host lookup=host},cse,branch-on-masks{masks=host},keep-loops,"
        "locals-to-arena{threads=$threads},plan-arena,uop-to-llvm{extrema=host}",
        options={"fast-math": False, "threads": 0, "tuned": "", "twice": "host"},
        is_target=True,
    ),
    "c": NamedPipeline(
        "From the graph floor to what the printer of C takes",
        "optimize-graph{fast-math=$fast-math},graph-to-kernel,"
        "optimize-kernel{fast-math=$fast-math},kernel-to-uop,optimize-uop,"
        "expand-sort,split-sums,legalize-floats,floats-to-bytes,expand-math,cse,"
        "locals-to-arena,plan-arena",
        options={"fast-math": False},
        is_target=True,
    ),
    "cuda": _CUDA,
    "cuda-emulated": replace(_CUDA, help="The same, for the PTX emulator"),
    "cuda-c": _CUDA_C,
    "cuda-c-emulated": replace(_CUDA_C, help="The same, for NVRTC and the PTX emulator"),
    "optimize-graph": NamedPipeline(
        "Simplify a tensor program",
        "simplify-graph{fast-math=$fast-math},cse,dce,recognize",
        options={"fast-math": False},
    ),
    "optimize-kernel": NamedPipeline(
        "Simplify kernels, order their loops and their launches",
        "share-kernels,simplify-kernel{fast-math=$fast-math},interchange-reductions,canonicalize,cse,"
        "share-kernels,order-launches,write-in-place",
        options={"fast-math": False},
    ),
    "optimize-kernel-for-cpu": NamedPipeline(
        "Simplify kernels and choose schedules for the CPU",
        "share-kernels,bounded-powers{infinite=true},running-folds,"
        "simplify-kernel{fast-math=$fast-math},"
        "apply-tuned{database=$tuned threads=$threads},block-rows,tile-products{threads=$threads},"
        "tile-dots,tile-transposes,search-extremes,stage-windows,unroll-windows,lane-columns,"
        "interchange-reductions,"
        "stream-results,lane-lookups,lane-rows,"
        "share-reductions{threads=$threads},reduce-streams,"
        "parallel-ranges{threads=$threads},canonicalize,cse,share-kernels,order-launches,"
        "write-in-place",
        options={"fast-math": False, "threads": 0, "tuned": ""},
    ),
    "optimize-kernel-for-cuda": NamedPipeline(
        "Spread kernels over threads and simplify them",
        "share-kernels,running-products{capability=$capability tf32=$tf32},"
        "simplify-kernel{fast-math=$fast-math},split-groups,"
        "tensor-cores{capability=$capability tf32=$tf32},thread-tiles,bounded-powers,"
        "block-reductions,map-to-grid,"
        "canonicalize,cse,share-kernels,order-launches,write-in-place",
        options={"capability": "sm_80", "tf32": False, "fast-math": False},
    ),
    "optimize-uop": NamedPipeline("Simplify linear kernels", "canonicalize,cse"),
}
"""Named pipelines; what they name is looked up when they are used."""


FLOOR_ENDS: dict[str, tuple[str, ...]] = {
    "graph": ("optimize-graph",),
    "kernel": ("optimize-kernel", "optimize-kernel-for-cpu", "optimize-kernel-for-cuda"),
    "uop": ("optimize-uop",),
    "machine": ("uop-to-llvm", "uop-to-nvvm"),
}
"""The last step on each floor, from the top: where `--compile-to` cuts a target's pipeline."""


def load(reference: str) -> Any:
    """The object that `module:object` names."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def dialect_thunks() -> dict[str, Callable[[], Dialect]]:
    """Every dialect by name, ours before xDSL's; calling one imports it."""
    from xdsl.dialects import get_all_dialects

    def thunk(reference: str) -> Callable[[], Dialect]:
        return lambda: load(reference)

    return get_all_dialects() | {name: thunk(ref) for name, ref in DIALECTS.items()}


def pass_thunks() -> dict[str, Callable[[], type[ModulePass]]]:
    """Every pass by name, ours before xDSL's; calling one imports it."""
    from xdsl.transforms import get_all_passes

    def thunk(reference: str) -> Callable[[], type[ModulePass]]:
        return lambda: load(reference)

    return get_all_passes() | {name: thunk(ref) for name, ref in PASSES.items()}
