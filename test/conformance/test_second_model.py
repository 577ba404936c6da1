"""A model that the lowering was not written for goes down the tower unchanged.

A convolution with stride and padding, then an MLP with LayerNorm over the last axis of a rank-4
tensor, in float16 and in float32, compiled once for any number of rows. The reference is numpy in
float64, written out by hand on the same (rounded) weights.

Tolerance: eight half units in the last place of the largest output. Each of the eight roundings
between input and output moves a value by one at most, and seldom all the same way: rounding after
every operation in numpy comes to 2.5. A wrong index or a lost term lies far outside.
"""

from functools import cache
from math import erf
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir import nn

Array = NDArray[Any]
DTYPES = {"float16": ty.float16, "float32": ty.float32}
BATCHES = (1, 2, 7, 33)
EPSILON = 1e-5


def weights(dtype: str) -> dict[str, Array]:
    """Random weights, by the names that their places in `Sequential` give them."""
    random = np.random.default_rng(7)
    shapes = {
        "0.weight": (6, 3, 3, 3),
        "0.bias": (6,),
        "1.weight": (8,),
        "1.bias": (8,),
        "2.weight": (24, 8),
        "2.bias": (24,),
        "4.weight": (5, 24),
        "4.bias": (5,),
    }
    return {
        name: (random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(dtype)
        for name, shape in shapes.items()
    }


@cache
def compiled(dtype: str) -> ty.Compiled:
    """The model, (N, 3, 10, 16) to (N, 6, 5, 5), compiled once for every N."""
    element = DTYPES[dtype]
    model = nn.Sequential(
        nn.Conv2d(3, 6, 3, stride=2, padding=1, dtype=element),
        nn.LayerNorm(8, dtype=element),
        nn.Linear(8, 24, dtype=element),
        nn.GELU(),
        nn.Linear(24, 5, dtype=element),
    )
    model.load_state_dict(weights(dtype))
    n = ty.Dim("N", min=1, max=64)
    return ty.trace(model, ty.Spec((n, 3, 10, 16), element)).lower(target="cpu").compile()


def convolve(x: Array, weight: Array, bias: Array) -> Array:
    """Stride 2, padding 1: each output pixel is a sum over a window of the padded image."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    y = np.zeros((len(x), len(weight), 5, 8))
    for row in range(5):
        for column in range(8):
            window = padded[:, :, 2 * row : 2 * row + 3, 2 * column : 2 * column + 3]
            y[:, :, row, column] = np.einsum("nchw,ochw->no", window, weight) + bias
    return y


def layer_norm(x: Array, weight: Array, bias: Array) -> Array:
    """To mean 0 and variance 1 along the last axis, then scaled and moved."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + EPSILON) * weight + bias


def gelu(x: Array) -> Array:
    """The exact form: x times the normal distribution's probability of less than x."""
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def reference(x: Array, dtype: str) -> Array:
    """The model in float64."""
    w = {name: value.astype(np.float64) for name, value in weights(dtype).items()}
    y = convolve(x.astype(np.float64), w["0.weight"], w["0.bias"])
    y = layer_norm(y, w["1.weight"], w["1.bias"])
    y = gelu(y @ w["2.weight"].T + w["2.bias"])
    return y @ w["4.weight"].T + w["4.bias"]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_second_model(dtype: str, batch: int) -> None:
    x = np.random.default_rng(batch).standard_normal((batch, 3, 10, 16)).astype(dtype)
    y = compiled(dtype)(x)
    expected = reference(x, dtype)
    assert y.shape == expected.shape == (batch, 6, 5, 5)
    assert y.dtype == np.dtype(dtype)
    half_unit = float(np.finfo(dtype).eps) / 2
    worst = np.abs(y.astype(np.float64) - expected).max()
    assert worst <= 8 * half_unit * np.abs(expected).max()
