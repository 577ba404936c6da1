"""Layers that pass on, or do nothing but arrange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from teenyir.dialects import graph
from teenyir.frontend import movement
from teenyir.frontend.arguments import Chance, Count, Margins, Sizes, checked
from teenyir.frontend.borders import around
from teenyir.frontend.core import ArrayLike, as_tensor
from teenyir.frontend.creation import arange, zeros
from teenyir.frontend.dims import Extent
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module, refuse

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class Identity(Module):
    """What comes in, whatever the layer is made with."""

    @checked
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def forward(self, x: ArrayLike) -> Tensor:
        return as_tensor(x)


class _Dropout(Module):
    """What comes in: elements are dropped in training alone, and a traced program is inference."""

    @checked
    def __init__(self, p: Chance = 0.5, inplace: bool = False) -> None:
        self.p = p

    def forward(self, x: ArrayLike) -> Tensor:
        return as_tensor(x)


class Dropout(_Dropout):
    """What comes in: elements are dropped in training alone, and a traced program is inference."""


class Dropout1d(_Dropout):
    """What comes in: channels of [batch, channels, elements] are dropped in training alone."""


class Dropout2d(_Dropout):
    """What comes in: channels of [batch, channels, rows, columns] are dropped in training alone."""


class Dropout3d(_Dropout):
    """What comes in: channels of [batch, channels, planes, rows, columns] are dropped in training
    alone."""


class AlphaDropout(_Dropout):
    """What comes in: elements are made `SELU`'s least value in training alone."""


class FeatureAlphaDropout(_Dropout):
    """What comes in: channels are made `SELU`'s least value in training alone."""


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` made one."""

    @checked
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: ArrayLike) -> Tensor:
        return movement.flatten(x, self.start_dim, self.end_dim)


class Unflatten(Module):
    """The axis `dim` made several."""

    @checked
    def __init__(self, dim: int, unflattened_size: Sequence[Extent]) -> None:
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, x: Tensor) -> Tensor:
        dim = self.dim % max(x.ndim, 1)
        return x.reshape((*x.shape[:dim], *self.unflattened_size, *x.shape[dim + 1 :]))


class PixelShuffle(Module):
    """[..., channels * r * r, rows, columns] as [..., channels, rows * r, columns * r]."""

    @checked
    def __init__(self, upscale_factor: Count) -> None:
        self.upscale_factor = upscale_factor

    def forward(self, x: Tensor) -> Tensor:
        r = self.upscale_factor
        *outer, channels, rows, columns = _image(self, x)
        _check_multiple(self, channels, r * r, "channels")
        n = len(outer)
        parts = x.reshape((*outer, channels // (r * r), r, r, rows, columns))
        order = (*range(n + 1), n + 3, n + 1, n + 4, n + 2)
        return parts.permute_dims(*order).reshape(
            (*outer, channels // (r * r), rows * r, columns * r)
        )


class PixelUnshuffle(Module):
    """[..., channels, rows * r, columns * r] as [..., channels * r * r, rows, columns]."""

    @checked
    def __init__(self, downscale_factor: Count) -> None:
        self.downscale_factor = downscale_factor

    def forward(self, x: Tensor) -> Tensor:
        r = self.downscale_factor
        *outer, channels, rows, columns = _image(self, x)
        _check_multiple(self, rows, r, "rows")
        _check_multiple(self, columns, r, "columns")
        n = len(outer)
        parts = x.reshape((*outer, channels, rows // r, r, columns // r, r))
        order = (*range(n + 1), n + 2, n + 4, n + 1, n + 3)
        return parts.permute_dims(*order).reshape(
            (*outer, channels * r * r, rows // r, columns // r)
        )


class ChannelShuffle(Module):
    """The channels of [batch, channels, ...], dealt out: each group's first, second, ..."""

    @checked
    def __init__(self, groups: Count) -> None:
        self.groups = groups

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 3:
            refuse(self, "takes [batch, channels, ...]", x)
        batch, channels, *rest = x.shape
        _check_multiple(self, channels, self.groups, "channels")
        parts = x.reshape((batch, self.groups, channels // self.groups, *rest))
        order = (0, 2, 1, *range(3, parts.ndim))
        return parts.permute_dims(*order).reshape(x.shape)


def _image(module: Module, x: Tensor) -> tuple[Extent, ...]:
    if x.ndim < 3:
        refuse(module, "takes [..., channels, rows, columns]", x)
    return x.shape


def _check_multiple(module: Module, extent: Extent, count: int, what: str) -> None:
    if count < 1 or (isinstance(extent, int) and extent % count):
        fail(f"{type(module).__name__} takes multiples of {count} {what}, got {extent}")


class _Blocks(Module):
    """Blocks of the rows and columns of an image."""

    @checked
    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Margins = 0, stride: Sizes = 1
    ) -> None:
        self.kernel_size = per_axis(kernel_size, 2, "kernel_size")
        self.dilation = per_axis(dilation, 2, "dilation")
        self.padding = per_axis(padding, 2, "padding")
        self.stride = per_axis(stride, 2, "stride")


class Unfold(_Blocks):
    """The blocks of [batch, channels, rows, columns]: [batch, channels * elements, blocks]."""

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 3:
            return self.forward(movement.expand_dims(x)).squeeze(0)
        if x.ndim != 4:
            refuse(self, "takes [batch, channels, rows, columns]", x)
        ends = (0, 0, *self.padding)
        padded = around(x, ends, ends, x.trace.constant(0, x.dtype))
        windows = x.trace.emit(
            graph.WindowOp, padded.value, (2, 3), self.kernel_size, self.stride, self.dilation
        )
        batch, channels, rows, columns, *size = windows.shape
        blocks = windows.permute_dims(0, 1, 4, 5, 2, 3)
        return blocks.reshape((batch, channels * size[0] * size[1], rows * columns))


class Fold(_Blocks):
    """`Unfold` turned round: what several blocks have for an element is added up."""

    @checked
    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Margins = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = per_axis(output_size, 2, "output_size")

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim == 2:
            return self.forward(movement.expand_dims(x)).squeeze(0)
        sizes = zip(
            self.output_size,
            self.padding,
            self.dilation,
            self.kernel_size,
            self.stride,
            strict=True,
        )
        counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in sizes]
        elements = self.kernel_size[0] * self.kernel_size[1]
        blocks = counts[0] * counts[1]
        if x.ndim != 3 or x.shape[2] != blocks:
            refuse(self, f"takes [batch, channels * {elements}, {blocks}]", x)
        batch, channels, _ = x.shape
        _check_multiple(self, channels, elements, "channels")
        high, wide = (n + 2 * p for n, p in zip(self.output_size, self.padding, strict=True))
        rows, columns = (self._places(axis, counts[axis]) for axis in (0, 1))
        places = (rows[:, None, :, None] * wide + columns[None, :, None, :]).reshape((-1,))
        empty = zeros((batch, channels // elements, high * wide), dtype=x.dtype)
        lines = x.reshape((batch, channels // elements, elements * blocks))
        whole = empty.at[:, :, places].add(lines)
        image = whole.reshape((batch, channels // elements, high, wide))
        top, left = self.padding
        return image[:, :, top : high - top, left : wide - left]

    def _places(self, axis: int, blocks: int) -> Tensor:
        """Where the elements of each block lie along an axis, [elements, blocks]."""
        within = arange(self.kernel_size[axis]) * self.dilation[axis]
        return within[:, None] + arange(blocks) * self.stride[axis]
