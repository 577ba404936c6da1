"""The fusion table: how many kernels each program becomes, and what they read and write.

It needs numpy alone besides the package: `test_table.py` holds it up on the CPU and in the
emulator, `test/gpu/check.py` on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import in_numpy as np_
import numpy as np
import spelled_out as by_hand
from numpy.typing import NDArray

import teenyir as ty

Array = NDArray[Any]
Function = Callable[..., Any]

DTYPES = {"float32": ty.float32, "int32": ty.int32, "bool": ty.bool}

RANDOM = np.random.default_rng(0)


@dataclass(frozen=True)
class Row:
    """A program: what it may cost, its inputs, and the ways to write it."""

    name: str
    cost: tuple[int, int, int]
    """Kernels, and the bytes that they read and write, each buffer counted once a launch."""
    inputs: tuple[Array, ...]
    expected: Function
    """In numpy, of inputs in float64."""
    spellings: tuple[Function, ...]
    named: tuple[tuple[int | str, ...], ...] = ()
    """The shapes, where extents have names."""

    def specs(self) -> list[ty.Spec]:
        """The shapes and element types of the inputs."""
        dims = {name: ty.Dim(name, min=1) for name in self.extents()}
        shapes = [tuple(dims.get(extent, extent) for extent in shape) for shape in self.named]
        shapes = shapes or [array.shape for array in self.inputs]
        dtypes = (DTYPES[array.dtype.name] for array in self.inputs)
        return [ty.Spec(*each) for each in zip(shapes, dtypes, strict=True)]

    def extents(self) -> dict[str, int]:
        """The named extents that the inputs have."""
        return {
            extent: size
            for shape, array in zip(self.named, self.inputs, strict=bool(self.named))
            for extent, size in zip(shape, array.shape, strict=True)
            if isinstance(extent, str)
        }


def f32(*shape: int) -> Array:
    """Random numbers around 0."""
    return RANDOM.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Array:
    """Random numbers of at least a half, as variances are."""
    return np.abs(f32(*shape)) + np.float32(0.5)


def below(bound: int, *shape: int) -> Array:
    """Random indices."""
    return RANDOM.integers(0, bound, shape).astype(np.int32)


def channels(count: int) -> tuple[Array, ...]:
    """Mean, variance, weight and bias of a batch norm."""
    return f32(count), positive(count), f32(count), f32(count)


def attention(q: Any, k: Any, v: Any, *mask: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v, *mask)


def causal(q: Any, k: Any, v: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v, is_causal=True)


SPELLINGS_OF_ATTENTION = (attention, by_hand.attention, by_hand.attention_scaled_first)

IMAGE = f32(2, 8, 16, 16)
ROWS_OF_512 = f32(32, 512)
HEADS = tuple(f32(2, 2, 16, 16) for _ in range(3))
MASK = (RANDOM.random((16, 16)) < 0.7) | np.eye(16, dtype=bool)
LONG_HEADS = tuple(f32(2, 4, 64, 32) for _ in range(3))
LONG_MASK = (RANDOM.random((64, 64)) < 0.7) | np.eye(64, dtype=bool)
LONG_ROWS = f32(2, 600_000)
FAR_HEADS = (f32(1, 2, 40, 16), f32(1, 2, 4100, 16), f32(1, 2, 4100, 16))
FAR_MASK = (RANDOM.random((40, 4100)) < 0.7) | np.eye(40, 4100, dtype=bool)
COLUMNS_OF_512 = f32(512, 32)
AFFINE = (f32(512), f32(512))
SQUARES = (f32(64, 64), f32(64, 64))

TABLE = (
    Row("chain", (1, 32768, 16384), SQUARES, np_.chain, (by_hand.chain,)),
    Row(
        "sum of products",
        (1, 32768, 4),
        (f32(4096), f32(4096)),
        np.vdot,
        (lambda a, b: (a * b).sum(),),
    ),
    Row(
        "mean of squares",
        (1, 16384, 4),
        (f32(64, 64),),
        lambda a: (a * a).mean(),
        (lambda a: (a * a).mean(), lambda a: (a**2).sum() / 4096.0),
    ),
    Row(
        "matmul+bias+gelu",
        (1, 20672, 6144),
        (f32(32, 64), f32(64, 48), f32(48)),
        lambda x, w, b: np_.gelu(x @ w + b),
        (lambda x, w, b: ty.gelu(x @ w + b), lambda x, w, b: by_hand.gelu(x @ w + b)),
    ),
    Row(
        "a@b + c@d",
        (1, 40960, 6144),
        (f32(32, 64), f32(64, 48), f32(32, 64), f32(64, 48)),
        lambda a, b, c, d: a @ b + c @ d,
        (lambda a, b, c, d: a @ b + c @ d,),
    ),
    Row(
        "[a+b, a*b]",
        (1, 32768, 32768),
        SQUARES,
        lambda a, b: (a + b, a * b),
        (lambda a, b: (a + b, a * b),),
    ),
    Row(
        "softmax",
        (1, 65536, 65536),
        (ROWS_OF_512,),
        np_.softmax,
        (ty.softmax, by_hand.softmax, by_hand.softmax_by_product),
    ),
    Row(
        "log_softmax",
        (1, 65536, 65536),
        (ROWS_OF_512,),
        np_.log_softmax,
        (ty.log_softmax, by_hand.log_softmax),
    ),
    Row(
        "layer norm",
        (1, 69632, 65536),
        (ROWS_OF_512, *AFFINE),
        np_.layer_norm,
        (lambda x, g, b: ty.layer_norm(x, weight=g, bias=b), by_hand.layer_norm),
    ),
    Row(
        "group norm",
        (1, 16512, 16384),
        (f32(4, 16, 8, 8), f32(16), f32(16)),
        np_.group_norm,
        (lambda x, g, b: ty.group_norm(x, 4, g, b), by_hand.group_norm),
    ),
    Row(
        "logsumexp",
        (1, 65536, 128),
        (ROWS_OF_512,),
        np_.logsumexp,
        (lambda x: ty.logsumexp(x, axis=-1), by_hand.logsumexp),
    ),
    Row(
        "rms norm",
        (1, 67584, 65536),
        (ROWS_OF_512, f32(512)),
        np_.rms_norm,
        (lambda x, g: ty.rms_norm(x, weight=g), by_hand.rms_norm),
    ),
    Row(
        "std",
        (1, 65536, 128),
        (ROWS_OF_512,),
        lambda x: x.std(-1),
        (lambda x: ty.std(x, axis=-1), by_hand.std),
    ),
    Row(
        "x - mean(x)",
        (1, 65536, 65536),
        (ROWS_OF_512,),
        lambda x: x - x.mean(-1, keepdims=True),
        (
            lambda x: x - x.mean(axis=-1, keepdims=True),
            lambda x: x - (x.sum(axis=-1) / 512.0).reshape(32, 1),
        ),
    ),
    Row(
        "argmax",
        (1, 65536, 256),
        (ROWS_OF_512,),
        lambda x: x.argmax(-1),
        (lambda x: ty.argmax(x, axis=-1),),
    ),
    Row(
        "std(x) + std(y)",
        (1, 131072, 128),
        (ROWS_OF_512, f32(32, 512)),
        lambda x, y: x.std(-1) + y.std(-1),
        (
            lambda x, y: ty.std(x, axis=-1) + ty.std(y, axis=-1),
            lambda x, y: by_hand.std(x) + by_hand.std(y),
        ),
    ),
    Row(
        "softmax over the first axis",
        (1, 65536, 65536),
        (COLUMNS_OF_512,),
        lambda x: np_.softmax(x, 0),
        (lambda x: ty.softmax(x, axis=0), lambda x: by_hand.softmax(x, 0)),
    ),
    Row(
        "log_softmax over a middle axis",
        (1, 65536, 65536),
        (f32(2, 64, 128),),
        lambda x: np_.log_softmax(x, 1),
        (lambda x: ty.log_softmax(x, axis=1), lambda x: by_hand.log_softmax(x, 1)),
    ),
    Row(
        "norm over the first axis",
        (1, 65536, 65536),
        (COLUMNS_OF_512,),
        lambda x: np_.normalized(x, 0),
        (lambda x: by_hand.normalized(x, 0),),
    ),
    Row(
        "norm of channels",
        (1, 16384, 16384),
        (IMAGE,),
        lambda x: np_.normalized(x, 0, 2, 3),
        (lambda x: by_hand.normalized(x, 0, 2, 3),),
    ),
    Row("attention", (1, 12288, 4096), HEADS, np_.attention, SPELLINGS_OF_ATTENTION),
    Row("masked attention", (1, 12544, 4096), (*HEADS, MASK), np_.attention, (attention,)),
    Row("causal attention", (1, 12288, 4096), HEADS, np_.causal_attention, (causal,)),
    # More products than are worth forming row by row: the same kernel, in blocks of rows.
    Row(
        "attention, 64 x 32",
        (1, 196608, 65536),
        LONG_HEADS,
        np_.attention,
        (*SPELLINGS_OF_ATTENTION, by_hand.attention_divided_last),
    ),
    Row(
        "masked attention, 64 x 32",
        (1, 200704, 65536),
        (*LONG_HEADS, LONG_MASK),
        np_.attention,
        (attention,),
    ),
    Row(
        "causal attention, 64 x 32", (1, 196608, 65536), LONG_HEADS, np_.causal_attention, (causal,)
    ),
    Row(
        "attention, heads beside each other",
        (1, 196608, 65536),
        LONG_HEADS,
        lambda q, k, v: np.swapaxes(np_.attention(q, k, v), 1, 2).reshape(2, 64, 128),
        (lambda q, k, v: ty.swapaxes(attention(q, k, v), 1, 2).reshape(2, 64, 128),),
    ),
    Row(
        "conv+relu",
        (1, 18688, 16384),
        (IMAGE, f32(8, 8, 3, 3)),
        lambda x, w: np_.relu(np_.conv(x, w)),
        (
            lambda x, w: ty.relu(by_hand.conv(x, w)),
            lambda x, w: ty.maximum(by_hand.conv(x, w), 0.0),
        ),
    ),
    Row(
        "conv + batch norm + relu",
        (1, 18816, 16384),
        (IMAGE, f32(8, 8, 3, 3), *channels(8)),
        lambda x, w, *p: np_.relu(np_.batch_norm(np_.conv(x, w), *p)),
        (
            lambda x, w, *p: ty.relu(ty.batch_norm(by_hand.conv(x, w), *p)),
            lambda x, w, *p: ty.relu(by_hand.batch_norm(by_hand.conv(x, w), *p)),
        ),
    ),
    Row(
        "ResNet basic block",
        (2, 54016, 32768),
        (IMAGE, f32(8, 8, 3, 3), f32(8, 8, 3, 3), *channels(8), *channels(8)),
        np_.basic_block,
        (by_hand.basic_block, by_hand.basic_block_by_hand),
    ),
    Row(
        "embedding",
        (1, 128256, 8192),
        (below(1000, 64), f32(1000, 32)),
        lambda i, w: w[i.astype(int)],
        (ty.embedding, lambda i, w: ty.take(w, i, axis=0)),
    ),
    Row(
        "concat",
        (1, 3072, 3072),
        (f32(16, 16), f32(16, 32)),
        lambda a, b: np.concatenate([a, b], 1),
        (lambda a, b: ty.concat([a, b], axis=1),),
    ),
    Row(
        "pad+sum",
        (1, 1024, 72),
        (f32(16, 16),),
        lambda a: np.pad(a, ((1, 1), (2, 2))).sum(1),
        (lambda a: ty.pad(a, ((1, 1), (2, 2))).sum(axis=1),),
    ),
    Row(
        "max pool",
        (1, 16384, 4096),
        (IMAGE,),
        lambda x: np_.pooled(x, 2, 2, np.max),
        (lambda x: ty.max_pool(x, 2), lambda x: x.reshape(2, 8, 8, 2, 8, 2).max(axis=(3, 5))),
    ),
    Row(
        "average pool",
        (1, 16384, 12544),
        (IMAGE,),
        lambda x: np_.pooled(x, 3, 1, np.mean),
        (lambda x: ty.avg_pool(x, 3, stride=1),),
    ),
    Row(
        "matmul + softmax",
        (2, 57344, 32768),
        (f32(32, 64), f32(64, 128)),
        lambda x, w: np_.softmax(x @ w),
        (lambda x, w: ty.softmax(x @ w), lambda x, w: by_hand.softmax(x @ w)),
    ),
    Row(
        "SwiGLU",
        (2, 180224, 32768),
        (f32(32, 64), f32(64, 192), f32(64, 192), f32(192, 64)),
        lambda x, g, u, d: (np_.silu(x @ g) * (x @ u)) @ d,
        (
            lambda x, g, u, d: (ty.silu(x @ g) * (x @ u)) @ d,
            lambda x, g, u, d: ((x @ g) / (1.0 + ty.exp(-(x @ g))) * (x @ u)) @ d,
        ),
    ),
    Row(
        "sparse cross-entropy",
        (1, 65664, 4),
        (ROWS_OF_512, below(512, 32)),
        np_.cross_entropy,
        (ty.cross_entropy, by_hand.cross_entropy),
    ),
    *(
        Row(f"cumsum of {n}", (1, 4 * n, 4 * n), (f32(n),), np.cumsum, (ty.cumsum,))
        for n in (512, 2048, 100_000)
    ),
    Row("sum of 2^20", (1, 4194304, 4), (positive(1 << 20),), np.sum, (lambda x: x.sum(),)),
    Row(
        "a view",
        (0, 0, 0),
        (f32(32, 32),),
        lambda x: x.reshape(64, 16)[8:40],
        (lambda x: x.reshape(64, 16)[8:40], lambda x: x[4:20].reshape(32, 16)),
    ),
)

LONG = (
    Row(
        "softmax of long rows",
        (1, 4800000, 4800000),
        (LONG_ROWS,),
        np_.softmax,
        (ty.softmax, by_hand.softmax, by_hand.softmax_by_product),
    ),
    Row(
        "softmax of rows of any length",
        (1, 65536, 65536),
        (ROWS_OF_512,),
        np_.softmax,
        (ty.softmax, by_hand.softmax),
        (("M", "N"),),
    ),
    Row(
        "log_softmax of long rows",
        (1, 4800000, 4800000),
        (LONG_ROWS,),
        np_.log_softmax,
        (ty.log_softmax, by_hand.log_softmax),
    ),
    Row(
        "log_softmax of rows of any length",
        (1, 65536, 65536),
        (ROWS_OF_512,),
        np_.log_softmax,
        (ty.log_softmax, by_hand.log_softmax),
        (("M", "N"),),
    ),
    Row(
        "softmax over a middle axis of any length",
        (1, 1966080, 1966080),
        (f32(2, 5120, 48),),
        lambda x: np_.softmax(x, 1),
        (lambda x: ty.softmax(x, axis=1), lambda x: by_hand.softmax(x, 1)),
        (("M", "N", 48),),
    ),
    Row(
        "logsumexp of long rows",
        (1, 4800000, 8),
        (LONG_ROWS,),
        np_.logsumexp,
        (lambda x: ty.logsumexp(x, axis=-1), by_hand.logsumexp),
    ),
    Row(
        "logsumexp of rows of any length",
        (1, 65536, 128),
        (ROWS_OF_512,),
        np_.logsumexp,
        (lambda x: ty.logsumexp(x, axis=-1), by_hand.logsumexp),
        (("M", "N"),),
    ),
    Row(
        "logsumexp of products",
        (1, 1302560, 128),
        (f32(32, 10), f32(10, 32532)),
        lambda x, w: np_.logsumexp(x @ w),
        (lambda x, w: ty.logsumexp(x @ w, axis=-1), lambda x, w: by_hand.logsumexp(x @ w)),
    ),
    Row(
        "sparse cross-entropy of long rows",
        (1, 4800008, 4),
        (LONG_ROWS, below(600_000, 2)),
        np_.cross_entropy,
        (ty.cross_entropy, by_hand.cross_entropy),
    ),
    Row(
        "sparse cross-entropy of any number of rows",
        (1, 65664, 4),
        (ROWS_OF_512, below(512, 32)),
        np_.cross_entropy,
        (ty.cross_entropy, by_hand.cross_entropy),
        (("M", "N"), ("M",)),
    ),
    Row(
        "attention to 4100",
        (1, 1054720, 5120),
        FAR_HEADS,
        np_.attention,
        (*SPELLINGS_OF_ATTENTION, by_hand.attention_divided_last),
    ),
    Row(
        "masked attention to 4100",
        (1, 1218720, 5120),
        (*FAR_HEADS, FAR_MASK),
        np_.attention,
        (attention,),
    ),
    Row("causal attention to 4100", (1, 1054720, 5120), FAR_HEADS, np_.causal_attention, (causal,)),
    Row(
        "attention to any number",
        (1, 1054720, 5120),
        FAR_HEADS,
        np_.attention,
        (attention, by_hand.attention),
        ((1, 2, "M", 16), (1, 2, "N", 16), (1, 2, "N", 16)),
    ),
    Row(
        "causal attention to any number",
        (1, 1054720, 5120),
        FAR_HEADS,
        np_.causal_attention,
        (causal,),
        ((1, 2, "M", 16), (1, 2, "N", 16), (1, 2, "N", 16)),
    ),
)
"""Rows that are too long to be staged, or of any length: the CPU takes one pass over blocks, if
exponentials may be computed twice."""
