"""Activations as layers: each calls the function of `ty` of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from teenyir.frontend import activations, elementwise, normalization
from teenyir.frontend.arguments import Count, checked
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.dtypes import DTypeLike
from teenyir.frontend.elementwise import where
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.weights import filled

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class _Changed(Module):
    """An activation that PyTorch may compute in place; here results are always new."""

    @checked
    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


class ReLU(_Changed):
    """`x` where it is positive, elsewhere 0."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.relu(x)


class ReLU6(_Changed):
    """`x` kept between 0 and 6."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.relu6(x)


class LeakyReLU(Module):
    """`x` where it is positive, elsewhere the slope times it."""

    @checked
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        self.negative_slope = negative_slope

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.leaky_relu(x, self.negative_slope)


class PReLU(Module):
    """`LeakyReLU` with a slope for each channel as a parameter, or one for all."""

    weight: Array

    @checked
    def __init__(
        self, num_parameters: Count = 1, init: float = 0.25, dtype: DTypeLike = "float32"
    ) -> None:
        self.weight = filled(init, (num_parameters,), dtype)

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.prelu(x, self.weight)


class ELU(Module):
    """`x` where it is positive, elsewhere `alpha * (exp(x) - 1)`."""

    @checked
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.elu(x, self.alpha)


class SELU(_Changed):
    """`ELU` scaled such that it keeps mean 0 and variance 1."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.selu(x)


class GELU(Module):
    """`x` times the normal distribution's cumulative function of it, or an approximation."""

    @checked
    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        self.approximate: Literal["none", "tanh"] = approximate

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.gelu(x, approximate=self.approximate)


class SiLU(_Changed):
    """`x * sigmoid(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.silu(x)


class Mish(_Changed):
    """`x * tanh(softplus(x))`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.mish(x)


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`, and `x` where `beta * x` is above the threshold."""

    @checked
    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta, self.threshold = beta, threshold

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.softplus(x, self.beta, self.threshold)


class Hardtanh(Module):
    """`x` kept between two values."""

    @checked
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardtanh(x, self.min_val, self.max_val)


class Hardsigmoid(_Changed):
    """`x / 6 + 1/2` kept between 0 and 1."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardsigmoid(x)


class Hardswish(_Changed):
    """`x * hardsigmoid(x)`."""

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.hardswish(x)


class GLU(Module):
    """The first half along `dim` times the sigmoid of the second half."""

    @checked
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


def _axis(x: ArrayLike, dim: int | None) -> int:
    """PyTorch's choice of an axis where there is none: 0 of one axis or of three, otherwise 1."""
    return dim if dim is not None else 0 if as_tensor(x).ndim in (0, 1, 3) else 1


class Softmax(Module):
    """Exponentials along `dim` divided by their sum.

    Without `dim` it is PyTorch's choice: the first of one axis or of three, otherwise the second.
    """

    @checked
    def __init__(self, dim: int | None = None) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(x, axis=_axis(x, self.dim))


class LogSoftmax(Module):
    """The logarithm of `Softmax`."""

    @checked
    def __init__(self, dim: int | None = None) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.log_softmax(x, axis=_axis(x, self.dim))


class CELU(Module):
    """`x` where it is positive, elsewhere `alpha * (exp(x / alpha) - 1)`."""

    @checked
    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
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

    @checked
    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return where(elementwise.abs(tensor) <= self.lambd, 0.0, tensor)


class Softshrink(Module):
    """`x` moved by `lambd` towards 0, which it does not pass."""

    @checked
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

    @checked
    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self.threshold, self.value = threshold, value

    def forward(self, x: ArrayLike) -> Tensor:
        tensor = as_tensor(x)
        return where(tensor <= self.threshold, self.value, tensor)


class RReLU(Module):
    """`LeakyReLU` whose slope is random in training; here it is the mean of its bounds."""

    @checked
    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        self.lower, self.upper = lower, upper

    def forward(self, x: ArrayLike) -> Tensor:
        return activations.leaky_relu(x, (self.lower + self.upper) / 2)


class Softmin(Module):
    """`Softmax` of `-x`."""

    @checked
    def __init__(self, dim: int | None = None) -> None:
        self.dim = dim

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(-as_tensor(x), axis=_axis(x, self.dim))


class Softmax2d(Module):
    """`Softmax` over the channels of [batch, channels, rows, columns]."""

    def forward(self, x: ArrayLike) -> Tensor:
        return normalization.softmax(x, axis=-3)
