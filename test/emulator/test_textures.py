"""Textures and surfaces, in code that nvcc made from CUDA's texture objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teenyir import emulator

MODULE = Path(__file__).parent / "fixtures" / "textures.ptx"
RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module")
def module() -> emulator.Module:
    return emulator.load(MODULE)


def test_fetch(module: emulator.Module) -> None:
    image = RANDOM.standard_normal((8, 16)).astype(np.float32)
    out = np.zeros((8, 16), np.float32)
    module.launch("fetch", grid=1, block=(16, 8), args=[emulator.Texture(image), out])
    assert (out == image).all()


@pytest.mark.parametrize("address", ["clamp", "wrap", "mirror", "border"])
def test_nearest(module: emulator.Module, address: Any) -> None:
    image = RANDOM.standard_normal((8, 16, 4)).astype(np.float32)
    texture = emulator.Texture(image, channels=4, address=address, normalised=True)
    out = np.zeros((8, 16, 4), np.float32)
    shift = np.float32(0.75)
    module.launch("nearest", grid=1, block=(16, 8), args=[texture, out, shift])
    x = np.floor((np.arange(16) + 0.5) + 12).astype(int)
    want = {
        "clamp": image[:, np.minimum(x, 15)],
        "wrap": image[:, x % 16],
        "mirror": image[:, np.minimum(x % 32, 31 - x % 32)],
        "border": np.where((x < 16)[None, :, None], image[:, x % 16], 0),
    }[address]
    assert (out == want).all()


def test_linear(module: emulator.Module) -> None:
    image = np.arange(128, dtype=np.float32).reshape(8, 16)
    out = np.zeros((8, 16), np.float32)
    texture = emulator.Texture(image, filter="linear")
    module.launch("linear", grid=1, block=(16, 8), args=[texture, out])
    y, x = np.mgrid[:8, :16]
    want = np.minimum(x + 0.25, 15) + 16 * np.minimum(y + 0.5, 7)
    np.testing.assert_allclose(out, want)


def test_gather(module: emulator.Module) -> None:
    image = np.arange(128, dtype=np.float32).reshape(8, 16)
    out = np.zeros((4, 4), np.float32)
    module.launch("gather", grid=1, block=4, args=[emulator.Texture(image), out])
    x = np.arange(4)
    corners = np.stack([image[3, x], image[3, x + 1], image[2, x + 1], image[2, x]], axis=1)
    assert (out == corners).all()


def test_surface(module: emulator.Module) -> None:
    image = RANDOM.integers(0, 100, (8, 16)).astype(np.int32)
    before = image.copy()
    module.launch("surface", grid=1, block=(16, 8), args=[emulator.Surface(image)])
    assert (image == before[:, ::-1] + 1).all()


def test_handles_are_checked(module: emulator.Module) -> None:
    out = np.zeros((8, 16), np.float32)
    with pytest.raises(emulator.ExecutionError, match="is no handle of a texture"):
        module.launch("fetch", grid=1, block=(16, 8), args=[5, out])
    small = emulator.Surface(np.zeros((8, 8), np.int32))
    with pytest.raises(emulator.ExecutionError, match="surface access out of bounds"):
        module.launch("surface", grid=1, block=(16, 8), args=[small])
