"""Scalar arithmetic on arrays: every op of arith, math and vector against exact references."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import arith as arith_dialect
from xdsl.dialects import math as math_dialect

from teenyir.diagnostics import RunError
from teenyir.dialects import uop
from teenyir.dialects.arith import ARITH
from teenyir.interpreter.arrays import silent
from teenyir.interpreter.mathematics import MATHEMATICS
from teenyir.interpreter.memory import Buffer
from teenyir.interpreter.scalars import SCALARS
from teenyir.interpreter.uop import run_uop
from teenyir.pipeline.ir import parse_module, verify_module

Array = NDArray[Any]
ELEMENTS = {
    **{"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"},
    **{"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"},
}
bf16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = (np.dtype("f2"), bf16, np.dtype("f4"), np.dtype("f8"))
INTS = tuple(map(np.dtype, ("i1", "i2", "i4", "i8")))


def compute(body: str, *inputs: Array, result: Any = None) -> Array:
    """Run `body` on each element; `{a}` and `{r}` are the types of the first input and of %r."""
    target = np.dtype(inputs[0].dtype if result is None else result)
    names = [ELEMENTS[each.dtype.name] for each in inputs]
    types = {"a": names[0], "b": names[-1], "r": ELEMENTS[target.name]}
    pointers = "".join(f", in %p{k}: !uop.ptr<{name}>" for k, name in enumerate(names))
    loads = "\n".join(f"%a{k} = uop.load %p{k}[%i] : {name}" for k, name in enumerate(names))
    text = f"""uop.func @f(out %o: !uop.ptr<{types["r"]}>{pointers}) dims(%N: N in 1..99999) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %N step %c1 {{
        {loads}
        {body.format(**types)}
        uop.store %r, %o[%i]
      }} {{uop.parallel}}
    }}"""
    module = parse_module(text, "scalars.mlir")
    verify_module(module)
    (func,) = module.body.ops
    assert isinstance(func, uop.FuncOp)
    output = Buffer.fresh("%o", inputs[0].shape, target)
    with silent():
        buffers = [output, *(Buffer.of("%p", each) for each in inputs)]
        run_uop(module, func, buffers, {"N": inputs[0].size})
    return output.array


def same(got: Array, expected: Any) -> None:
    expected = np.asarray(expected, got.dtype)
    np.testing.assert_array_equal(got.astype(float), expected.astype(float))
    if got.dtype in FLOATS:
        known = ~np.isnan(expected.astype(float))
        np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(expected)[known])


def test_every_op_has_a_row() -> None:
    for op in (*ARITH.operations, *math_dialect.Math.operations):
        assert op in SCALARS or op in MATHEMATICS, op.name


def wrapped(value: int, dtype: Any) -> int:
    if dtype == np.bool_:
        return value & 1
    bits = dtype.itemsize * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def numbers(dtype: Any) -> list[int]:
    if dtype == np.bool_:
        return [0, 1]
    info = np.iinfo(dtype)
    return [0, 1, 2, 3, 5, 7, 100, -1, -2, -7, info.max, info.min, info.max - 1, info.min + 1]


def integer_pairs(dtype: Any) -> tuple[Array, Array]:
    grid = np.meshgrid(np.array(numbers(dtype), dtype), np.array(numbers(dtype), dtype))
    return grid[0].reshape(-1), grid[1].reshape(-1)


def read(values: Array, signed: bool) -> list[int]:
    bits = 1 if values.dtype == np.bool_ else values.dtype.itemsize * 8
    plain = [int(v) & ((1 << bits) - 1) for v in values]
    return [v - (1 << bits) if signed and v >> (bits - 1) else v for v in plain]


def truncating(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGER_OPS: dict[str, tuple[bool, Callable[[int, int, int], int | None]]] = {
    "addi": (True, lambda a, b, w: a + b),
    "subi": (True, lambda a, b, w: a - b),
    "muli": (True, lambda a, b, w: a * b),
    "divsi": (True, lambda a, b, w: truncating(a, b) if b else None),
    "divui": (False, lambda a, b, w: a // b if b else None),
    "floordivsi": (True, lambda a, b, w: a // b if b else None),
    "ceildivsi": (True, lambda a, b, w: -(-a // b) if b else None),
    "ceildivui": (False, lambda a, b, w: -(-a // b) if b else None),
    "remsi": (True, lambda a, b, w: a - b * truncating(a, b) if b else None),
    "remui": (False, lambda a, b, w: a % b if b else None),
    "minsi": (True, lambda a, b, w: min(a, b)),
    "maxsi": (True, lambda a, b, w: max(a, b)),
    "minui": (False, lambda a, b, w: min(a, b)),
    "maxui": (False, lambda a, b, w: max(a, b)),
    "andi": (False, lambda a, b, w: a & b),
    "ori": (False, lambda a, b, w: a | b),
    "xori": (False, lambda a, b, w: a ^ b),
    "shli": (False, lambda a, b, w: a << b if b < w else None),
    "shrui": (False, lambda a, b, w: a >> b if b < w else None),
}


@pytest.mark.parametrize("dtype", (np.dtype(bool), *INTS), ids=str)
@pytest.mark.parametrize("name", INTEGER_OPS)
def test_integers(name: str, dtype: Any) -> None:
    signed, function = INTEGER_OPS[name]
    a, b = integer_pairs(dtype)
    width = 1 if dtype == np.bool_ else dtype.itemsize * 8
    both = zip(read(a, signed), read(b, signed), strict=True)
    expected = [function(x, y, width) for x, y in both]
    least = -(1 << (width - 1))
    overflow = name in ("divsi", "floordivsi", "ceildivsi", "remsi") and dtype != np.bool_
    for k, (x, y) in enumerate(zip(read(a, True), read(b, True), strict=True)):
        if overflow and x == least and y == -1:
            expected[k] = None
    defined = np.array([value is not None for value in expected])
    got = compute(f"%r = arith.{name} %a0, %a1 : {{a}}", a[defined], b[defined])
    same(got, [wrapped(value, dtype) for value in expected if value is not None])
    for x, y in zip(a[~defined][:3], b[~defined][:3], strict=True):
        with pytest.raises(
            RunError, match=f"'arith.{name}': (divides by zero|overflows|shifts by)"
        ):
            compute(f"%r = arith.{name} %a0, %a1 : {{a}}", x.reshape(1), y.reshape(1))


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_arithmetic_shift(dtype: Any) -> None:
    a = np.array(numbers(dtype), dtype)
    for count in (0, 1, dtype.itemsize * 8 - 1):
        got = compute("%r = arith.shrsi %a0, %a1 : {a}", a, np.full_like(a, count))
        same(got, [int(v) >> count for v in a])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_extended_arithmetic(dtype: Any) -> None:
    a, b = integer_pairs(dtype)
    width = dtype.itemsize * 8
    for name, signed in (("mului", False), ("mulsi", True)):
        products = [x * y for x, y in zip(read(a, signed), read(b, signed), strict=True)]
        body = f"%q, %r = arith.{name}_extended %a0, %a1 : {{a}}"
        same(compute(body, a, b), [wrapped(p >> width, dtype) for p in products])
        body = f"%r, %q = arith.{name}_extended %a0, %a1 : {{a}}"
        same(compute(body, a, b), [wrapped(p, dtype) for p in products])
    sums = [x + y for x, y in zip(read(a, False), read(b, False), strict=True)]
    body = "%q, %r = arith.addui_extended %a0, %a1 : {a}, i1"
    same(compute(body, a, b, result=bool), [s >> width for s in sums])


@pytest.mark.parametrize("dtype", (np.dtype(bool), *INTS), ids=str)
def test_integer_comparisons(dtype: Any) -> None:
    a, b = integer_pairs(dtype)
    for sign in ("s", "u"):
        pairs = list(zip(read(a, sign == "s"), read(b, sign == "s"), strict=True))
        for word in ("lt", "le", "gt", "ge"):
            got = compute(f"%r = arith.cmpi {sign}{word}, %a0, %a1 : {{a}}", a, b, result=bool)
            same(got, [getattr(x, f"__{word}__")(y) for x, y in pairs])
    same(compute("%r = arith.cmpi eq, %a0, %a1 : {a}", a, b, result=bool), a == b)
    same(compute("%r = arith.cmpi ne, %a0, %a1 : {a}", a, b, result=bool), a != b)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_comparisons(dtype: Any) -> None:
    values = [0.0, -0.0, 1.0, -2.0, math.inf, math.nan]
    a, b = (each.reshape(-1).astype(dtype) for each in np.meshgrid(values, values))
    pairs = [(float(x), float(y)) for x, y in zip(a, b, strict=True)]
    ordered = [not (math.isnan(x) or math.isnan(y)) for x, y in pairs]
    words = {"eq": "__eq__", "gt": "__gt__", "ge": "__ge__", "lt": "__lt__", "le": "__le__"}
    expected: dict[str, list[bool]] = {"ord": ordered, "uno": [not o for o in ordered]}
    expected |= {"true": [True] * len(a), "false": [False] * len(a)}
    for word, method in {**words, "ne": "__ne__"}.items():
        holds = [bool(getattr(x, method)(y)) for x, y in pairs]
        expected[f"o{word}"] = [h and o for h, o in zip(holds, ordered, strict=True)]
        expected[f"u{word}"] = [h or not o for h, o in zip(holds, ordered, strict=True)]
    for predicate, holds in expected.items():
        got = compute(f"%r = arith.cmpf {predicate}, %a0, %a1 : {{a}}", a, b, result=bool)
        same(got, holds)


def test_integer_conversions() -> None:
    a = np.array([-1, 0, 1, 127, -128, 255, 256, -129], "i2")
    same(compute("%r = arith.trunci %a0 : {a} to {r}", a, result="i1"), a.astype("i1"))
    same(compute("%r = arith.trunci %a0 : {a} to {r}", a, result=bool), a & 1)
    same(compute("%r = arith.extsi %a0 : {a} to {r}", a, result="i4"), a)
    same(compute("%r = arith.extui %a0 : {a} to {r}", a, result="i4"), a.view("u2"))
    same(compute("%r = arith.sitofp %a0 : {a} to {r}", a, result="f4"), a)
    same(compute("%r = arith.uitofp %a0 : {a} to {r}", a, result="f4"), a.view("u2"))
    bools = np.array([False, True])
    same(compute("%r = arith.extsi %a0 : {a} to {r}", bools, result="i4"), [0, -1])
    same(compute("%r = arith.extui %a0 : {a} to {r}", bools, result="i4"), [0, 1])
    same(compute("%r = arith.uitofp %a0 : {a} to {r}", bools, result="f4"), [0, 1])
    body = "%x = arith.index_cast %a0 : {a} to index\n %r = arith.index_cast %x : index to {r}"
    same(compute(body, a, result="i8"), a)
    same(compute("%r = arith.bitcast %a0 : {a} to {r}", a, result=bf16), a.view(bf16))


def test_float_conversions() -> None:
    a = np.array([0.0, -0.0, 1.5, -1.5, 126.9, -128.9, math.nan, math.inf, 65519.9, 65520.0], "f8")
    with silent():
        expected = a.astype("f2")
    same(compute("%r = arith.truncf %a0 : {a} to {r}", a, result="f2"), expected)
    same(compute("%r = arith.fptosi %a0 : {a} to {r}", a[:6], result="i1"),
         [0, 0, 1, -1, 126, -128])  # fmt: skip
    unsigned = np.array([0.0, 255.9, 128.0, -0.9], "f4")
    same(compute("%r = arith.fptoui %a0 : {a} to {r}", unsigned, result="i1"), [0, -1, -128, 0])
    for wrong in (128.0, -129.0, math.nan, math.inf):
        with pytest.raises(RunError, match=r"'arith.fptosi': a value does not fit into int8 at %i"):
            compute("%r = arith.fptosi %a0 : {a} to {r}", np.array([0, wrong]), result="i1")
    narrow = np.array([1.5, math.nan, -0.0], bf16)
    same(compute("%r = arith.extf %a0 : {a} to {r}", narrow, result="f4"), narrow.astype("f4"))
    # rounded once: to nearest f32 and then to bf16 would give 1
    tie = np.array([1 + 2**-8 + 2**-40])
    same(compute("%r = arith.truncf %a0 : {a} to {r}", tie, result=bf16), [1.0078125])


FLOAT_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "remf": np.fmod,
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}
SPECIAL = [0.0, 1.0, -1.0, 2.5, -3.25, 1e-6, 1000.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", FLOAT_OPS)
def test_floats(name: str, dtype: Any) -> None:
    a, b = (each.reshape(-1).astype(dtype) for each in np.meshgrid(SPECIAL, SPECIAL))
    wide = np.float32 if dtype.itemsize < 4 else dtype
    with np.errstate(all="ignore"):
        expected = FLOAT_OPS[name](a.astype(wide), b.astype(wide)).astype(dtype)
    same(compute(f"%r = arith.{name} %a0, %a1 : {{a}}", a, b), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_maximum_and_minimum(dtype: Any) -> None:
    a = np.array([0.0, -0.0, 1.0, math.nan, -math.inf]).astype(dtype)
    b = np.array([-0.0, 0.0, 2.0, 1.0, math.nan]).astype(dtype)
    greater = [0.0, 0.0, 2.0, math.nan, math.nan]
    lesser = [-0.0, -0.0, 1.0, math.nan, math.nan]
    same(compute("%r = arith.maximumf %a0, %a1 : {a}", a, b), np.array(greater).astype(dtype))
    same(compute("%r = arith.minimumf %a0, %a1 : {a}", a, b), np.array(lesser).astype(dtype))
    same(compute("%r = arith.negf %a0 : {a}", a), -a)
    body = "%g = arith.cmpf olt, %a0, %a1 : {a}\n %r = arith.select %g, %a0, %a1 : {a}"
    with silent():
        expected = np.where(a < b, a, b)
    same(compute(body, a, b), expected)


MATH_OPS: dict[str, Callable[[float], float]] = {
    **{"absf": abs, "ceil": math.ceil, "floor": math.floor, "trunc": math.trunc},
    **{"roundeven": round, "sqrt": math.sqrt, "cbrt": np.cbrt, "rsqrt": lambda x: x**-0.5},
    **{"sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos},
    **{"atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh},
    **{"asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh, "exp": math.exp},
    **{"exp2": lambda x: 2**x, "expm1": math.expm1, "log": math.log, "log2": math.log2},
    **{"log10": math.log10, "log1p": math.log1p, "erf": math.erf},
    "round": lambda x: math.floor(abs(x) + 0.5) * (1 if x > 0 else -1),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", MATH_OPS)
def test_math(name: str, dtype: Any) -> None:
    values = np.array([0.1, 0.5, 0.77, 1.0, 1.5, 2.5, 3.7]).astype(dtype)
    domain = {"asin": (0, 1), "acos": (0, 1), "atanh": (0, 0.99), "acosh": (1, 9)}
    low, high = domain.get(name, (0, 9))
    values = values[(values >= low) & (values <= high)]
    expected = np.array([float(MATH_OPS[name](float(v))) for v in values])
    got = compute(f"%r = math.{name} %a0 : {{a}}", values)
    # to f64 within a few ulp, otherwise the nearest
    if dtype == np.float64:
        np.testing.assert_allclose(got, expected, rtol=1e-15)
    else:
        same(got, expected.astype(np.float32).astype(dtype))


def test_math_of_two() -> None:
    a, b = np.array([2.0, -8.0, 0.5, 3.0]), np.array([0.5, 3.0, -1.0, -2.0])
    same(compute("%r = math.powf %a0, %a1 : {a}", a, b), [math.sqrt(2), -512.0, 2.0, 1 / 9])
    angles = [math.atan2(x, y) for x, y in zip(a, b, strict=True)]
    got = compute("%r = math.atan2 %a0, %a1 : {a}", a.astype("f4"), b.astype("f4"))
    same(got, angles)
    same(compute("%r = math.copysign %a0, %a1 : {a}", a, b), [2.0, 8.0, -0.5, -3.0])
    powers = np.array([3, 2, -2, 0], "i4")
    same(compute("%r = math.fpowi %a0, %a1 : {a}, {b}", a, powers), [8.0, 64.0, 4.0, 1.0])
    base, exponent = np.array([3, -2, -1, 1, 2, 7], "i4"), np.array([4, 31, -3, -9, -1, 0], "i4")
    got = compute("%r = math.ipowi %a0, %a1 : {a}", base, exponent)
    same(got, [81, -(2**31), -1, 1, 0, 1])


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_bits(dtype: Any) -> None:
    values = np.array(numbers(dtype), dtype)
    width = dtype.itemsize * 8
    text = [f"{v:0{width}b}" for v in read(values, False)]
    same(compute("%r = math.ctpop %a0 : {a}", values), [t.count("1") for t in text])
    leading = [len(t) - len(t.lstrip("0")) for t in text]
    same(compute("%r = math.ctlz %a0 : {a}", values), leading)
    trailing = [len(t) - len(t.rstrip("0")) for t in text]
    same(compute("%r = math.cttz %a0 : {a}", values), trailing)
    least = np.iinfo(dtype).min
    absolute = [least if v == least else abs(int(v)) for v in values]
    same(compute("%r = math.absi %a0 : {a}", values), absolute)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_fused_multiply_add_rounds_once(dtype: Any) -> None:
    rng = np.random.default_rng(11)
    a, b, c = (rng.normal(size=500).astype(dtype) for _ in range(3))
    c[::2] = -(a * b)[::2]  # nearly all cancels
    exact = [Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
             for x, y, z in zip(a, b, c, strict=True)]  # fmt: skip
    got = compute("%r = math.fma %a0, %a1, %a2 : {a}", a, b, c)
    # a Fraction becomes the nearest f64; in the narrower types the exact sum fits into one
    expected = np.array([float(e) for e in exact])
    if dtype == np.float64:
        np.testing.assert_allclose(got, expected, rtol=2.3e-16)
    else:
        same(got, expected.astype(np.float32).astype(dtype) if dtype == bf16 else
             expected.astype(dtype))  # fmt: skip


def test_what_a_gpu_has_instructions_for() -> None:
    a = np.array([0.5, 3.0, -3.0, np.nan, np.inf, 0.1], "f4")
    got = compute("%r = uop.saturated_fma %a0, %a0, %a1 : {a}", a, a * np.float32(0.5))
    same(got, np.array([0.5, 1, 1, 0, 1, float(a[5]) ** 2 + float(a[5]) / 2], "f4"))
    powers = np.array([-130.0, 2.0, -np.inf], "f4")
    flushed = compute("%r = uop.approximate exp2 %a0 : {a}", powers)
    same(flushed, np.array([0, 4, 0], "f4"))
    gradual = compute("%r = uop.approximate gradual_exp2 %a0 : {a}", powers)
    same(gradual, np.array([2.0**-130, 4, 0], "f4"))


def test_vectors() -> None:
    x = np.array([3.0, -1.0, 2.0], "f4")
    both = "%u = vector.broadcast %a0 : f32 to vector<4xf32>\n"
    both += "%v = arith.constant dense<[1.0, -5.0, 7.0, 0.5]> : vector<4xf32>\n"
    v = np.array([1.0, -5.0, 7.0, 0.5], "f4")
    body = both + "%w = vector.fma %u, %v, %v : vector<4xf32>\n"
    for kind, function in (("add", np.sum), ("mul", np.prod), ("maximumf", np.max),
                           ("minimumf", np.min), ("minnumf", np.min)):  # fmt: skip
        reduced = body + f"%r = vector.reduction <{kind}>, %w : vector<4xf32> into f32"
        same(compute(reduced, x), [function(a * v + v) for a in x])
    body = both + "%w = vector.shuffle %u, %v [0, 5, 6, 1] : vector<4xf32>, vector<4xf32>\n"
    for k in range(4):
        got = compute(body + f"%r = vector.extract %w[{k}] : f32 from vector<4xf32>", x)
        same(got, x if k in (0, 3) else np.full(3, v[k]))
    dynamic = both + (
        "%k = arith.remui %i, %c1 : index\n"
        "%w = vector.insert %a0, %v[%i] : f32 into vector<4xf32>\n"
        "%r = vector.extract %w[%i] : f32 from vector<4xf32>"
    )
    same(compute(dynamic, x), x)
    with pytest.raises(RunError, match=r"'vector.insert': a position is outside the 4 elements"):
        compute(dynamic, np.zeros(5, "f4"))


def test_overflow_of_the_dialects_own_predicates() -> None:
    # the tables of predicates are by number: they are to be as long as the dialect's
    assert len(arith_dialect.CMPI_COMPARISON_OPERATIONS) == 10
    assert len(arith_dialect.CMPF_COMPARISON_OPERATIONS) == 16
