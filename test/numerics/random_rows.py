"""Random ops along an axis: scans, folds, and the chains of ops that softmax and attention are."""

from __future__ import annotations

import numpy as np
from random_builder import Builder, Value
from xdsl.ir import Region, SSAValue

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.dialects.graph.regions import YieldOp

LONG = (1, 7, 33, 2049, 3000)
"""Extents of rows: some are longer than what is kept of a row, and none a multiple of a vector."""


def scan(b: Builder) -> None:
    kind = b.random.choice(tuple(graph.REDUCTIONS))
    sums = kind in ("add", "mul")

    def accepts(v: Value) -> bool:
        is_float = v.dtype.kind == "float"
        return (
            len(v.extents) > 0
            and v.dtype.kind in graph.REDUCTIONS[kind]
            and not (is_float and sums and (b.special or not v.exact))
        )

    if operand := b.pick(accepts):
        axis = b.random.randrange(len(operand.extents))
        exclusive, reverse = (b.random.random() < 0.3 for _ in range(2))
        op = graph.ScanOp(kind, operand.value, axis, exclusive, reverse)
        b.add(op, operand.exact and not (operand.dtype.kind == "float" and sums))


def fold(b: Builder) -> None:
    """The greatest element of some axes and where it is, the first of equals."""
    x = b.pick(lambda v: v.exact and v.dtype.kind in ("int", "uint") and len(v.extents) > 0)
    if x is None:
        return
    rank = len(x.extents)
    axes = sorted(b.random.sample(range(rank), b.random.randint(1, rank)))
    place = graph.IotaOp(graph.tensor(dtypes.INT32.element, x.extents), axes[-1])
    least = 0 if x.dtype.kind == "uint" else -(1 << x.dtype.bits - 1)
    first = [_scalar(x.dtype, least), _scalar(dtypes.INT32, 0)]
    b.block.add_ops([place, *first])
    inputs = [x.value, place.result]
    body = graph.FoldOp.block(inputs)
    best, at, value, here = body.args
    keeps = graph.CompareOp("ge", best, value)
    chosen = [graph.SelectOp(keeps.result, a, c) for a, c in ((best, value), (at, here))]
    body.add_ops([keeps, *chosen, YieldOp([op.result for op in chosen])])
    op = graph.FoldOp(inputs, [each.result for each in first], axes, Region(body))
    b.block.add_op(op)
    for dtype, result in zip((x.dtype, dtypes.INT32), op.outputs, strict=True):
        b.pool.append(Value(result, dtype, graph.extents(graph.tensor_type(result))))


def _scalar(dtype: DType, number: float) -> graph.ConstantOp:
    return graph.ConstantOp.of(graph.tensor(dtype.element, ()), [number])


# --- chains ---------------------------------------------------------------------------------------


def _rows(b: Builder) -> Value | None:
    """Rows to normalize: a value that is there, or a new one with few long rows."""
    if b.special:
        return None
    if b.random.random() < 0.3:
        extents = (Expr.of(b.random.choice(["N", 1, 2])), Expr.of(b.random.choice(LONG)))
        return b.argument(dtypes.FLOAT64, extents)
    wide = ("float32", "float64")
    return b.pick(lambda v: v.exact and v.dtype.name in wide and len(v.extents) > 0)


def _finish(b: Builder, x: Value, result: SSAValue) -> None:
    """Add what was made of rows. What thousands of roundings add up to is hidden by one more, to
    f32, so that the sum's order is not seen in it."""
    dtype = x.dtype
    if dtype == dtypes.FLOAT64:
        dtype = dtypes.FLOAT32
        result = _op(b, graph.CastOp(result, dtype.element))
    b.pool.append(Value(result, dtype, x.extents, exact=False))


def _op(b: Builder, op: graph.GraphOp) -> SSAValue:
    b.block.add_op(op)
    return op.result


def _along(b: Builder, kind: str, value: SSAValue, axis: int) -> SSAValue:
    """A row's reduction, for each of its elements."""
    extents = graph.extents(graph.tensor_type(value))
    reduced = _op(b, graph.ReduceOp(kind, value, [axis]))
    kept = [k for k in range(len(extents)) if k != axis]
    return _op(b, graph.BroadcastOp(reduced, extents, kept))


def _softmax(b: Builder, value: SSAValue, axis: int) -> SSAValue:
    shifted = _op(b, graph.SubOp(value, _along(b, "max", value, axis)))
    e = _op(b, graph.ExpOp(shifted))
    return _op(b, graph.DivOp(e, _along(b, "add", e, axis)))


def softmax(b: Builder) -> None:
    if x := _rows(b):
        result = _softmax(b, x.value, b.random.randrange(len(x.extents)))
        _finish(b, x, result)


def normalize(b: Builder) -> None:
    """A row over the root of the sum of its squares, and 1."""
    if x := _rows(b):
        axis = b.random.randrange(len(x.extents))
        squares = _along(b, "add", _op(b, graph.MulOp(x.value, x.value)), axis)
        one = _op(b, _scalar(x.dtype, 1))
        ones = _op(b, graph.BroadcastOp(one, x.extents, []))
        root = _op(b, graph.RsqrtOp(_op(b, graph.AddOp(squares, ones))))
        result = _op(b, graph.MulOp(x.value, root))
        _finish(b, x, result)


def attention(b: Builder) -> None:
    """Queries attend to keys, some of which a mask may leave out."""
    if b.special:
        return
    dtype = b.random.choice((dtypes.FLOAT32, dtypes.FLOAT64))
    queries, keys, width, out = (
        Expr.of(b.random.choice([1, 2, 3, 5, 7, 17, "N"])) for _ in range(4)
    )
    if width.constant is None:
        width = Expr.of(4)
    q, k, v = (
        b.argument(dtype, extents) for extents in ((queries, width), (keys, width), (keys, out))
    )
    scores = _op(b, graph.DotOp(q.value, k.value, [1], [1]))
    if b.random.random() < 0.5:
        mask = b.argument(dtypes.BOOL, (queries, keys))
        low = _op(b, _scalar(dtype, np.float32(-1e9).item()))
        lows = _op(b, graph.BroadcastOp(low, (queries, keys), []))
        scores = _op(b, graph.SelectOp(mask.value, scores, lows))
    weights = _softmax(b, scores, 1)
    result = _op(b, graph.DotOp(weights, v.value, [1], [0]))
    b.pool.append(Value(result, dtype, (queries, out), exact=False))
