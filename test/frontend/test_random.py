"""The counter-based generator: known answers, what it promises, and statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from floors import on_every_floor

import teenyir as ty
from teenyir.interpreter import run

N = ty.Dim("N", min=1)


def drawn(function: Callable[..., Any], *specs: Any, inputs: Any = (), every_floor: bool = False):
    """The outputs of a traced function; on the graph floor, or on all of them."""
    program = ty.trace(function, *specs)
    given = dict(zip(program.input_names, inputs, strict=True)) | program.parameters
    outputs = on_every_floor(program.module, given) if every_floor else run(program.module, given)
    return outputs if len(outputs) > 1 else outputs[0]


def sample(function: Callable[..., Any], seed: int = 3) -> Any:
    """What a function draws with the key of a seed."""
    return drawn(lambda: function(ty.random.key(seed)))


# Known answers of the Random123 library, kat_vectors: threefry2x32, 20 rounds.
KNOWN = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


def test_known_answers():
    def ciphers(keys: Any, counters: Any) -> Any:
        pairs = [ty.random.threefry2x32(keys[k], counters[k, 0], counters[k, 1]) for k in range(3)]
        return [word for pair in pairs for word in pair]

    keys, counters = (np.array([row[k] for row in KNOWN], np.uint32) for k in range(2))
    words = drawn(ciphers, keys, counters, inputs=[keys, counters], every_floor=True)
    assert [int(word) for word in words] == [word for row in KNOWN for word in row[2]]


def threefry(key: np.ndarray, x0: np.ndarray, x1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cipher once more, from the paper's figure, on numpy."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)]
    a, b = x0 + keys[0], x1 + keys[1]
    for turn in range(20):
        by = [13, 15, 26, 6, 17, 29, 16, 24][turn % 8]
        a = a + b
        b = (b << np.uint32(by) | b >> np.uint32(32 - by)) ^ a
        if turn % 4 == 3:
            group = turn // 4 + 1
            a, b = a + keys[group % 3], b + keys[(group + 1) % 3] + np.uint32(group)
    return a, b


def test_bits_are_ciphers_of_a_counter():
    key = np.array([7, 9], np.uint32)
    short, long, narrow = drawn(
        lambda k: (
            ty.random.bits(k, (3, 5)),
            ty.random.bits(k, 15, dtype=ty.uint64),
            ty.random.bits(k, 15, dtype=ty.uint8),
        ),
        key,
        inputs=[key],
        every_floor=True,
    )
    first, second = threefry(key, np.zeros(15, np.uint32), np.arange(15, dtype=np.uint32))
    np.testing.assert_array_equal(short, (first ^ second).reshape(3, 5))
    np.testing.assert_array_equal(long, first.astype(np.uint64) << 32 | second)
    np.testing.assert_array_equal(narrow, (first ^ second).astype(np.uint8))


def test_the_same_numbers_everywhere():
    """Bits, and what is made of them without a transcendental function, on every floor."""

    def draw(like: Any) -> Any:
        key = ty.random.fold_in(ty.random.key(5), 11)
        a, b, c = ty.unstack(ty.random.split(key, 3))
        return (
            ty.random.uniform(a, like.shape),
            ty.random.uniform(a, like.shape, dtype=ty.float64, low=-2, high=5),
            ty.random.uniform(a, like.shape, dtype=ty.float16),
            ty.random.integers(b, -3, 4, like.shape, dtype=ty.int8),
            ty.random.bernoulli(c, 0.25, like.shape),
        )

    like = np.zeros((6, 4), np.float32)
    whole = drawn(draw, ty.Spec((N, 4)), inputs=[like], every_floor=True)
    part = drawn(draw, ty.Spec((N, 4)), inputs=[like[:2]])
    for more, fewer in zip(whole, part, strict=True):
        np.testing.assert_array_equal(more[:2], fewer)  # a larger draw begins with a smaller one
    assert whole[0].min() >= 0
    assert whole[0].max() < 1


def test_a_seed_may_be_data():
    seed = np.array(0x1234567890, np.int64)
    (made,) = [drawn(ty.random.key, ty.Spec((), ty.int64), inputs=[seed])]
    np.testing.assert_array_equal(made, [0x12, 0x34567890])
    np.testing.assert_array_equal(sample(lambda key: key, 0x1234567890), made)


def test_keys_differ():
    keys = sample(lambda key: ty.random.split(key, 1000)).view(np.uint64)
    assert np.unique(keys).size == 1000


COUNT = 1 << 16


def kolmogorov_smirnov(values: np.ndarray, cumulative: Callable[[np.ndarray], np.ndarray]) -> float:
    """The largest distance from a distribution times the root of the number of values.

    It is above 1.95 once in a thousand times (Smirnov, 1948); the draws are fixed.
    """
    expected = cumulative(np.sort(values.astype(np.float64)))
    steps = np.arange(values.size + 1) / values.size
    distance = max(np.max(expected - steps[:-1]), np.max(steps[1:] - expected))
    return float(distance) * math.sqrt(values.size)


DISTRIBUTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]] = {
    "uniform": (lambda key: ty.random.uniform(key, COUNT), lambda x: x),
    "uniform of float64": (lambda key: ty.random.uniform(key, COUNT, dtype="float64"), lambda x: x),
    "uniform between": (
        lambda key: ty.random.uniform(key, COUNT, low=-3, high=1),
        lambda x: (x + 3) / 4,
    ),
    "normal": (
        lambda key: ty.random.normal(key, COUNT),
        lambda x: np.array([(1 + math.erf(v / math.sqrt(2))) / 2 for v in x]),
    ),
    "normal of float64": (
        lambda key: ty.random.normal(key, COUNT, dtype="float64", mean=3, std=2),
        lambda x: np.array([(1 + math.erf((v - 3) / math.sqrt(8))) / 2 for v in x]),
    ),
    "exponential": (lambda key: ty.random.exponential(key, COUNT), lambda x: 1 - np.exp(-x)),
    "gumbel": (lambda key: ty.random.gumbel(key, COUNT), lambda x: np.exp(-np.exp(-x))),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name: str):
    draw, cumulative = DISTRIBUTIONS[name]
    values = sample(draw)
    assert np.isfinite(values).all()
    assert kolmogorov_smirnov(values, cumulative) < 1.95
    # neighbours, and halves, are not correlated: each coefficient has a deviation of 1 / 256
    centred = (values - values.mean()) / values.std()
    assert abs(np.mean(centred[:-1] * centred[1:])) < 4 / 256
    assert abs(np.mean(centred[: COUNT // 2] * centred[COUNT // 2 :])) < 6 / 256


def chi_squared(counts: np.ndarray, expected: np.ndarray) -> float:
    """Pearson's statistic, in deviations from its mean."""
    statistic = np.sum((counts - expected) ** 2 / expected)
    freedom = counts.size - 1
    return float((statistic - freedom) / math.sqrt(2 * freedom))


def test_integers_are_even():
    values = sample(lambda key: ty.random.integers(key, -5, 95, COUNT))
    assert values.dtype == np.int32
    counts = np.bincount(values + 5, minlength=100)
    assert counts.size == 100
    assert abs(chi_squared(counts, np.full(100, COUNT / 100))) < 4


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_integers_reach_the_limits(dtype: str):
    info = np.iinfo(dtype)
    values = sample(
        lambda key: ty.random.integers(key, int(info.min), int(info.max) + 1, 4096, dtype=dtype)
    )
    assert values.dtype == dtype
    middle = (int(info.min) + int(info.max)) / 2
    assert abs(np.mean(values.astype(np.float64) > middle) - 0.5) < 0.04
    top = values.view(f"u{values.dtype.itemsize}")
    for bit in range(8 * values.dtype.itemsize):
        share = np.mean(top >> np.asarray(bit, top.dtype) & np.asarray(1, top.dtype))
        assert abs(share - 0.5) < 0.04


def test_bernoulli_and_categorical():
    chances = np.array([0.0, 0.1, 0.5, 1.0], np.float32)
    logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-30]], np.float32))
    flags, picks = sample(
        lambda key: (
            ty.random.bernoulli(key, chances, (COUNT, 4)),
            ty.random.categorical(key, logits, (COUNT // 2, 2)),
        )
    )
    np.testing.assert_allclose(flags.mean(axis=0), chances, atol=0.01)
    assert not flags[:, 0].any()
    assert flags[:, 3].all()
    for k in range(2):
        share = np.bincount(picks[:, k], minlength=3) / picks.shape[0]
        np.testing.assert_allclose(share, np.exp(logits[k]), atol=0.01)


def test_bits_look_random():
    """Every bit of a word, and each pair of neighbouring words, by counting."""
    words = sample(lambda key: ty.random.bits(key, COUNT))
    deviation = 0.5 / math.sqrt(COUNT)
    for bit in range(32):
        ones = words >> np.uint32(bit) & np.uint32(1)
        assert abs(ones.mean() - 0.5) < 4 * deviation
        assert abs((ones[:-1] ^ ones[1:]).mean() - 0.5) < 4 * deviation
    counts = np.bincount(words & np.uint32(0xFF), minlength=256)
    assert abs(chi_squared(counts, np.full(256, COUNT / 256))) < 4
    flipped = sample(lambda key: ty.random.bits(key, COUNT), seed=2)  # one bit of the key
    share = np.unpackbits((words ^ flipped).view(np.uint8)).mean()
    assert abs(share - 0.5) < 4 * deviation / math.sqrt(32)
