"""Every arith and math rule, run as machine code against numpy over special values."""

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from teenyir.dialects.lanewise import LANEWISE
from teenyir.lowering.uop_to_llvm.arithmetic import ARITHMETIC
from teenyir.lowering.uop_to_llvm.mathematics import MATHEMATICS
from teenyir.passes.uop.legalize_floats import COMPUTED

# numpy says of NaN and infinity what is meant here.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

Array = NDArray[Any]
Native = Callable[..., Callable[..., None]]

NUMPY: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "index": np.int64,
}
INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
UNSIGNED = {np.int8: np.uint8, np.int16: np.uint16, np.int32: np.uint32, np.int64: np.uint64}


def special(name: str) -> Array:
    """Values of a type that rules get wrong, and some that they do not."""
    dtype = NUMPY[name]
    if name == "i1":
        return np.array([False, True])
    if name in (*INTEGERS, "index"):
        info = np.iinfo(dtype)
        picked = [0, 1, -1, 2, 3, -3, 7, -8, 15, 16, 31, 63, 64, 100, -100]
        return np.array([*picked, info.min, info.min + 1, info.max, info.max - 1], dtype)
    info = ml_dtypes.finfo(dtype)
    tiny, small = float(info.smallest_normal), float(info.smallest_subnormal)
    big = float(info.max)
    picked = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, -7.3, 100.0, 5e4]
    edge = [tiny, -tiny, small, -small, 3 * small, big, -big, math.inf, -math.inf, math.nan]
    return np.array([*picked, *edge], dtype)


def pairs(name: str, count: int) -> list[Array]:
    """All combinations of special values, `count` at a time, as columns."""
    grid = np.meshgrid(*[special(name)] * count, indexing="ij")
    return [np.ascontiguousarray(column.reshape(-1)) for column in grid]


def kernel(op: str, operands: list[str], result: str, *, values: str = "", suffix: str = "") -> str:
    """A kernel that applies an op to each element of its inputs."""
    memory = ["i64" if t == "index" else t for t in operands]
    loads = "".join(f"    %x{k} = uop.load %a{k}[%i] : {t}\n" for k, t in enumerate(memory))
    names = []
    for k, t in enumerate(operands):
        if t == "index":
            loads += f"    %i{k} = arith.index_cast %x{k} : i64 to index\n"
        names.append(f"%i{k}" if t == "index" else f"%x{k}")
    arguments = "".join(f", in %a{k}: !uop.ptr<{t}>" for k, t in enumerate(memory))
    line = f"%y = {op} {values or ', '.join(names)} {suffix or ': ' + result}"
    store, stored = "", "%y"
    if result == "index":
        store, stored = "    %w = arith.index_cast %y : index to i64\n", "%w"
    out = "i64" if result == "index" else result
    return f"""
uop.func @k(out %out: !uop.ptr<{out}>{arguments}) dims(%n: N in 0..) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {{
{loads}    {line}
{store}    uop.store {stored}, %out[%i]
  }}
}}
"""


def apply(native: Native, text: str, result: str, inputs: list[Array]) -> Array:
    # A canary on either side: a kernel that writes outside is caught.
    room = np.full(len(inputs[0]) + 2, 1, NUMPY[result])
    out = room[1:-1]
    native(text)(out, *inputs, len(out))
    assert room[0] == room[-1] == 1
    return out


def cast(native: Native, op: str, type: str, to: str, values: Array) -> Array:
    return apply(native, kernel(op, [type], to, suffix=f": {type} to {to}"), to, [values])


def same(got: Array, want: Array, ulp: float = 0) -> None:
    assert got.dtype == want.dtype
    if got.dtype.kind in "iub":
        np.testing.assert_array_equal(got, want)
        return
    nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), nan)
    left, right = got[~nan].astype(np.float64), want[~nan].astype(np.float64)
    if not ulp:
        np.testing.assert_array_equal(left, right)
        np.testing.assert_array_equal(np.signbit(left), np.signbit(right))
        return
    info = ml_dtypes.finfo(got.dtype)
    scale = np.maximum(np.abs(right), float(info.smallest_normal)) * float(info.eps)
    finite = np.isfinite(right)
    np.testing.assert_array_equal(left[~finite], right[~finite])
    assert np.all(np.abs(left[finite] - right[finite]) <= ulp * scale[finite])


def unsigned(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(*columns: Array) -> Array:
        views = [c.view(UNSIGNED[c.dtype.type]) for c in columns]
        result = function(*views)
        return result.view(columns[0].dtype) if result.dtype != np.bool_ else result

    return run


def exact_division(divide: Callable[[int, int], int]) -> Callable[[Array, Array], Array]:
    """Python's integers decide; by zero gives zero, and what does not fit wraps."""

    def run(a: Array, b: Array) -> Array:
        bits = a.dtype.itemsize * 8
        signed = a.dtype.kind == "i"
        values = [divide(int(x), int(y)) if y else 0 for x, y in zip(a, b, strict=True)]
        wrapped = [v & ((1 << bits) - 1) for v in values]
        if signed:
            wrapped = [v - (1 << bits) if v >> (bits - 1) else v for v in wrapped]
        return np.array(wrapped, a.dtype)

    return run


def toward_zero(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def shift(move: Callable[[int, int], int], logical: bool) -> Callable[[Array, Array], Array]:
    def run(a: Array, b: Array) -> Array:
        bits = a.dtype.itemsize * 8
        mask = (1 << bits) - 1
        values = []
        for x, y in zip(a.tolist(), b.tolist(), strict=True):
            amount = y & mask
            inside = amount < bits
            source = x & mask if logical else x
            filled = 0 if logical else (-1 if x < 0 else 0)
            moved = (move(source, amount) if inside else filled) & mask
            values.append(moved - (1 << bits) if moved >> (bits - 1) else moved)
        return np.array(values, a.dtype)

    return run


INTEGER_OPS: dict[str, Callable[..., Array]] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": exact_division(toward_zero),
    "arith.remsi": exact_division(lambda a, b: a - toward_zero(a, b) * b),
    "arith.floordivsi": exact_division(lambda a, b: a // b),
    "arith.ceildivsi": exact_division(lambda a, b: -(-a // b)),
    "arith.divui": unsigned(exact_division(lambda a, b: a // b)),
    "arith.remui": unsigned(exact_division(lambda a, b: a % b)),
    "arith.ceildivui": unsigned(exact_division(lambda a, b: -(-a // b))),
    "arith.minsi": np.minimum,
    "arith.maxsi": np.maximum,
    "arith.minui": unsigned(np.minimum),
    "arith.maxui": unsigned(np.maximum),
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": shift(lambda a, b: a << b, logical=True),
    "arith.shrui": shift(lambda a, b: a >> b, logical=True),
    "arith.shrsi": shift(lambda a, b: a >> b, logical=False),
}


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("op", INTEGER_OPS)
def test_integer(native: Native, op: str, type: str) -> None:
    columns = pairs(type, 2)
    got = apply(native, kernel(op, [type, type], type), type, columns)
    with np.errstate(over="ignore"):
        same(got, INTEGER_OPS[op](*columns))


@pytest.mark.parametrize("op", ["arith.addi", "arith.muli", "arith.floordivsi", "arith.remsi"])
def test_index(native: Native, op: str) -> None:
    # Divisors of index arithmetic are extents: positive; and nothing overflows.
    a, b = (c[c > 0] for c in pairs("i8", 2))
    count = min(len(a), len(b))
    columns = [a[:count].astype(np.int64), b[:count].astype(np.int64)]
    got = apply(native, kernel(op, ["index", "index"], "index"), "index", columns)
    same(got, INTEGER_OPS[op](*columns))


INTEGER_UNARY: dict[str, Callable[[Array], Array]] = {
    "math.absi": lambda a: np.where(a < 0, -a, a).astype(a.dtype),
    "math.ctpop": lambda a: np.array(
        [(int(x) & ((1 << a.dtype.itemsize * 8) - 1)).bit_count() for x in a], a.dtype
    ),
    "math.ctlz": lambda a: np.array(
        [
            a.dtype.itemsize * 8 - (int(x) & ((1 << a.dtype.itemsize * 8) - 1)).bit_length()
            for x in a
        ],
        a.dtype,
    ),
    "math.cttz": lambda a: np.array(
        [(int(x) & -int(x)).bit_length() - 1 if x else a.dtype.itemsize * 8 for x in a], a.dtype
    ),
}


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("op", INTEGER_UNARY)
def test_integer_unary(native: Native, op: str, type: str) -> None:
    values = special(type)
    got = apply(native, kernel(op, [type], type), type, [values])
    with np.errstate(over="ignore"):
        same(got, INTEGER_UNARY[op](values))


def ieee_maximum(a: Array, b: Array) -> Array:
    equal_zero = (a == 0) & (b == 0)
    either = np.where(np.signbit(a.astype(np.float64)), b, a)
    return np.where(equal_zero, either, np.maximum(a, b)).astype(a.dtype)


def ieee_minimum(a: Array, b: Array) -> Array:
    return -ieee_maximum(-a, -b)


FLOAT_BINARY: dict[str, Callable[..., Array]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.maximumf": ieee_maximum,
    "arith.minimumf": ieee_minimum,
    "math.copysign": np.copysign,
}


def through_f64(function: Callable[..., Array], *columns: Array) -> Array:
    """The function computed in f64, rounded once: for + - * / exact enough for narrower types."""
    with np.errstate(all="ignore"):
        if columns[0].dtype == np.float64:
            return function(*columns)
        wide = function(*(c.astype(np.float64) for c in columns))
        return np.asarray(wide).astype(np.float32).astype(columns[0].dtype)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("op", FLOAT_BINARY)
def test_float_binary(native: Native, op: str, type: str) -> None:
    columns = pairs(type, 2)
    got = apply(native, kernel(op, [type, type], type), type, columns)
    want = through_f64(FLOAT_BINARY[op], *columns)
    # Denormals of f16 and bf16 are rounded from f32 here and there.
    same(got, want)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(("op", "pick"), [("arith.maxnumf", np.fmax), ("arith.minnumf", np.fmin)])
def test_number_extrema(native: Native, op: str, pick: Any, type: str) -> None:
    columns = pairs(type, 2)
    got = apply(native, kernel(op, [type, type], type), type, columns)
    want = through_f64(pick, *columns)
    keep = ~((columns[0] == 0) & (columns[1] == 0))  # the sign of a zero is left open here
    same(got[keep], want[keep])


@pytest.mark.parametrize("lanes", [None, 4])
@pytest.mark.parametrize("op", ["arith.maximumf", "arith.minimumf"])
def test_an_extremum_with_a_number(native: Native, op: str, lanes: int | None) -> None:
    """Zeros of both signs, infinities and NaN on both sides, as numbers that LLVM knows."""
    values = special("f32")
    values = values[: len(values) // 4 * 4]
    numbers = [0.0, -0.0, 6.0, -1.5, math.inf, -math.inf, math.nan]
    type = "f32" if lanes is None else f"vector<{lanes}xf32>"
    lines = ""
    for k, number in enumerate(numbers):
        bits = int(np.float32(number).view(np.uint32))
        lines += f"    %n{k} = arith.constant 0x{bits:08x} : f32\n"
        if lanes is not None:
            lines += f"    %b{k} = vector.broadcast %n{k} : f32 to {type}\n"
        name = f"%n{k}" if lanes is None else f"%b{k}"
        operands = f"%x, {name}" if k % 2 else f"{name}, %x"
        lines += f"    %y{k} = {op} {operands} : {type}\n"
        lines += f"    %at{k} = arith.constant {k * len(values)} : index\n"
        lines += f"    %to{k} = arith.addi %i, %at{k} : index\n"
        lines += f"    uop.store %y{k}, %out[%to{k}]\n"
    text = f"""
uop.func @k(out %out: !uop.ptr<f32>, in %a: !uop.ptr<f32>) dims(%n: N in 0..) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {lanes or 1} : index
  scf.for %i = %zero to %n step %step {{
    %x = uop.load %a[%i] : {type}
{lines}  }}
}}
"""
    out = np.full((len(numbers), len(values)), 1, np.float32)
    native(text)(out, values, len(values))
    for got, number in zip(out, numbers, strict=True):
        same(got, FLOAT_BINARY[op](values, np.full_like(values, number)))


EXACT_UNARY: dict[str, Callable[..., Array]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a),
    "math.sqrt": np.sqrt,
}


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("op", EXACT_UNARY)
def test_float_unary(native: Native, op: str, type: str) -> None:
    values = special(type)
    got = apply(native, kernel(op, [type], type), type, [values])
    same(got, through_f64(EXACT_UNARY[op], values))


def pythonic(function: Callable[..., float]) -> Callable[..., Array]:
    """A function of Python's `math` as one of arrays; where it raises, NaN."""

    def one(*values: float) -> float:
        try:
            return function(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    def run(*columns: Array) -> Array:
        return np.array([one(*map(float, row)) for row in zip(*columns, strict=True)])

    return run


MATH_UNARY: dict[str, tuple[Callable[..., Array], float]] = {
    "math.rsqrt": (lambda a: 1 / np.sqrt(a), 1),
    "math.cbrt": (np.cbrt, 1),
    "math.exp": (np.exp, 1),
    "math.exp2": (np.exp2, 1),
    "math.expm1": (np.expm1, 1),
    "math.log": (np.log, 1),
    "math.log2": (np.log2, 1),
    "math.log10": (np.log10, 2),
    "math.log1p": (np.log1p, 1),
    "math.sin": (np.sin, 1),
    "math.cos": (np.cos, 1),
    "math.tan": (np.tan, 1),
    "math.asin": (np.arcsin, 1),
    "math.acos": (np.arccos, 1),
    "math.atan": (np.arctan, 1),
    "math.sinh": (np.sinh, 2),
    "math.cosh": (np.cosh, 2),
    "math.tanh": (np.tanh, 2),
    "math.asinh": (np.arcsinh, 2),
    "math.acosh": (np.arccosh, 2),
    "math.atanh": (np.arctanh, 2),
    "math.erf": (pythonic(math.erf), 1),
}
"""What each function is, and the units in the last place that libm may be off by."""


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("op", MATH_UNARY)
def test_math_unary(native: Native, op: str, type: str) -> None:
    function, ulp = MATH_UNARY[op]
    values = special(type)
    got = apply(native, kernel(op, [type], type), type, [values])
    same(got, through_f64(function, values), ulp)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(("op", "function"), [("math.powf", np.power), ("math.atan2", np.arctan2)])
def test_math_binary(native: Native, op: str, function: Any, type: str) -> None:
    columns = pairs(type, 2)
    got = apply(native, kernel(op, [type, type], type), type, columns)
    same(got, through_f64(function, *columns), 1)


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_fma_rounds_once(native: Native, type: str) -> None:
    eps = float(np.finfo(NUMPY[type]).eps)
    a = np.array([1 + eps, 3.0, math.inf, math.nan], NUMPY[type])
    b = np.array([1 - eps, 2.0, 0.0, 1.0], NUMPY[type])
    c = np.array([-1.0, -0.0, 1.0, 1.0], NUMPY[type])
    got = apply(native, kernel("math.fma", [type] * 3, type), type, [a, b, c])
    same(got, np.array([-eps * eps, 6.0, math.nan, math.nan], NUMPY[type]))


COMPARISONS: dict[str, Callable[..., Any]] = {
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "une": np.not_equal,
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
}


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("predicate", COMPARISONS)
def test_cmpf(native: Native, predicate: str, type: str) -> None:
    columns = pairs(type, 2)
    text = kernel(f"arith.cmpf {predicate},", [type, type], "i1", suffix=f": {type}")
    same(apply(native, text, "i1", columns), COMPARISONS[predicate](*columns))


@pytest.mark.parametrize("type", INTEGERS)
def test_cmpi(native: Native, type: str) -> None:
    columns = pairs(type, 2)
    words = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sge": np.greater_equal}
    words |= {"ult": unsigned(np.less), "ugt": unsigned(np.greater)}
    for predicate, function in words.items():
        text = kernel(f"arith.cmpi {predicate},", [type, type], "i1", suffix=f": {type}")
        same(apply(native, text, "i1", columns), function(*columns))


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("sign", ["si", "ui"])
def test_float_to_integer_saturates(native: Native, type: str, to: str, sign: str) -> None:
    values = special(type)
    got = cast(native, f"arith.fpto{sign}", type, to, values)
    dtype = np.dtype(NUMPY[to])
    bounds = np.iinfo(dtype if sign == "si" else UNSIGNED[dtype.type])
    clipped = [min(max(v, -1e30), 1e30) if not math.isnan(v) else 0.0 for v in map(float, values)]
    want = [max(bounds.min, min(bounds.max, math.trunc(v))) for v in clipped]
    same(got, np.array(want, bounds.dtype).view(dtype))


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("sign", ["si", "ui"])
def test_integer_to_float(native: Native, type: str, to: str, sign: str) -> None:
    values = special(type)
    got = cast(native, f"arith.{sign}tofp", type, to, values)
    source = values if sign == "si" else values.view(UNSIGNED[values.dtype.type])
    with np.errstate(over="ignore"):
        same(got, (source if to == "f64" else source.astype(np.float32)).astype(NUMPY[to]))


@pytest.mark.parametrize(
    ("type", "to"),
    [("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("bf16", "f64"), ("f32", "f64")],
)
def test_extf(native: Native, type: str, to: str) -> None:
    values = special(type)
    got = cast(native, "arith.extf", type, to, values)
    same(got, values.astype(NUMPY[to]))


@pytest.mark.parametrize("to", ["f16", "bf16"])
def test_truncf_from_f32(native: Native, to: str) -> None:
    bits = np.concatenate(
        [
            np.random.default_rng(0).integers(0, 1 << 32, 200_000, np.uint32),
            # every half-way point of bf16, and its neighbours
            *(np.arange(1 << 16, dtype=np.uint32) << 16 | low for low in (0x7FFF, 0x8000, 0x8001)),
        ]
    )
    values = bits.view(np.float32)
    got = cast(native, "arith.truncf", "f32", to, values)
    with np.errstate(all="ignore"):
        same(got, values.astype(NUMPY[to]))


@pytest.mark.parametrize("to", ["f16", "bf16"])
def test_truncf_from_f64_rounds_once(native: Native, to: str) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(NUMPY[to]).astype(np.float64)
    every = np.sort(every[np.isfinite(every)])
    middle = (every[1:] + every[:-1]) / 2
    values = np.concatenate(
        [every, middle, np.nextafter(middle, 1e300), np.nextafter(middle, -1e300)]
    )
    got = cast(native, "arith.truncf", "f64", to, values)
    place = np.searchsorted(every, values)
    low = every[np.clip(place - 1, 0, len(every) - 1)]
    high = every[np.clip(place, 0, len(every) - 1)]
    error = np.abs(got.astype(np.float64) - values)
    assert np.all(error <= np.minimum(np.abs(low - values), np.abs(high - values)))


@pytest.mark.parametrize(
    ("op", "type", "to"),
    [
        ("arith.extsi", "i8", "i32"),
        ("arith.extui", "i8", "i32"),
        ("arith.extui", "i1", "i16"),
        ("arith.trunci", "i64", "i8"),
        ("arith.bitcast", "f32", "i32"),
        ("arith.bitcast", "i16", "bf16"),
    ],
)
def test_other_casts(native: Native, op: str, type: str, to: str) -> None:
    values = special(type)
    got = cast(native, op, type, to, values)
    source = (
        values.view(UNSIGNED[values.dtype.type]) if op == "arith.extui" and type != "i1" else values
    )
    want = source.view(NUMPY[to]) if op == "arith.bitcast" else source.astype(NUMPY[to])
    if op == "arith.bitcast":
        got, want = got.view(np.uint8), want.view(np.uint8)
    same(got, want)


@pytest.mark.parametrize("type", [*INTEGERS, *FLOATS, "i1"])
def test_select(native: Native, type: str) -> None:
    a, b = pairs(type, 2)
    cond = np.arange(len(a)) % 3 == 0
    text = kernel("arith.select", ["i1", type, type], type)
    same(apply(native, text, type, [cond, a, b]), np.where(cond, a, b))


def test_every_rule_is_here() -> None:
    tested = {*INTEGER_OPS, *INTEGER_UNARY, *FLOAT_BINARY, *EXACT_UNARY, *MATH_UNARY}
    tested |= {"arith.maxnumf", "arith.minnumf", "math.powf", "math.atan2", "math.fma"}
    tested |= {"arith.cmpf", "arith.cmpi", "arith.fptosi", "arith.fptoui", "arith.select"}
    tested |= {"arith.sitofp", "arith.uitofp", "arith.extf", "arith.truncf", "arith.extsi"}
    tested |= {"arith.extui", "arith.trunci", "arith.bitcast", "arith.index_cast"}
    tested |= {"arith.constant"}
    # what is lane by lane that of scalars is in test_widening
    of_gpus = {"uop.approximate", "uop.saturated_fma"}
    tested |= {op.name for op in LANEWISE} - of_gpus
    assert {op.name for op in (*ARITHMETIC, *MATHEMATICS)} == tested


def test_every_float_op_is_computed_wide() -> None:
    rules = {op.name for op in (*ARITHMETIC, *MATHEMATICS)}
    computed = {op.name for op in COMPUTED}
    assert {name for name in rules if name.startswith("math.")} - computed == set(INTEGER_UNARY)
