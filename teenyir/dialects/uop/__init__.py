"""The uop floor: linear code. Loops are `scf.for`, memory is flat, order is the text's.

Read `ops` for what there is, `gpu` for what the threads of a GPU have, `threads` for those of a
CPU, and `verify` for what holds.
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
    ROLLED,
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
from teenyir.dialects.uop.threads import THREADS, ThreadOp, ThreadsAttr, threads_of
from teenyir.dialects.uop.verify import WellFormed

FuncOp.traits.add_trait(WellFormed())

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
    "ROLLED",
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
