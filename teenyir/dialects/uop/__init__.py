"""The uop floor: linear code. Read `ops` for what there is and what holds, `gpu` for
what the threads of a GPU have, `uop_threads` for those of a CPU.
"""

from xdsl.ir import Dialect

from teenyir.dialects.lanewise import LANEWISE
from teenyir.dialects.uop.gpu import (
    GPU_OPS,
    BarrierOp,
    CommitCopiesOp,
    CopyAsyncOp,
    LoadMatrixOp,
    MmaOp,
    ShuffleOp,
    SpecialOp,
    WaitCopiesOp,
)
from teenyir.dialects.uop.ops import (
    AXES,
    BOOL,
    INDEX,
    PARALLEL,
    READ_AND_WRITTEN,
    SPECIALS,
    FuncOp,
    LoadOp,
    LocalOp,
    OfThreads,
    PtrType,
    SortOp,
    Space,
    StoreOp,
)
from teenyir.dialects.uop_threads import THREADS, ThreadOp, ThreadsAttr, threads_of

UOP = Dialect(
    "uop",
    [FuncOp, LoadOp, StoreOp, LocalOp, ThreadOp, SortOp, *GPU_OPS, *LANEWISE],
    [PtrType, ThreadsAttr],
)

__all__ = [
    "AXES",
    "BOOL",
    "GPU_OPS",
    "INDEX",
    "PARALLEL",
    "READ_AND_WRITTEN",
    "SPECIALS",
    "THREADS",
    "UOP",
    "BarrierOp",
    "CommitCopiesOp",
    "CopyAsyncOp",
    "FuncOp",
    "LoadMatrixOp",
    "LoadOp",
    "LocalOp",
    "MmaOp",
    "OfThreads",
    "PtrType",
    "ShuffleOp",
    "SortOp",
    "Space",
    "SpecialOp",
    "StoreOp",
    "ThreadOp",
    "ThreadsAttr",
    "WaitCopiesOp",
    "threads_of",
]
