"""Textures and surfaces: host arrays behind opaque handles.

A handle is a 64-bit number that a kernel takes as a parameter. Arrays have the shape (width,),
(height, width) or (depth or layers, height, width), with the channels as a last axis where there
is more than one. Mipmaps, cubes and multisampling are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from teenyir.emulator.types import Array


@dataclass(frozen=True, slots=True)
class Texture:
    """An array to sample. `channels` counts the last axis's elements; 1: there is no such axis.

    `filter` and `address` are for float coordinates, which lie in [0, 1) if `normalised`.
    """

    array: Array
    channels: int = 1
    filter: Literal["nearest", "linear"] = "nearest"
    address: Literal["clamp", "wrap", "mirror", "border"] = "clamp"
    normalised: bool = False

    @property
    def texels(self) -> Array:
        """The array with its channels as the last axis."""
        return self.array if self.channels > 1 else self.array[..., None]


@dataclass(frozen=True, slots=True)
class Surface:
    """An array that kernels read and write in place, by bytes along the last spatial axis."""

    array: Array
    channels: int = 1

    @property
    def texels(self) -> Array:
        """The array with its channels as the last axis."""
        return self.array if self.channels > 1 else self.array[..., None]


HANDLE = 0x7E0000
"""The first handle; further ones follow 64 apart."""


class Handles:
    """The textures and surfaces of a launch by handle."""

    def __init__(self) -> None:
        self.objects: dict[int, Texture | Surface] = {}

    def add(self, made: Texture | Surface) -> int:
        """The handle of a texture or surface."""
        handle = HANDLE + 64 * len(self.objects)
        self.objects[handle] = made
        return handle
