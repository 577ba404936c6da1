"""More elements along the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from teenyir.dialects import graph
from teenyir.frontend.arguments import Scale, Sizes, checked
from teenyir.frontend.arrangement import repeat
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.weights import check_room
from teenyir.frontend.reductions import computing

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Mode: TypeAlias = Literal["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear"]

RANKS: dict[str, tuple[int, ...]] = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
}
"""How many spatial axes each mode takes."""

CUBIC = -0.75
"""PyTorch's constant of the cubic kernel."""


class Upsample(Module):
    """The nearest elements, or what lies between them, for a `size` or a `scale_factor`.

    Either is one number or one for each axis. "nearest-exact" goes by the middles of elements,
    "nearest" by their edges. With `align_corners` the first and the last elements stay in their
    places; without, the outer edges of the elements do. With `recompute_scale_factor` the factor
    is that of the extents, which are rounded down.
    """

    @checked
    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Scale | tuple[Scale, ...] | None = None,
        mode: Mode = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        if (size is None) == (scale_factor is None):
            fail("Upsample takes either a size or a scale_factor")
        if align_corners and mode.startswith("nearest"):
            fail("align_corners is for the modes that are linear or cubic")
        if recompute_scale_factor and size is not None:
            fail("recompute_scale_factor is for a scale_factor")
        self.size, self.scale_factor = size, scale_factor
        self.mode: Mode = mode
        self.align_corners = bool(align_corners)
        self.recompute_scale_factor = bool(recompute_scale_factor)

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        rank = tensor.ndim - 2
        if rank not in RANKS[self.mode]:
            fail(f"the mode {self.mode!r} does not take extents {graph.as_text(tensor.extents)}")
        given = self.scale_factor if self.size is None else self.size
        values = given if isinstance(given, Sequence) else (given,) * rank
        if len(values) != rank:
            fail(f"{rank} spatial axes take as many numbers, got {given}")
        wide = tensor if self.mode.startswith("nearest") else computing(tensor)
        for axis, value in enumerate(values, start=2):
            assert value is not None  # one of the two was given
            wide = self._along(wide, axis, value)
        return cast_to(wide, tensor.dtype)

    def _along(self, x: Tensor, axis: int, value: float) -> Tensor:
        nearest = self.mode.startswith("nearest")
        if self.size is None and nearest and value == int(value):
            return repeat(x, int(value), axis=axis)
        extent = x.shape[axis]
        if not isinstance(extent, int):
            fail(f"{extent} elements are not known, which the mode {self.mode!r} needs")
        new = math.floor(extent * value) if self.size is None else int(value)
        if new < 1:
            fail(f"{extent} elements are made into {new}")
        check_room([(4, new)])  # what each is made of, and in which shares
        is_exact = self.size is None and not self.recompute_scale_factor
        step = 1 / value if is_exact else extent / new
        if nearest:
            middle = 0.5 if self.mode == "nearest-exact" else 0.0
            near = np.floor((np.arange(new) + middle) * step).astype(np.int64)
            return take(x, np.minimum(near, extent - 1), axis=axis)
        places = self._places(extent, new, step)
        return _mixed(x, axis, *(_cubic(places) if self.mode == "bicubic" else _linear(places)))

    def _places(self, extent: int, new: int, step: float) -> Array:
        """Where the new elements lie among the old."""
        if self.align_corners:
            return np.linspace(0, extent - 1, new)
        places = (np.arange(new) + 0.5) * step - 0.5
        return places if self.mode == "bicubic" else np.maximum(places, 0)


class UpsamplingNearest2d(Upsample):
    """`Upsample` of [batch, channels, rows, columns] in the mode "nearest"."""

    @checked
    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Scale | tuple[Scale, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of [batch, channels, rows, columns] in the mode "bilinear", corners aligned."""

    @checked
    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Scale | tuple[Scale, ...] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)


def _linear(places: Array) -> tuple[Array, list[Array]]:
    """The element before each place, and how much that and the next one count."""
    first = np.floor(places)
    share = places - first
    return first, [1 - share, share]


def _cubic(places: Array) -> tuple[Array, list[Array]]:
    """The first of the four elements around each place, and how much each counts.

    Keys, "Cubic convolution interpolation for digital image processing" (1981).
    """
    a, base = CUBIC, np.floor(places)
    share = places - base

    def near(d: Array) -> Array:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: Array) -> Array:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return base - 1, [far(share + 1), near(share), near(1 - share), far(2 - share)]


def _mixed(x: Tensor, axis: int, first: Array, shares: list[Array]) -> Tensor:
    """Elements from `first` on, in their shares; those beyond an end are the one there."""
    extent = x.shape[axis]
    assert isinstance(extent, int)  # places are made from it
    shape = (-1, *[1] * (x.ndim - axis - 1))
    total: Tensor | None = None
    for k, share in enumerate(shares):
        picks = np.clip(first.astype(np.int64) + k, 0, extent - 1)
        part = take(x, picks, axis=axis) * share.astype(x.dtype.numpy()).reshape(shape)
        total = part if total is None else total + part
    assert total is not None  # there is a share at least
    return total
