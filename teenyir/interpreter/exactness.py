"""Whether what a function gives is settled to the bit, or depends on how it is computed.

Sums and products of floats may be formed in any order, and functions such as `exp` are as accurate
as whoever computes them. Everything else IEEE 754 and the graph floor's page settle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from teenyir.dialects import graph, kernel, uop
from teenyir.interpreter.arrays import dtype_of, element_of
from teenyir.interpreter.callees import with_callees
from teenyir.interpreter.compare import TOLERANCES

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
_ORDERLESS = (
    *("max", "min", "maxnum", "minnum", "umax", "umin", "set", "and", "or", "xor"),
    *("maximumf", "minimumf"),
)
"""Combiners that give the same in any order."""


def tolerances_of(function: Operation) -> Mapping[str, float] | None:
    """What is tolerated in outputs of a function, by the name of their element type, relative and
    absolute; None where it gives, with whatever it calls, the same bits however it is computed.

    What was rounded to fewer digits on the way is as accurate as those are.
    """
    ops = [op for each in with_callees(function) for op in each.walk()]
    if all(map(_is_exact, ops)):
        return None
    found = dict(TOLERANCES)
    changes = {change for op in ops for change in _changes(op)}
    for _ in range(len({name for change in changes for name in change})):  # the longest way
        for before, after in changes:
            found[after] = max(found[before], found[after])
    return found


def _changes(op: Operation) -> set[tuple[str, str]]:
    """From which float types, by their names, to which others an op leads."""
    taken, given = _names(op.operand_types), _names(op.result_types)
    return {(before, after) for before in taken for after in given if before != after}


def _names(types: Sequence[Attribute]) -> set[str]:
    elements = {_element(type) for type in types}
    return {dtype_of(each).name for each in elements if isinstance(each, AnyFloat)}


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
    return isinstance(_element(type), AnyFloat)


def _element(type: Attribute) -> Attribute:
    return type.element_type if isa(type, TensorType[Attribute]) else element_of(type)
