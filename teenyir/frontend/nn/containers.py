"""Modules that hold others, or do nothing but arrange."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teenyir.frontend import movement
from teenyir.frontend.core import ArrayLike, as_tensor
from teenyir.frontend.dims import Extent
from teenyir.frontend.nn.module import Module

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


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

    def __iter__(self) -> Iterator[Module]:
        return iter(self.layers)

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class ModuleList(Module):
    """Modules in a list, whose parameters are called `0.weight`, `1.weight`, ..."""

    def __init__(self, modules: Sequence[Module] = ()) -> None:
        self.layers = list(modules)

    def children(self) -> dict[str, Any]:
        return {str(position): layer for position, layer in enumerate(self.layers)}

    def __getitem__(self, position: int) -> Module:
        return self.layers[position]

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Module]:
        return iter(self.layers)

    def append(self, module: Module) -> None:
        """Add a module at the end."""
        self.layers.append(module)


class ModuleDict(Module):
    """Modules by names, after which their parameters are called: `dense.weight`, ..."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.layers = dict(modules or {})

    def children(self) -> dict[str, Any]:
        return self.layers

    def __getitem__(self, name: str) -> Module:
        return self.layers[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.layers[name] = module

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self.layers)


class Identity(Module):
    """What comes in."""

    def forward(self, x: ArrayLike) -> Tensor:
        return as_tensor(x)


class Dropout(Identity):
    """What comes in: elements are dropped in training alone, and a traced program is inference."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p


class Flatten(Module):
    """The axes from `start_dim` to `end_dim` made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: ArrayLike) -> Tensor:
        return movement.flatten(x, self.start_dim, self.end_dim)


class Unflatten(Module):
    """The axis `dim` made several."""

    def __init__(self, dim: int, unflattened_size: Sequence[Extent]) -> None:
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, x: Tensor) -> Tensor:
        dim = self.dim % max(x.ndim, 1)
        return x.reshape((*x.shape[:dim], *self.unflattened_size, *x.shape[dim + 1 :]))


class PixelShuffle(Module):
    """[batch, channels * r * r, rows, columns] as [batch, channels, rows * r, columns * r]."""

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor = upscale_factor

    def forward(self, x: Tensor) -> Tensor:
        r = self.upscale_factor
        batch, channels, rows, columns = x.shape
        parts = x.reshape((batch, channels // (r * r), r, r, rows, columns))
        return parts.permute_dims(0, 1, 4, 2, 5, 3).reshape(
            (batch, channels // (r * r), rows * r, columns * r)
        )


class PixelUnshuffle(Module):
    """[batch, channels, rows * r, columns * r] as [batch, channels * r * r, rows, columns]."""

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor = downscale_factor

    def forward(self, x: Tensor) -> Tensor:
        r = self.downscale_factor
        batch, channels, rows, columns = x.shape
        parts = x.reshape((batch, channels, rows // r, r, columns // r, r))
        return parts.permute_dims(0, 1, 3, 5, 2, 4).reshape(
            (batch, channels * r * r, rows // r, columns // r)
        )
