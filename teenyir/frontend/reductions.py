"""Functions that combine elements along axes, under the array API's names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    cast_to,
    composite,
    normalize_axes,
    tensor_type,
)
from teenyir.frontend.dtypes import DTypeLike, as_dtype, integer_range
from teenyir.frontend.elementwise import (
    Binary,
    add,
    divide,
    equal,
    exp,
    greater,
    isfinite,
    isnan,
    less,
    log,
    logical_and,
    logical_or,
    maximum,
    multiply,
    not_equal,
    sqrt,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import move

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Axes = int | Sequence[int] | None


class Reduction(Protocol):
    """A function that drops axes, or keeps them with extent 1."""

    def __call__(self, x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor: ...


def reduce(kind: str, x: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
    """`x` combined along axes."""
    result = x.trace.emit(graph.ReduceOp, kind, x.value, tuple(axes)) if axes else x
    return keep(result, x, axes) if keepdims else result


def keep(result: Tensor, x: Tensor, axes: Sequence[int]) -> Tensor:
    """A reduction of `x` with its axes put back with extent 1."""
    extents = [Expr.of(1) if k in axes else e for k, e in enumerate(x.extents)]
    return move(result, extents)


def _accumulating(name: str, kind: str) -> Callable[..., Tensor]:
    @checked
    def function(
        x: ArrayLike,
        /,
        *,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        tensor = as_tensor(x)
        found = as_dtype(dtype) if dtype is not None else wide(tensor.dtype)
        tensor = cast_to(tensor, found)
        return reduce(kind, tensor, normalize_axes(axis, tensor.ndim), keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elements combined by `{kind}`. Floats keep their dtype; booleans and signed integers "
        "become int64, unsigned ones uint64, unless `dtype` says otherwise."
    )
    return function


def wide(dtype: DType) -> DType:
    """The dtype in which sums and products of a dtype are formed by default."""
    widest = {"bool": dtypes.INT64, "int": dtypes.INT64, "uint": dtypes.UINT64}
    return widest.get(dtype.kind, dtype)


sum = _accumulating("sum", "add")
prod = _accumulating("prod", "mul")


def _extreme(name: str, kind: str) -> Reduction:
    @checked
    def function(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
        tensor = as_tensor(x)
        axes = normalize_axes(axis, tensor.ndim)
        _check_some(name, tensor, axes)
        return reduce(kind, tensor, axes, keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The {name} along axes, NaN where there is one. Of no elements (a named extent that is 0) "
        "it is the dtype's own limit."
    )
    return function


def _check_some(name: str, x: Tensor, axes: Sequence[int]) -> None:
    if Expr.of(0) in [x.extents[axis] for axis in axes]:
        fail(f"{name} of no elements: {graph.as_text(x.extents)}")


max = _extreme("max", "max")
min = _extreme("min", "min")


def nonzero_mask(x: Tensor) -> Tensor:
    """Where `x` is other than zero, or true."""
    return x if x.dtype.kind == "bool" else not_equal(x, x.trace.constant(0, x.dtype))


def _quantifier(name: str, kind: str) -> Reduction:
    @checked
    def function(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
        tensor = nonzero_mask(as_tensor(x))
        return reduce(kind, tensor, normalize_axes(axis, tensor.ndim), keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether {name} elements are true (numbers: other than zero)."
    return function


all = _quantifier("all", "and")
any = _quantifier("any", "or")


def computing(x: Tensor) -> Tensor:
    """`x` in the dtype in which sums over it are formed: half floats in float32."""
    return cast_to(x, x.dtype.accumulator)


def _floating(name: str, x: ArrayLike) -> Tensor:
    tensor = as_tensor(x)
    if tensor.dtype.kind != "float":
        fail(f"{name} takes floats, got {tensor.dtype}; convert: x.astype(ty.float32)")
    return tensor


def count(x: Tensor, axes: Sequence[int], dtype: DType) -> Tensor:
    """The number of elements along axes, as a tensor of rank 0.

    What depends on a named extent is counted when the program runs (`Trace.extent_value`).
    """
    total = Expr.product(x.extents[k] for k in axes)
    if (constant := total.constant) is not None:
        return x.trace.constant(constant, dtype)
    return cast_to(x.trace.extent_value(total), dtype)


@checked
@composite("mean")
def mean(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The arithmetic mean of floats, formed in float32 for the narrower ones."""
    tensor = _floating("mean", x)
    axes = normalize_axes(axis, tensor.ndim)
    return cast_to(_mean(computing(tensor), axes, keepdims), tensor.dtype)


def _mean(x: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
    return divide(reduce("add", x, axes, keepdims), count(x, axes, x.dtype))


@checked
@composite("var")
def var(
    x: ArrayLike, /, *, axis: Axes = None, correction: int | float = 0, keepdims: bool = False
) -> Tensor:
    """The mean squared distance from the mean; `correction` is taken off the divisor."""
    tensor = _floating("var", x)
    axes = normalize_axes(axis, tensor.ndim)
    return cast_to(_var(computing(tensor), axes, correction, keepdims), tensor.dtype)


def _var(x: Tensor, axes: Sequence[int], correction: int | float, keepdims: bool) -> Tensor:
    distance = subtract(x, _mean(x, axes, True))
    divisor = count(x, axes, x.dtype)
    if correction:
        zero = x.trace.constant(0, x.dtype)
        divisor = maximum(subtract(divisor, float(correction)), zero)
    return divide(reduce("add", multiply(distance, distance), axes, keepdims), divisor)


@checked
@composite("std")
def std(
    x: ArrayLike, /, *, axis: Axes = None, correction: int | float = 0, keepdims: bool = False
) -> Tensor:
    """The square root of `var`."""
    tensor = _floating("std", x)
    axes = normalize_axes(axis, tensor.ndim)
    return cast_to(sqrt(_var(computing(tensor), axes, correction, keepdims)), tensor.dtype)


@checked
def fold(
    step: Callable[..., Sequence[Tensor]],
    inputs: Sequence[ArrayLike],
    initial: Sequence[ArrayLike],
    /,
    *,
    axis: Axes = None,
    keepdims: bool = False,
) -> tuple[Tensor, ...]:
    """Several tensors of equal extents reduced together along axes.

    `step` takes the values so far, one for each tensor, then those of one index, all of rank 0,
    and answers the new ones, by functions of elements alone. It is to be associative, with
    `initial` as its identity, and sees the elements in row-major order.
    """
    tensors = [as_tensor(x) for x in inputs]
    if not tensors:
        fail("a fold of nothing")
    if [t for t in tensors if t.extents != tensors[0].extents]:
        shapes = ", ".join(graph.as_text(tensor.extents) for tensor in tensors)
        fail(f"fold takes tensors of equal extents, got {shapes}")
    if len(initial) != len(tensors):
        fail(f"fold of {len(tensors)} tensors takes as many initial values, got {len(initial)}")
    start = [
        cast_to(as_tensor(value, tensor.dtype), tensor.dtype)
        for value, tensor in zip(initial, tensors, strict=True)
    ]
    axes = normalize_axes(axis, tensors[0].ndim)
    results = tensors[0].trace.fold(tensors, start, axes, step)
    return tuple(keep(result, tensors[0], axes) if keepdims else result for result in results)


def _arg(name: str, kind: str, better: Binary) -> Callable[..., Tensor]:
    @checked
    def function(x: ArrayLike, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        tensor = as_tensor(x)
        if tensor.dtype.kind == "bool":
            tensor = cast_to(tensor, dtypes.UINT8)
        flat = tensor if axis is not None else move(tensor, [Expr.product(tensor.extents)])
        (place,) = normalize_axes(0 if axis is None else axis, flat.ndim)
        _check_some(name, flat, (place,))
        result = _first(flat, kind, better, place)
        if not keepdims:
            return result
        return keep(result, tensor, range(tensor.ndim) if axis is None else (place,))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The index (int64) of the first {kind} along an axis, or of the flattened tensor; "
        "of the first NaN where there is one."
    )
    return composite(name)(function)


def _first(x: Tensor, kind: str, better: Binary, axis: int) -> Tensor:
    """The least index along an axis at which `x` is its extreme."""
    floats = x.dtype.kind == "float"

    def step(most: Tensor, at: Tensor, value: Tensor, index: Tensor) -> list[Tensor]:
        wins = better(value, most)
        if floats:
            wins = logical_or(wins, logical_and(isnan(value), equal(most, most)))
        return [where(wins, value, most), where(wins, index, at)]

    places = x.trace.emit(graph.IotaOp, tensor_type(dtypes.INT64, x.extents), axis)
    # an element equal to the start is nowhere before index 0
    start = [x.trace.constant(least(kind, x.dtype), x.dtype), x.trace.constant(0, dtypes.INT64)]
    return x.trace.fold([x, places], start, (axis,), step)[1]


def least(kind: str, dtype: DType) -> int | float:
    """What changes no maximum (or, of `min`, no minimum) of a dtype."""
    if dtype.format is not None:
        limit = math.inf if dtype.format.infinities else dtype.format.greatest
        return -limit if kind == "max" else limit
    low, high = integer_range(dtype)
    return low if kind == "max" else high


argmax = _arg("argmax", "max", greater)
argmin = _arg("argmin", "min", less)


@checked
@composite("count_nonzero")
def count_nonzero(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """How many elements are other than zero (or true), as int64."""
    return sum(nonzero_mask(as_tensor(x)), axis=axis, keepdims=keepdims)


@checked
@composite("logsumexp")
def logsumexp(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """`log(sum(exp(x)))` of floats without its overflow, formed in float32 for narrower ones."""
    tensor = _floating("logsumexp", x)
    axes = normalize_axes(axis, tensor.ndim)
    widened = computing(tensor)
    most = reduce("max", widened, axes, True)
    # of infinite elements the result is their maximum
    most = where(isfinite(most), most, 0.0)
    total = log(reduce("add", exp(subtract(widened, most)), axes, True))
    result = cast_to(add(total, most), tensor.dtype)
    kept = [extent for k, extent in enumerate(result.extents) if k not in axes]
    return result if keepdims else move(result, kept)
