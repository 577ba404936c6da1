"""Pooling over the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from teenyir.frontend import pooling
from teenyir.frontend.core import ArrayLike
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Size = int | tuple[int, ...]


class _MaxPool(Module):
    """The maximum of each window; the stride is the window's size unless it is given."""

    RANK: ClassVar[int]

    def __init__(
        self, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1
    ) -> None:
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.stride = per_axis(stride or kernel_size, self.RANK, "stride")
        self.padding = per_axis(padding, self.RANK, "padding")
        self.dilation = per_axis(dilation, self.RANK, "dilation")

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.max_pool(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
        )


class MaxPool1d(_MaxPool):
    """The maximum of each window of [batch, channels, elements]."""

    RANK = 1


class MaxPool2d(_MaxPool):
    """The maximum of each window of [batch, channels, rows, columns]."""

    RANK = 2


class MaxPool3d(_MaxPool):
    """The maximum of each window of [batch, channels, planes, rows, columns]."""

    RANK = 3


class _AvgPool(Module):
    """The mean of each window; padded zeros count, unless `count_include_pad` is False."""

    RANK: ClassVar[int]

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.stride = per_axis(stride or kernel_size, self.RANK, "stride")
        self.padding = per_axis(padding, self.RANK, "padding")
        self.count_include_pad = count_include_pad

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.avg_pool(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            count_include_pad=self.count_include_pad,
        )


class AvgPool1d(_AvgPool):
    """The mean of each window of [batch, channels, elements]."""

    RANK = 1


class AvgPool2d(_AvgPool):
    """The mean of each window of [batch, channels, rows, columns]."""

    RANK = 2


class AvgPool3d(_AvgPool):
    """The mean of each window of [batch, channels, planes, rows, columns]."""

    RANK = 3


class AdaptiveAvgPool2d(Module):
    """The means of so many equal parts of the rows and of the columns."""

    def __init__(self, output_size: Size) -> None:
        self.output_size = per_axis(output_size, 2, "output_size")

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.adaptive_avg_pool(x, self.output_size)
