"""The kernel floor: one `kernel.func` a device kernel, a DAG of scalars that depend on ranges.

Read `ops`, `closers` and `sort` for what there is, `dependences` and `nest` for the
loops that a DAG stands for, `verify` for what holds.
"""

from xdsl.ir import Dialect

from teenyir.dialects.expr_attributes import DimsAttr, ExprAttr
from teenyir.dialects.kernel.all_reduce import AllReduceOp
from teenyir.dialects.kernel.attributes import RANGE_KINDS, BufferType, CpuKind, RangeKind
from teenyir.dialects.kernel.closers import FoldOp, ReduceOp, ScanOp, StageOp, YieldOp
from teenyir.dialects.kernel.combiners import COMBINERS, Combiner
from teenyir.dialects.kernel.dependences import (
    Closer,
    Dependences,
    accumulated_by,
    closed_by,
    scanned_by,
)
from teenyir.dialects.kernel.in_place import rewritten
from teenyir.dialects.kernel.kinds import (
    is_of_launch,
    is_unrolled,
    only_loops,
    only_unrolled,
    runs_at_once,
)
from teenyir.dialects.kernel.load_matrix import LoadMatrixOp
from teenyir.dialects.kernel.mma import MmaOp
from teenyir.dialects.kernel.names import buffer_names, names, range_names
from teenyir.dialects.kernel.nest import Loop, Nest, Update
from teenyir.dialects.kernel.ops import (
    INDEX,
    AccessOp,
    FuncOp,
    IndexedOp,
    IndexOp,
    LoadOp,
    RangeOp,
    ScatterOp,
    StoreOp,
    written_out,
)
from teenyir.dialects.kernel.sort import ORDERS, SortOp
from teenyir.dialects.kernel.verify import WellFormed, is_scalar_op, verify_function

FuncOp.traits.add_trait(WellFormed())

KERNEL = Dialect(
    "kernel",
    [
        *(FuncOp, RangeOp, IndexOp, LoadOp, StoreOp, ScatterOp),
        *(ReduceOp, FoldOp, YieldOp, ScanOp, StageOp, SortOp),
        *(MmaOp, LoadMatrixOp, AllReduceOp),
    ],
    [ExprAttr, DimsAttr, BufferType],
)

__all__ = [
    "COMBINERS",
    "INDEX",
    "KERNEL",
    "ORDERS",
    "RANGE_KINDS",
    "AccessOp",
    "AllReduceOp",
    "BufferType",
    "Closer",
    "Combiner",
    "CpuKind",
    "Dependences",
    "DimsAttr",
    "ExprAttr",
    "FoldOp",
    "FuncOp",
    "IndexOp",
    "IndexedOp",
    "LoadMatrixOp",
    "LoadOp",
    "Loop",
    "MmaOp",
    "Nest",
    "RangeKind",
    "RangeOp",
    "ReduceOp",
    "ScanOp",
    "ScatterOp",
    "SortOp",
    "StageOp",
    "StoreOp",
    "Update",
    "YieldOp",
    "accumulated_by",
    "buffer_names",
    "closed_by",
    "is_of_launch",
    "is_scalar_op",
    "is_unrolled",
    "names",
    "only_loops",
    "only_unrolled",
    "range_names",
    "rewritten",
    "runs_at_once",
    "scanned_by",
    "verify_function",
    "written_out",
]
