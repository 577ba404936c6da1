"""Operands for tests, ordinary and extreme ones, and what exact results are in a type."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from one_instruction import Array

from teenyir.emulator.types import TYPES

COUNT = 256
"""Operands of each instruction."""

RANDOM = np.random.default_rng(1)
"""Begins anew for each test of a module that imports it: all that draw from it do."""


def integers(kind: str) -> Array:
    """Random integers of a type, with its extremes and small ones."""
    info = np.iinfo(TYPES[kind].dtype)
    values = RANDOM.integers(info.min, info.max, COUNT, dtype=TYPES[kind].dtype, endpoint=True)
    edges = [info.min, info.max, 0, 1, 2, info.max - 1, info.max // 2]
    values[: len(edges)] = np.array(edges, TYPES[kind].dtype)
    RANDOM.shuffle(values)
    return values


def floats(kind: str) -> Array:
    """Random floats over the whole range of exponents, and special values."""
    dtype = TYPES[kind].dtype
    bits = RANDOM.integers(0, 2 ** (dtype.itemsize * 8), COUNT, dtype=np.uint64)
    values = bits.astype(f"u{dtype.itemsize}").view(dtype)
    with np.errstate(invalid="ignore"):
        values[np.isnan(values)] = np.nan  # no signalling ones, at which numpy warns
    values[::2] = RANDOM.standard_normal(COUNT // 2).astype(dtype)
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 3.0]
    values[: len(edges)] = np.array(edges).astype(dtype)
    RANDOM.shuffle(values)
    return values


def words(count: int = 64) -> Array:
    """Random words of 32 bits."""
    return RANDOM.integers(0, 2**32, count, np.uint32)


def wrap(value: int, kind: str) -> int:
    bits = TYPES[kind].bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind[0] == "s" and value >> (bits - 1) else value


def clamp(value: int, kind: str) -> int:
    info = np.iinfo(TYPES[kind].dtype)
    return max(int(info.min), min(int(info.max), value))


def bits_of(value: int, kind: str) -> int:
    return value & ((1 << TYPES[kind].bits) - 1)


def round_single(value: Fraction, mode: str) -> float:
    """A rational as float32, by hand: independent of the emulator's way."""
    sign, magnitude = (-1 if value < 0 else 1), abs(value)
    # a magnitude of n bits is below 2**n
    bits = magnitude.numerator.bit_length() - magnitude.denominator.bit_length() + 1
    exponent = max(-149, bits - 24)
    if magnitude / Fraction(2) ** exponent < 2**23:
        exponent = max(-149, exponent - 1)
    whole, rest = divmod(magnitude / Fraction(2) ** exponent, 1)
    whole = int(whole)
    half = Fraction(1, 2)
    up = {
        "rn": rest > half or (rest == half and whole % 2 == 1),
        "rz": False,
        "rm": rest > 0 and sign < 0,
        "rp": rest > 0 and sign > 0,
    }[mode]
    result = (whole + up) * 2.0**exponent if exponent < 100 else float((whole + up) * 2**exponent)
    if result > float(np.finfo(np.float32).max):
        finite = mode == "rz" or (mode != "rn" and (mode == "rm") == (sign > 0))
        result = float(np.finfo(np.float32).max) if finite else np.inf
    return sign * result
