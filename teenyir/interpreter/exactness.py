"""Whether what a function gives is settled to the bit, or depends on how it is computed.

Sums and products of floats may be formed in any order, and functions such as `exp` are as accurate
as whoever computes them. Everything else IEEE 754 and the graph floor's page settle.
"""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from teenyir.dialects import graph, kernel, uop
from teenyir.interpreter.arrays import element_of
from teenyir.interpreter.callees import with_callees

_APPROXIMATE = frozenset(
    {
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "powf", "fpowi", "rsqrt"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "erf", "erfc", "cbrt"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sincos"),
    }
)
"""Ops of graph and math that nobody has to round correctly."""

_ACCUMULATING = (
    *(graph.ReduceOp, graph.ScanOp, graph.ScatterOp, graph.DotOp, graph.ConvOp, graph.FoldOp),
    *(kernel.ReduceOp, kernel.ScanOp, kernel.StageOp, kernel.ScatterOp, kernel.FoldOp),
    *(kernel.AllReduceOp, kernel.MmaOp, uop.MmaOp, vector.ReductionOp),
)
_ORDERLESS = ("max", "min", "umax", "umin", "set", "and", "or", "xor", "maximumf", "minimumf")
"""Combiners that give the same in any order."""


def is_exact(function: Operation) -> bool:
    """Whether a function, with whatever it calls, gives the same bits however it is computed."""
    return all(_is_exact(op) for each in with_callees(function) for op in each.walk())


def _is_exact(op: Operation) -> bool:
    if isinstance(op, _ACCUMULATING):
        return _kind(op) in _ORDERLESS or not any(map(_is_of_floats, op.operand_types))
    flags = op.properties.get("fastmath")
    if isinstance(flags, FastMathFlagsAttr) and FastMathFlag.REASSOC in flags.data:
        return False
    return op.name.rpartition(".")[2] not in _APPROXIMATE


def _kind(op: Operation) -> str | None:
    """How an op combines; None where a region says it, or where it sums products."""
    if isinstance(op, kernel.StageOp) and not op.accumulating:
        return "set"
    kind = op.properties.get("kind")
    if isinstance(op, vector.ReductionOp):
        return op.kind.data.value
    return None if kind is None else str(getattr(kind, "data", ""))


def _is_of_floats(type: Attribute) -> bool:
    tensor = isa(type, TensorType[Attribute])
    return isinstance(type.element_type if tensor else element_of(type), AnyFloat)
