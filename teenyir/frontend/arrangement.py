"""Functions that repeat, shift, split and mask tensors, under the array API's names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, cast

from teenyir.analysis.bounds import bounds
from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import Natural, checked
from teenyir.frontend.core import (
    ArrayLike,
    Scalar,
    as_tensor,
    broadcast_extents,
    broadcasted,
    cast_to,
    current,
    normalize_axes,
    normalize_axis,
    promoted,
    tensor_type,
)
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.dtypes import DEFAULT_FLOAT, DTypeLike, as_dtype, promote
from teenyir.frontend.elementwise import add, equal, less_equal, multiply, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, expand_dims, move

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

ONE = Expr.of(1)


@checked
def repeat(x: ArrayLike, repeats: Natural, /, *, axis: int | None = None) -> Tensor:
    """Each element `repeats` times in a row along an axis, or of all elements."""
    tensor = as_tensor(x)
    if axis is None:
        tensor, axis = move(tensor, [Expr.product(tensor.extents)]), 0
    place = normalize_axis(axis, tensor.ndim)
    before, (extent, *after) = tensor.extents[:place], tensor.extents[place:]
    column = move(tensor, [*before, extent, ONE, *after])
    spread = tensor.trace.broadcast(column, (*before, extent, Expr.of(repeats), *after))
    return move(spread, [*before, extent * repeats, *after])


@checked
def tile(x: ArrayLike, repetitions: Natural | Sequence[Natural], /) -> Tensor:
    """The whole of `x` several times along each axis; the shorter of shape and repetitions gets
    ones in front."""
    tensor = as_tensor(x)
    times = [repetitions] if isinstance(repetitions, int) else list(repetitions)
    rank = max(tensor.ndim, len(times))
    times = [1] * (rank - len(times)) + times
    extents = [*[ONE] * (rank - tensor.ndim), *tensor.extents]
    columns = move(tensor, [e for extent in extents for e in (ONE, extent)])
    shape = [e for n, extent in zip(times, extents, strict=True) for e in (Expr.of(n), extent)]
    spread = tensor.trace.broadcast(columns, shape)
    return move(spread, [extent * n for n, extent in zip(times, extents, strict=True)])


@checked
def roll(
    x: ArrayLike, /, shift: int | Sequence[int], *, axis: int | Sequence[int] | None = None
) -> Tensor:
    """Elements moved along axes by `shift`; what leaves at one end comes in at the other."""
    tensor = as_tensor(x)
    if axis is None:
        flat = move(tensor, [Expr.product(tensor.extents)])
        return move(roll(flat, shift, axis=0), tensor.extents)
    axes = [axis] if isinstance(axis, int) else list(axis)
    shifts = [shift] * len(axes) if isinstance(shift, int) else list(shift)
    if len(shifts) != len(axes):
        fail(f"roll by {len(shifts)} shifts along {len(axes)} axes")
    for by, where_to in zip(shifts, axes, strict=True):
        tensor = _rolled(tensor, by, normalize_axis(where_to, tensor.ndim))
    return tensor


def _rolled(x: Tensor, shift: int, axis: int) -> Tensor:
    extent = x.extents[axis]
    if extent.constant == 0:
        return x
    low = bounds(extent, x.trace.ranges).low
    if low is None or low < 1:
        fail(f"roll along an axis of {extent} elements, which may be none")
    first = Expr.of(-shift) % extent  # the element that comes to lie in front
    before = (slice(None),) * axis
    cut = Dim.of(first, x.trace.ranges)
    return concat([x[(*before, slice(cut, None))], x[(*before, slice(None, cut))]], axis=axis)


@checked
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices of `x` along an axis of constant extent, without that axis."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    count = tensor.shape[place]
    if not isinstance(count, int):
        fail(f"unstack along an axis of {count} elements takes a constant extent")
    return tuple(tensor[(*(slice(None),) * place, k)] for k in range(count))


@checked
def split(x: ArrayLike, sections: int | Sequence[int], /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """`x` cut along an axis into equal parts, or before the indices `sections`: numpy's `split`."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    extent = tensor.shape[place]
    if isinstance(sections, int):
        if sections < 1 or extent % sections != 0:
            fail(f"{extent} elements do not divide into {sections} parts")
        size = extent // sections
        edges: list[Extent] = [size * k for k in range(sections + 1)]
    else:
        edges = [0, *sections, extent]
    before = (slice(None),) * place
    parts = pairwise(edges)
    return tuple(tensor[(*before, slice(start, stop))] for start, stop in parts)


@checked
def swapaxes(x: ArrayLike, axis1: int, axis2: int, /) -> Tensor:
    """Two axes exchanged."""
    tensor = as_tensor(x)
    order = list(range(tensor.ndim))
    a, b = normalize_axis(axis1, tensor.ndim), normalize_axis(axis2, tensor.ndim)
    order[a], order[b] = b, a
    return tensor.permute_dims(order)


def broadcast_arrays(*arrays: ArrayLike) -> list[Tensor]:
    """Tensors under their common extents; each keeps its dtype."""
    return list(broadcasted(*(as_tensor(x) for x in arrays)))


@checked
def broadcast_shapes(*shapes: Sequence[Extent]) -> tuple[Extent, ...]:
    """The extents that all broadcast to."""
    trace = current()
    found = broadcast_extents(*map(trace.learn, shapes))
    return tuple(Dim.of(extent, trace.ranges) for extent in found)


@checked
def meshgrid(*arrays: ArrayLike, indexing: Literal["xy", "ij"] = "xy") -> list[Tensor]:
    """The coordinates of a grid: each of the vectors along an axis of its own, and repeated along
    the others. With "xy" the first two axes are exchanged."""
    vectors = promoted(*arrays)
    for vector in vectors:
        if vector.ndim != 1:
            fail(f"meshgrid takes vectors, got {graph.as_text(vector.extents)}")
    axes = list(range(len(vectors)))
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = 1, 0
    columns = [
        move(vector, [vector.extents[0] if k == axis else ONE for k in range(len(axes))])
        for vector, axis in zip(vectors, axes, strict=True)
    ]
    return list(broadcasted(*columns)) if columns else []


@checked
def linspace(
    start: int | float,
    stop: int | float,
    /,
    num: Natural,
    *,
    dtype: DTypeLike | None = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, which is the last unless `endpoint` is
    False. float32 unless said otherwise; formed in float64."""
    found = DEFAULT_FLOAT if dtype is None else as_dtype(dtype)
    gaps = num - 1 if endpoint else num
    step = (stop - start) / gaps if gaps else 0.0
    places = arange(num, dtype=dtypes.FLOAT64)
    values = add(multiply(places, float(step)), float(start))
    if endpoint and num > 1:
        values = where(equal(places, float(num - 1)), float(stop), values)
    return cast_to(values, found)


@checked
def eye(
    rows: Extent,
    columns: Extent | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Ones on the diagonal `k` above the main one, zeros elsewhere; float32 without a dtype."""
    trace = current()
    extents = trace.learn([rows, rows if columns is None else columns])
    found = DEFAULT_FLOAT if dtype is None else as_dtype(dtype)
    return cast_to(equal(*_diagonals(extents, k)), found)


def _diagonals(extents: Sequence[Expr], k: int) -> tuple[Tensor, Tensor]:
    """Of each element of a matrix its column, and that of the diagonal `k` in its row."""
    trace = current()
    type = tensor_type(dtypes.INT64, extents)
    rows, columns = (trace.emit(graph.IotaOp, type, axis) for axis in (0, 1))
    return columns, add(rows, k) if k else rows


def _triangle(x: ArrayLike, k: int, lower: bool) -> Tensor:
    tensor = as_tensor(x)
    if tensor.ndim < 2:
        fail(f"a matrix has two axes, {graph.as_text(tensor.extents)} has {tensor.ndim}")
    columns, edge = _diagonals(tensor.extents[-2:], k)
    kept = less_equal(columns, edge) if lower else less_equal(edge, columns)
    zero: Scalar = False if tensor.dtype == dtypes.BOOL else 0
    return where(kept, tensor, zero)


@checked
def tril(x: ArrayLike, /, *, k: int = 0) -> Tensor:
    """The last two axes' elements on and below the diagonal `k`, zeros above."""
    return _triangle(x, k, lower=True)


@checked
def triu(x: ArrayLike, /, *, k: int = 0) -> Tensor:
    """The last two axes' elements on and above the diagonal `k`, zeros below."""
    return _triangle(x, k, lower=False)


@checked
def diagonal(x: ArrayLike, /, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements on a diagonal of two axes, along a new last one."""
    tensor = as_tensor(x)
    first, second = normalize_axes((axis1, axis2), tensor.ndim)
    rest = [k for k in range(tensor.ndim) if k not in (first, second)]
    matrix = tensor.permute_dims([*rest, first, second])
    rows, columns = matrix.shape[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        fail(f"a diagonal of {graph.as_text(matrix.extents[-2:])} takes constant extents")
    start = (max(-offset, 0), max(offset, 0))
    count = max(min(rows - start[0], columns - start[1]), 0)
    flat = move(matrix, [*matrix.extents[:-2], Expr.of(rows * columns)])
    at = start[0] * columns + start[1]
    stop = at + (count - 1) * (columns + 1) + 1 if count else at
    return flat[..., at : stop : columns + 1] if count else flat[..., :0]


def atleast_1d(x: ArrayLike, /) -> Tensor:
    """A tensor of rank 0 as one of rank 1."""
    tensor = as_tensor(x)
    return tensor if tensor.ndim else expand_dims(tensor)


@checked
def isclose(x1: ArrayLike, x2: ArrayLike, /, *, rtol: float = 1e-5, atol: float = 1e-8) -> Tensor:
    """Where `abs(x1 - x2) <= atol + rtol * abs(x2)`; NaN is close to nothing."""
    a, b = broadcasted(*promoted(x1, x2))
    near = less_equal(abs(subtract(a, b)), add(multiply(abs(b), rtol), atol))
    finite = less_equal(abs(b), _largest(b.dtype))
    return equal(a, b) | (near & finite)


def _largest(dtype: DType) -> float:
    import ml_dtypes

    if dtype.kind != "float":
        fail(f"isclose takes floats, got {dtype}")
    limits = cast(Any, ml_dtypes).finfo(dtype.numpy())
    return float(limits.max)


def result_type(*operands: ArrayLike | DType) -> DType:
    """The dtype that operands, tensors or dtypes, promote to."""
    found = [each if isinstance(each, DType) else as_tensor(each).dtype for each in operands]
    if not found:
        fail("result_type of nothing")
    result = found[0]
    for dtype in found[1:]:
        result = promote(result, dtype)
    return result
