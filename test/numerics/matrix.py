"""The ops of the graph floor on each element type, with what numpy or ml_dtypes say they give.

`table(dtype)` is one function that has every op that the type knows, and the expected results. A
cell of the matrix is an op, an element type and a floor (see `test_matrix`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from matrix_table import Array, Table, dtype_of, special_values
from random_graphs import SETTLED, Sample
from reference import converted

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.pipeline.ir import parse_module

# --- elementwise ----------------------------------------------------------------------------------


def rounded(function: Callable[..., Array], wide: type = np.float64) -> Callable[..., Array]:
    """A function of floats in `wide`, or in their own type if that is wider, rounded once."""

    def run(*values: Array) -> Array:
        dtype = dtype_of(values[0])
        if dtype.kind != "float" or values[0].dtype in (np.float64, wide):
            return np.asarray(function(*values))
        return converted(np.asarray(function(*(v.astype(wide) for v in values))), dtype)

    return run


def _extreme(pick: np.ufunc, sign: int) -> Callable[..., Array]:
    def run(a: Array, b: Array) -> Array:
        result = pick(a, b)
        if dtype_of(a).kind != "float":
            return result
        both = (a == 0) & (b == 0)
        wins = a if sign > 0 else b
        loses = b if sign > 0 else a
        return np.where(both, np.where(np.signbit(a), loses, wins), result)

    return run


def _sign(a: Array) -> Array:
    if dtype_of(a).kind != "float":
        return np.sign(a)
    one = np.ones((), a.dtype)
    return np.where((a == 0) | np.isnan(a), a, np.where(np.signbit(a), -one, one))


def _shift(a: Array, b: Array, left: bool) -> Array:
    wide, bits = a.astype(object), 8 * a.itemsize
    count = b.astype(object) % (1 << bits)
    moved = np.frompyfunc(lambda n, k: n << min(k, bits) if left else n >> min(k, bits), 2, 1)(
        wide, count
    )
    return (
        np.array([int(n) % (1 << bits) for n in moved.reshape(-1)], f"u{a.itemsize}")
        .view(a.dtype)
        .reshape(a.shape)
    )


def _erf(values: Array) -> Array:
    from math import erf

    return np.asarray(np.frompyfunc(erf, 1, 1)(values)).astype(np.float64)


UNARY: dict[type[graph.UnaryOp], Callable[..., Array]] = {
    graph.NegOp: np.negative,
    graph.AbsOp: np.abs,
    graph.SignOp: _sign,
    graph.ExpOp: rounded(np.exp),
    graph.Exp2Op: rounded(np.exp2),
    graph.LogOp: rounded(np.log),
    graph.Log2Op: rounded(np.log2),
    graph.SqrtOp: rounded(np.sqrt),
    graph.RsqrtOp: rounded(lambda x: 1 / np.sqrt(x)),
    graph.SinOp: rounded(np.sin),
    graph.CosOp: rounded(np.cos),
    graph.TanhOp: rounded(np.tanh),
    graph.ErfOp: rounded(_erf),
    graph.FloorOp: rounded(np.floor),
    graph.CeilOp: rounded(np.ceil),
    graph.RoundOp: rounded(np.rint),
    graph.TruncOp: rounded(np.trunc),
    graph.NotOp: np.invert,
}
BINARY: dict[type[graph.BinaryOp], Callable[..., Array]] = {
    graph.AddOp: rounded(np.add),
    graph.SubOp: rounded(np.subtract),
    graph.MulOp: rounded(np.multiply),
    graph.DivOp: rounded(np.divide),
    graph.FloorDivOp: rounded(np.floor_divide, np.float32),
    graph.ModOp: rounded(np.remainder, np.float32),
    graph.PowOp: rounded(np.power),
    graph.MaxOp: _extreme(np.maximum, 1),
    graph.MinOp: _extreme(np.minimum, -1),
    graph.Atan2Op: rounded(np.arctan2),
    graph.AndOp: np.bitwise_and,
    graph.OrOp: np.bitwise_or,
    graph.XorOp: np.bitwise_xor,
    graph.ShlOp: lambda a, b: _shift(a, b, True),
    graph.ShrOp: lambda a, b: _shift(a, b, False),
}
PREDICATES = {
    **{"eq": np.equal, "ne": np.not_equal, "lt": np.less},
    **{"le": np.less_equal, "gt": np.greater, "ge": np.greater_equal},
}

PERIODIC = (graph.SinOp, graph.CosOp)
"""Of large angles libraries make what they can."""


def ulps_of(op: type[graph.GraphOp], dtype: DType) -> int:
    """How far off an op may be: 0 where IEEE 754 or we say what it gives."""
    if op in SETTLED or dtype.kind != "float":
        return 0
    return {64: 8, 32: 4}.get(dtype.bits, 1)


def elementwise(t: Table) -> None:
    for op, function in {**UNARY, **BINARY}.items():
        count = 1 if op in UNARY else 2
        for values in (t.grid()[:count], [t.small(shape := next(t.shapes))] * 1):
            arrays = list(values)
            while len(arrays) < count:
                arrays.append(t.small(shape))
            if op in PERIODIC:
                arrays = [
                    np.where(np.abs(a.astype(np.float64)) < 1e4, a, a.dtype.type(1)) for a in arrays
                ]
            t.add(
                op.name[6:],
                lambda op=op, arrays=arrays: op(*map(t.input, arrays)),
                lambda function=function, arrays=arrays: function(*arrays),
                ulps_of(op, t.dtype),
            )
    a, b = t.grid()
    for word, predicate in PREDICATES.items():
        t.add(
            f"compare {word}",
            lambda word=word: graph.CompareOp(word, t.input(a), t.input(b)),
            lambda predicate=predicate: predicate(a, b),
        )
    chosen = t.random.integers(0, 2, a.shape).astype(np.bool_)
    t.add(
        "select",
        lambda: graph.SelectOp(*map(t.input, (chosen, a, b))),
        lambda: np.where(chosen, a, b),
    )


def conversions(t: Table) -> None:
    values = np.concatenate([special_values(t.dtype), t.any((50,))])
    for target in dtypes.DTYPES:
        t.add(
            f"cast to {target.element}",
            lambda target=target: graph.CastOp(t.input(values), target.element),
            lambda target=target: values if target == t.dtype else converted(values, target),
        )
        if target.bits == t.dtype.bits:
            t.add(
                f"bitcast to {target.element}",
                lambda target=target: graph.BitcastOp(t.input(values), target.element),
                lambda target=target: _same_bits(values, target),
            )


def _same_bits(values: Array, target: DType) -> Array:
    if 1 < target.bits < 8:
        values = values.view(np.uint8) & ((1 << target.bits) - 1)
    return values.view(target.numpy())


def creation(t: Table) -> None:
    shape = next(t.shapes)
    values = special_values(t.dtype)
    numbers = values.astype(np.float64 if t.dtype.kind == "float" else object).tolist()
    t.add(
        "constant",
        lambda: graph.ConstantOp.of(graph.tensor(t.dtype.element, values.shape), numbers),
        lambda: values,
    )
    t.add(
        "iota",
        lambda: graph.IotaOp(graph.tensor(t.dtype.element, (2, 300, 1)), 1),
        lambda: np.broadcast_to(converted(np.arange(300), t.dtype).reshape(1, 300, 1), (2, 300, 1)),
    )
    t.add(
        "constant",
        lambda: graph.ConstantOp.of(graph.tensor(t.dtype.element, shape), [numbers[0]]),
        lambda: np.full(shape, values[0]),
    )


# --- along axes -----------------------------------------------------------------------------------

COMBINE = {"add": np.add, "mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or}
AXES = (
    ((7, 5), (1,)),
    ((0, 4), (0,)),
    ((3,), ()),
    ((2, 1, 3, 1, 2, 1, 2), (0, 2, 5)),
    ((401,), (0,)),
)


def identity(kind: str, dtype: DType) -> float | int:
    """What a reduction starts from."""
    if kind in ("max", "min"):
        if dtype.format is not None:
            limit = np.inf if dtype.format.infinities else dtype.format.greatest
            return -limit if kind == "max" else limit
        low = -(1 << dtype.bits - 1) if dtype.kind == "int" else 0
        return low if kind == "max" else low + (1 << dtype.bits) - 1
    if kind == "and":
        return -1 if dtype.kind == "int" else (1 << dtype.bits) - 1
    return int(kind == "mul")


def combine(kind: str) -> Callable[[Array, Array], Array]:
    """Two arrays in one."""
    extremes = {"max": BINARY[graph.MaxOp], "min": BINARY[graph.MinOp]}
    return extremes[kind] if kind in extremes else COMBINE[kind]


def in_order(t: Table, kind: str, values: Array) -> Iterator[Array]:
    """The running combinations of the elements along the first axis, in f32 for narrow floats."""
    dtype = t.dtype.accumulator if kind in ("add", "mul") else t.dtype
    start = np.array(identity(kind, t.dtype)).astype(dtype.numpy())
    total = np.broadcast_to(start, values.shape[1:])
    yield total
    for element in values.astype(dtype.numpy()):
        total = combine(kind)(total, element)
        yield total


def _inputs_of(t: Table, kind: str, shape: Sequence[int]) -> Array:
    by_kind = {"add": t.small, "mul": t.factors}
    if kind in by_kind:
        return by_kind[kind](shape)
    values = special_values(t.dtype)
    picked = values[t.random.integers(0, len(values), shape)]
    if t.dtype.kind == "float" and np.ndim(picked) > 1 and picked.size:
        picked[..., 0] = t.small(picked.shape[:-1])
    return picked


def reductions(t: Table) -> None:
    for kind in graph.REDUCTIONS:
        for shape, axes in AXES:
            values = _inputs_of(t, kind, shape)

            def expect(kind: str = kind, values: Array = values, axes: Any = axes) -> Array:
                kept = [n for k, n in enumerate(values.shape) if k not in axes]
                order = [*axes, *(k for k in range(values.ndim) if k not in axes)]
                flat = values.transpose(order).reshape(-1, *kept)
                *_, last = in_order(t, kind, flat)
                return last if last.dtype == values.dtype else converted(last, t.dtype)

            t.add(
                f"reduce {kind}",
                lambda kind=kind, values=values, axes=axes: graph.ReduceOp(
                    kind, t.input(values), axes
                ),
                expect,
            )
        for exclusive, reverse in ((False, False), (True, False), (True, True)):
            values = _inputs_of(t, kind, (3, 9, 2))

            def running(
                kind: str = kind, values: Array = values, back: int = reverse, skip: int = exclusive
            ) -> Array:
                line = np.moveaxis(values, 1, 0)[:: -1 if back else 1]
                found = list(in_order(t, kind, line))
                found = np.stack(found[:-1] if skip else found[1:])
                found = np.moveaxis(found[:: -1 if back else 1], 0, 1)
                return found if found.dtype == values.dtype else converted(found, t.dtype)

            t.add(
                f"scan {kind}",
                lambda kind=kind, values=values, e=exclusive, r=reverse: graph.ScanOp(
                    kind, t.input(values), 1, e, r
                ),
                running,
            )


def products(t: Table) -> None:
    def wide(values: Array) -> Array:
        return values.astype(t.dtype.accumulator.numpy())

    def back(values: Array) -> Array:
        return values if t.dtype.accumulator == t.dtype else converted(values, t.dtype)

    for b, m, n, k in ((2, 5, 3, 7), (1, 1, 1, 1), (2, 3, 2, 0), (1, 33, 17, 65)):
        lhs, rhs = t.small((b, m, k)), t.small((k, b, n))
        t.add(
            "dot",
            lambda lhs=lhs, rhs=rhs: graph.DotOp(t.input(lhs), t.input(rhs), [2], [0], [0], [1]),
            lambda lhs=lhs, rhs=rhs: back(
                np.einsum("bmk,kbn->bmn", wide(lhs), wide(rhs)).astype(wide(lhs).dtype)
            ),
        )
    x, w = t.small((2, 4, 9)), t.small((6, 2, 3))
    t.add(
        "conv",
        lambda: graph.ConvOp(t.input(x), t.input(w), [2], [(1, 2)], [2], 2),
        lambda: back(_conv(wide(x), wide(w), 2, (1, 2), 2, 2)),
    )


def _conv(
    x: Array, w: Array, stride: int, pad: tuple[int, int], dilation: int, groups: int
) -> Array:
    padded = np.zeros((*x.shape[:2], x.shape[2] + sum(pad)), x.dtype)
    padded[:, :, pad[0] : pad[0] + x.shape[2]] = x
    width = (w.shape[2] - 1) * dilation + 1
    count = (padded.shape[2] - width) // stride + 1
    result = np.zeros((x.shape[0], w.shape[0], count), x.dtype)
    each, per = w.shape[0] // groups, w.shape[1]
    for o, position, c, k in np.ndindex(w.shape[0], count, per, w.shape[2]):
        at = padded[:, o // each * per + c, position * stride + k * dilation]
        result[:, o, position] += at * w[o, c, k]
    return result


# --- movement -------------------------------------------------------------------------------------


def movement(t: Table) -> None:
    x, y = t.any((2, 3, 4)), t.any((2, 5, 4))
    deep, one = t.any((2, 1, 3, 1, 2, 1, 2)), t.any(())
    numbers = [a.view(f"u{a.itemsize}") for a in (x, y, deep, one)]
    u, v, d, s = numbers
    padded = np.full((4, 3, 5), s)
    padded[1:3, :, :4] = u
    windows = np.lib.stride_tricks.sliding_window_view(u, 2, 2)[:, :, ::2]
    cases: list[tuple[str, Callable[[], graph.GraphOp], Array]] = [
        ("reshape", lambda: graph.ReshapeOp(t.input(x), (4, 1, 6)), u.reshape(4, 1, 6)),
        ("reshape", lambda: graph.ReshapeOp(t.input(deep), (24,)), d.reshape(24)),
        (
            "permute",
            lambda: graph.PermuteOp(t.input(deep), (6, 0, 2, 1, 4, 3, 5)),
            d.transpose(6, 0, 2, 1, 4, 3, 5),
        ),
        (
            "broadcast",
            lambda: graph.BroadcastOp(t.input(x), (2, 5, 3, 4), (0, 2, 3)),
            np.broadcast_to(u[:, None], (2, 5, 3, 4)),
        ),
        (
            "pad",
            lambda: graph.PadOp(t.input(x), t.input(one), (1, 0, 0), (1, 0, 1)),
            padded,
        ),
        (
            "slice",
            lambda: graph.SliceOp(t.input(x), (0, 1, 0), (2, 3, 4), (1, 1, 3)),
            u[:, 1:3, ::3],
        ),
        ("slice", lambda: graph.SliceOp(t.input(x), (1, 2, 0), (1, 3, 4)), u[1:1, 2:3]),
        ("flip", lambda: graph.FlipOp(t.input(x), (0, 2)), u[::-1, :, ::-1]),
        (
            "concat",
            lambda: graph.ConcatOp([t.input(x), t.input(y)], 1),
            np.concatenate([u, v], 1),
        ),
        ("window", lambda: graph.WindowOp(t.input(x), (2,), (2,), (2,)), windows),
    ]
    for name, make, expected in cases:
        t.add(
            name,
            make,
            lambda e=expected: np.ascontiguousarray(e).view(t.dtype.numpy()).reshape(e.shape),
        )


def indexing(t: Table) -> None:
    x, updates = t.small((5, 4, 2)), t.factors((3, 2))
    at = np.array([[0, 3], [4, 1], [0, 3]], np.int32)
    beyond = np.array([[0, 3], [5, 1], [-1, 0]], np.int32)

    def gathered() -> Array:
        zero = np.zeros((), f"u{x.itemsize}")
        inside = (beyond >= 0).all(1) & (beyond < (5, 4)).all(1)
        picked = x.view(f"u{x.itemsize}")[tuple(np.where(inside[:, None], beyond, 0).T)]
        return np.where(inside[:, None], picked, zero).view(x.dtype)

    t.add("gather", lambda: graph.GatherOp(t.input(x), t.input(beyond), (0, 1)), gathered)
    for kind in graph.SCATTERS:

        def scattered(kind: str = kind) -> Array:
            result = x.copy()
            for (i, j), update in zip(at, updates, strict=True):
                result[i, j] = (
                    update if kind == "set" else _once(kind, t.dtype, result[i, j], update)
                )
            return result

        t.add(
            f"scatter {kind}",
            lambda kind=kind: graph.ScatterOp(
                kind, t.input(x), t.input(at), t.input(updates), (0, 1)
            ),
            scattered,
        )
    starts = np.array([4, -1, 1], np.int64)
    t.add(
        "dynamic_slice",
        lambda: graph.DynamicSliceOp(t.input(x), t.input(starts), (2, 3, 1)),
        lambda: x[3:5, 0:3, 1:2],
    )

    def updated() -> Array:
        result = x.copy()
        result[3:5, 0:3, 1:2] = part
        return result

    part = t.any((2, 3, 1))
    t.add(
        "dynamic_update",
        lambda: graph.DynamicUpdateOp(t.input(x), t.input(part), t.input(starts)),
        updated,
    )


def _once(kind: str, dtype: DType, a: Array, b: Array) -> Array:
    wide = dtype.accumulator.numpy()
    result = (
        combine(kind)(a.astype(wide), b.astype(wide))
        if dtype.kind == "float"
        else combine(kind)(a, b)
    )
    return converted(np.asarray(result), dtype) if result.dtype != a.dtype else result


# --- order ----------------------------------------------------------------------------------------


def in_order_of(values: Array, axis: int, descending: bool) -> Array:
    """The indices that sort: numpy's stable order, in which NaN is last and zeros are equal."""
    dtype = dtype_of(values)
    known = values.astype(np.float64) if dtype.kind == "float" else values
    if not descending:
        return np.argsort(known, axis, kind="stable")
    # so that what is equal stays in its order
    last = values.shape[axis] - 1
    return last - np.flip(np.argsort(np.flip(known, axis), axis, kind="stable"), axis)


def ordering(t: Table) -> None:
    special = special_values(t.dtype)
    mixed = np.concatenate([special, special[::-1], special])
    many = t.any((2, 1, 333))
    few = t.small((3, 40, 2))
    numbers = np.arange(few.size).reshape(few.shape)
    keys = t.small((2, 1, 333))
    for values, axis in ((mixed, 0), (many, 2), (few, 1), (t.any((4, 1)), 1), (t.any((0, 2)), 0)):
        for word, descending in (("sort", False), ("sort descending", True)):
            t.add(
                word,
                lambda v=values, a=axis, d=descending: graph.SortOp([t.input(v)], a, 1, d),
                lambda v=values, a=axis, d=descending: np.take_along_axis(
                    v, in_order_of(v, a, d), a
                ),
            )
    t.add(
        "sort, indices",
        lambda: graph.SortOp([t.input(few), t.input(numbers)], 1),
        lambda: np.take_along_axis(numbers, in_order_of(few, 1, False), 1),
        result=1,
    )
    for first, second in ((keys, many), (t.small((2, 1, 9)), t.any((2, 1, 9)))):
        t.add(
            "sort, the first",
            lambda v=second: graph.SortOp([t.input(v)], 2, 1, True, 7),
            lambda v=second: np.take_along_axis(v, in_order_of(v, 2, True)[..., :7], 2),
        )
        t.add(
            "sort, two keys",
            lambda a=first, b=second: graph.SortOp([t.input(a), t.input(b)], 2, 2),
            lambda a=first, b=second: two_keys(a, b)[1],
            result=1,
        )
    places = np.argsort(numbers % 7, 1, kind="stable")
    t.add(
        "sort, along",
        lambda: graph.SortOp([t.input(numbers % 7), t.input(few)], 1),
        lambda: np.take_along_axis(few, places, 1),
        result=1,
    )


def two_keys(first: Array, second: Array) -> tuple[Array, Array]:
    """Two arrays in the order of the first, and of the second where that is equal."""
    order = in_order_of(second, -1, False)
    a, b = (np.take_along_axis(x, order, -1) for x in (first, second))
    order = in_order_of(a, -1, False)
    return np.take_along_axis(a, order, -1), np.take_along_axis(b, order, -1)


FAMILIES = (
    *(elementwise, conversions, creation, reductions, products, movement, indexing),
    ordering,
)


def table(dtype: DType) -> Table:
    """Every op that a type knows, in one function."""
    result = Table(dtype)
    for family in FAMILIES:
        family(result)
    return result


# --- comparison -----------------------------------------------------------------------------------


def off_by(expected: Array, found: Array) -> int:
    """By how many units in the last place two arrays of one shape differ at most."""
    dtype = dtype_of(expected)
    found = found.view(expected.dtype) if found.dtype != expected.dtype else found
    if expected.shape != found.shape:
        return 1 << 64
    if not expected.size:
        return 0
    if dtype.kind != "float":
        return 0 if (expected == found).all() else 1 << 64
    places = [_place(a, dtype) for a in (expected, found)]
    with np.errstate(all="ignore"):
        nan = [np.isnan(a.astype(np.float64)) for a in (expected, found)]
    far = np.where(nan[0] != nan[1], 2.0**64, np.abs(places[0] - places[1]))
    return int(np.where(nan[0] & nan[1], 0, far).max())


def _place(values: Array, dtype: DType) -> Array:
    """The numbers of a format counted from zero, -0.0 one below +0.0."""
    bits = values.view(f"u{values.itemsize}").astype(np.longdouble)
    top = 1 << dtype.bits - 1
    return np.where(bits < top, bits, -1 - (bits - top))


# --- regions --------------------------------------------------------------------------------------

CONTROL = """
func.func @main(%c: tensor<i1>, %n: tensor<i32>, %x: tensor<3xT>, %y: tensor<3xT>, %z: tensor<T>)
    -> (tensor<3xT>, tensor<3xT>, tensor<T>) {
  %0 = graph.if %c { graph.yield %x } else { graph.yield %y }
  %k, %1 = graph.while (%i = %n, %a = %x) cond {
    %zero = graph.constant dense<0> : tensor<i32>
    %more = graph.compare gt %i, %zero : tensor<i32>
    graph.yield %more
  } do {
    %one = graph.constant dense<1> : tensor<i32>
    %j = graph.sub %i, %one : tensor<i32>
    %s = graph.slice %a [1:3:1] : tensor<3xT> -> tensor<2xT>
    %t = graph.slice %a [0:1:1] : tensor<3xT> -> tensor<1xT>
    %b = graph.concat %s, %t axis 0 : (tensor<2xT>, tensor<1xT>) -> tensor<3xT>
    graph.yield %j, %b
  }
  %2 = graph.fold(%x) from(%z) axes [0] {
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    graph.yield %b
  }
  func.return %0, %1, %2 : tensor<3xT>, tensor<3xT>, tensor<T>
}
"""
"""A branch, a loop that turns a tensor round, and a fold that keeps the last element."""


def control(dtype: DType) -> tuple[Sample, dict[str, Array]]:
    """The ops that have regions, and what they give."""
    t = Table(dtype)
    x, y, z = t.any((3,)), t.any((3,)), t.any(())
    text = re.sub(r"\bT\b|(?<=x)T\b", str(dtype.element), CONTROL)
    inputs = [np.array(False), np.array(4, np.int32), x, y, z]
    expected = {"if": y, "while": np.roll(x, -4), "fold": x[2]}
    return Sample(parse_module(text, "control.mlir"), inputs, [], {}), expected
