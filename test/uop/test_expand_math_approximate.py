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
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.ptx import compile_ptx
from teenyir.targets import cuda

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


def ptx_of_op(op: str, count: int) -> str:
    """One op on uops, on `%v`."""
    module = parse_module(
        f"""
        uop.func @one(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>)
            grid [{count // BLOCK}] block [{BLOCK}] {{
          %b = uop.special grid.x
          %t = uop.special thread.x
          %size = arith.constant {BLOCK} : index
          %first = arith.muli %b, %size : index
          %at = arith.addi %first, %t : index
          %v = uop.load %x[%at] : f32
          %e = {op} : f32
          uop.store %e, %y[%at]
        }}
        """
    )
    PassManager.parse("expand-math{approximate=true},uop-to-nvvm{capability=80}").run(module)
    return compile_ptx(llvm_text(module), cuda.find("80"))


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


def test_nothing_above_zero() -> None:
    # of exponentials relative to a maximum: as near as those of all numbers, and 1 of 0
    x = np.minimum(numbers("exp"), np.float32(0))
    exact = np.exp(x.astype(np.float64))
    ptx = ptx_of_op("math.exp %v {math.nonpositive}", x.size)
    found = run(ptx, x)
    assert worst(found, exact) <= 1.0
    assert (found[x == 0] == 1).all()
    for sign in (-1, 1):
        assert worst(run(off_by(ptx, sign), x), exact) <= 3.5


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_few_digits(name: str) -> None:
    # 2^-15 of the result, which f16 has 11 digits of
    x = numbers(name)
    found = run(ptx_of_op(f"math.{name} %v fastmath<afn>", x.size), x).astype(np.float64)
    exact = FUNCTIONS[name][1](x.astype(np.float64))
    normal = (exact >= 2.0**-125) & (exact < 2.0**127)
    assert (np.abs(found / exact - 1)[normal] <= 2.0**-15).all()
    assert (found[exact == 0] == 0).all()
    assert np.isinf(found[exact > 3.5e38]).all()
    assert (np.isnan(found) == np.isnan(exact)).all()


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
