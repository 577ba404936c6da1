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


class _LPPool(Module):
    """The root of the sum of powers of each window."""

    RANK: ClassVar[int]

    def __init__(self, norm_type: float, kernel_size: Size, stride: Size | None = None) -> None:
        self.norm_type = norm_type
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.stride = per_axis(stride or kernel_size, self.RANK, "stride")

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.lp_pool(x, self.norm_type, self.kernel_size, stride=self.stride)


class LPPool1d(_LPPool):
    """The root of the sum of powers of each window of [batch, channels, elements]."""

    RANK = 1


class LPPool2d(_LPPool):
    """The root of the sum of powers of each window of [batch, channels, rows, columns]."""

    RANK = 2


class LPPool3d(_LPPool):
    """The root of the sum of powers of each window of [batch, channels, planes, rows, columns]."""

    RANK = 3


class _AdaptiveAvgPool(Module):
    """The means of so many parts of each axis."""

    RANK: ClassVar[int]

    def __init__(self, output_size: Size) -> None:
        self.output_size = per_axis(output_size, self.RANK, "output_size")

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.adaptive_avg_pool(x, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of so many parts of each axis of [batch, channels, elements]."""

    RANK = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of so many parts of each axis of [batch, channels, rows, columns]."""

    RANK = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of so many parts of each axis of [batch, channels, planes, rows, columns]."""

    RANK = 3


class _AdaptiveMaxPool(Module):
    """The maxima of so many parts of each axis."""

    RANK: ClassVar[int]

    def __init__(self, output_size: Size) -> None:
        self.output_size = per_axis(output_size, self.RANK, "output_size")

    def forward(self, x: ArrayLike) -> Tensor:
        return pooling.adaptive_max_pool(x, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The maxima of so many parts of each axis of [batch, channels, elements]."""

    RANK = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The maxima of so many parts of each axis of [batch, channels, rows, columns]."""

    RANK = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The maxima of so many parts of each axis of [batch, channels, planes, rows, columns]."""

    RANK = 3
