"""Normalisations. Each says what PyTorch's layer of the same name computes in inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from teenyir.frontend import normalization
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


def _check_last(module: Module, x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The last axes, whose extents are to be `shape`."""
    if x.shape[x.ndim - len(shape) :] != shape:
        fail(f"{type(module).__name__} over {shape} got extents {x.shape}")
    return tuple(range(-len(shape), 0))


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last axes, then scaled and moved by parameters."""

    weight: Array | None
    bias: Array | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        found = as_dtype(dtype).numpy()
        self.weight = np.ones(self.normalized_shape, found) if elementwise_affine else None
        affine = elementwise_affine and bias
        self.bias = np.zeros(self.normalized_shape, found) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        axes = _check_last(self, x, self.normalized_shape)
        return normalization.layer_norm(x, axes, self.weight, self.bias, eps=self.eps)


class RMSNorm(Module):
    """Divided by the root of the mean square over the last axes, then scaled by a parameter.

    Without `eps` it is the distance of 1 from the next number of the input's dtype.
    """

    weight: Array | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        shape = normalized_shape
        self.normalized_shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.eps = eps
        found = as_dtype(dtype).numpy()
        self.weight = np.ones(self.normalized_shape, found) if elementwise_affine else None

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


class GroupNorm(Module):
    """Mean 0 and variance 1 within groups of channels, then scaled and moved by channel."""

    weight: Array | None
    bias: Array | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.num_groups, self.eps = num_groups, eps
        found = as_dtype(dtype).numpy()
        self.weight = np.ones(num_channels, found) if affine else None
        self.bias = np.zeros(num_channels, found) if affine else None

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.group_norm(x, self.num_groups, self.weight, self.bias, eps=self.eps)


class _BatchNorm(Module):
    """Channels moved and scaled by the mean and variance that training has left."""

    RANKS: ClassVar[tuple[int, ...]]
    weight: Array | None
    bias: Array | None
    running_mean: Array
    running_var: Array
    num_batches_tracked: Array

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.eps = eps
        found = as_dtype(dtype).numpy()
        self.weight = np.ones(num_features, found) if affine else None
        self.bias = np.zeros(num_features, found) if affine else None
        self.running_mean = np.zeros(num_features, found)
        self.running_var = np.ones(num_features, found)
        self.num_batches_tracked = np.zeros((), np.int64)

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        if tensor.ndim not in self.RANKS:
            ranks = " or ".join(map(str, self.RANKS))
            fail(f"{type(self).__name__} takes {ranks} axes, got extents {tensor.shape}")
        return normalization.batch_norm(
            tensor, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
        )


class BatchNorm1d(_BatchNorm):
    """Of [batch, channels] or [batch, channels, elements]."""

    RANKS = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Of [batch, channels, rows, columns]."""

    RANKS = (4,)


class BatchNorm3d(_BatchNorm):
    """Of [batch, channels, planes, rows, columns]."""

    RANKS = (5,)


class _InstanceNorm(Module):
    """Mean 0 and variance 1 within each channel, of itself or as training has left them."""

    RANK: ClassVar[int]
    weight: Array | None
    bias: Array | None
    running_mean: Array | None
    running_var: Array | None
    num_batches_tracked: Array | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        affine: bool = False,
        track_running_stats: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.num_features, self.eps = num_features, eps
        found = as_dtype(dtype).numpy()
        self.weight = np.ones(num_features, found) if affine else None
        self.bias = np.zeros(num_features, found) if affine else None
        self.running_mean = np.zeros(num_features, found) if track_running_stats else None
        self.running_var = np.ones(num_features, found) if track_running_stats else None
        self.num_batches_tracked = np.zeros((), np.int64) if track_running_stats else None

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        if tensor.ndim != self.RANK + 2 or tensor.shape[1] != self.num_features:
            wanted = f"{self.RANK + 2} axes and {self.num_features} channels"
            fail(f"{type(self).__name__} takes {wanted}, got extents {tensor.shape}")
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
