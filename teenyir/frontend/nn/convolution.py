"""Convolutions of [batch, channels, spatial...] with one to three spatial axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from teenyir.frontend import linear
from teenyir.frontend.arguments import Count, Margins, Sizes, checked
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.padding import PaddingMode, padded
from teenyir.frontend.nn.spatial import check_channels, with_batch
from teenyir.frontend.nn.weights import uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _check_groups(groups: int, inputs: int, outputs: int) -> None:
    if inputs % groups or outputs % groups:
        fail(f"{groups} groups do not divide {inputs} and {outputs} channels")


class _Convolution(Module):
    """A cross-correlation; `weight` is [outputs, channels / groups, kernel...]."""

    RANK: ClassVar[int]
    weight: Array
    bias: Array | None

    @checked
    def __init__(
        self,
        in_channels: Count,
        out_channels: Count,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Margins | Literal["valid", "same"] = 0,
        dilation: Sizes = 1,
        groups: Count = 1,
        bias: bool = True,
        padding_mode: PaddingMode = "zeros",
        dtype: DTypeLike = "float32",
    ) -> None:
        _check_groups(groups, in_channels, out_channels)
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
        self, padding: Margins | Literal["valid", "same"], kernel: tuple[int, ...]
    ) -> list[tuple[int, int]]:
        if not isinstance(padding, str):
            return [(n, n) for n in per_axis(padding, self.RANK, "padding")]
        if padding == "valid":
            return [(0, 0)] * self.RANK
        spans = [d * (k - 1) for d, k in zip(self.dilation, kernel, strict=True)]
        if set(self.stride) != {1}:
            fail(f"{type(self).__name__} pads to the same extents with stride 1 alone")
        return [(span // 2, span - span // 2) for span in spans]

    def forward(self, x: ArrayLike) -> Tensor:
        return with_batch(type(self).__name__, self.RANK, self._convolved, x)

    def _convolved(self, x: Tensor) -> Tensor:
        check_channels(self, x, self.weight.shape[1] * self.groups)
        padding: Margins = tuple(low for low, _ in self.padding)
        if self.padding_mode != "zeros" or any(low != high for low, high in self.padding):
            x = padded(x, self.padding, self.padding_mode)
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

    @checked
    def __init__(
        self,
        in_channels: Count,
        out_channels: Count,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Margins = 0,
        output_padding: Margins = 0,
        groups: Count = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: Literal["zeros"] = "zeros",
        dtype: DTypeLike = "float32",
    ) -> None:
        _check_groups(groups, in_channels, out_channels)
        kernel, found = per_axis(kernel_size, self.RANK, "kernel_size"), as_dtype(dtype)
        self.stride = per_axis(stride, self.RANK, "stride")
        self.padding = per_axis(padding, self.RANK, "padding")
        self.output_padding = per_axis(output_padding, self.RANK, "output_padding")
        self.dilation = per_axis(dilation, self.RANK, "dilation")
        for more, *steps in zip(self.output_padding, self.stride, self.dilation, strict=True):
            if more >= max(steps):
                fail(f"output_padding is less than stride or dilation, got {output_padding}")
        self.groups = groups
        shape = (in_channels, out_channels // groups, *kernel)
        bound = 1 / math.sqrt(max(math.prod(shape[1:]), 1))
        self.weight = uniform(bound, shape, found)
        self.bias = uniform(bound, (out_channels,), found) if bias else None

    def forward(self, x: ArrayLike, output_size: Sequence[int] | None = None) -> Tensor:
        """`output_size`, the spatial extents or all, says how much `output_padding` there is."""
        extra = self.output_padding
        if output_size is not None:
            extra = self._output_padding(as_tensor(x), tuple(output_size)[-self.RANK :])

        def convolved(tensor: Tensor) -> Tensor:
            check_channels(self, tensor, self.weight.shape[0])
            return linear.conv_transpose(
                tensor,
                self.weight,
                self.bias,
                stride=self.stride,
                padding=self.padding,
                output_padding=extra,
                dilation=self.dilation,
                groups=self.groups,
            )

        return with_batch(type(self).__name__, self.RANK, convolved, x)

    def _output_padding(self, x: Tensor, wanted: tuple[int, ...]) -> tuple[int, ...]:
        extents = x.shape[-self.RANK :]
        kernel = self.weight.shape[2:]
        found: list[int] = []
        for k, (size, extent) in enumerate(zip(wanted, extents, strict=True)):
            reach = self.dilation[k] * (kernel[k] - 1) + 1 - 2 * self.padding[k]
            more = size - (extent - 1) * self.stride[k] - reach if isinstance(extent, int) else -1
            if not 0 <= more < max(self.stride[k], self.dilation[k]):
                fail(f"{type(self).__name__} of extents {x.shape} has no output_size {wanted}")
            found.append(more)
        return tuple(found)


class ConvTranspose1d(_Transposed):
    """The transpose of `Conv1d`."""

    RANK = 1


class ConvTranspose2d(_Transposed):
    """The transpose of `Conv2d`."""

    RANK = 2


class ConvTranspose3d(_Transposed):
    """The transpose of `Conv3d`."""

    RANK = 3
