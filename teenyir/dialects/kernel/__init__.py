"""The kernel floor: one `kernel.func` a device kernel, a DAG of scalars that depend on ranges.

Read `ops` for what there is, `nest` for the loops that a DAG stands for, `verify` for what holds.
"""

from xdsl.ir import Dialect

from teenyir.dialects.kernel.attributes import BufferType, DimsAttr, ExprAttr
from teenyir.dialects.kernel.combiners import COMBINERS, Combiner
from teenyir.dialects.kernel.nest import Closer, Loop, Nest, Update, closed_by
from teenyir.dialects.kernel.ops import (
    AccessOp,
    FuncOp,
    IndexedOp,
    IndexOp,
    LoadOp,
    RangeOp,
    ReduceOp,
    StageOp,
    StoreOp,
)

KERNEL = Dialect(
    "kernel",
    [FuncOp, RangeOp, IndexOp, LoadOp, StoreOp, ReduceOp, StageOp],
    [ExprAttr, DimsAttr, BufferType],
)

__all__ = [
    "COMBINERS",
    "KERNEL",
    "AccessOp",
    "BufferType",
    "Closer",
    "Combiner",
    "DimsAttr",
    "ExprAttr",
    "FuncOp",
    "IndexOp",
    "IndexedOp",
    "LoadOp",
    "Loop",
    "Nest",
    "RangeOp",
    "ReduceOp",
    "StageOp",
    "StoreOp",
    "Update",
    "closed_by",
]
