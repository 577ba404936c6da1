"""What a kernel is called: after what it computes, in the words of whoever asked for it.

    ty.softmax(x), 1024 columns                        softmax_1024
    ty.relu(ty.batch_norm(ty.conv(x, w), ..))          conv3x3_bn_relu
    x.sum(axis=1), 50 columns, and a division          sum_50_div

An op that was made by a composite of the frontend, as its location tells, counts as the composite.
A name depends on the function alone, so that it is the same in every run and on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation

from teenyir.analysis.places import composite_of
from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.lowering.graph_to_kernel.builder import extents_of
from teenyir.lowering.graph_to_kernel.costs import FREE_OPS

MOST_NAMED = 4
"""A kernel is named after at most this many of its ops and composites, the last ones."""

KINDS = {"add": "sum", "mul": "prod"}
SCANS = {"add": "cumsum", "mul": "cumprod", "max": "cummax", "min": "cummin"}


def kernel_name(ops: Sequence[Operation]) -> str:
    """What a kernel computes: the last of its ops but for the movement, without repeats."""
    named = [(op, composite_of(op.location)) for op in ops]
    kept = [(op, name) for op, name in named if name or type(op) not in FREE_OPS]
    sizes = {name: _sizes(op) for op, name in reversed(kept) if name and _sizes(op)}
    words = [name + sizes.get(name, "") if name else _word(op) for op, name in kept]
    distinct = list(dict.fromkeys(words))[-MOST_NAMED:]
    return "_".join(distinct) or (_word(ops[-1]) if ops else "copy")


def _word(op: Operation) -> str:
    match op:
        case graph.ReduceOp():
            return KINDS.get(op.kind, op.kind) + _sizes(op)
        case graph.ScanOp():
            return SCANS.get(op.kind, f"scan_{op.kind}")
        case graph.ConvOp():
            return "conv" + _joined(extents_of(op.w)[2:])
        case _:
            return op.name.removeprefix("graph.")


def _sizes(op: Operation) -> str:
    """The extents that an op combines into one element, where they are constant: `_1024`."""
    if not isinstance(op, graph.ReduceOp | graph.FoldOp) or not op.axes:
        return ""
    extents = extents_of(op.operands[0])
    joined = _joined(extents[axis] for axis in op.axes)
    return f"_{joined}" if joined else ""


def _joined(extents: Iterable[Expr]) -> str:
    """Constant extents as `3x3`; nothing where one is named."""
    values = [extent.constant for extent in extents]
    return "" if None in values else "x".join(map(str, values))
