"""What `rows.py` times: row-wise, elementwise and moving kernels of f32, in the words of each peer.

A workload has a function for each library, called with the library and its arrays. numpy's is also
what results are checked against, on float64; where numpy has nothing for it, or nothing fast, that
is an `oracle` of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = (
    Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
)
"""Of a library and arrays."""


@dataclass(frozen=True)
class Workload:
    """One kernel: its inputs, and how each library spells it."""

    shapes: tuple[tuple[int, ...], ...]
    """Of the inputs, f32."""
    teenyir: Function
    torch: Function
    jax: Function
    numpy: Function | None
    oracle: Function | None = None
    """In float64; numpy's if there is none."""
    target: float = 1.0
    """The ratio to the best peer that is aimed at."""
    labels: int = 0
    """If not 0, a last input: a class for each row of the first, below this."""
    tolerance: float = 2e-5
    """The largest error, by the largest result."""

    def arrays(self) -> list[Any]:
        """The inputs, the same in every process."""
        rng = np.random.default_rng(1)
        arrays: list[Any] = [rng.standard_normal(each, np.float32) for each in self.shapes]
        if self.labels:
            arrays.append(rng.integers(0, self.labels, self.shapes[0][0], np.int64))
        return arrays


# --- numpy's words --------------------------------------------------------------------------------


def softmax(np: Any, x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    e /= e.sum(-1, keepdims=True)
    return e


def logsumexp(np: Any, x: Any) -> Any:
    m = x.max(-1, keepdims=True)
    return np.log(np.exp(x - m).sum(-1)) + m[:, 0]


def cross_entropy(np: Any, x: Any, target: Any) -> Any:
    picked = np.take_along_axis(x, target[:, None], 1)[:, 0]
    return (logsumexp(np, x) - picked).mean()


def gelu_tanh(np: Any, x: Any) -> Any:
    t = np.tanh((x * x * 0.044715 + 1) * x * math.sqrt(2 / math.pi))
    t += 1
    t *= x
    t *= 0.5
    return t


def gelu_exact(np: Any, x: Any) -> Any:
    erf = np.vectorize(math.erf, otypes=[float])
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def layer_norm(np: Any, x: Any, weight: Any, bias: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred)[:, None] / x.shape[-1]
    centred *= 1 / np.sqrt(variance + 1e-5)
    centred *= weight
    centred += bias
    return centred


def rms_norm(np: Any, x: Any, weight: Any) -> Any:
    square = np.einsum("ij,ij->i", x, x)[:, None] / x.shape[-1]
    y = x * (1 / np.sqrt(square + 1e-6))
    y *= weight
    return y


def chain(np: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    y = a * b
    y += c
    np.maximum(y, 0, out=y)
    y *= d
    y -= e
    return y


def windows(np: Any, x: Any, size: int, stride: int) -> Any:
    view = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
    return view[:, :, ::stride, ::stride]


def pooled(size: int, stride: int, pad: int) -> Function:
    def max_pool(np: Any, x: Any) -> Any:
        edges = ((0, 0), (0, 0), (pad, pad), (pad, pad))
        x = np.pad(x, edges, constant_values=-math.inf) if pad else x
        return windows(np, x, size, stride).max((4, 5))

    return max_pool


def depthwise(np: Any, x: Any, w: Any) -> Any:
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return np.einsum("nchwij,cij->nchw", windows(np, padded, 3, 1), w[:, 0])


# --- those of torch and jax -----------------------------------------------------------------------


def _f(torch: Any) -> Any:
    return torch.nn.functional


def jax_layer_norm(jax: Any, x: Any, weight: Any, bias: Any) -> Any:
    np, mean = jax.numpy, x.mean(-1, keepdims=True)
    variance = np.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * weight + bias


def jax_rms_norm(jax: Any, x: Any, weight: Any) -> Any:
    square = jax.numpy.square(x).mean(-1, keepdims=True)
    return x * jax.lax.rsqrt(square + 1e-6) * weight


def jax_cross_entropy(jax: Any, x: Any, target: Any) -> Any:
    picked = jax.numpy.take_along_axis(x, target[:, None], 1)[:, 0]
    return (jax.nn.logsumexp(x, -1) - picked).mean()


def jax_pool(size: int, stride: int, pad: int) -> Function:
    def max_pool(jax: Any, x: Any) -> Any:
        window, strides = (1, 1, size, size), (1, 1, stride, stride)
        pads = ((0, 0), (0, 0), (pad, pad), (pad, pad))
        return jax.lax.reduce_window(x, -jax.numpy.inf, jax.lax.max, window, strides, pads)

    return max_pool


def jax_depthwise(jax: Any, x: Any, w: Any) -> Any:
    pads = ((1, 1), (1, 1))
    return jax.lax.conv_general_dilated(x, w, (1, 1), pads, feature_group_count=x.shape[1])


# --- the table ------------------------------------------------------------------------------------


def norms(rows: int, columns: int) -> dict[str, Workload]:
    size, kib = f"{rows}x{columns}", rows * columns * 8 // 1024
    size += f", {kib} KiB" if kib < 1024 else f", {kib // 1024} MiB"
    return {
        f"layer norm {size}": Workload(
            ((rows, columns), (columns,), (columns,)),
            lambda ty, x, w, b: ty.layer_norm(x, -1, w, b),
            lambda torch, x, w, b: _f(torch).layer_norm(x, (columns,), w, b),
            jax_layer_norm,
            layer_norm,
            target=1.2,
        ),
        f"rms norm {size}": Workload(
            ((rows, columns), (columns,)),
            lambda ty, x, w: ty.rms_norm(x, -1, w),
            lambda torch, x, w: _f(torch).rms_norm(x, (columns,), w, 1e-6),
            jax_rms_norm,
            rms_norm,
            target=1.1,
        ),
    }


def pool(shape: tuple[int, ...], size: int, stride: int, pad: int) -> Workload:
    return Workload(
        (shape,),
        lambda ty, x: ty.max_pool(x, (size, size), stride=stride, padding=pad),
        lambda torch, x: _f(torch).max_pool2d(x, size, stride, pad),
        jax_pool(size, stride, pad),
        pooled(size, stride, pad),
        target=2.0,
    )


ROWS = ((4096, 1024),)
LARGE = ((4096, 4096),)
MANY = 1 << 24

WORKLOADS: dict[str, Workload] = {
    "softmax 4096x1024": Workload(
        ROWS,
        lambda ty, x: ty.softmax(x, axis=-1),
        lambda torch, x: torch.softmax(x, -1),
        lambda jax, x: jax.nn.softmax(x, -1),
        softmax,
        target=1.5,
    ),
    "log-sum-exp 4096x1024": Workload(
        ROWS,
        lambda ty, x: ty.logsumexp(x, axis=-1),
        lambda torch, x: torch.logsumexp(x, -1),
        lambda jax, x: jax.nn.logsumexp(x, -1),
        logsumexp,
        target=1.5,
    ),
    "cross-entropy 4096x1024": Workload(
        ROWS,
        lambda ty, x, t: ty.cross_entropy(x, t),
        lambda torch, x, t: _f(torch).cross_entropy(x, t),
        jax_cross_entropy,
        cross_entropy,
        labels=1024,
        target=1.5,
    ),
    "gelu (tanh) 4096x1024": Workload(
        ROWS,
        lambda ty, x: ty.gelu(x, approximate="tanh"),
        lambda torch, x: _f(torch).gelu(x, approximate="tanh"),
        lambda jax, x: jax.nn.gelu(x, approximate=True),
        gelu_tanh,
        target=1.25,
    ),
    "gelu (erf) 4096x1024": Workload(
        ROWS,
        lambda ty, x: ty.gelu(x),
        lambda torch, x: _f(torch).gelu(x),
        lambda jax, x: jax.nn.gelu(x, approximate=False),
        None,
        gelu_exact,
        target=1.25,
    ),
    **norms(128, 512),
    **norms(32768, 1024),
    "relu(a*b+c)*d-e 16M": Workload(
        ((MANY,),) * 5,
        lambda ty, a, b, c, d, e: ty.relu(a * b + c) * d - e,
        lambda torch, a, b, c, d, e: torch.relu(a * b + c) * d - e,
        lambda jax, a, b, c, d, e: jax.nn.relu(a * b + c) * d - e,
        chain,
        target=1.05,
    ),
    "sum of 16M": Workload(
        ((MANY,),),
        lambda ty, x: ty.sum(x),
        lambda torch, x: torch.sum(x),
        lambda jax, x: jax.numpy.sum(x),
        lambda np, x: x.sum(),
        tolerance=1e-4,
    ),
    "sum of rows 4096x4096": Workload(
        LARGE,
        lambda ty, x: ty.sum(x, axis=1),
        lambda torch, x: torch.sum(x, 1),
        lambda jax, x: jax.numpy.sum(x, 1),
        lambda np, x: x.sum(1),
    ),
    "sum of columns 4096x4096": Workload(
        LARGE,
        lambda ty, x: ty.sum(x, axis=0),
        lambda torch, x: torch.sum(x, 0),
        lambda jax, x: jax.numpy.sum(x, 0),
        lambda np, x: x.sum(0),
    ),
    "argmax 4096x4096": Workload(
        LARGE,
        lambda ty, x: ty.argmax(x, axis=1),
        lambda torch, x: torch.argmax(x, 1),
        lambda jax, x: jax.numpy.argmax(x, 1),
        lambda np, x: x.argmax(1),
        tolerance=0,
    ),
    "transpose 4096x4096": Workload(
        LARGE,
        lambda ty, x: ty.permute_dims(x, (1, 0)),
        lambda torch, x: x.t().contiguous(),
        lambda jax, x: x.T,
        lambda np, x: np.ascontiguousarray(x.T),
        tolerance=0,
    ),
    "depthwise 3x3 1x64x56x56": Workload(
        ((1, 64, 56, 56), (64, 1, 3, 3)),
        lambda ty, x, w: ty.conv(x, w, padding=1, groups=64),
        lambda torch, x, w: _f(torch).conv2d(x, w, padding=1, groups=64),
        jax_depthwise,
        depthwise,
    ),
    "max pool 2x2 1x64x56x56": pool((1, 64, 56, 56), 2, 2, 0),
    "max pool 3x3 1x64x112x112": pool((1, 64, 112, 112), 3, 2, 1),
}
"""By name."""
