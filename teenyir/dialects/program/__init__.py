"""The program level: which kernels run in which order, over which buffers.

Read `ops` for what there is, `verify` for what holds.
"""

from xdsl.ir import Dialect

from teenyir.dialects.program.ops import (
    MODES,
    NAMES,
    STATEMENTS,
    AllocOp,
    ConstantOp,
    DispatchOp,
    FuncOp,
    IfOp,
    LaunchOp,
    ViewOp,
    WhileOp,
)
from teenyir.dialects.program.verify import WellFormed

FuncOp.traits.add_trait(WellFormed())

PROGRAM = Dialect(
    "program", [FuncOp, AllocOp, ConstantOp, ViewOp, LaunchOp, DispatchOp, IfOp, WhileOp]
)

__all__ = [
    "MODES",
    "NAMES",
    "PROGRAM",
    "STATEMENTS",
    "AllocOp",
    "ConstantOp",
    "DispatchOp",
    "FuncOp",
    "IfOp",
    "LaunchOp",
    "ViewOp",
    "WhileOp",
]
