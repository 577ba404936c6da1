"""Activations as layers: each calls the function of `ty` of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from teenyir.frontend import activations, elementwise, normalization
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import where
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class ReLU(Module):
    """`x` where it is positive, elsewhere 0."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.relu(x)


class ReLU6(Module):
    """`x` kept between 0 and 6."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.relu6(x)


class LeakyReLU(Module):
    """`x` where it is positive, elsewhere the slope times it."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.leaky_relu(x, self.negative_slope)


class PReLU(Module):
    """`LeakyReLU` with a slope for each channel as a parameter, or one for all."""

    weight: Array

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, dtype: DTypeLike = "float32"
    ) -> None:
        self.weight = np.full(num_parameters, init, as_dtype(dtype).numpy())

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.prelu(x, self.weight)


class ELU(Module):
    """`x` where it is positive, elsewhere `alpha * (exp(x) - 1)`."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.elu(x, self.alpha)


class SELU(Module):
    """`ELU` scaled such that it keeps mean 0 and variance 1."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.selu(x)


class GELU(Module):
    """`x` times the normal distribution's cumulative function of it, or an approximation."""

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        self.approximate: Literal["none", "tanh"] = approximate

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.gelu(x, approximate=self.approximate)


class SiLU(Module):
    """`x * sigmoid(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.silu(x)


class Mish(Module):
    """`x * tanh(softplus(x))`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.mish(x)


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`."""

    def __init__(self, beta: float = 1.0) -> None:
        self.beta = beta

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.softplus(x, self.beta)


class Hardtanh(Module):
    """`x` kept between two values."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardtanh(x, self.min_val, self.max_val)


class Hardsigmoid(Module):
    """`x / 6 + 1/2` kept between 0 and 1."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardsigmoid(x)


class Hardswish(Module):
    """`x * hardsigmoid(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardswish(x)


class GLU(Module):
    """The first half along `dim` times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.glu(x, axis=self.dim)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: ArrayLike) -> Tensor:
        return elementwise.tanh(x)


class Sigmoid(Module):
    """`1 / (1 + exp(-x))`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.sigmoid(x)


class Softmax(Module):
    """Exponentials along `dim` divided by their sum."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(x, axis=self.dim)


class LogSoftmax(Module):
    """The logarithm of `Softmax`."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.log_softmax(x, axis=self.dim)


class CELU(Module):
    """`x` where it is positive, elsewhere `alpha * (exp(x / alpha) - 1)`."""

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.celu(x, self.alpha)


class Softsign(Module):
    """`x / (1 + abs(x))`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.softsign(x)


class LogSigmoid(Module):
    """The logarithm of `Sigmoid`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.logsigmoid(x)


class Hardshrink(Module):
    """`x`, but 0 from `-lambd` to `lambd`."""

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return where(elementwise.abs(tensor) <= self.lambd, 0.0, tensor)


class Softshrink(Module):
    """`x` moved by `lambd` towards 0, which it does not pass."""

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return tensor - elementwise.clip(tensor, -self.lambd, self.lambd)


class Tanhshrink(Module):
    """`x - tanh(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return tensor - elementwise.tanh(tensor)


class Threshold(Module):
    """`x` where it is greater than `threshold`, elsewhere `value`."""

    def __init__(self, threshold: float, value: float) -> None:
        self.threshold, self.value = threshold, value

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return where(tensor <= self.threshold, self.value, tensor)


class RReLU(Module):
    """`LeakyReLU` whose slope is random in training; here it is the mean of its bounds."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        self.lower, self.upper = lower, upper

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.leaky_relu(x, (self.lower + self.upper) / 2)


class Softmin(Module):
    """`Softmax` of `-x`."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(-as_tensor(x), axis=self.dim)


class Softmax2d(Module):
    """`Softmax` over the channels of [batch, channels, rows, columns]."""

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(x, axis=-3)
