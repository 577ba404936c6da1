"""The layers. Each class says what PyTorch's layer of the same name computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from teenyir.frontend import composites, elementwise, linear, movement
from teenyir.frontend.core import Array, ArrayLike
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module, uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Size = int | tuple[int, int]


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size


class Sequential(Module):
    """Modules one after the other; their parameters are called `0.weight`, `1.weight`, ..."""

    def __init__(self, *layers: Module) -> None:
        self.layers = list(layers)

    def children(self) -> dict[str, Any]:
        return {str(position): layer for position, layer in enumerate(self.layers)}

    def __getitem__(self, position: int) -> Module:
        return self.layers[position]

    def __len__(self) -> int:
        return len(self.layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class Linear(Module):
    """`x @ weight.T + bias` over the last axis; `weight` is [outputs, inputs]."""

    weight: Array
    bias: Array | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, dtype: DTypeLike = "float32"
    ) -> None:
        found, bound = as_dtype(dtype), 1 / math.sqrt(max(in_features, 1))
        self.weight = uniform(bound, (out_features, in_features), found)
        self.bias = uniform(bound, (out_features,), found) if bias else None

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.linear(x, self.weight, self.bias)


class Conv2d(Module):
    """A cross-correlation of [batch, channels, rows, columns]."""

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
        dtype: DTypeLike = "float32",
    ) -> None:
        if groups < 1 or in_channels % groups or out_channels % groups:
            fail(f"{groups} groups do not divide {in_channels} and {out_channels} channels")
        self.stride, self.dilation, self.groups = _pair(stride), _pair(dilation), groups
        kernel, found = _pair(kernel_size), as_dtype(dtype)
        self.padding = self._padding(padding, kernel)
        shape = (out_channels, in_channels // groups, *kernel)
        bound = 1 / math.sqrt(max(math.prod(shape[1:]), 1))
        self.weight = uniform(bound, shape, found)
        self.bias = uniform(bound, (out_channels,), found) if bias else None

    def _padding(
        self, padding: Size | Literal["valid", "same"], kernel: tuple[int, int]
    ) -> tuple[int, int]:
        if not isinstance(padding, str):
            return _pair(padding)
        if padding == "valid":
            return 0, 0
        spans = [d * (k - 1) for d, k in zip(self.dilation, kernel, strict=True)]
        if padding != "same" or self.stride != (1, 1) or any(span % 2 for span in spans):
            fail(f"padding {padding!r} is 'valid', or 'same' with stride 1 and odd kernels")
        return spans[0] // 2, spans[1] // 2

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.conv(
            x,
            self.weight,
            self.bias,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            groups=self.groups,
        )


class MaxPool2d(Module):
    """The maximum of each window of [batch, channels, rows, columns]."""

    def __init__(
        self, kernel_size: Size, stride: Size | None = None, padding: Size = 0, dilation: Size = 1
    ) -> None:
        self.kernel_size, self.stride = _pair(kernel_size), _pair(stride or kernel_size)
        self.padding, self.dilation = _pair(padding), _pair(dilation)

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.max_pool(
            x,
            self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
        )


class AvgPool2d(Module):
    """The mean of each window of [batch, channels, rows, columns], padded zeros counted."""

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        self.kernel_size, self.stride = _pair(kernel_size), _pair(stride or kernel_size)
        self.padding = _pair(padding)

    def forward(self, x: ArrayLike) -> Tensor:
        return linear.avg_pool(x, self.kernel_size, stride=self.stride, padding=self.padding)


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
        count = len(self.normalized_shape)
        if x.shape[x.ndim - count :] != self.normalized_shape:
            fail(f"LayerNorm over {self.normalized_shape} got extents {x.shape}")
        return composites.layer_norm(
            x, tuple(range(-count, 0)), self.weight, self.bias, eps=self.eps
        )


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: ArrayLike) -> Tensor:
        return movement.flatten(x, self.start_dim, self.end_dim)


class Softmax(Module):
    """Exponentials along `dim` divided by their sum."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return composites.softmax(x, axis=self.dim)


class GELU(Module):
    """`x` times the normal distribution's cumulative function of it, or an approximation."""

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        self.approximate: Literal["none", "tanh"] = approximate

    def forward(self, x: ArrayLike) -> Tensor:
        return composites.gelu(x, approximate=self.approximate)


class ReLU(Module):
    """`x` where it is positive, elsewhere 0."""

    def forward(self, x: ArrayLike) -> Tensor:
        return composites.relu(x)


class SiLU(Module):
    """`x * sigmoid(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return composites.silu(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: ArrayLike) -> Tensor:
        return elementwise.tanh(x)


class Sigmoid(Module):
    """`1 / (1 + exp(-x))`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return composites.sigmoid(x)
