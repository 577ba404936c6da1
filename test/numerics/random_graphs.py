"""Random small functions on the graph floor, with inputs: what the floors are compared on.

A value is *exact* where every correct way to compute it gives the same bits (NaN aside). Sums of
floats and transcendental functions are not; what follows them is compared within a tolerance, and
goes into no op that could make a small difference a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import dtypes, graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr

Array = NDArray[Any]
Extents = tuple[Expr, ...]

DTYPES = (
    *(dtypes.BOOL, dtypes.INT8, dtypes.INT32, dtypes.INT64, dtypes.UINT8, dtypes.UINT32),
    *(dtypes.FLOAT16, dtypes.BFLOAT16, dtypes.FLOAT32, dtypes.FLOAT64),
    *(dtypes.FLOAT8_E4M3FN, dtypes.FLOAT8_E5M2),
)
MOST_ELEMENTS = 400
MOST_AXES = 5

SETTLED = {
    *(graph.AddOp, graph.SubOp, graph.MulOp, graph.DivOp, graph.FloorDivOp, graph.ModOp),
    *(graph.MaxOp, graph.MinOp, graph.NegOp, graph.AbsOp, graph.SignOp, graph.SqrtOp),
    *(graph.FloorOp, graph.CeilOp, graph.RoundOp, graph.TruncOp),
}
"""Ops on floats whose result IEEE 754 or our definition settles to the last bit."""
GENTLE = {graph.NegOp, graph.AbsOp, graph.MaxOp, graph.MinOp}
"""Ops that keep a small difference small."""


@dataclass(frozen=True)
class Value:
    """A tensor of the function being built."""

    value: SSAValue
    dtype: DType
    extents: Extents
    exact: bool = True


@dataclass
class Sample:
    """A module with one function, inputs for it, and what is known of its outputs."""

    module: ModuleOp
    inputs: list[Array]
    exact: list[bool]
    dims: dict[str, int]


@dataclass
class Builder:
    """Adds one random op after the other to a function. All choices come from `random`."""

    random: Random
    special: bool
    """Whether inputs hold NaN, infinities, extremes: then sums of floats are left out."""
    block: Block = field(default_factory=Block)
    pool: list[Value] = field(default_factory=list[Value])
    inputs: list[Value] = field(default_factory=list[Value])

    def __post_init__(self) -> None:
        low = self.random.choice([0, 1, 2])
        self.size = self.random.randint(low, 5)
        self.dim = DimRange("N", low, self.random.choice([5, 8, None]))
        self.facts = Facts.of([self.dim])
        for _ in range(self.random.randint(1, 2)):
            self.argument(self.random.choice(DTYPES), self.shape())

    def finish(self) -> Sample:
        """Return some of the values, and make inputs."""
        count = self.random.randint(1, 3)
        last = self.pool[-1]
        returned = [last, *(self.random.choice(self.pool) for _ in range(count - 1))]
        self.block.add_op(ReturnOp(*(v.value for v in returned)))
        types = [[v.value.type for v in values] for values in (self.inputs, returned)]
        func = FuncOp("main", (types[0], types[1]), Region(self.block))
        func.attributes[graph.function.SYMBOLS] = graph.SymbolsAttr((self.dim,))
        arrays = [self.array(v.dtype, self.sizes(v.extents)) for v in self.inputs]
        return Sample(ModuleOp([func]), arrays, [v.exact for v in returned], {"N": self.size})

    # --- pieces -------------------------------------------------------------------------------

    def shape(self) -> Extents:
        rank = self.random.choice([0, 1, 1, 2, 2, 3, 4])
        return tuple(Expr.of(self.random.choice([1, 2, 3, 5, 2, 3, "N", 0])) for _ in range(rank))

    def sizes(self, extents: Extents) -> tuple[int, ...]:
        return tuple(extent.evaluate({"N": self.size}) for extent in extents)

    def fits(self, extents: Sequence[Expr]) -> bool:
        at_most = Expr.product(extents).evaluate({"N": 5})
        return len(extents) <= MOST_AXES + 1 and at_most <= MOST_ELEMENTS

    def argument(self, dtype: DType, extents: Extents) -> Value:
        type = graph.tensor(dtype.element, extents)
        value = Value(self.block.insert_arg(type, len(self.block.args)), dtype, extents)
        self.inputs.append(value)
        self.pool.append(value)
        return value

    def like(self, value: Value, exact: bool = True) -> Value:
        """Another value of the same type."""
        found = [
            v
            for v in self.pool
            if (v.dtype, v.extents) == (value.dtype, value.extents) and (v.exact or not exact)
        ]
        if found and self.random.random() < 0.7:
            return self.random.choice(found)
        return self.argument(value.dtype, value.extents)

    def pick(self, accepts: Callable[[Value], bool]) -> Value | None:
        found = [v for v in self.pool if accepts(v)]
        # recent values more often, so that chains grow
        return found[-1 - int(self.random.random() ** 2 * len(found))] if found else None

    def add(self, op: graph.GraphOp, exact: bool) -> None:
        self.block.add_op(op)
        extents = graph.extents(graph.tensor_type(op.result))
        dtype = graph.dtype_of(graph.tensor_type(op.result).element_type)
        self.pool.append(Value(op.result, dtype, extents, exact))

    def array(self, dtype: DType, shape: tuple[int, ...]) -> Array:
        numbers = np.random.default_rng(self.random.randrange(1 << 32))
        if dtype.kind == "bool":
            return numbers.integers(0, 2, shape).astype(np.bool_)
        low = 0 if dtype.kind == "uint" else -6
        result = numbers.integers(low, 7, shape).astype(np.float64)
        if dtype.kind == "float":
            result = result / 2
        values = result.astype(dtype.numpy())
        if self.special:
            with np.errstate(over="ignore", under="ignore"):
                pool = np.array(SPECIAL[dtype.kind](dtype), dtype.numpy())
            chosen = numbers.random(shape) < 0.6
            values = np.where(chosen, pool[numbers.integers(0, len(pool), shape)], values)
        return values.astype(dtype.numpy())


def _special_floats(dtype: DType) -> list[float]:
    import ml_dtypes

    limits = ml_dtypes.finfo(dtype.numpy())
    tiny, huge = float(limits.smallest_subnormal), float(limits.max)
    normal = float(limits.smallest_normal)
    return [
        *(np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny, normal, huge, -huge),
        *(0.5, -0.5, 1.5, 2.5, -2.5, 127.5, -128.5, 255.0, 256.0, 3e9, -3e9, 1e19, -1e19, 0.3),
    ]


def _special_integers(dtype: DType) -> list[int]:
    signed = dtype.kind == "int"
    low, high = (-(1 << dtype.bits - 1) if signed else 0), (1 << dtype.bits - signed) - 1
    found = [low, high, high - 1, 0, 1, dtype.bits - 1, dtype.bits]
    found += [-1, low + 1, -7] if signed else []
    return [number for number in found if low <= number <= high]


SPECIAL: dict[str, Callable[[DType], Sequence[float | int]]] = {
    "float": _special_floats,
    "int": _special_integers,
    "uint": _special_integers,
}


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
    target = b.random.choice(DTYPES)
    if operand := b.pick(lambda v: v.exact or target.kind == "float"):
        b.add(graph.CastOp(operand.value, target.element), operand.exact)


def creation(b: Builder) -> None:
    dtype, extents = b.random.choice(DTYPES), b.shape()
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


def _may_sum(b: Builder, v: Value) -> bool:
    return v.dtype.kind in graph.REDUCTIONS["add"] and not (
        v.dtype.kind == "float" and (b.special or not v.exact)
    )


def dot(b: Builder) -> None:
    if (lhs := b.pick(lambda v: _may_sum(b, v))) is None:
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
    x = b.pick(lambda v: _may_sum(b, v) and len(v.extents) >= 2 and v.extents[1].constant != 0)
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
    if (operand := b.pick(lambda v: True)) is None:
        return
    extents = list(operand.extents)
    for _ in range(b.random.randint(1, 3)):
        axis = b.random.randrange(len(extents)) if extents else 0
        b.random.choice(CHANGES)(b, extents, axis)
    if b.fits(extents):
        b.add(graph.ReshapeOp(operand.value, extents), operand.exact)


def permute(b: Builder) -> None:
    if operand := b.pick(lambda v: True):
        axes = list(range(len(operand.extents)))
        b.random.shuffle(axes)
        b.add(graph.PermuteOp(operand.value, axes), operand.exact)


def broadcast(b: Builder) -> None:
    if (operand := b.pick(lambda v: True)) is None:
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
    if operand := b.pick(lambda v: True):
        low, high = (
            [b.random.choice([0, 0, 1, 2, "N"]) for _ in operand.extents] for _ in range(2)
        )
        extents = [Expr.of(a) + e + c for a, e, c in zip(low, operand.extents, high, strict=True)]
        if b.fits(extents):
            value = b.like(Value(operand.value, operand.dtype, ()), exact=False)
            op = graph.PadOp(operand.value, value.value, low, high)
            b.add(op, operand.exact and value.exact)


def slice_(b: Builder) -> None:
    if (operand := b.pick(lambda v: True)) is None:
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
    if operand := b.pick(lambda v: True):
        rank = len(operand.extents)
        axes = b.random.sample(range(rank), b.random.randint(0, rank))
        b.add(graph.FlipOp(operand.value, axes), operand.exact)


def concat(b: Builder) -> None:
    if first := b.pick(lambda v: len(v.extents) > 0):
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
    if (operand := b.pick(lambda v: len(v.extents) > 0)) is None:
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
    *(unary, binary, binary, compare, select, cast, cast, creation, reduce, dot, conv),
    *(reshape, permute, broadcast, pad, slice_, flip, concat, window, sort),
)


def random_sample(random: Random, most_ops: int = 10) -> Sample:
    """A random function of at most so many ops, with inputs."""
    builder = Builder(random, special=random.random() < 0.5)
    for _ in range(random.randint(1, most_ops)):
        random.choice(STEPS)(builder)
    return builder.finish()
