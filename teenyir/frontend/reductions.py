"""Functions that combine elements along axes, under the array API's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, normalize_axes
from teenyir.frontend.dtypes import DTypeLike, as_dtype, integer_range
from teenyir.frontend.elementwise import (
    divide,
    equal,
    isnan,
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
    def function(
        x: ArrayLike,
        /,
        *,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
    ) -> Tensor:
        tensor = as_tensor(x)
        found = as_dtype(dtype) if dtype else _wide(tensor.dtype)
        tensor = cast_to(tensor, found)
        return reduce(kind, tensor, normalize_axes(axis, tensor.ndim), keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elements combined by `{kind}`. Floats keep their dtype; booleans and signed integers "
        "become int64, unsigned ones uint64, unless `dtype` says otherwise."
    )
    return function


def _wide(dtype: DType) -> DType:
    wide = {"bool": dtypes.INT64, "int": dtypes.INT64, "uint": dtypes.UINT64}
    return wide.get(dtype.kind, dtype)


sum = _accumulating("sum", "add")
prod = _accumulating("prod", "mul")


def _extreme(name: str, kind: str) -> Reduction:
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


def _quantifier(name: str, kind: str) -> Reduction:
    def function(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
        tensor = as_tensor(x)
        if tensor.dtype.kind != "bool":
            tensor = not_equal(tensor, tensor.trace.constant(0, tensor.dtype))
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


def mean(x: ArrayLike, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    """The arithmetic mean of floats, formed in float32 for the narrower ones."""
    tensor = _floating("mean", x)
    axes = normalize_axes(axis, tensor.ndim)
    return cast_to(_mean(computing(tensor), axes, keepdims), tensor.dtype)


def _mean(x: Tensor, axes: Sequence[int], keepdims: bool) -> Tensor:
    return divide(reduce("add", x, axes, keepdims), count(x, axes, x.dtype))


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


def std(
    x: ArrayLike, /, *, axis: Axes = None, correction: int | float = 0, keepdims: bool = False
) -> Tensor:
    """The square root of `var`."""
    tensor = _floating("std", x)
    axes = normalize_axes(axis, tensor.ndim)
    return cast_to(sqrt(_var(computing(tensor), axes, correction, keepdims)), tensor.dtype)


def _arg(name: str, kind: str) -> Callable[..., Tensor]:
    def function(x: ArrayLike, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        tensor = as_tensor(x)
        flat = tensor if axis is not None else move(tensor, [Expr.product(tensor.extents)])
        (place,) = normalize_axes(0 if axis is None else axis, flat.ndim)
        _check_some(name, flat, (place,))
        result = _first(flat, reduce(kind, flat, (place,), True), place)
        if not keepdims:
            return result
        return keep(result, tensor, range(tensor.ndim) if axis is None else (place,))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"The index (int64) of the first {kind} along an axis, or of the flattened tensor; "
        "of the first NaN where there is one."
    )
    return function


def _first(x: Tensor, extreme: Tensor, axis: int) -> Tensor:
    """The least index along an axis at which `x` is its extreme."""
    hit = equal(x, extreme)
    if x.dtype.kind == "float":
        hit = logical_or(hit, isnan(x))
    places = x.trace.emit(graph.IotaOp, graph.tensor(dtypes.INT64.element, x.extents), axis)
    found = where(hit, places, integer_range(dtypes.INT64)[1])
    return reduce("min", found, (axis,), False)


argmax = _arg("argmax", "max")
argmin = _arg("argmin", "min")
