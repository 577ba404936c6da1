"""`expand-math{approximate=true}` in the emulator: how near its functions come where the
instructions that it starts from are as wrong as PTX allows. docs/cuda.md states the bounds."""

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir import emulator

Array = NDArray[Any]

# numpy says of NaN and infinity what is meant here.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], float, float]] = {
    "exp": (ty.exp, np.exp, 1.0, 3.5),
    "exp2": (ty.exp2, np.exp2, 0.75, 3.5),
    "tanh": (ty.tanh, np.tanh, 1.7, 3.0),
    "rsqrt": (ty.rsqrt, lambda x: 1 / np.sqrt(x), 0.51, 2.5),
}
"""By name: the function, what it is in f64, and the bounds in ulp where each instruction gives the
nearest number, and where it is wrong by as much as it may be."""

WRONG_BY = {"ex2": 2, "rcp": 1, "rsqrt": 2}
"""Ulp, of PTX ISA 9.0."""

BLOCK = 256
"""Threads."""

SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.0**-126, -(2.0**-126)),
        *(
            2.0**-149,
            -(2.0**-149),
            3.4028234e38,
            -3.4028234e38,
            88.72283,
            88.72284,
            88.3,
            -87.33654,
        ),
        *(-87.4, -100.0, -103.97207, -103.97209, -104.5, 127.999, 128.0, -126.0, -126.5, -149.0),
        *(-149.5, -150.0, 0.625, 0.6249999, 0.9, 0.8999999, 3.9, 4.1, 9.02, 1 - 2.0**-24),
    ],
    np.float32,
)


def numbers(name: str) -> Array:
    bits = np.arange(0, 1 << 32, 262_139, np.uint64).astype(np.uint32).view(np.float32)
    usual = np.random.default_rng(8).uniform(-10, 10, 16_000).astype(np.float32)
    all = np.concatenate([SPECIAL, bits, np.abs(usual) if name == "rsqrt" else usual])
    return all[: all.size // BLOCK * BLOCK]


def ptx_of(function: Callable[..., Any], count: int) -> str:
    traced = ty.trace(function, ty.Spec((count,), ty.float32))
    return traced.lower(target="cuda-emulated").compile(cache=False).asm["ptx"]


def off_by(ptx: str, sign: int) -> str:
    """PTX whose approximate instructions have results that are wrong by as much as they may be."""
    found = re.compile(r"^\s*(\w+)\.approx(?:\.ftz)?\.f32\s+(%r\d+), .*;$", re.MULTILINE)

    def wrong(match: re.Match[str]) -> str:
        by = sign * WRONG_BY[match[1]]
        register = match[2]
        # (a power of two may stand for a number below it, whose ulp is half of its own)
        return (
            f"{match[0]}\ntestp.normal.f32 %off, {register};\n"
            f"and.b32 %rest, {register}, 0x7fffff;\n"
            f"setp.ne.and.b32 %off, %rest, 0, %off;\n"
            f"@%off add.s32 {register}, {register}, {by};"
        )

    text, count = found.subn(wrong, ptx)
    assert count
    return text.replace("{", "{\n.reg .pred %off;\n.reg .b32 %rest;", 1)


def run(ptx: str, x: Array) -> Array:
    module = emulator.load(ptx)
    out = np.zeros_like(x)
    (name,) = module.kernels
    module.launch(name, grid=x.size // BLOCK, block=BLOCK, args=[out, x])
    return out


def worst(got: Array, exact: Array) -> float:
    """The largest distance from the exact results, in ulp; infinite where NaN, infinity or the sign
    of a zero is wrong."""
    rounded, result = exact.astype(np.float32).astype(np.float64), got.astype(np.float64)
    plain = np.isfinite(rounded) & np.isfinite(result)
    same = (rounded == result) | (np.isnan(rounded) & np.isnan(result))
    zeros = plain & (rounded == 0) & (result == 0)
    if not same[~plain].all() or (np.signbit(rounded) != np.signbit(result))[zeros].any():
        return math.inf
    size = np.maximum(np.abs(exact[plain]), 2.0**-126)
    return float(np.max(np.abs(result - exact)[plain] / 2.0 ** (np.floor(np.log2(size)) - 23)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bounds(name: str) -> None:
    function, reference, nearest, stated = FUNCTIONS[name]
    x = numbers(name)
    exact = reference(x.astype(np.float64))
    ptx = ptx_of(function, x.size)
    assert worst(run(ptx, x), exact) <= nearest
    # the last numbers before infinity may become it
    inside = ~(np.isfinite(exact) & (np.abs(exact) > 3.402823e38))
    for sign in (-1, 1):
        found = run(off_by(ptx, sign), x)
        assert worst(found[inside], exact[inside]) <= stated


@pytest.mark.parametrize("type", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_number_of_16_bits(name: str, type: str) -> None:
    # f32 has digits to spare: what is left is the rounding to the narrow type
    function, reference, _, _ = FUNCTIONS[name]
    dtype = getattr(ty, type)
    x = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(dtype.numpy())
    traced = ty.trace(function, ty.Spec(x.shape, dtype)).lower(target="cuda-emulated")
    found = np.asarray(traced.compile(cache=False)(x)).astype(np.float64)
    exact = reference(x.astype(np.float64))
    rounded = exact.astype(dtype.numpy()).astype(np.float64)
    wrong = (found != rounded) & ~(np.isnan(found) & np.isnan(rounded))
    # what is not the nearest number is next to it
    digits = 10 if type == "float16" else 7
    smallest = 2.0**-14 if type == "float16" else 2.0**-126
    ulp = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact[wrong]), smallest))) - digits)
    assert (np.abs(found - exact)[wrong] <= 0.51 * ulp).all()
