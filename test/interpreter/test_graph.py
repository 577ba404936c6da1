"""The graph floor's interpreter against plain numpy: every op, ranks, dtypes, special values."""

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from teenyir.dialects import dtypes, graph
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module, verify_module

Array = NDArray[Any]
bf16 = np.dtype(ml_dtypes.bfloat16)
f16, f32, f64 = np.dtype("f2"), np.dtype("f4"), np.dtype("f8")
FLOATS = (f16, bf16, f32, f64)
INTS = tuple(map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")))
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 3.5, 0.5, 1e-7, 300.7, math.inf, -math.inf, math.nan]


def type_of(array: Array) -> str:
    dtype = dtypes.of_numpy(array.dtype)
    assert dtype is not None
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{dtype.element}>"


def compute(body: str, *inputs: Array, result: str | Array | None = None) -> Array:
    """Run `body`, which defines %r from %a0, %a1, ..., whose types are `{t0}`, `{t1}`, ...

    `{r}` is the type of the result: a text, that of an array, or by default `{t0}`.
    """
    types = [type_of(array) for array in inputs]
    named = {f"t{k}": type for k, type in enumerate(types)}
    if result is None:
        result = types[0]
    named["r"] = result if isinstance(result, str) else type_of(result)
    args = ", ".join(f"%a{k}: {type}" for k, type in enumerate(types))
    text = (
        f"func.func @main({args}) -> {named['r']} {{\n {body.format(**named)}\n"
        f" func.return %r : {named['r']}\n}}"
    )
    module = parse_module(text, "test.mlir")
    verify_module(module)
    (output,) = run(module, inputs)
    return output


def same(got: Array, expected: Array, tolerance: float = 0.0) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    a, b = got.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=0.0)
    if not tolerance:
        known = ~np.isnan(b)
        np.testing.assert_array_equal(np.signbit(a) & known, np.signbit(b) & known)


def pairs(values: Sequence[float | int], dtype: Any) -> tuple[Array, Array]:
    with np.errstate(all="ignore"):
        row = np.array(values).astype(dtype)
    grid = np.broadcast_to(row, (len(values), len(values)))
    return np.ascontiguousarray(grid), np.ascontiguousarray(grid.T)


def in_float64(function: Any, *values: Array) -> Array:
    """What a function of f64 gives for narrower values, rounded."""
    with np.errstate(all="ignore"):
        wide = np.asarray(function(*(v.astype(np.float64) for v in values)))
        dtype = values[0].dtype
        return wide.astype(dtype) if dtype != bf16 else wide.astype(np.float32).astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("div", np.divide),
        ("mod", np.remainder),
        ("floordiv", np.floor_divide),
        ("pow", np.power),
        ("atan2", np.arctan2),
    ],
)
def test_binary_floats(name: str, function: Any, dtype: Any) -> None:
    a, b = pairs(SPECIAL, dtype)
    expected = in_float64(function, a, b)
    if name in ("mod", "floordiv"):
        # in f32 a quotient may round up to an integer that it is below in f64
        wide = np.float32 if dtype.itemsize < 4 else dtype
        with np.errstate(all="ignore"):
            expected = function(a.astype(wide), b.astype(wide)).astype(dtype)
    same(compute(f"%r = graph.{name} %a0, %a1 : {{t0}}", a, b), expected, 1e-6)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        *(("exp", np.exp), ("exp2", np.exp2), ("log", np.log), ("log2", np.log2)),
        *(("sqrt", np.sqrt), ("sin", np.sin), ("cos", np.cos), ("tanh", np.tanh)),
        *(("floor", np.floor), ("ceil", np.ceil), ("round", np.rint), ("trunc", np.trunc)),
        *(("neg", np.negative), ("abs", np.abs), ("rsqrt", lambda x: 1 / np.sqrt(x))),
        ("erf", np.vectorize(math.erf)),
        ("sign", lambda x: np.where(x == 0, x, np.sign(x))),
    ],
)
def test_unary_floats(name: str, function: Any, dtype: Any) -> None:
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL).astype(dtype)
    got = compute(f"%r = graph.{name} %a0 : {{t0}}", values)
    same(got, in_float64(function, values), 1e-14 if dtype == f64 else 0.0)


def test_erf_is_accurate() -> None:
    values = np.concatenate([np.linspace(-7, 7, 20001), np.logspace(-300, 1, 5000)])
    expected = np.vectorize(math.erf)(values)
    error = np.abs(compute("%r = graph.erf %a0 : {t0}", values) - expected)
    assert (error <= 4 * np.spacing(np.abs(expected))).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_maximum_and_minimum_order_zeros_and_hand_nan_on(dtype: Any) -> None:
    zero, minus, nan = 0.0, -0.0, math.nan
    a = np.array([zero, minus, minus, 1, nan, 1, -math.inf]).astype(dtype)
    b = np.array([minus, zero, minus, 2, 1, nan, 3]).astype(dtype)
    greater = np.array([zero, zero, minus, 2, nan, nan, 3]).astype(dtype)
    lesser = np.array([minus, minus, minus, 1, nan, nan, -math.inf]).astype(dtype)
    same(compute("%r = graph.max %a0, %a1 : {t0}", a, b), greater)
    same(compute("%r = graph.min %a0, %a1 : {t0}", a, b), lesser)
    both = np.stack([a, b])
    for kind, expected in (("max", greater), ("min", lesser)):
        body = f"%r = graph.reduce {kind} %a0 axes [0] : {{t0}} -> {{r}}"
        same(compute(body, both, result=expected), expected)


def wrapped(value: int, dtype: Any) -> int:
    bits = dtype.itemsize * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if dtype.kind == "i" and value >> (bits - 1) else value


@pytest.mark.parametrize("dtype", INTS, ids=str)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", lambda a, b, bits: a + b),
        ("sub", lambda a, b, bits: a - b),
        ("mul", lambda a, b, bits: a * b),
        ("floordiv", lambda a, b, bits: a // b if b else 0),
        ("mod", lambda a, b, bits: a % b if b else 0),
        ("max", lambda a, b, bits: max(a, b)),
        ("min", lambda a, b, bits: min(a, b)),
        ("and", lambda a, b, bits: a & b),
        ("or", lambda a, b, bits: a | b),
        ("xor", lambda a, b, bits: a ^ b),
        ("shl", lambda a, b, bits: a << b if 0 <= b < bits else 0),
        ("shr", lambda a, b, bits: a >> (b if 0 <= b < bits else bits)),
    ],
)
def test_binary_integers(name: str, function: Any, dtype: Any) -> None:
    info, bits = np.iinfo(dtype), dtype.itemsize * 8
    values = [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, info.max, info.min, info.max - 1, -1, -2, -7]
    values = [v for v in values if info.min <= v <= info.max]
    a, b = pairs(values, dtype)
    expected = [
        wrapped(function(int(x), int(y), bits), dtype) for x, y in zip(a.flat, b.flat, strict=True)
    ]
    got = compute(f"%r = graph.{name} %a0, %a1 : {{t0}}", a, b)
    same(got, np.array(expected, dtype).reshape(a.shape))


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_unary_integers(dtype: Any) -> None:
    info = np.iinfo(dtype)
    values = np.array([0, 1, 5, info.max, info.min], dtype)
    functions: dict[str, Any] = {
        "neg": lambda v: -v,
        "abs": abs,
        "sign": lambda v: (v > 0) - (v < 0),
        "not": lambda v: ~v,
    }
    for name, function in functions.items():
        expected = np.array([wrapped(function(int(v)), dtype) for v in values], dtype)
        same(compute(f"%r = graph.{name} %a0 : {{t0}}", values), expected)


@pytest.mark.parametrize("predicate", graph.PREDICATES)
@pytest.mark.parametrize("dtype", (np.dtype(bool), *INTS, *FLOATS), ids=str)
def test_compare_and_select(predicate: str, dtype: Any) -> None:
    a, b = pairs([0, 1, 2, math.nan] if dtype in FLOATS else [0, 1, 2], dtype)
    expected = getattr(a.astype(float), f"__{predicate}__")(b.astype(float))
    body = f"%r = graph.compare {predicate} %a0, %a1 : {{t0}}"
    same(compute(body, a, b, result=expected), expected)
    chosen = body.replace("%r", "%c") + "\n %r = graph.select %c, %a0, %a1 : {t0}"
    same(compute(chosen, a, b), np.where(expected, a, b))


def cast(values: Array, expected: Array) -> None:
    same(compute("%r = graph.cast %a0 : {t0} to {r}", values, result=expected), expected)


def test_casts_saturate_wrap_and_round_once() -> None:
    floats = np.array([math.nan, math.inf, -math.inf, 3.9, -3.9, 300.5, -0.0, 1e30], f64)
    cast(floats, np.array([0, 127, -128, 3, -3, 127, 0, 127], "i1"))
    cast(floats, np.array([0, 255, 0, 3, 0, 255, 0, 255], "u1"))
    top = np.iinfo("i8").max
    cast(floats, np.array([0, top, -top - 1, 3, -3, 300, 0, top], "i8"))
    top = np.iinfo("u8").max
    cast(floats, np.array([0, top, 0, 3, 0, 300, 0, top], "u8"))
    cast(floats, np.array([1, 1, 1, 1, 1, 1, 0, 1], bool))
    integers = np.array([-1, 255, 256, 1 << 40], "i8")
    cast(integers, np.array([-1, -1, 0, 0], "i1"))
    cast(integers, np.array([65535, 255, 256, 0], "u2"))
    cast(np.array([True, False]), np.array([1, 0], f32))
    # just above a tie, by less than f32 can tell: rounding twice would go down
    tie = 1 + 2**-8 + 2**-40
    cast(np.array([tie, -tie, 1 + 2**-8], f64), np.array([1.0078125, -1.0078125, 1.0], bf16))
    big, up = (1 << 62) + (1 << 54), 2.0**62 * 1.0078125
    cast(np.array([big, big + 1, -big - 1], "i8"), np.array([2.0**62, up, -up], bf16))
    near, up = (1 << 60) + (1 << 36), 2.0**60 + 2.0**37
    cast(np.array([near, near + 1], "u8"), np.array([2.0**60, up], f32))


@pytest.mark.parametrize("source", [*INTS[:2], *INTS[4:6], f16, bf16], ids=str)
def test_casts_of_all_narrow_values(source: Any) -> None:
    values = np.arange(1 << (8 * source.itemsize), dtype=f"u{source.itemsize}").view(source)
    for target in FLOATS:
        with np.errstate(all="ignore"):
            cast(values, values.astype(np.float32).astype(target))


@pytest.mark.parametrize("dtype", (*INTS, *FLOATS), ids=str)
@pytest.mark.parametrize("kind", ("add", "mul", "max", "min"))
def test_reduce_numbers(kind: str, dtype: Any) -> None:
    x = np.random.default_rng(1).integers(0, 4, (3, 5, 2)).astype(dtype)
    ufunc = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[kind]
    wide = x.astype(np.float64 if dtype in FLOATS else dtype)
    inner = ufunc.reduce(wide, axis=2, dtype=wide.dtype)
    expected = ufunc.reduce(inner, axis=0, dtype=wide.dtype).astype(dtype)
    body = f"%r = graph.reduce {kind} %a0 axes [0, 2] : {{t0}} -> {{r}}"
    same(compute(body, x, result=expected), expected)


def test_reduce_bits() -> None:
    x = np.array([[6, 3], [-1, 8], [5, 5]], "i2")
    bools = np.array([[True, False], [True, True], [False, False]])
    for kind, ufunc in (("and", np.bitwise_and), ("or", np.bitwise_or)):
        for values in (x, bools):
            expected = ufunc.reduce(values, axis=1)
            body = f"%r = graph.reduce {kind} %a0 axes [1] : {{t0}} -> {{r}}"
            same(compute(body, values, result=expected), expected)


@pytest.mark.parametrize(
    ("dtype", "kind", "value"),
    [
        *((f32, "add", 0), (f32, "mul", 1), (f32, "max", -math.inf), (f16, "min", math.inf)),
        *(("i1", "max", -128), ("u1", "min", 255), ("u1", "and", 255), ("i1", "and", -1)),
        *((bool, "and", True), (bool, "or", False), (bf16, "max", -math.inf)),
    ],
)
def test_reduce_of_nothing_is_the_identity(dtype: Any, kind: str, value: Any) -> None:
    expected = np.full(2, value, dtype)
    body = f"%r = graph.reduce {kind} %a0 axes [1] : {{t0}} -> {{r}}"
    same(compute(body, np.zeros((2, 0), dtype), result=expected), expected)


def test_narrow_sums_are_formed_in_f32() -> None:
    # in f16, 2048 + 1 is 2048 again
    x, expected = np.concatenate([[2048.0], np.ones(2048)]).astype(f16), np.array(4096, f16)
    same(compute("%r = graph.reduce add %a0 axes [0] : {t0} -> {r}", x, result=expected), expected)
    body = "%r = graph.dot %a0, %a1 contract [0] x [0] : ({t0}, {t1}) -> {r}"
    same(compute(body, x, np.ones_like(x), result=expected), expected)


@pytest.mark.parametrize("dtype", (*INTS, *FLOATS), ids=str)
def test_dot(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 5, (2, 3, 4, 5)).astype(dtype)
    b = rng.integers(0, 5, (5, 6, 4, 2)).astype(dtype)
    wide = np.float64 if dtype in FLOATS else dtype
    expected = np.einsum("bikj,jlkb->bil", a.astype(wide), b.astype(wide)).astype(dtype)
    clauses = "contract [2, 3] x [2, 0] batch [0] x [3] : ({t0}, {t1}) -> {r}"
    same(compute(f"%r = graph.dot %a0, %a1 {clauses}", a, b, result=expected), expected)
    empty, expected = np.zeros((3, 0), dtype), np.zeros((3, 3), dtype)
    body = "%r = graph.dot %a0, %a1 contract [1] x [1] : ({t0}, {t1}) -> {r}"
    same(compute(body, empty, empty, result=expected), expected)


def naive_conv(x: Array, w: Array, stride: Any, pad: Any, dilation: Any, groups: int) -> Array:
    padded = np.pad(x, [(0, 0), (0, 0), *pad])
    spatial = [
        (padded.shape[2 + k] - (w.shape[2 + k] - 1) * dilation[k] - 1) // stride[k] + 1
        for k in range(x.ndim - 2)
    ]
    out = np.zeros((x.shape[0], w.shape[0], *spatial), x.dtype)
    per_group, channels = w.shape[0] // groups, w.shape[1]
    for o in range(w.shape[0]):
        part = padded[:, o // per_group * channels : (o // per_group + 1) * channels]
        for at in np.ndindex(*spatial):
            window = tuple(
                slice(i * s, i * s + (n - 1) * d + 1, d)
                for i, s, n, d in zip(at, stride, w.shape[2:], dilation, strict=True)
            )
            values = part[(slice(None), slice(None), *window)] * w[o]
            out[(slice(None), o, *at)] = values.sum(axis=tuple(range(1, x.ndim)))
    return out


@pytest.mark.parametrize(
    ("shape", "kernel", "stride", "pad", "dilation", "groups"),
    [
        ((2, 3, 7, 6), (4, 3, 3, 2), [1, 1], [(0, 0), (0, 0)], [1, 1], 1),
        ((2, 4, 7, 6), (6, 2, 3, 2), [2, 1], [(1, 2), (0, 1)], [2, 3], 2),
        ((2, 2, 9), (2, 1, 3), [2], [(1, 1)], [2], 2),
        ((1, 2, 4, 5, 3), (3, 2, 2, 2, 2), [1, 2, 1], [(0, 0), (1, 0), (0, 1)], [1, 1, 1], 1),
        ((0, 2, 5), (3, 2, 2), [1], [(0, 0)], [1], 1),
        ((2, 3), (4, 3), [], [], [], 1),
    ],
)
def test_conv(shape: Any, kernel: Any, stride: Any, pad: Any, dilation: Any, groups: int) -> None:
    rng = np.random.default_rng(3)
    for dtype in (f64, f16, bf16, np.dtype("i1")):
        x = rng.integers(-3, 4, shape).astype(dtype)
        w = rng.integers(-3, 4, kernel).astype(dtype)
        wide = naive_conv(x.astype(np.int64), w.astype(np.int64), stride, pad, dilation, groups)
        expected = wide.astype(dtype)
        clauses = f"stride {stride} pad {[list(p) for p in pad]} dilation {dilation}"
        body = f"%r = graph.conv %a0, %a1 {clauses} groups {groups} : ({{t0}}, {{t1}}) -> {{r}}"
        same(compute(body, x, w, result=expected), expected)


def test_movement() -> None:
    x = np.arange(24, dtype=f32).reshape(2, 3, 4)

    def moved(body: str, expected: Array, *more: Array) -> None:
        same(compute(f"%r = {body} -> {{r}}", x, *more, result=expected), expected)

    moved("graph.reshape %a0 : {t0}", x.reshape(4, 6))
    moved("graph.permute %a0 [2, 0, 1] : {t0}", x.transpose(2, 0, 1))
    moved("graph.flip %a0 axes [0, 2] : {t0}", x[::-1, :, ::-1])
    moved("graph.slice %a0 [0:2:1, 1:3:2, 0:4:3] : {t0}", x[0:2, 1:3:2, 0:4:3])
    moved("graph.concat %a0, %a1 axis 1 : ({t0}, {t1})", np.concatenate([x, -x], 1), -x)
    one = np.array([[7.0], [8.0]], f32)
    repeated = np.broadcast_to(one.reshape(2, 1, 1), (2, 3, 5))
    moved("graph.broadcast %a1 axes [0, 1] : {t1}", repeated, one)
    padded = np.pad(x, [(0, 1), (2, 0), (0, 0)], constant_values=9)
    nine = np.array(9, f32)
    moved("graph.pad %a0, %a1 low [0, 2, 0] high [1, 0, 0] : ({t0}, {t1})", padded, nine)
    windows = np.zeros((2, 2, 2, 2, 2), f32)
    for n, i, j, b, a in np.ndindex(2, 2, 2, 2, 2):
        windows[n, i, j, b, a] = x[n, i + a, j + 2 * b]
    moved("graph.window %a0 axes [2, 1] size [2, 2] stride [1, 1] dilation [2, 1] : {t0}", windows)


def test_creation() -> None:
    counted = np.broadcast_to(np.arange(300).astype("u1"), (2, 300))
    same(compute("%r = graph.iota axis 1 : {r}", result=counted), counted)
    rounded = np.arange(300).astype(f32).astype(bf16)
    same(compute("%r = graph.iota axis 0 : {r}", result=rounded), rounded)
    bools = np.array([True, False])
    same(compute("%r = graph.constant dense<[true, false]> : {r}", result=bools), bools)
    splat = np.full((2, 2), 1.5, bf16)
    same(compute("%r = graph.constant dense<1.5> : {r}", result=splat), splat)


@pytest.mark.parametrize("rank", range(8))
def test_any_rank(rank: int) -> None:
    x = np.arange(2**rank, dtype=f32).reshape((2,) * rank)
    same(compute("%r = graph.add %a0, %a0 : {t0}", x), x + x)
    axes = list(range(0, rank, 2))
    expected = np.asarray(x.sum(axis=tuple(axes)))
    body = f"%r = graph.reduce add %a0 axes {axes} : {{t0}} -> {{r}}"
    same(compute(body, x, result=expected), expected)


DYNAMIC = """func.func @main(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>)
    -> tensor<?x4xf32, #graph.dims<[N floordiv 2 + 1, 4]>>
    attributes {graph.symbols = #graph.symbols<[N in 1..100]>} {
  %p = graph.constant dense<0.0> : tensor<f32>
  %a = graph.pad %x, %p low [1, 0] high [1, 0]
      : (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<f32>)
      -> tensor<?x4xf32, #graph.dims<[N + 2, 4]>>
  %r = graph.slice %a [0:N + 1:2, 0:4:1] : tensor<?x4xf32, #graph.dims<[N + 2, 4]>>
      -> tensor<?x4xf32, #graph.dims<[N floordiv 2 + 1, 4]>>
  func.return %r : tensor<?x4xf32, #graph.dims<[N floordiv 2 + 1, 4]>>
}"""


@pytest.mark.parametrize("n", (1, 2, 3, 8, 100))
def test_dynamic_extents(n: int) -> None:
    module = parse_module(DYNAMIC, "dynamic.mlir")
    verify_module(module)
    x = np.arange(n * 4, dtype=f32).reshape(n, 4)
    (got,) = run(module, {"x": x})
    same(got, np.pad(x, [(1, 1), (0, 0)])[0 : n + 1 : 2])


def test_calls_bind_the_names_of_the_callee() -> None:
    text = """
        func.func @twice(%x: MM) -> MM attributes {graph.symbols = #graph.symbols<[M in 1..]>} {
          %r = graph.concat %x, %x axis 0 : (MM, MM) -> M2
          %s = graph.slice %r [M:M * 2:1] : M2 -> MM
          func.return %s : MM
        }
        func.func @main(%x: MM) -> MM attributes {graph.symbols = #graph.symbols<[M in 1..]>} {
          %r = func.call @twice(%x) : (MM) -> MM
          func.return %r : MM
        }"""
    text = text.replace("MM", "tensor<?xf32, #graph.dims<[M]>>")
    text = text.replace("M2", "tensor<?xf32, #graph.dims<[M * 2]>>")
    (got,) = run(parse_module(text, "call.mlir"), [np.array([1, 2, 3], f32)])
    same(got, np.array([1, 2, 3], f32))
