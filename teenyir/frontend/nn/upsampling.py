"""More elements along the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from teenyir.frontend.arrangement import repeat
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.nn.module import Module
from teenyir.frontend.reductions import computing

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Mode: TypeAlias = Literal["nearest", "linear", "bilinear", "trilinear"]

RANKS: dict[str, tuple[int, ...]] = {
    "nearest": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "trilinear": (3,),
}
"""How many spatial axes each mode takes."""


class Upsample(Module):
    """The nearest elements, or what lies linearly between them, for a `size` or a `scale_factor`.

    Either is one number or one for each axis. With `align_corners` the first and the last elements
    stay in their places; without, the outer edges of the elements do.
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: Mode = "nearest",
        align_corners: bool = False,
    ) -> None:
        if (size is None) == (scale_factor is None):
            fail("Upsample takes either a size or a scale_factor")
        if mode not in RANKS:
            fail(f"the mode is one of {', '.join(RANKS)}, got {mode!r}")
        if align_corners and mode == "nearest":
            fail("align_corners is for the modes that are linear")
        self.size, self.scale_factor = size, scale_factor
        self.mode: Mode = mode
        self.align_corners = align_corners

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        rank = tensor.ndim - 2
        if rank not in RANKS[self.mode]:
            fail(f"the mode {self.mode!r} does not take extents {tensor.shape}")
        given = self.scale_factor if self.size is None else self.size
        values = given if isinstance(given, tuple) else (given,) * rank
        if len(values) != rank:
            fail(f"{rank} spatial axes take as many numbers, got {given}")
        wide = tensor if self.mode == "nearest" else computing(tensor)
        for axis, value in enumerate(values, start=2):
            assert value is not None  # one of the two was given
            wide = self._along(wide, axis, value)
        return cast_to(wide, tensor.dtype)

    def _along(self, x: Tensor, axis: int, value: float) -> Tensor:
        if self.size is None and self.mode == "nearest" and value == int(value):
            return repeat(x, int(value), axis=axis)
        extent = x.shape[axis]
        if not isinstance(extent, int):
            fail(f"{extent} elements are not known, which the mode {self.mode!r} needs")
        new = math.floor(extent * value) if self.size is None else int(value)
        step = 1 / value if self.size is None else extent / new
        if self.mode == "nearest":
            near = np.floor(np.arange(new) * step).astype(np.int64)
            return take(x, np.minimum(near, extent - 1), axis=axis)
        return _between(x, axis, self._places(extent, new, step))

    def _places(self, extent: int, new: int, step: float) -> Array:
        """Where the new elements lie among the old."""
        if self.align_corners:
            return np.linspace(0, extent - 1, new)
        return np.maximum((np.arange(new) + 0.5) * step - 0.5, 0)


def _between(x: Tensor, axis: int, places: Array) -> Tensor:
    """What lies at places along an axis, linearly between the elements on both sides."""
    extent = x.shape[axis]
    assert isinstance(extent, int)  # places are made from it
    low = np.minimum(np.floor(places).astype(np.int64), extent - 1)
    shape = (-1, *[1] * (x.ndim - axis - 1))
    share = (places - low).astype(x.dtype.numpy()).reshape(shape)
    below, above = take(x, low, axis=axis), take(x, np.minimum(low + 1, extent - 1), axis=axis)
    return below * (1 - share) + above * share
