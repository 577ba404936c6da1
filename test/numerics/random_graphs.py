"""Random small functions on the graph floor, with inputs: what the floors are compared on.

A value is *exact* where every correct way to compute it gives the same bits (NaN aside). Sums of
floats and transcendental functions are not; what follows them is compared within a tolerance, and
goes into no op that could make a small difference a large one.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from random_builder import SPECIAL, Array, Builder, Sample, Value
from random_indexing import bitcast, dynamic_slice, dynamic_update, gather, scatter
from random_rows import attention, fold, normalize, scan, softmax

from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr

__all__ = ["SETTLED", "SPECIAL", "Array", "Sample", "random_sample"]

SETTLED = {
    *(graph.AddOp, graph.SubOp, graph.MulOp, graph.DivOp, graph.FloorDivOp, graph.ModOp),
    *(graph.MaxOp, graph.MinOp, graph.NegOp, graph.AbsOp, graph.SignOp, graph.SqrtOp),
    *(graph.FloorOp, graph.CeilOp, graph.RoundOp, graph.TruncOp),
}
"""Ops on floats whose result IEEE 754 or our definition settles to the last bit."""
GENTLE = {graph.NegOp, graph.AbsOp, graph.MaxOp, graph.MinOp}
"""Ops that keep a small difference small."""


# --- steps: each adds an op, or does nothing where the pool has no operand for it -----------------


def _is_settled(value: Value, op: type[graph.GraphOp]) -> bool:
    return value.exact or op in GENTLE


def unary(b: Builder) -> None:
    op = b.random.choice(graph.UNARY_OPS)
    if operand := b.pick(lambda v: v.dtype.kind in op.accepts() and _is_settled(v, op)):
        exact = operand.exact and (operand.dtype.kind != "float" or op in SETTLED)
        b.add(op(operand.value), exact)


def binary(b: Builder) -> None:
    op = b.random.choice(graph.BINARY_OPS)
    if lhs := b.pick(lambda v: v.dtype.kind in op.accepts() and _is_settled(v, op)):
        rhs = b.like(lhs, exact=op not in GENTLE)
        exact = lhs.exact and rhs.exact and (lhs.dtype.kind != "float" or op in SETTLED)
        b.add(op(lhs.value, rhs.value), exact)


def compare(b: Builder) -> None:
    if lhs := b.pick(lambda v: v.exact):
        b.add(
            graph.CompareOp(b.random.choice(graph.PREDICATES), lhs.value, b.like(lhs).value),
            True,
        )


def select(b: Builder) -> None:
    if condition := b.pick(lambda v: v.exact and v.dtype == dtypes.BOOL):
        found = [v for v in b.pool if v.extents == condition.extents]
        a = b.random.choice([v for v in found])
        other = b.like(a, exact=False)
        b.add(graph.SelectOp(condition.value, a.value, other.value), a.exact and other.exact)


def cast(b: Builder) -> None:
    target = b.random.choice((*dtypes.COMPUTED, *dtypes.DTYPES))
    if operand := b.pick(lambda v: v.exact or target.kind == "float", stored=True):
        b.add(graph.CastOp(operand.value, target.element), operand.exact)


def creation(b: Builder) -> None:
    dtype, extents = b.random.choice(dtypes.COMPUTED), b.shape()
    is_dynamic = any(e.constant is None for e in extents)
    if dtype.kind != "bool" and extents and (is_dynamic or b.random.random() < 0.5):
        type = graph.tensor(dtype.element, extents)
        b.add(graph.IotaOp(type, b.random.randrange(len(extents))), True)
    elif not is_dynamic:
        shape = b.sizes(extents)
        splat = b.random.random() < 0.5 and 0 not in shape
        array = b.array(dtype, () if splat else shape)
        type = graph.tensor(dtype.element, extents)
        numbers = array.astype(np.float64) if dtype.kind == "float" else array
        b.add(graph.ConstantOp.of(type, numbers.reshape(-1).tolist()), True)


def reduce(b: Builder) -> None:
    kind = b.random.choice(tuple(graph.REDUCTIONS))
    sums = kind in ("add", "mul")

    def accepts(v: Value) -> bool:
        is_float = v.dtype.kind == "float"
        return v.dtype.kind in graph.REDUCTIONS[kind] and not (
            is_float and sums and (b.special or not v.exact)
        )

    if operand := b.pick(accepts):
        rank = len(operand.extents)
        axes = sorted(b.random.sample(range(rank), b.random.randint(0, rank)))
        exact = operand.exact and not (operand.dtype.kind == "float" and sums)
        b.add(graph.ReduceOp(kind, operand.value, axes), exact)


def dot(b: Builder) -> None:
    if (lhs := b.pick(lambda v: b.may_sum(v))) is None:
        return
    axes = list(range(len(lhs.extents)))
    b.random.shuffle(axes)
    shared = axes[: b.random.randint(0, len(axes))]
    batches = b.random.randint(0, len(shared))
    free = [e for e in b.shape()[:2]]
    order = [("shared", axis) for axis in shared] + [("free", k) for k in range(len(free))]
    b.random.shuffle(order)
    extents = tuple(lhs.extents[k] if what == "shared" else free[k] for what, k in order)
    place = {axis: order.index(("shared", axis)) for axis in shared}
    kept = [lhs.extents[a] for a in axes if a not in shared[batches:]]
    if not b.fits(extents) or not b.fits([*kept, *free]):
        return
    rhs = b.like(Value(lhs.value, lhs.dtype, extents))
    batch, contract = shared[:batches], shared[batches:]
    op = graph.DotOp(
        lhs.value,
        rhs.value,
        contract,
        [place[a] for a in contract],
        batch,
        [place[a] for a in batch],
    )
    b.add(op, lhs.dtype.kind != "float")


def conv(b: Builder) -> None:
    x = b.pick(lambda v: b.may_sum(v) and len(v.extents) >= 2 and v.extents[1].constant != 0)
    if x is None or (channels := x.extents[1].constant) is None:
        return
    groups = b.random.choice([g for g in (1, channels) if channels % g == 0])
    outputs = groups * b.random.choice([1, 2])
    spatial = len(x.extents) - 2
    stride = [b.random.choice([1, 2, 3]) for _ in range(spatial)]
    dilation = [b.random.choice([1, 2]) for _ in range(spatial)]
    pad = [(b.random.randint(0, 2), b.random.randint(0, 2)) for _ in range(spatial)]
    kernel: list[int] = []
    for extent, (low, high), spread in zip(x.extents[2:], pad, dilation, strict=True):
        least = (b.facts.interval(extent)[0] or 0) + low + high
        largest = (least - 1) // spread + 1
        if largest < 1:
            return
        kernel.append(b.random.randint(1, min(largest, 3)))
    weights = tuple(map(Expr.of, [outputs, channels // groups, *kernel]))
    w = b.like(Value(x.value, x.dtype, weights))
    op = graph.ConvOp(x.value, w.value, stride, pad, dilation, groups=groups)
    if b.fits(graph.extents(graph.tensor_type(op.result))):
        b.add(op, x.dtype.kind != "float")
    else:
        op.erase()


def _merge(b: Builder, extents: list[Expr], axis: int) -> None:
    if axis + 1 < len(extents):
        extents[axis : axis + 2] = [extents[axis] * extents[axis + 1]]


def _split(b: Builder, extents: list[Expr], axis: int) -> None:
    for factor in (b.random.choice([2, 3, 5]), "N"):
        rest = extents[axis].exact_quotient(factor) if extents else None
        if rest is not None and rest != Expr.of(0):
            pair = [rest, Expr.of(factor)]
            b.random.shuffle(pair)
            extents[axis : axis + 1] = pair
            return


def _one(b: Builder, extents: list[Expr], axis: int) -> None:
    extents.insert(axis, Expr.of(1))


def _squeeze(b: Builder, extents: list[Expr], axis: int) -> None:
    if extents and extents[axis] == Expr.of(1):
        del extents[axis]


def _flatten(b: Builder, extents: list[Expr], axis: int) -> None:
    extents[:] = [Expr.product(extents)]


CHANGES = (_merge, _split, _one, _squeeze, _flatten)


def reshape(b: Builder) -> None:
    if (operand := b.pick(lambda v: True, stored=True)) is None:
        return
    extents = list(operand.extents)
    for _ in range(b.random.randint(1, 3)):
        axis = b.random.randrange(len(extents)) if extents else 0
        b.random.choice(CHANGES)(b, extents, axis)
    if b.fits(extents):
        b.add(graph.ReshapeOp(operand.value, extents), operand.exact)


def permute(b: Builder) -> None:
    if operand := b.pick(lambda v: True, stored=True):
        axes = list(range(len(operand.extents)))
        b.random.shuffle(axes)
        b.add(graph.PermuteOp(operand.value, axes), operand.exact)


def broadcast(b: Builder) -> None:
    if (operand := b.pick(lambda v: True, stored=True)) is None:
        return
    extents, axes = list(operand.extents), list(range(len(operand.extents)))
    for axis, extent in enumerate(extents):
        if extent == Expr.of(1) and b.random.random() < 0.6:
            extents[axis] = Expr.of(b.random.choice([2, 3, "N"]))
    for _ in range(b.random.randint(0, 2)):
        at = b.random.randint(0, len(extents))
        extents.insert(at, Expr.of(b.random.choice([1, 2, 3, "N", 0])))
        axes = [axis + (axis >= at) for axis in axes]
    if b.fits(extents):
        b.add(graph.BroadcastOp(operand.value, extents, axes), operand.exact)


def pad(b: Builder) -> None:
    if operand := b.pick(lambda v: True, stored=True):
        low, high = (
            [b.random.choice([0, 0, 1, 2, "N"]) for _ in operand.extents] for _ in range(2)
        )
        extents = [Expr.of(a) + e + c for a, e, c in zip(low, operand.extents, high, strict=True)]
        if b.fits(extents):
            value = b.like(Value(operand.value, operand.dtype, ()), exact=False)
            op = graph.PadOp(operand.value, value.value, low, high)
            b.add(op, operand.exact and value.exact)


def slice_(b: Builder) -> None:
    if (operand := b.pick(lambda v: True, stored=True)) is None:
        return
    starts: list[Expr] = []
    stops: list[Expr] = []
    for extent in operand.extents:
        least = max(b.facts.interval(extent)[0] or 0, 0)
        start = b.random.randint(0, least)
        starts.append(Expr.of(start))
        tail = b.random.randint(0, least - start)
        stop = b.random.choice([extent, extent - tail, Expr.of(start + tail)])
        stops.append(stop)
    steps = [b.random.choice([1, 1, 2, 3]) for _ in starts]
    b.add(graph.SliceOp(operand.value, starts, stops, steps), operand.exact)


def flip(b: Builder) -> None:
    if operand := b.pick(lambda v: True, stored=True):
        rank = len(operand.extents)
        axes = b.random.sample(range(rank), b.random.randint(0, rank))
        b.add(graph.FlipOp(operand.value, axes), operand.exact)


def concat(b: Builder) -> None:
    if first := b.pick(lambda v: len(v.extents) > 0, stored=True):
        parts = [first]
        for _ in range(b.random.randint(0, 2)):
            parts.append(b.like(first, exact=False))
        axis = b.random.randrange(len(first.extents))
        op = graph.ConcatOp([p.value for p in parts], axis)
        if b.fits(graph.extents(graph.tensor_type(op.result))):
            b.add(op, all(p.exact for p in parts))
        else:
            op.erase()


def window(b: Builder) -> None:
    if (operand := b.pick(lambda v: len(v.extents) > 0, stored=True)) is None:
        return
    rank = len(operand.extents)
    axes = b.random.sample(range(rank), b.random.randint(1, min(rank, 2)))
    dilation = [b.random.choice([1, 2]) for _ in axes]
    sizes: list[int] = []
    for axis, spread in zip(axes, dilation, strict=True):
        largest = ((b.facts.interval(operand.extents[axis])[0] or 0) - 1) // spread + 1
        if largest < 1:
            return
        sizes.append(b.random.randint(1, min(largest, 3)))
    stride = [b.random.choice([1, 2]) for _ in axes]
    op = graph.WindowOp(operand.value, axes, sizes, stride, dilation)
    if b.fits(graph.extents(graph.tensor_type(op.result))):
        b.add(op, operand.exact)
    else:
        op.erase()


def sort(b: Builder) -> None:
    """One or two keys, what goes along with them, and whole lines or the first of them."""
    key = b.pick(lambda v: v.exact and len(v.extents) > 0)
    if key is None:
        return
    others = [b.like(key) for _ in range(b.random.randint(0, 2))]
    axis = b.random.randrange(len(key.extents))
    exact = [key, *(other for other in others if other.exact)]
    keys = b.random.randint(1, len(exact))
    inputs = exact[:keys] + [v for v in (key, *others) if not any(v is k for k in exact[:keys])]
    least = b.facts.interval(key.extents[axis])[0] or 0
    first = b.random.choice([None, b.random.randint(0, least)])
    descending = b.random.random() < 0.5
    op = graph.SortOp([v.value for v in inputs], axis, keys, descending, first)
    b.block.add_op(op)
    for value, result in zip(inputs, op.results, strict=True):
        extents = graph.extents(graph.tensor_type(result))
        b.pool.append(Value(result, value.dtype, extents, value.exact))


STEPS: tuple[Callable[[Builder], None], ...] = (
    *(
        unary,
        unary,
        binary,
        binary,
        binary,
        compare,
        select,
        cast,
        cast,
        creation,
        reduce,
        dot,
        conv,
    ),
    *(reshape, permute, broadcast, pad, slice_, flip, concat, window, sort),
    *(gather, scatter, dynamic_slice, dynamic_update, bitcast, scan, fold),
    *(softmax, normalize, attention),
)


def random_sample(random: Random, most_ops: int = 10) -> Sample:
    """A random function of at most so many ops, with inputs."""
    builder = Builder(random, special=random.random() < 0.5)
    for _ in range(random.randint(1, most_ops)):
        random.choice(STEPS)(builder)
    return builder.finish()
