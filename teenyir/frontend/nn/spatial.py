"""Inputs with a batch, and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from teenyir.frontend.core import ArrayLike, as_tensor
from teenyir.frontend.movement import expand_dims, squeeze
from teenyir.frontend.nn.module import Module, refuse

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def check_channels(module: Module, x: Tensor, count: int) -> None:
    """Raises TraceError where the second axis is another one than weights are for."""
    if x.shape[1] != count:
        refuse(module, f"of {count} channels", x)


def with_batch(
    name: str, rank: int, function: Callable[..., Any], x: ArrayLike, *others: ArrayLike
) -> Any:
    """`function` of [batch, channels, spatial...]; what comes without a batch leaves without.

    Raises TraceError where `x` has neither `rank` spatial axes and two more, nor one more.
    """
    tensors = [as_tensor(each) for each in (x, *others)]
    found = tensors[0].ndim
    if found == rank + 2:
        return function(*tensors)
    if found != rank + 1:
        axes = ("elements", "rows, columns", "planes, rows, columns")[rank - 1]
        refuse(name, f"takes [batch, channels, {axes}]", tensors[0])
    result = function(*(expand_dims(each) for each in tensors))
    if isinstance(result, tuple):
        return tuple(squeeze(each, 0) for each in cast("tuple[Tensor, ...]", result))
    return squeeze(result, 0)
