"""`expand-math`, run as machine code: how near its functions come, and what they make of NaN,
infinities, zeros and denormal numbers. The bounds are those that docs/c.md states."""

import ctypes
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from teenyir.diagnostics import PipelineError
from teenyir.dialects.lanewise import NONPOSITIVE, NONPOSITIVE_IF_FINITE
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.lower import UopToLLVM
from teenyir.passes.kernel.choose.cpu import lane_lookups
from teenyir.passes.uop.expand_math import ExpandMath
from teenyir.passes.uop.legalize_floats import LegalizeFloats
from teenyir.passes.uop.math_formulas import FORMULAS, ONE_MINUS, ONE_PLUS
from teenyir.passes.uop.math_formulas_f64 import FORMULAS_F64
from teenyir.passes.uop.math_formulas_lookup import FORMULAS_LOOKUP
from teenyir.pipeline.ir import make_context, parse_module, verify_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.jit import compile_object, load

# numpy says of NaN and infinity what is meant here.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

Array: TypeAlias = NDArray[Any]
Function: TypeAlias = Callable[..., Array]

DTYPES: dict[str, Any] = {
    **{"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16},
    "f64": np.float64,
}

REFERENCES: dict[str, tuple[Function, int, float]] = {
    "exp": (np.exp, 1, 1.1),
    "exp2": (np.exp2, 1, 1.2),
    "log": (np.log, 1, 0.9),
    "log2": (np.log2, 1, 1.4),
    "sin": (np.sin, 1, 1.6),
    "cos": (np.cos, 1, 1.6),
    "tanh": (np.tanh, 1, 1.5),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), 1, 1.2),
    "powf": (np.power, 2, 0.51),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1, 1.5),
    "atan2": (np.arctan2, 2, 1.6),
}
"""By op: what it is in f64, how many numbers it takes, and the bound in ulp."""

IN_F64: dict[str, float] = {
    **{"exp": 1.0, "exp2": 1.2, "log": 0.9, "log2": 0.9, "sin": 0.9, "cos": 0.9, "tanh": 2.5},
    **{"erf": 1.1, "powf": 1.5, "rsqrt": 1.5, "atan2": 1.8},
}
"""By op the bound in ulp of the formula in f64."""


LOOKED_UP: dict[tuple[str, int], float] = {("erf", 16): 0.8, ("tanh", 16): 1.0, ("erf", 8): 1.1}
"""By op and lanes the bound in ulp of the formula that looks coefficients up."""


def kernel(op: str, type: str, count: int, known: str = "") -> str:
    inputs = "".join(f", in %a{k}: !uop.ptr<{type}>" for k in range(count))
    loads = "".join(f"    %x{k} = uop.load %a{k}[%i] : {type}\n" for k in range(count))
    return f"""
uop.func @k(out %out: !uop.ptr<{type}>{inputs}) dims(%n: N in 0..) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {{
{loads}    %y = math.{op} {", ".join(f"%x{k}" for k in range(count))} {known}: {type}
    uop.store %y, %out[%i]
  }}
}}
"""


def compiled(op: str, type: str = "f32", scale: Any = "products", known: str = "") -> Function:
    """The op as machine code, by its formula, or that for what is known of its operand."""
    count = REFERENCES[op][1]
    module, context = parse_module(kernel(op, type, count, known)), make_context()
    for step in (LegalizeFloats(), ExpandMath(f64=True, fuse=True, scale=scale)):
        step.apply(context, module)
        verify_module(module)
    assert f"math.{op}" not in str(module)
    return native(module)


def native(module: ModuleOp) -> Function:
    """The kernel of a module as machine code."""
    UopToLLVM().apply(make_context(), module)
    verify_module(module)
    library = load(compile_object(llvm_text(module)), ["k"])
    entry = ctypes.CFUNCTYPE(None)(library.address("k"))

    def call(*columns: Array) -> Array:
        library.address("k")  # keeps the code alive as long as the function
        out = np.empty_like(columns[0])
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (out, *columns)]
        entry(*pointers, ctypes.c_int64(len(out)))
        return out

    return call


def worst(got: Array, exact: Array) -> float:
    """The largest distance from the exact results, in ulp; infinite where NaN, infinity or the
    sign of a zero is wrong."""
    info = ml_dtypes.finfo(got.dtype)
    rounded, result = exact.astype(got.dtype).astype(np.float64), got.astype(np.float64)
    plain = np.isfinite(rounded) & np.isfinite(result)
    same = (rounded == result) | (np.isnan(rounded) & np.isnan(result))
    zeros = plain & (rounded == 0) & (result == 0)
    if not same[~plain].all() or (np.signbit(rounded) != np.signbit(result))[zeros].any():
        return math.inf
    size = np.maximum(np.abs(exact[plain]), float(info.smallest_normal))
    ulp = 2.0 ** np.floor(np.log2(size.astype(np.float64))) * float(info.eps)
    return float(np.max(np.abs(result[plain] - exact[plain]) / ulp, initial=0))


def every(type: str, step: int = 1) -> Array:
    """Numbers of a type by their bits, all of them or each `step`-th."""
    bits = DTYPES[type](0).itemsize * 8
    return np.arange(0, 1 << bits, step, np.uint64).astype(f"u{bits // 8}").view(DTYPES[type])


SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5),
        *(math.inf, -math.inf, math.nan, 2.0**-126, -(2.0**-126), 2.0**-149, -(2.0**-149)),
        *(3.4028234e38, -3.4028234e38, 2.0**23, 2.0**24 - 1, -(2.0**24) + 1, 2.0**24 + 2, 1e20),
        *(88.72283, 88.72284, -87.33654, -103.97207, -103.97209, 128.0, -149.5, -150.0, 0.1, 9.02),
        *(0.625, 0.6249999, 0.9, 3.9, 4.1, math.pi, math.pi / 2, 1e-30, 1 - 2.0**-24, 1 + 2.0**-23),
    ],
    np.float32,
)


def columns_of(values: Array, count: int) -> list[Array]:
    grid = np.meshgrid(*[values] * count, indexing="ij")
    return [np.ascontiguousarray(column.reshape(-1)) for column in grid]


def check(op: str, *columns: Array, bound: float | None = None) -> None:
    reference, _, stated = REFERENCES[op]
    type = next(name for name, dtype in DTYPES.items() if columns[0].dtype == dtype)
    exact = reference(*(column.astype(np.float64) for column in columns))
    assert worst(compiled(op, type)(*columns), exact) <= (stated if bound is None else bound)


@pytest.mark.parametrize("op", REFERENCES)
def test_special_values(op: str) -> None:
    check(op, *columns_of(SPECIAL, REFERENCES[op][1]))


@pytest.mark.parametrize("op", REFERENCES)
def test_numbers_of_every_size(op: str) -> None:
    if REFERENCES[op][1] == 1:
        check(op, every("f32", 65521 if op == "erf" else 4099))
    else:
        bits = np.random.default_rng(7).integers(0, 1 << 32, (2, 300_000), np.uint32)
        check(op, *bits.view(np.float32))


@pytest.mark.parametrize("op", REFERENCES)
def test_numbers_of_usual_size(op: str) -> None:
    random = np.random.default_rng(8)
    numbers = random.uniform(-10, 10, (REFERENCES[op][1], 60_000)).astype(np.float32)
    check(op, *(np.abs(numbers) if op in ("log", "log2", "rsqrt") else numbers))
    if op == "powf":
        check(op, np.exp(random.uniform(-20, 20, 60_000)).astype(np.float32), numbers[1])


@pytest.mark.long
@pytest.mark.parametrize(
    "op", [op for op, row in REFERENCES.items() if row[1] == 1 and op != "erf"]
)
def test_one_number_in_31(op: str) -> None:
    check(op, every("f32", 31))


@pytest.mark.parametrize("type", ["f16", "bf16"])
@pytest.mark.parametrize("op", [op for op, row in REFERENCES.items() if row[1] == 1])
def test_every_number_of_16_bits(op: str, type: str) -> None:
    # f32 has digits to spare: what is left is the rounding to the narrow type
    check(op, every(type), bound=0.51)


@pytest.mark.parametrize("type", ["f16", "bf16"])
@pytest.mark.parametrize("op", [op for op, row in REFERENCES.items() if row[1] == 2])
def test_pairs_of_16_bits(op: str, type: str) -> None:
    bits = np.random.default_rng(9).integers(0, 1 << 16, (2, 200_000), np.uint16)
    check(op, *bits.view(DTYPES[type]), bound=0.51)


# --- f64 ------------------------------------------------------------------------------------------

SPECIAL_F64 = np.array(
    [
        *SPECIAL.tolist(),
        *(2.0**-1022, -(2.0**-1022), 5e-324, -5e-324, 1.7976931348623157e308, 1e300, 2.0**52),
        *(709.78, 709.79, -745.1, -745.14, 1023.99, 1024.0, -1074.5, -1075.0, 2.0**53 - 1, 1e22),
        *(0.9, 2.5, 5.9, 6.1, 1 - 2.0**-53, 1 + 2.0**-52, 2.0**30 - 0.5, 2.0**30, math.pi * 1e5),
        # the f64 that is nearest to a multiple of pi/2 (J.-M. Muller, "Elementary Functions", 11)
        6381956970095103.0 * 2.0**797,
    ]
)

wider = pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 2.0**-60, reason="numpy has no float here that is wider than f64"
)


def check_f64(op: str, *columns: Array) -> None:
    reference, bound = REFERENCES[op][0], IN_F64[op]
    # (what math.erf gives may itself be off by an ulp)
    wide = np.float64 if op == "erf" else np.longdouble
    exact = np.asarray(reference(*(column.astype(wide) for column in columns)), np.longdouble)
    found = compiled(op, "f64")(*columns)
    assert worst(found, exact) <= bound + (op == "erf")


@wider
@pytest.mark.parametrize("op", IN_F64)
def test_special_values_in_f64(op: str) -> None:
    check_f64(op, *columns_of(SPECIAL_F64, REFERENCES[op][1]))


@wider
@pytest.mark.parametrize("op", IN_F64)
def test_numbers_of_every_size_in_f64(op: str) -> None:
    count = REFERENCES[op][1]
    bits = np.random.default_rng(7).integers(0, 1 << 64, (count, 50_000), np.uint64)
    check_f64(op, *bits.view(np.float64))


@wider
@pytest.mark.parametrize("op", IN_F64)
def test_numbers_of_usual_size_in_f64(op: str) -> None:
    random = np.random.default_rng(8)
    numbers = random.uniform(-10, 10, (REFERENCES[op][1], 50_000))
    check_f64(op, *(np.abs(numbers) if op in ("log", "log2", "rsqrt") else numbers))
    if op == "powf":
        check_f64(op, np.exp(random.uniform(-300, 300, 50_000)), random.uniform(-3, 3, 50_000))


# --- sums with 1 ----------------------------------------------------------------------------------


def _one_plus_exp(x: Array) -> Array:
    return 1 + np.exp(x)


def _one_plus_tanh(x: Array) -> Array:
    return 2 / (1 + np.exp(-2 * x))


def _one_minus_tanh(x: Array) -> Array:
    return _one_plus_tanh(-x)


SUMS: dict[str, tuple[str, str, Function]] = {
    "1 + exp": ("exp", "addf %one, %y", _one_plus_exp),
    "exp + 1": ("exp", "addf %y, %one", _one_plus_exp),
    "1 + tanh": ("tanh", "addf %one, %y", _one_plus_tanh),
    "tanh + 1": ("tanh", "addf %y, %one", _one_plus_tanh),
    "1 - tanh": ("tanh", "subf %one, %y", _one_minus_tanh),
}
"""An op, its sum with 1, and what that is."""


def sum_with_one(name: str, scale: Any = "products", lanes: int = 0) -> Function:
    op, sum_, _ = SUMS[name]
    type = f"vector<{lanes}xf32>" if lanes else "f32"
    text = f"""
uop.func @k(out %out: !uop.ptr<f32>, in %in: !uop.ptr<f32>) dims(%n: N in 0..) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {lanes or 1} : index
  %1 = arith.constant 1.0 : f32
  %one = {f"vector.broadcast %1 : f32 to {type}" if lanes else "arith.constant 1.0 : f32"}
  scf.for %i = %zero to %n step %step {{
    %x = uop.load %in[%i] : {type}
    %y = math.{op} %x : {type}
    %z = arith.{sum_} : {type}
    uop.store %z, %out[%i]
  }}
}}
"""
    module = parse_module(text)
    ExpandMath(fuse=True, scale=scale).apply(make_context(), module)
    verify_module(module)
    assert "%one, %y" not in str(module) and "%y, %one" not in str(module)
    return native(module)


def check_sum(name: str, column: Array, scale: Any = "products", lanes: int = 0) -> None:
    got, exact = sum_with_one(name, scale, lanes)(column), SUMS[name][2](column.astype(np.float64))
    # tiny ones may be 0
    tiny = np.abs(exact) < 2.0**-126
    assert (np.abs(got[tiny]) <= 2.0**-126).all()
    small = np.abs(exact) < 1
    assert worst(got[~tiny & small], exact[~tiny & small]) <= 5.5
    assert worst(got[~small], exact[~small]) <= 1.5


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("scale", ["products", "instruction"])
@pytest.mark.parametrize("name", SUMS)
def test_sums_with_one(name: str, scale: Any, lanes: int) -> None:
    random = np.random.default_rng(8)
    numbers = [SPECIAL, every("f32", 65521), random.uniform(-2, 2, 30_000).astype(np.float32)]
    numbers += [random.uniform(-95, 95, 100_000).astype(np.float32)]
    column = np.concatenate(numbers)
    check_sum(name, column[: len(column) // 8 * 8], scale, lanes)


@pytest.mark.long
@pytest.mark.parametrize("name", ["1 + exp", "1 + tanh", "1 - tanh"])
def test_one_number_in_31_of_sums_with_one(name: str) -> None:
    check_sum(name, every("f32", 31))


# --- what is known of an operand ------------------------------------------------------------------


@pytest.mark.parametrize("known", [NONPOSITIVE, NONPOSITIVE_IF_FINITE])
def test_exp_of_nonpositive(known: str) -> None:
    exp = compiled("exp", known=f"{{{known}}} ")
    usual = np.linspace(-110, 0, 100_001, dtype=np.float32)
    column = np.concatenate([SPECIAL, every("f32", 65521), usual])
    below = column[~(column > 0)]
    np.testing.assert_array_equal(exp(below), compiled("exp")(below))
    if known == NONPOSITIVE:
        return
    # in the sums that these are in there is an infinity too
    above = exp(column[column > 0])
    exact = np.exp(column[column > 0].astype(np.float64))
    assert np.isposinf(above[column[column > 0] > 72.0]).all()
    assert worst(above[np.isfinite(above)], exact[np.isfinite(above)]) <= REFERENCES["exp"][2]


# --- coefficients looked up -----------------------------------------------------------------------


def looked_up(op: str, count: int) -> Function:
    """The op on vectors of so many lanes, as machine code, whatever the host looks up."""
    text = f"""
uop.func @k(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 0..) {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {count} : index
  scf.for %i = %c0 to %n step %step {{
    %v = uop.load %x[%i] : vector<{count}xf32>
    %y = math.{op} %v : vector<{count}xf32>
    uop.store %y, %out[%i]
  }}
}}
"""
    module = parse_module(text)
    ExpandMath(fuse=True, lookup="instruction").apply(make_context(), module)
    assert "uop.lookup" in str(module)
    return native(module)


@pytest.mark.parametrize("op, count", LOOKED_UP)
def test_coefficients_looked_up(op: str, count: int) -> None:
    random = np.random.default_rng(8)
    numbers = [SPECIAL, every("f32", 65521), random.uniform(-10, 10, 30_000).astype(np.float32)]
    numbers += [random.uniform(-1.5, 1.5, 30_000).astype(np.float32)]
    column = np.concatenate(numbers)
    column = column[: len(column) // 16 * 16]
    exact = REFERENCES[op][0](column.astype(np.float64))
    assert worst(looked_up(op, count)(column), exact) <= LOOKED_UP[op, count]


@pytest.mark.long
def test_one_number_in_31_looked_up() -> None:
    column = every("f32", 31)
    column = column[: len(column) // 16 * 16]
    assert worst(looked_up("tanh", 16)(column), np.tanh(column.astype(np.float64))) <= 1.0


def test_every_formula_is_tested() -> None:
    looked_up = {(op.name, count) for count, table in FORMULAS_LOOKUP.items() for op in table}
    assert {(f"math.{op}", count) for op, count in LOOKED_UP} == looked_up
    chosen = {(op.name, count) for count, ops in lane_lookups.LOOKED_UP.items() for op in ops}
    assert chosen == looked_up  # what vectors are chosen for
    assert {f"math.{op}" for op in REFERENCES} == {op.name for op in FORMULAS}
    sums = {(f"math.{op}", kind[:4]) for op, kind, _ in SUMS.values()}
    assert sums == {(op.name, "addf") for op in ONE_PLUS} | {(op.name, "subf") for op in ONE_MINUS}
    assert set(IN_F64) == set(REFERENCES)
    assert set(FORMULAS_F64) == set(FORMULAS)


def test_unknown_name() -> None:
    with pytest.raises(PipelineError, match="no formula for 'expp'; did you mean 'exp'") as caught:
        PassManager.parse("expand-math{only=exp,expp}")
    assert "1:1: error: pass 'expand-math'" in caught.value.render()


@pytest.mark.parametrize("op", ["exp", "exp2"])
def test_a_power_of_two_is_multiplied_with_alike_by_two_products_and_by_one_instruction(op: str):
    numbers = every("f32", 997)
    by_products, by_instruction = (
        compiled(op, scale=s)(numbers) for s in ("products", "instruction")
    )
    assert by_products.tobytes() == by_instruction.tobytes()
