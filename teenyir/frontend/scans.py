"""Running combinations along an axis, under the array API's names and numpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from teenyir.dialects import graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import Repeats, checked
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, normalize_axis
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import subtract
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, flatten
from teenyir.frontend.reductions import wide

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


@checked
def scan(
    kind: str,
    x: ArrayLike,
    /,
    *,
    axis: int = -1,
    exclusive: bool = False,
    reverse: bool = False,
) -> Tensor:
    """Each element combined with those before it along an axis, by add, mul, max, min, and or or.

    With `exclusive` without itself, the combiner's identity at the first; with `reverse` with
    those after it. Half floats are accumulated in float32.
    """
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    return tensor.trace.emit(graph.ScanOp, kind, tensor.value, place, exclusive, reverse)


def _cumulative(name: str, kind: str, neutral: int, result: Callable[[DType], DType]):
    @checked
    def function(
        x: ArrayLike,
        /,
        *,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        include_initial: bool = False,
    ) -> Tensor:
        tensor = as_tensor(x)
        if axis is None and tensor.ndim != 1:
            fail(f"{name} of {tensor.ndim} axes takes an axis")
        tensor = cast_to(tensor, as_dtype(dtype) if dtype is not None else result(tensor.dtype))
        place = normalize_axis(0 if axis is None else axis, tensor.ndim)
        found = scan(kind, tensor, axis=place)
        if not include_initial:
            return found
        extents = [Expr.of(1) if k == place else e for k, e in enumerate(tensor.extents)]
        return concat([tensor.trace.constant(neutral, tensor.dtype, extents), found], axis=place)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elements combined with those before them by `{kind}`. Booleans and integers become "
        "64 bits wide, unless `dtype` says otherwise; with `include_initial` the result starts "
        f"with {neutral}."
    )
    return function


cumulative_sum = _cumulative("cumulative_sum", "add", 0, wide)
cumulative_prod = _cumulative("cumulative_prod", "mul", 1, wide)


def _flat(name: str, cumulative: Callable[..., Tensor]):
    @checked
    def function(
        x: ArrayLike, /, axis: int | None = None, *, dtype: DTypeLike | None = None
    ) -> Tensor:
        tensor = as_tensor(x)
        if axis is None:
            tensor, axis = flatten(tensor), 0
        return cumulative(tensor, axis=axis, dtype=dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy's name of `{cumulative.__name__}`; without `axis` of all elements."
    return function


cumsum = _flat("cumsum", cumulative_sum)
cumprod = _flat("cumprod", cumulative_prod)


@checked
def cumulative_max(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """The greatest element up to each; NaN from the first NaN on."""
    return scan("max", x, axis=axis)


@checked
def cumulative_min(x: ArrayLike, /, *, axis: int = -1) -> Tensor:
    """The least element up to each; NaN from the first NaN on."""
    return scan("min", x, axis=axis)


@checked
def diff(
    x: ArrayLike,
    /,
    *,
    axis: int = -1,
    n: Repeats = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Tensor:
    """The differences of neighbours along an axis, taken `n` times; `prepend` and `append` are put
    before and after `x` first."""
    tensor = as_tensor(x)
    place = normalize_axis(axis, tensor.ndim)
    parts = [part for part in (prepend, tensor, append) if part is not None]
    if len(parts) > 1:
        tensor = concat(parts, axis=place)
    for _ in range(n):
        before = (slice(None),) * place
        tensor = subtract(tensor[(*before, slice(1, None))], tensor[(*before, slice(None, -1))])
    return tensor
