"""Small models, whole: what is left of a network when each part of it is there once.

A model is a function of arrays, its parameters among them, so that the element type of these is
that of the model. What it should give is what the interpreter of the graph floor makes of it in
float64, of the same numbers. Extents are odd wherever they may be. `test_small_models.py` runs all
of it in the PTX emulator, `check.py` on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import teenyir as ty
from teenyir.dialects import dtypes

Array = NDArray[Any]

RANDOM = np.random.default_rng(8)


def normal(*shape: int, scale: float = 1.0) -> Array:
    """Random numbers around 0 with 7 digits behind the point: exact in bf16 and f16."""
    return np.round(RANDOM.standard_normal(shape) * scale * 16) / 16


def weights(*shape: int) -> Array:
    """Random numbers whose sums over the first axis stay near 1."""
    return normal(*shape, scale=min(1.0, 2 * shape[0] ** -0.5))


def positive(*shape: int) -> Array:
    """Random numbers of at least a half, as variances are."""
    return np.abs(normal(*shape)) + 0.5


def below(bound: int, *shape: int) -> Array:
    """Random indices."""
    return RANDOM.integers(0, bound, shape).astype(np.int32)


@dataclass(frozen=True)
class Model:
    """A model, and arrays to call it with: of float64 those that have the model's type."""

    function: Callable[..., Any]
    arrays: tuple[Array, ...]
    narrow: bool = True
    """Whether it is run in f16 and bf16 too, else in f32 alone."""
    batch: int = 0
    """If not 0, the first extent of the first array has a name, and this is its largest value."""

    def inputs(self, dtype: dtypes.DType) -> list[Array]:
        """The arrays, floats in an element type."""
        return [a.astype(dtype.numpy()) if a.dtype == np.float64 else a for a in self.arrays]

    def traced(self, dtype: dtypes.DType) -> ty.Traced:
        """The model over floats of an element type."""
        specs: list[ty.Spec] = []
        for number, array in enumerate(self.arrays):
            shape: list[Any] = list(array.shape)
            if self.batch and not number:
                shape[0] = ty.Dim("N", min=0, max=self.batch)
            floats = array.dtype == np.float64
            specs.append(ty.Spec(shape, dtype if floats else dtypes.of_numpy(array.dtype)))
        return ty.trace(self.function, *specs)


# --- parts ----------------------------------------------------------------------------------------


def heads_of(x: Any, count: int) -> Any:
    """Tokens by heads by features of rows of tokens."""
    batch, tokens, features = x.shape
    return ty.swapaxes(x.reshape(batch, tokens, count, features // count), 1, 2)


def attended(x: Any, qkv: Any, out: Any, count: int, causal: bool = False) -> Any:
    q, k, v = (heads_of(part, count) for part in ty.split(x @ qkv, 3, axis=-1))
    mixed = ty.swapaxes(ty.scaled_dot_product_attention(q, k, v, is_causal=causal), 1, 2)
    return mixed.reshape(*x.shape) @ out


def lstm_cell(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> tuple[Any, Any]:
    i, f, g, o = ty.split(x @ w + h @ u + b, 4, axis=-1)
    c = ty.sigmoid(f) * c + ty.sigmoid(i) * ty.tanh(g)
    return ty.sigmoid(o) * ty.tanh(c), c


# --- models ---------------------------------------------------------------------------------------


def mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any) -> Any:
    x = ty.gelu(x @ w1 + b1)
    x = ty.relu(x @ w2 + b2)
    return ty.log_softmax(x @ w3)


def cnn(x: Any, w1: Any, b1: Any, w2: Any, dense: Any) -> Any:
    x = ty.max_pool(ty.relu(ty.conv(x, w1, b1, padding=1)), 2)
    x = ty.avg_pool(ty.silu(ty.conv(x, w2, stride=2)), 2, stride=1)
    return ty.softmax(ty.flatten(x, 1) @ dense)


def basic_block(x: Any, w1: Any, w2: Any, down: Any, *norms: Any) -> Any:
    y = ty.relu(ty.batch_norm(ty.conv(x, w1, stride=2, padding=1), *norms[:4]))
    y = ty.batch_norm(ty.conv(y, w2, padding=1), *norms[4:8])
    return ty.relu(y + ty.batch_norm(ty.conv(x, down, stride=2), *norms[8:]))


def encoder_block(x: Any, g1: Any, b1: Any, qkv: Any, out: Any, g2: Any, up: Any, down: Any) -> Any:
    x = x + attended(ty.layer_norm(x, weight=g1, bias=b1), qkv, out, 3)
    return x + ty.gelu(ty.rms_norm(x, weight=g2) @ up, approximate="tanh") @ down


def decoder(tokens: Any, table: Any, places: Any, qkv: Any, out: Any) -> Any:
    x = ty.embedding(tokens, table) + places
    x = x + attended(x, qkv, out, 2, causal=True)
    return x @ table.T


def lstm(x: Any, w: Any, u: Any, b: Any) -> Any:
    """Over five steps, forwards."""
    h = c = ty.zeros((x.shape[1], u.shape[0]), dtype=x.dtype)
    rows: list[Any] = []
    for step in range(5):
        h, c = lstm_cell(x[step], h, c, w, u, b)
        rows.append(h)
    return ty.stack(rows), c


def speech(x: Any, h: Any, c: Any, basis: Any, w1: Any, w2: Any, w: Any, u: Any, b: Any, out: Any):
    """As a network that hears whether somebody speaks: spectrum, convolutions, a cell, a number."""
    around = ty.concat([x, ty.flip(x[:, :, -17:-1], axis=-1)], axis=-1)
    spectrum = ty.conv(around, basis, stride=16)
    real, imaginary = ty.split(spectrum, 2, axis=1)
    y = ty.sqrt(real * real + imaginary * imaginary + 2.0**-10)
    y = ty.relu(ty.conv(ty.relu(ty.conv(y, w1, padding=1)), w2, stride=2, padding=1))
    h, c = lstm_cell(y.mean(axis=-1), h, c, w, u, b)
    return ty.sigmoid(ty.relu(h) @ out), h, c


def file_type(content: Any, table: Any, g: Any, b: Any, w: Any, dense: Any) -> Any:
    """As a network that tells what kind of file some bytes are."""
    x = ty.layer_norm(ty.gelu(ty.embedding(content, table)), weight=g, bias=b)
    x = ty.gelu(ty.conv(ty.swapaxes(x, 1, 2), w))
    return ty.softmax(ty.max(x, axis=-1) @ dense)


def mixture(x: Any, gate: Any, experts: Any) -> Any:
    """Two of the experts for each row, by what the gate says."""
    scores, chosen = ty.top_k(x @ gate, 2)
    parts = ty.vecdot(x.reshape(-1, 1, 1, x.shape[1]), ty.take(experts, chosen, axis=0))
    return (ty.softmax(scores).reshape(-1, 2, 1) * parts).sum(axis=1)


def statistics(x: Any, buckets: Any) -> Any:
    """Orders, running sums, and sums by bucket."""
    ordered = ty.sort(x, axis=-1)
    running = ty.cumsum(x, axis=0)
    sums = ty.zeros((7, x.shape[1]), dtype=x.dtype).at[buckets].add(x)
    extremes = ty.zeros((7,), dtype=x.dtype).at[buckets].max(x[:, 0])
    return ordered, ty.argsort(x[:, 1], stable=True), running, sums, extremes


def drawn(seed: Any) -> Any:
    """Random numbers: integers to the bit, floats of them."""
    first, second = ty.random.split(ty.random.key(seed))
    chosen = ty.random.integers(second, -5, 70, (19,))
    return ty.random.bits(first, (33,)), ty.random.normal(first, (7, 9)), chosen


def power_method(a: Any, x: Any) -> Any:
    """The largest eigenvalue: a loop around several kernels."""

    def step(i: Any, v: Any) -> Any:
        y = a @ v
        return y / ty.sqrt((y * y).sum())

    v = ty.fori_loop(0, 6, step, x)
    return v, v @ (a @ v)


def collatz(n: Any) -> Any:
    """A loop whose end is not known before, with a branch in it."""

    def step(state: Any) -> Any:
        value, count = state
        after = ty.cond(value % 2 == 0, lambda v: v // 2, lambda v: 3 * v + 1, value)
        return after, count + 1

    return ty.while_loop(lambda state: state[0] != 1, step, (n, n * 0))[1]


def in_place(x: Any, rows: Any) -> Any:
    """A buffer that a loop writes a row of at each turn, and reads the one before."""

    def step(i: Any, state: Any) -> Any:
        before = ty.dynamic_slice(state, (i, 0), (1, state.shape[1]))
        row = ty.tanh(before + ty.dynamic_slice(rows, (i, 0), (1, rows.shape[1])))
        return ty.dynamic_update_slice(state, row, (i + 1, 0))

    return ty.fori_loop(0, rows.shape[0], step, x)


MODELS: dict[str, Model] = {
    "perceptron": Model(
        mlp,
        (normal(19, 37), weights(37, 65), normal(65), weights(65, 33), normal(33), weights(33, 11)),
    ),
    "perceptron of any batch": Model(
        mlp,
        (normal(5, 37), weights(37, 65), normal(65), weights(65, 33), normal(33), weights(33, 11)),
        batch=70,
    ),
    "convolutional network": Model(
        cnn,
        (
            *(normal(2, 3, 13, 13), normal(9, 3, 3, 3, scale=0.25), normal(9)),
            *(normal(7, 9, 3, 3, scale=0.25), weights(7, 5)),
        ),
    ),
    "residual block": Model(
        basic_block,
        (normal(2, 5, 9, 9), normal(11, 5, 3, 3, scale=0.25), normal(11, 11, 3, 3, scale=0.125))
        + (normal(11, 5, 1, 1, scale=0.5),)
        + 3 * (normal(11), positive(11), normal(11), normal(11)),
    ),
    "encoder block": Model(
        encoder_block,
        (
            *(normal(2, 21, 33), normal(33), normal(33), weights(33, 99), weights(33, 33)),
            *(normal(33), weights(33, 67), weights(67, 33)),
        ),
    ),
    "decoder of tokens": Model(
        decoder,
        (below(101, 2, 19), normal(101, 34), normal(19, 34), weights(34, 102), weights(34, 34)),
    ),
    "recurrent network": Model(
        lstm, (normal(5, 3, 17), weights(17, 52), weights(13, 52), normal(52))
    ),
    "speech detector": Model(
        speech,
        (
            *(normal(2, 1, 112), normal(2, 15), normal(2, 15), weights(18, 1, 32)),
            *(weights(13, 9, 3), weights(17, 13, 3), weights(17, 60), weights(15, 60)),
            *(normal(60), weights(15, 1)),
        ),
    ),
    "file type": Model(
        file_type,
        (
            *(below(257, 2, 31), normal(257, 19), normal(19), normal(19)),
            *(weights(23, 19, 5), weights(23, 13)),
        ),
    ),
    "mixture of experts": Model(
        mixture, (normal(9, 17), normal(17, 5), normal(5, 13, 17, scale=0.25)), narrow=False
    ),
    "order and running sums": Model(statistics, (normal(29, 11), below(7, 29)), narrow=False),
    "random numbers": Model(drawn, (np.array(7, np.int32),), narrow=False),
    "a loop around kernels": Model(
        power_method, ((lambda a: (a + a.T) / 8)(normal(17, 17)), normal(17)), narrow=False
    ),
    "a loop with a branch": Model(collatz, (np.array(7, np.int32),), narrow=False),
    "a buffer written in place": Model(in_place, (np.zeros((8, 11)), normal(7, 11)), narrow=False),
}

TOLERANCE = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}
"""By element type how far off a result may be, by the largest of its tensor."""


def element_types(model: Model) -> list[dtypes.DType]:
    """The element types that a model is run in."""
    if not any(array.dtype == np.float64 for array in model.arrays):
        return [dtypes.FLOAT32]
    narrow = [dtypes.FLOAT16, dtypes.BFLOAT16]
    return [dtypes.FLOAT32, *(narrow if model.narrow else [])]


def compare(model: Model, dtype: dtypes.DType, target: str) -> ty.Compiled:
    """A model on a target beside the interpreter in float64; what was compiled.

    Raises AssertionError where they differ, and whatever the target reports.
    """
    inputs = model.inputs(dtype)
    wide = [a.astype(np.float64) if a.dtype == dtype.numpy() else a for a in inputs]
    reference = model.traced(dtypes.FLOAT64).lower(target="interpret{floor=graph}").compile()
    compiled = model.traced(dtype).lower(target=target).compile(cache=False)
    for found, expected in zip(_many(compiled(*inputs)), _many(reference(*wide)), strict=True):
        assert found.shape == expected.shape
        if found.dtype.kind in "biu":
            np.testing.assert_array_equal(found, expected)
            continue
        assert found.dtype in (dtype.numpy(), np.float32)
        scale = max(1.0, float(np.abs(expected).max(initial=0)))
        off = np.abs(found.astype(np.float64) - expected).max(initial=0)
        assert off <= TOLERANCE[dtype.name] * scale, f"off by {off}, of {scale}"
    return compiled


def _many(outputs: Any) -> list[Array]:
    return list(outputs) if isinstance(outputs, tuple | list) else [outputs]
