"""Pooling over the spatial axes of [batch, channels, spatial...], or of [channels, spatial...]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from teenyir.frontend import pooling, unpooling
from teenyir.frontend.arguments import Margins, Positive, Sizes, checked
from teenyir.frontend.core import ArrayLike
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.spatial import with_batch
from teenyir.frontend.pooling import Parts

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class _Pool(Module):
    """Windows, whose stride is their size unless it is given."""

    RANK: ClassVar[int]

    @checked
    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None) -> None:
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.stride = per_axis(kernel_size if stride is None else stride, self.RANK, "stride")

    def pool(self, x: Tensor) -> Any:
        """The windows of [batch, channels, spatial...] combined."""
        raise NotImplementedError

    def forward(self, x: ArrayLike) -> Any:
        return with_batch(type(self).__name__, self.RANK, self.pool, x)


class _MaxPool(_Pool):
    """The maximum of each window, and with `return_indices` where it is."""

    @checked
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Margins = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride)
        self.padding = per_axis(padding, self.RANK, "padding")
        self.dilation = per_axis(dilation, self.RANK, "dilation")
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def pool(self, x: Tensor) -> Any:
        function = pooling.max_pool_with_indices if self.return_indices else pooling.max_pool
        return function(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            ceil_mode=self.ceil_mode,
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


class _AvgPool(_Pool):
    """The mean of each window; padded zeros count, unless `count_include_pad` is False."""

    @checked
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Margins = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride)
        self.padding = per_axis(padding, self.RANK, "padding")
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def pool(self, x: Tensor) -> Tensor:
        return pooling.avg_pool(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            ceil_mode=self.ceil_mode,
            count_include_pad=self.count_include_pad,
            divisor_override=self.divisor_override,
        )


class AvgPool1d(_AvgPool):
    """The mean of each window of [batch, channels, elements]."""

    RANK = 1

    @checked
    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Margins = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)


class AvgPool2d(_AvgPool):
    """The mean of each window of [batch, channels, rows, columns]."""

    RANK = 2


class AvgPool3d(_AvgPool):
    """The mean of each window of [batch, channels, planes, rows, columns]."""

    RANK = 3


class _LPPool(_Pool):
    """The root of the sum of powers of each window."""

    @checked
    def __init__(
        self,
        norm_type: Positive,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride)
        self.norm_type, self.ceil_mode = norm_type, ceil_mode

    def pool(self, x: Tensor) -> Tensor:
        return pooling.lp_pool(
            x, self.norm_type, self.kernel_size, stride=self.stride, ceil_mode=self.ceil_mode
        )


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
    """The means of so many parts of each axis; None leaves an axis as it is."""

    RANK: ClassVar[int]

    @checked
    def __init__(self, output_size: Parts) -> None:
        self.output_size = output_size

    def forward(self, x: ArrayLike) -> Tensor:
        return with_batch(type(self).__name__, self.RANK, self._pool, x)

    def _pool(self, x: Tensor) -> Tensor:
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
    """The maxima of so many parts of each axis, and with `return_indices` where they are."""

    RANK: ClassVar[int]

    @checked
    def __init__(self, output_size: Parts, return_indices: bool = False) -> None:
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, x: ArrayLike) -> Any:
        return with_batch(type(self).__name__, self.RANK, self._pool, x)

    def _pool(self, x: Tensor) -> Any:
        if self.return_indices:
            return unpooling.adaptive_max_pool_with_indices(x, self.output_size)
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
