"""What `rows.py` times: row-wise, elementwise and moving kernels, convolutions and blocks of
networks, of f32, in the words of each peer.

A workload has a function for each library, called with the library and its arrays. numpy's is also
what results are checked against, on float64; where numpy has nothing for it, or nothing fast, that
is an `oracle` of its own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import blocks
import numpy as np
from blocks import Jax, Numpy, Shapes, Teenyir, Torch

Function = (
    Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
)
"""Of a library and arrays."""

Range: TypeAlias = tuple[int, int]
"""The least and the greatest size."""


@dataclass(frozen=True)
class Workload:
    """A kind of kernel or block: its inputs by sizes, and how each library spells it."""

    sizes: tuple[tuple[int, ...], ...]
    """Those of the table; a case is one of them, `WORKLOAD 8x512x64`."""
    drawn: tuple[Range, ...]
    """What each size of other cases is drawn from."""
    shapes: Callable[..., Shapes]
    """Of the inputs, f32, by sizes."""
    teenyir: Function
    torch: Function
    jax: Function
    numpy: Function | None
    oracle: Function | None = None
    """In float64; numpy's if there is none."""
    target: float = 1.0
    """The ratio to the best peer that is aimed at, in one thread."""
    shared: float | None = None
    """The same in several; `target` if there is none."""
    most: float | None = None
    """Seconds of a call that are enough, whatever the ratio."""
    against: tuple[str, ...] = ()
    """The peers that a ratio is to; all if there is none."""
    classes: bool = False
    """Whether there is a last input: a column for each row of the first."""
    tolerance: float = 2e-5
    """The largest error, by the largest result."""

    def arrays(self, *sizes: int) -> list[Any]:
        """The inputs, the same in every process. Matrices after the first are of weights, of
        numbers so small that products with them are as large as what they are given."""
        rng = np.random.default_rng(1)
        shapes = self.shapes(*sizes)
        arrays: list[Any] = [rng.standard_normal(each, np.float32) for each in shapes]
        for array in arrays[1:]:
            if array.ndim == 2:
                array *= np.float32(len(array) ** -0.5)
        if self.classes:
            arrays.append(rng.integers(0, shapes[0][1], shapes[0][0], np.int64))
        return arrays

    def aim(self, threads: int) -> float:
        return self.target if threads == 1 or self.shared is None else self.shared

    def draw(self, rng: random.Random) -> tuple[int, ...]:
        """Other sizes, even by their logarithms; every second time of multiples of 16, where they
        are not less."""
        step = rng.choice((1, 16))
        sizes = (round(math.exp(rng.uniform(math.log(a), math.log(b)))) for a, b in self.drawn)
        return tuple(size // step * step or size for size in sizes)


# --- numpy's words --------------------------------------------------------------------------------


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


def alone(*sizes: int) -> Shapes:
    return (sizes,)


def alike(count: int) -> Callable[..., Shapes]:
    def shapes(*sizes: int) -> Shapes:
        return (sizes,) * count

    return shapes


def with_rows(count: int) -> Callable[..., Shapes]:
    """A matrix, and so many rows of its width."""

    def shapes(*sizes: int) -> Shapes:
        return sizes, *(sizes[1:],) * count

    return shapes


def depthwise_shapes(*sizes: int) -> Shapes:
    return sizes, (sizes[1], 1, 3, 3)


def pool(sizes: tuple[int, ...], size: int, stride: int, pad: int) -> Workload:
    return Workload(
        (sizes,),
        IMAGES,
        alone,
        lambda ty, x: ty.max_pool(x, (size, size), stride=stride, padding=pad),
        lambda torch, x: _f(torch).max_pool2d(x, size, stride, pad),
        jax_pool(size, stride, pad),
        pooled(size, stride, pad),
        target=2.0,
    )


def block(
    function: Callable[..., Any],
    shapes: Callable[..., Shapes],
    sizes: tuple[tuple[int, ...], ...],
    drawn: tuple[Range, ...],
    target: float = 1.0,
) -> Workload:
    """What is written once, in the words of each library."""

    def spelled(words: Callable[[Any], Any]) -> Function:
        def called(library: Any, *arrays: Any) -> Any:
            return function(words(library), *arrays)

        return called

    return Workload(
        sizes,
        drawn,
        shapes,
        spelled(Teenyir),
        spelled(Torch),
        spelled(Jax),
        spelled(Numpy),
        target=target,
        shared=0.95,
    )


MATRIX = ((16, 8192), (16, 4096))
IMAGES = ((1, 4), (4, 128), (7, 112), (7, 112))
VECTOR = ((1 << 10, 1 << 24),)
FEW = ((1, 256),)
LARGE = (4096, 4096)
MANY = 1 << 24

CHAIN = Workload(
    ((MANY,),),
    VECTOR,
    alike(5),
    lambda ty, a, b, c, d, e: ty.relu(a * b + c) * d - e,
    lambda torch, a, b, c, d, e: torch.relu(a * b + c) * d - e,
    lambda jax, a, b, c, d, e: jax.nn.relu(a * b + c) * d - e,
    chain,
    target=1.05,
)

WORKLOADS: dict[str, Workload] = {
    "softmax": Workload(
        ((4096, 1024),),
        MATRIX,
        alone,
        lambda ty, x: ty.softmax(x, axis=-1),
        lambda torch, x: torch.softmax(x, -1),
        lambda jax, x: jax.nn.softmax(x, -1),
        lambda np, x: Numpy(np).softmax(x),
        target=1.5,
    ),
    "log-sum-exp": Workload(
        ((4096, 1024),),
        MATRIX,
        alone,
        lambda ty, x: ty.logsumexp(x, axis=-1),
        lambda torch, x: torch.logsumexp(x, -1),
        lambda jax, x: jax.nn.logsumexp(x, -1),
        logsumexp,
        target=1.5,
    ),
    "cross-entropy": Workload(
        ((4096, 1024),),
        MATRIX,
        alone,
        lambda ty, x, t: ty.cross_entropy(x, t),
        lambda torch, x, t: _f(torch).cross_entropy(x, t),
        jax_cross_entropy,
        cross_entropy,
        classes=True,
        target=1.5,
    ),
    "gelu (tanh)": Workload(
        ((4096, 1024),),
        MATRIX,
        alone,
        lambda ty, x: ty.gelu(x, approximate="tanh"),
        lambda torch, x: _f(torch).gelu(x, approximate="tanh"),
        lambda jax, x: jax.nn.gelu(x, approximate=True),
        gelu_tanh,
        target=1.25,
    ),
    "gelu (erf)": Workload(
        ((4096, 1024),),
        MATRIX,
        alone,
        lambda ty, x: ty.gelu(x),
        lambda torch, x: _f(torch).gelu(x),
        lambda jax, x: jax.nn.gelu(x, approximate=False),
        None,
        gelu_exact,
        target=1.25,
    ),
    "layer norm": Workload(
        ((128, 512), (32768, 1024)),
        MATRIX,
        with_rows(2),
        lambda ty, x, w, b: ty.layer_norm(x, -1, w, b),
        lambda torch, x, w, b: _f(torch).layer_norm(x, x.shape[-1:], w, b),
        jax_layer_norm,
        layer_norm,
        target=1.2,
    ),
    "rms norm": Workload(
        ((128, 512), (32768, 1024)),
        MATRIX,
        with_rows(1),
        lambda ty, x, w: ty.rms_norm(x, -1, w),
        lambda torch, x, w: _f(torch).rms_norm(x, x.shape[-1:], w, 1e-6),
        jax_rms_norm,
        rms_norm,
        target=1.1,
    ),
    "relu(a*b+c)*d-e": CHAIN,
    "sum": Workload(
        ((MANY,),),
        VECTOR,
        alone,
        lambda ty, x: ty.sum(x),
        lambda torch, x: torch.sum(x),
        lambda jax, x: jax.numpy.sum(x),
        lambda np, x: x.sum(),
        tolerance=1e-4,
    ),
    "sum of rows": Workload(
        (LARGE,),
        MATRIX,
        alone,
        lambda ty, x: ty.sum(x, axis=1),
        lambda torch, x: torch.sum(x, 1),
        lambda jax, x: jax.numpy.sum(x, 1),
        lambda np, x: x.sum(1),
    ),
    "sum of columns": Workload(
        (LARGE,),
        MATRIX,
        alone,
        lambda ty, x: ty.sum(x, axis=0),
        lambda torch, x: torch.sum(x, 0),
        lambda jax, x: jax.numpy.sum(x, 0),
        lambda np, x: x.sum(0),
    ),
    "argmax": Workload(
        (LARGE,),
        MATRIX,
        alone,
        lambda ty, x: ty.argmax(x, axis=1),
        lambda torch, x: torch.argmax(x, 1),
        lambda jax, x: jax.numpy.argmax(x, 1),
        lambda np, x: x.argmax(1),
        tolerance=0,
    ),
    "transpose": Workload(
        (LARGE,),
        MATRIX,
        alone,
        lambda ty, x: ty.permute_dims(x, (1, 0)),
        lambda torch, x: x.t().contiguous(),
        lambda jax, x: x.T,
        lambda np, x: np.ascontiguousarray(x.T),
        tolerance=0,
    ),
    "depthwise 3x3": Workload(
        ((1, 64, 56, 56),),
        IMAGES,
        depthwise_shapes,
        lambda ty, x, w: ty.conv(x, w, padding=1, groups=x.shape[1]),
        lambda torch, x, w: _f(torch).conv2d(x, w, padding=1, groups=x.shape[1]),
        jax_depthwise,
        depthwise,
    ),
    "max pool 2x2": pool((1, 64, 56, 56), 2, 2, 0),
    "max pool 3x3": pool((1, 64, 112, 112), 3, 2, 1),
    "conv 3x3": block(
        blocks.conv,
        blocks.conv_shapes,
        ((1, 64, 56, 56, 64),),
        (*IMAGES, (16, 128)),
        target=0.95,
    ),
    "attention": block(
        blocks.attention, alike(3), ((8, 512, 64),), ((1, 16), (64, 1024), (16, 128))
    ),
    "mlp": block(
        blocks.mlp,
        blocks.mlp_shapes,
        ((512, 768, 3072),),
        ((16, 1024), (64, 1024), (64, 4096)),
    ),
    "encoder": block(blocks.encoder, blocks.encoder_shapes, ((256, 8),), ((32, 512), (2, 12))),
    "small cnn": block(
        blocks.cnn,
        blocks.cnn_shapes,
        ((8, 1, 28, 28), (8, 3, 32, 32)),
        ((1, 32), (1, 8), (16, 64), (16, 64)),
        target=1.05,
    ),
    "x+1": Workload(
        ((16,),),
        FEW,
        alone,
        lambda ty, x: x + 1,
        lambda torch, x: x + 1,
        lambda jax, x: x + 1,
        lambda np, x: x + 1,
        most=5e-6,
    ),
    "few relu(x*2+1)": Workload(
        ((16,),),
        FEW,
        alone,
        lambda ty, x: ty.relu(x * 2 + 1),
        lambda torch, x: torch.relu(x * 2 + 1),
        lambda jax, x: jax.nn.relu(x * 2 + 1),
        lambda np, x: np.maximum(x * 2 + 1, 0),
        against=("torch",),
    ),
    "few relu(a*b+c)*d-e": replace(
        CHAIN, sizes=((16,),), drawn=FEW, target=1.0, against=("torch",)
    ),
}
"""By name."""


def named(case: str) -> tuple[Workload, tuple[int, ...]]:
    """The workload and the sizes of a case, `conv 3x3 1x64x56x56x64`. Raises ValueError."""
    name, _, text = case.rpartition(" ")
    if name not in WORKLOADS:
        raise ValueError(f"no workload '{name}'; there are {', '.join(WORKLOADS)}")
    workload = WORKLOADS[name]
    sizes = tuple(int(each) for each in text.split("x"))
    if len(sizes) != len(workload.drawn):
        raise ValueError(f"{name} has {len(workload.drawn)} sizes, not {text}")
    return workload, sizes


def cases(seed: int | None = None, count: int = 10) -> list[str]:
    """Those of the table; with a seed, as many others as `count` of each workload."""
    found: dict[str, None] = {}
    for name, workload in WORKLOADS.items():
        rng = random.Random(f"{name} {seed}")
        own = {_case(name, sizes): None for sizes in workload.sizes if seed is None}
        while seed is not None and len(own) < count:
            own[_case(name, workload.draw(rng))] = None
        found |= own
    return list(found)


def _case(name: str, sizes: tuple[int, ...]) -> str:
    return f"{name} {'x'.join(map(str, sizes))}"
