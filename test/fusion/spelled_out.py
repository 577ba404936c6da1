"""Composites spelled out by hand: nothing on the way down reads the name of one."""

from __future__ import annotations

import math
from typing import Any

import teenyir as ty


def softmax(x: Any, axis: int = -1) -> Any:
    e = ty.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def softmax_by_product(x: Any) -> Any:
    e = ty.exp(x - x.max(axis=-1, keepdims=True))
    return e * (1.0 / e.sum(axis=-1, keepdims=True))


def log_softmax(x: Any, axis: int = -1) -> Any:
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - ty.log(ty.exp(shifted).sum(axis=axis, keepdims=True))


def layer_norm(x: Any, g: Any, b: Any) -> Any:
    centred = x - x.sum(axis=-1, keepdims=True) / x.shape[-1]
    variance = (centred * centred).sum(axis=-1, keepdims=True) / x.shape[-1]
    return centred / ty.sqrt(variance + 1e-5) * g + b


def normalized(x: Any, *axes: int) -> Any:
    """As in a batch norm in training."""
    centred = x - x.mean(axis=axes, keepdims=True)
    return centred * ty.rsqrt((centred * centred).mean(axis=axes, keepdims=True) + 1e-5)


def group_norm(x: Any, g: Any, b: Any) -> Any:
    groups = x.reshape(x.shape[0], 4, -1)
    centred = groups - groups.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    normal = (centred * ty.rsqrt(variance + 1e-5)).reshape(*x.shape)
    return normal * g.reshape(-1, 1, 1) + b.reshape(-1, 1, 1)


def rms_norm(x: Any, g: Any) -> Any:
    return x / ty.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * g


def logsumexp(x: Any) -> Any:
    top = x.max(axis=-1, keepdims=True)
    return ty.log(ty.exp(x - top).sum(axis=-1)) + top.reshape(*x.shape[:-1])


def std(x: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return ty.sqrt((centred * centred).mean(axis=-1))


def gelu(x: Any) -> Any:
    return x * 0.5 * (1.0 + ty.erf(x * (1 / math.sqrt(2))))


def attention(q: Any, k: Any, v: Any) -> Any:
    return softmax(q @ ty.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1]))) @ v


def attention_scaled_first(q: Any, k: Any, v: Any) -> Any:
    return softmax((q * (1 / math.sqrt(q.shape[-1]))) @ ty.swapaxes(k, -1, -2)) @ v


def attention_divided_last(q: Any, k: Any, v: Any) -> Any:
    scores = q @ ty.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1]))
    e = ty.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e @ v) / e.sum(axis=-1, keepdims=True)


def batch_norm(x: Any, mean: Any, var: Any, g: Any, b: Any) -> Any:
    m, v, g, b = (p.reshape(-1, 1, 1) for p in (mean, var, g, b))
    return (x - m) / ty.sqrt(v + 1e-5) * g + b


def conv(x: Any, w: Any) -> Any:
    return ty.conv(x, w, padding=1)


def basic_block(x: Any, w1: Any, w2: Any, *p: Any) -> Any:
    y = ty.relu(ty.batch_norm(conv(x, w1), *p[:4]))
    return ty.relu(ty.batch_norm(conv(y, w2), *p[4:]) + x)


def basic_block_by_hand(x: Any, w1: Any, w2: Any, *p: Any) -> Any:
    y = ty.maximum(batch_norm(conv(x, w1), *p[:4]), 0.0)
    return ty.maximum(batch_norm(conv(y, w2), *p[4:]) + x, 0.0)


def chain(a: Any, b: Any) -> Any:
    for _ in range(20):
        a = ty.tanh(ty.exp(a * b + 1.0) * 0.25 - a)
    return a


def cross_entropy(x: Any, t: Any) -> Any:
    picked = ty.take_along_axis(log_softmax(x), t.reshape(-1, 1), axis=-1)
    return -picked.mean()
