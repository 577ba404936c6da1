"""Normalisations. Each says what PyTorch's layer of the same name computes in inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from teenyir.dialects import graph
from teenyir.frontend import normalization
from teenyir.frontend.arguments import Count, Natural, NonNegative, checked
from teenyir.frontend.borders import around
from teenyir.frontend.core import Array, ArrayLike, as_tensor, cast_to
from teenyir.frontend.dtypes import DTypeLike
from teenyir.frontend.elementwise import power
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module, refuse
from teenyir.frontend.nn.spatial import with_batch
from teenyir.frontend.nn.weights import filled
from teenyir.frontend.reductions import computing

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _check_last(module: Module, x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The last axes, whose extents are to be `shape`."""
    if x.shape[x.ndim - len(shape) :] != shape:
        refuse(module, f"over {shape}", x)
    return tuple(range(-len(shape), 0))


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, then scaled and moved by parameters."""

    weight: Array | None
    bias: Array | None

    @checked
    def __init__(
        self,
        normalized_shape: Natural | Sequence[Natural],
        eps: NonNegative = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.weight = filled(1, self.normalized_shape, dtype) if elementwise_affine else None
        affine = elementwise_affine and bias
        self.bias = filled(0, self.normalized_shape, dtype) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        axes = _check_last(self, x, self.normalized_shape)
        return normalization.layer_norm(x, axes, self.weight, self.bias, eps=self.eps)


class RMSNorm(Module):
    """Divided by the root of the mean square over the last axes, then scaled by a parameter.

    Without `eps` it is the distance of 1 from the next number of the input's dtype.
    """

    weight: Array | None

    @checked
    def __init__(
        self,
        normalized_shape: Natural | Sequence[Natural],
        eps: NonNegative | None = None,
        elementwise_affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        self.weight = filled(1, self.normalized_shape, dtype) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        axes = _check_last(self, x, self.normalized_shape)
        eps = _epsilon(x) if self.eps is None else self.eps
        return normalization.rms_norm(x, axes, self.weight, eps=eps)


def _epsilon(x: Tensor) -> float:
    import ml_dtypes

    if x.dtype.kind != "float":
        fail(f"RMSNorm takes floats, got {x.dtype}")
    limits = cast(Any, ml_dtypes).finfo(x.dtype.numpy())
    return float(limits.eps)


def _affine(
    count: int, affine: bool, bias: bool, dtype: DTypeLike
) -> tuple[Array | None, Array | None]:
    """What channels are scaled and moved by, where they are."""
    weight = filled(1, (count,), dtype) if affine else None
    return weight, filled(0, (count,), dtype) if affine and bias else None


def _statistics(count: int, tracked: bool, dtype: DTypeLike) -> tuple[Any, Any, Any]:
    """The mean and the variance that training leaves, and how many batches it has seen."""
    if not tracked:
        return None, None, None
    zeros, ones = filled(0, (count,), dtype), filled(1, (count,), dtype)
    return zeros, ones, np.zeros((), np.int64)


class GroupNorm(Module):
    """Mean 0 and variance 1 within groups of channels, then scaled and moved by channel."""

    weight: Array | None
    bias: Array | None

    @checked
    def __init__(
        self,
        num_groups: Count,
        num_channels: Count,
        eps: NonNegative = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
        *,
        bias: bool = True,
    ) -> None:
        if num_channels % num_groups:
            fail(f"{num_groups} groups do not divide {num_channels} channels")
        self.num_groups, self.eps = num_groups, eps
        self.weight, self.bias = _affine(num_channels, affine, bias, dtype)

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.group_norm(x, self.num_groups, self.weight, self.bias, eps=self.eps)


class _BatchNorm(Module):
    """Channels moved and scaled by the mean and variance that training has left.

    Without `track_running_stats` the mean and the variance are the batch's own.
    """

    RANKS: ClassVar[tuple[int, ...]]
    weight: Array | None
    bias: Array | None
    running_mean: Array | None
    running_var: Array | None
    num_batches_tracked: Array | None

    @checked
    def __init__(
        self,
        num_features: Natural,
        eps: NonNegative = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: DTypeLike = "float32",
        *,
        bias: bool = True,
    ) -> None:
        self.num_features, self.eps = num_features, eps
        self.weight, self.bias = _affine(num_features, affine, bias, dtype)
        found = _statistics(num_features, track_running_stats, dtype)
        self.running_mean, self.running_var, self.num_batches_tracked = found

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        if tensor.ndim not in self.RANKS or tensor.shape[1] != self.num_features:
            ranks = f"{self.RANKS[0]} or {self.RANKS[-1]}" if self.RANKS[1:] else self.RANKS[0]
            wanted = f"{ranks} axes and {self.num_features} channels"
            refuse(self, f"takes {wanted}", tensor)
        mean, spread = self.running_mean, self.running_var
        if mean is None or spread is None:
            wide = computing(tensor)
            axes = (0, *range(2, tensor.ndim))
            mean, spread = wide.mean(axis=axes), wide.var(axis=axes)
        return normalization.batch_norm(tensor, mean, spread, self.weight, self.bias, eps=self.eps)


class BatchNorm1d(_BatchNorm):
    """Of [batch, channels] or [batch, channels, elements]."""

    RANKS = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Of [batch, channels, rows, columns]."""

    RANKS = (4,)


class BatchNorm3d(_BatchNorm):
    """Of [batch, channels, planes, rows, columns]."""

    RANKS = (5,)


class SyncBatchNorm(_BatchNorm):
    """Of [batch, channels, ...]; what devices tell one another is a matter of training."""

    RANKS = tuple(range(2, 17))

    @checked
    def __init__(
        self,
        num_features: Natural,
        eps: NonNegative = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any | None = None,
        dtype: DTypeLike = "float32",
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias=bias)


class LocalResponseNorm(Module):
    """`x / (k + alpha * mean) ** beta`, the mean of the squares of `size` channels around each.

    Of [batch, channels, ...]; channels that there are not count as zeros.
    """

    @checked
    def __init__(
        self, size: Count, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
    ) -> None:
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        if tensor.ndim < 3:
            refuse(self, "takes [batch, channels, ...]", tensor)
        wide = computing(tensor)
        rest = [0] * (tensor.ndim - 2)
        low, high = (0, self.size // 2, *rest), (0, (self.size - 1) // 2, *rest)
        squares = around(wide * wide, low, high, wide.trace.constant(0, wide.dtype))
        windows = squares.trace.emit(graph.WindowOp, squares.value, (1,), (self.size,), (1,), (1,))
        total = windows.sum(axis=-1) / float(self.size)
        return cast_to(wide / power(total * self.alpha + self.k, self.beta), tensor.dtype)


class _InstanceNorm(Module):
    """Mean 0 and variance 1 within each channel, of itself or as training has left them."""

    RANK: ClassVar[int]
    weight: Array | None
    bias: Array | None
    running_mean: Array | None
    running_var: Array | None
    num_batches_tracked: Array | None

    @checked
    def __init__(
        self,
        num_features: Natural,
        eps: NonNegative = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        dtype: DTypeLike = "float32",
        *,
        bias: bool = True,
    ) -> None:
        self.num_features, self.eps = num_features, eps
        self.weight, self.bias = _affine(num_features, affine, bias, dtype)
        found = _statistics(num_features, track_running_stats, dtype)
        self.running_mean, self.running_var, self.num_batches_tracked = found

    def forward(self, x: ArrayLike) -> Tensor:
        return with_batch(type(self).__name__, self.RANK, self._normalized, x)

    def _normalized(self, tensor: Tensor) -> Tensor:
        if tensor.shape[1] != self.num_features:
            wanted = f"{self.num_features} channels"
            refuse(self, f"takes {wanted}", tensor)
        affine = self.weight, self.bias
        if self.running_mean is None or self.running_var is None:
            return normalization.instance_norm(tensor, *affine, eps=self.eps)
        left = self.running_mean, self.running_var
        return normalization.batch_norm(tensor, *left, *affine, eps=self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Of [batch, channels, elements]."""

    RANK = 1


class InstanceNorm2d(_InstanceNorm):
    """Of [batch, channels, rows, columns]."""

    RANK = 2


class InstanceNorm3d(_InstanceNorm):
    """Of [batch, channels, planes, rows, columns]."""

    RANK = 3
