"""Convolutions of [batch, channels, spatial...] with one to three spatial axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from teenyir.frontend import linear
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module, uniform
from teenyir.frontend.nn.padding import MODES, PaddingMode, padded

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Size = int | tuple[int, ...]


def _check_groups(groups: int, inputs: int, outputs: int) -> None:
    if groups < 1 or inputs % groups or outputs % groups:
        fail(f"{groups} groups do not divide {inputs} and {outputs} channels")


class _Convolution(Module):
    """A cross-correlation; `weight` is [outputs, channels / groups, kernel...]."""

    RANK: ClassVar[int]
    weight: Array
    bias: Array | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | Literal["valid", "same"] = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        dtype: DTypeLike = "float32",
    ) -> None:
        _check_groups(groups, in_channels, out_channels)
        if padding_mode not in ("zeros", *MODES):
            fail(f"the padding mode is one of zeros, {', '.join(MODES)}, got {padding_mode!r}")
        kernel, found = per_axis(kernel_size, self.RANK, "kernel_size"), as_dtype(dtype)
        self.padding_mode = padding_mode
        self.stride = per_axis(stride, self.RANK, "stride")
        self.dilation = per_axis(dilation, self.RANK, "dilation")
        self.groups = groups
        self.padding = self._padding(padding, kernel)
        shape = (out_channels, in_channels // groups, *kernel)
        bound = 1 / math.sqrt(max(math.prod(shape[1:]), 1))
        self.weight = uniform(bound, shape, found)
        self.bias = uniform(bound, (out_channels,), found) if bias else None

    def _padding(
        self, padding: Size | Literal["valid", "same"], kernel: tuple[int, ...]
    ) -> tuple[int, ...]:
        if not isinstance(padding, str):
            return per_axis(padding, self.RANK, "padding")
        if padding == "valid":
            return (0,) * self.RANK
        spans = [d * (k - 1) for d, k in zip(self.dilation, kernel, strict=True)]
        if padding != "same" or set(self.stride) != {1} or any(span % 2 for span in spans):
            fail(f"padding {padding!r} is 'valid', or 'same' with stride 1 and odd kernels")
        return tuple(span // 2 for span in spans)

    def forward(self, x: ArrayLike) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            x = padded(as_tensor(x), [(n, n) for n in padding], self.padding_mode)
            padding = 0
        return linear.conv(
            x,
            self.weight,
            self.bias,
            stride=self.stride,
            padding=padding,
            dilation=self.dilation,
            groups=self.groups,
        )


class Conv1d(_Convolution):
    """A cross-correlation of [batch, channels, elements]."""

    RANK = 1


class Conv2d(_Convolution):
    """A cross-correlation of [batch, channels, rows, columns]."""

    RANK = 2


class Conv3d(_Convolution):
    """A cross-correlation of [batch, channels, planes, rows, columns]."""

    RANK = 3


class _Transposed(Module):
    """The transpose of a convolution; `weight` is [channels, outputs / groups, kernel...]."""

    RANK: ClassVar[int]
    weight: Array
    bias: Array | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        dtype: DTypeLike = "float32",
    ) -> None:
        _check_groups(groups, in_channels, out_channels)
        kernel, found = per_axis(kernel_size, self.RANK, "kernel_size"), as_dtype(dtype)
        self.stride = per_axis(stride, self.RANK, "stride")
        self.padding = per_axis(padding, self.RANK, "padding")
        self.output_padding = per_axis(output_padding, self.RANK, "output_padding")
        self.dilation = per_axis(dilation, self.RANK, "dilation")
        self.groups = groups
        shape = (in_channels, out_channels // groups, *kernel)
        bound = 1 / math.sqrt(max(math.prod(shape[1:]), 1))
        self.weight = uniform(bound, shape, found)
        self.bias = uniform(bound, (out_channels,), found) if bias else None

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.conv_transpose(
            x,
            self.weight,
            self.bias,
            stride=self.stride,
            padding=self.padding,
            output_padding=self.output_padding,
            dilation=self.dilation,
            groups=self.groups,
        )


class ConvTranspose1d(_Transposed):
    """The transpose of `Conv1d`."""

    RANK = 1


class ConvTranspose2d(_Transposed):
    """The transpose of `Conv2d`."""

    RANK = 2


class ConvTranspose3d(_Transposed):
    """The transpose of `Conv3d`."""

    RANK = 3
