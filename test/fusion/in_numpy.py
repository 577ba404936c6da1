"""What the rows of the fusion table compute, in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x: Array, axis: int = -1) -> Array:
    return np.log(softmax(x, axis))


def normalized(x: Array, *axes: int) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def logsumexp(x: Array) -> Array:
    return np.log(np.exp(x).sum(-1))


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def group_norm(x: Array, g: Array, b: Array) -> Array:
    groups = x.reshape(x.shape[0], 4, -1)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(
        groups.var(-1, keepdims=True) + 1e-5
    )
    return normal.reshape(x.shape) * g[:, None, None] + b[:, None, None]


def rms_norm(x: Array, g: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def attention(q: Array, k: Array, v: Array, mask: Array | None = None) -> Array:
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v


def causal_attention(q: Array, k: Array, v: Array) -> Array:
    return attention(q, k, v, np.tril(np.ones((q.shape[-2], k.shape[-2]), bool)))


def conv(x: Array, w: Array) -> Array:
    """With 3 x 3 windows and zeros around."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


def batch_norm(x: Array, mean: Array, var: Array, g: Array, b: Array) -> Array:
    m, v, g, b = (p[:, None, None] for p in (mean, var, g, b))
    return (x - m) / np.sqrt(v + 1e-5) * g + b


def basic_block(x: Array, w1: Array, w2: Array, *p: Array) -> Array:
    return relu(batch_norm(conv(relu(batch_norm(conv(x, w1), *p[:4])), w2), *p[4:]) + x)


def pooled(x: Array, size: int, stride: int, how: Callable[..., Any]) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
    return how(windows[:, :, ::stride, ::stride], axis=(-1, -2))


def cross_entropy(x: Array, t: Array) -> Array:
    return -log_softmax(x)[np.arange(len(t)), t.astype(int)].mean()


def chain(a: Array, b: Array) -> Array:
    for _ in range(20):
        a = np.tanh(np.exp(a * b + 1.0) * 0.25 - a)
    return a
