"""Extents and dtypes of results: promotion, broadcasting, indexing with named extents."""

import numpy as np
import pytest

import teenyir as ty

DTYPES = [dtype for dtype in dir(ty) if isinstance(getattr(ty, dtype), type(ty.bool))]
ALL = [name for name in DTYPES if hasattr(np, name)]  # numpy has no opinion of the others
N = ty.Dim("N", min=2, max=64)


def result(function, *specs) -> ty.Spec:
    """The spec of what a traced function returns."""
    found = []
    ty.trace(lambda *xs: found.append(function(*xs)) or found[0], *specs)
    return ty.Spec(found[0].shape, found[0].dtype)


@pytest.mark.parametrize("a", ALL)
@pytest.mark.parametrize("b", ALL)
def test_promotion_is_numpy_s_where_the_array_api_defines_it(a, b):
    def kind(name):
        return "bool" if name == "bool" else "float" if name.startswith("float") else "integer"

    def function(x, y):
        return ty.where(ty.full((1,), True), x, y)

    specs = ty.Spec((1,), a), ty.Spec((1,), b)
    undefined = kind(a) != kind(b) or ({a[:3], b[:3]} == {"int", "uin"} and "uint64" in (a, b))
    if undefined:
        with pytest.raises(ty.CompileError, match="convert one"):
            result(function, *specs)
    else:
        assert result(function, *specs).dtype == ty.Spec((), np.result_type(a, b)).dtype


def test_bfloat16_promotes():
    def add(x, y):
        return x + y

    half, brain = ty.Spec((1,), ty.float16), ty.Spec((1,), ty.bfloat16)
    assert result(add, half, brain).dtype == ty.float32
    assert result(add, brain, brain).dtype == ty.bfloat16
    assert result(add, brain, ty.Spec((1,), ty.float64)).dtype == ty.float64


def test_narrow_types_promote():
    def choose(x, y):
        return ty.where(ty.full((1,), True), x, y)

    def promoted(a, b):
        return result(choose, ty.Spec((1,), a), ty.Spec((1,), b)).dtype

    assert promoted(ty.float8_e4m3fn, ty.float8_e5m2) == ty.float32  # neither holds the other
    assert promoted(ty.float8_e4m3fn, ty.float16) == ty.float16
    assert promoted(ty.float8_e8m0fnu, ty.float16) == ty.float32
    assert promoted(ty.float4_e2m1fn, ty.float8_e4m3fn) == ty.float8_e4m3fn
    assert promoted(ty.int4, ty.int2) == ty.int4
    assert promoted(ty.int4, ty.uint2) == ty.int4
    assert promoted(ty.int4, ty.uint4) == ty.int8


@pytest.mark.parametrize("dtype", [ty.int4, ty.uint2, ty.float4_e2m1fn, ty.float8_e8m0fnu])
def test_types_for_storage_are_not_computed_with(dtype):
    with pytest.raises(ty.CompileError, match="is for storage: cast"):
        ty.trace(lambda x: x + x, ty.Spec((3,), dtype))
    assert result(lambda x: x.astype(ty.float32) * 2, ty.Spec((3,), dtype)).dtype == ty.float32


@pytest.mark.parametrize(
    ("dtype", "scalar", "fine"),
    [
        ("float16", 1, True),
        ("float16", 1.5, True),
        ("int8", 1, True),
        ("int8", -128, True),
        ("bool", True, True),
        ("int8", 1.5, False),
        ("int8", 128, False),
        ("uint8", -1, False),
        ("float32", True, False),
        ("int32", True, False),
        ("bool", 1, False),
    ],
)
def test_python_scalars_are_weak(dtype, scalar, fine):
    def function(x):
        return ty.where(x == x, x, scalar)

    if fine:
        assert result(function, ty.Spec((2,), dtype)) == ty.Spec((2,), dtype)
    else:
        with pytest.raises(ty.CompileError, match=r"does not go with|outside of"):
            result(function, ty.Spec((2,), dtype))


def test_scalars_on_their_own():
    assert result(lambda: ty.asarray(1)).dtype == ty.int64
    assert result(lambda: ty.asarray(1.0)).dtype == ty.float32
    assert result(lambda: ty.asarray(True)).dtype == ty.bool
    assert result(lambda: ty.maximum(1.0, 2.0)).dtype == ty.float32


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((N, 3), (3,), (N, 3)),
        ((N, 1), (1, 5), (N, 5)),
        ((), (N,), (N,)),
        ((1, N), (4, 1), (4, N)),
        ((0, 1), (1, 3), (0, 3)),
        ((N + 1,), (1 + N,), (N + 1,)),
    ],
)
def test_broadcasting(a, b, expected):
    anchor = ty.Spec((N,))  # tells a call what N is
    assert result(lambda _, x, y: x + y, anchor, ty.Spec(a), ty.Spec(b)).shape == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (np.s_[0], (4,)),
        (np.s_[-1], (4,)),
        (np.s_[1:], (N - 1, 4)),
        (np.s_[:-1], (N - 1, 4)),
        (np.s_[::2], ((N + 1) // 2, 4)),
        (np.s_[1:-1:2], ((N - 1) // 2, 4)),
        (np.s_[::-1], (N, 4)),
        (np.s_[::-2], ((N + 1) // 2, 4)),
        (np.s_[:2], (2, 4)),
        (np.s_[-2:], (2, 4)),
        (np.s_[..., 1], (N,)),
        (np.s_[..., None], (N, 4, 1)),
        (np.s_[None], (1, N, 4)),
        (np.s_[:, None, 3:0:-2], (N, 1, 2)),
        (np.s_[..., 4:0], (N, 0)),
        (np.s_[()], (N, 4)),
        (np.s_[N - 1, 0], ()),
        (np.s_[: N // 2], (N // 2, 4)),
        (np.s_[np.int64(1), :], (4,)),
    ],
)
def test_indexing_named_extents(key, expected):
    assert result(lambda x: x[key], ty.Spec((N, 4))).shape == expected


def test_bounds_that_a_range_does_not_settle_are_clamped():
    m = ty.Dim("M")
    shape = result(lambda x: x[:3], ty.Spec((m,))).shape
    assert str(shape[0]) == "min(M, 3)"
    assert "1:max(M, 1):1" in ty.trace(lambda x: x[1:], ty.Spec((m,))).as_text() or (
        "min(M, 1)" in ty.trace(lambda x: x[1:], ty.Spec((m,))).as_text()
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (np.s_[5], "index 5 is outside of axis 0 of [N, 4] for some N in 2..64"),
        (np.s_[-3], "index -3 is outside"),
        (np.s_[:, 4], "index 4 is outside of axis 1 of [N, 4]"),
        (np.s_[0, 0, 0], "3 indices for the 2 axes"),
        (np.s_[..., ...], "one `...` at most"),
        ([0.5, 1.0], "an index takes integer indices, got float32"),
        (np.array([0.0, 1.0]), "an index takes integer indices, got float64"),
        (np.array([True, False]), "a mask gives a shape"),
        (True, "a mask gives a shape"),
        (1.5, "got float"),
        ("a", "got str"),
        (np.s_[1.5:], "an index is an integer or a dim"),
        (np.s_[3:0:-1], "a negative step on axis 0"),
        (np.s_[::0], "constant other than 0"),
    ],
)
def test_indexing_refuses(key, message):
    with pytest.raises(ty.CompileError) as caught:
        ty.trace(lambda x: x[key], ty.Spec((N, 4)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda x: x[x], "an index takes integer indices"),
        (lambda x: x[x > 0], "ty.nonzero with a size"),
        (lambda x: x[[1, 0, 1], [0, 1]], "do not broadcast"),
        (lambda x: x.at[0].set(x), "does not broadcast to [4]"),
        (lambda x: x.astype(ty.int32).at[0].set(x[0]), "does not say what float32 and int32"),
        (lambda x: x.astype(ty.int8).at[0].set(x[0].astype(ty.int32)), "int32 is not written"),
        (lambda x: ty.take(x, [0]), "sequences go through ty.asarray"),
        (lambda x: ty.take(x, ty.asarray([0])), "take of 2 axes takes an axis"),
        (lambda x: ty.take_along_axis(x, ty.asarray([0])), "takes indices of as many"),
        (lambda x: ty.one_hot(x, 3), "one_hot takes integer indices"),
        (lambda x: ty.dynamic_slice(x, (0,), (1, 1)), "one start for each of the 2 axes"),
        (lambda x: ty.dynamic_slice(x, (0, 0), (1, 5)), "room of size 5 on axis 1"),
        (lambda x: ty.cumulative_sum(x), "cumulative_sum of 2 axes takes an axis"),
        (lambda x: ty.unstack(x), "takes a constant extent"),
        (lambda x: ty.repeat(x, -1), "the repeats of repeat is an integer from 0 on, got -1"),
        (lambda x: ty.split(x, 3, axis=1), "4 elements do not divide into 3 parts"),
        (lambda x: ty.einsum("ij", x, x), "names 1 operands, got 2"),
        (lambda x: ty.einsum("i->i", x), "does not name the 2 axes"),
        (lambda x: ty.einsum("ij->k", x), "letters of the operands"),
        (lambda x: ty.einsum("ij,jk->ik", x, x), "einsum: 'j' is 4 and N"),
        (lambda x: ty.fold(lambda a, b: [a], [x], [0.0, 1.0]), "as many initial values, got 2"),
        (lambda x: ty.fold(lambda a, b: [a > b], [x], [0.0]), "values of rank 0 of float32"),
        (lambda x: ty.fold(lambda a, b: [x.sum()], [x], [0.0]), "its arguments and Python numbers"),
        (lambda x: ty.bitcast(x, ty.int64), "a bitcast keeps extents and width"),
        (lambda x: ty.signbit(x.astype(ty.int8)), "signbit takes floats"),
        (lambda x: ty.expm1(x.astype(ty.int8)), "expm1 takes floats"),
        (lambda x: ty.random.uniform(x), "a key is 2 words of uint32"),
        (lambda x: ty.random.integers(ty.random.key(0), 0, 300, dtype=ty.uint8), "no range of"),
        (lambda x: ty.cross_entropy(x, x, reduction="all"), "'mean', 'sum' or 'none'"),
        (lambda x: ty.group_norm(x, 3), "3 groups do not divide the channels"),
        (lambda x: ty.gelu(x, approximate="erf"), "'none' or 'tanh'"),
    ],
)
def test_functions_refuse(use, message):
    """At the user's line, in words."""
    with pytest.raises(ty.CompileError) as caught:
        ty.trace(use, ty.Spec((N, 4)))
    assert message in str(caught.value)
    assert "test_types.py" in str(caught.value)


SHAPES = {
    "reshape": (lambda x: x.reshape(-1, 2), (N * 2, 2)),
    "reshape dim": (lambda x: x.reshape(2, N, 2), (2, N, 2)),
    "flatten": (lambda x: x.flatten(), (N * 4,)),
    "T": (lambda x: x.T, (4, N)),
    "mT": (lambda x: x[None].mT, (1, 4, N)),
    "permute": (lambda x: ty.permute_dims(x[None], (2, 0, -2)), (4, 1, N)),
    "moveaxis": (lambda x: ty.moveaxis(x[None], 0, -1), (N, 4, 1)),
    "expand": (lambda x: ty.expand_dims(x, axis=(0, -1)), (1, N, 4, 1)),
    "squeeze": (lambda x: x[None, :, None].squeeze(), (N, 4)),
    "sum": (lambda x: x.sum(axis=0), (4,)),
    "sum keepdims": (lambda x: x.sum(axis=-1, keepdims=True), (N, 1)),
    "sum all": (lambda x: x.sum(), ()),
    "concat": (lambda x: ty.concat([x, x[1:], ty.zeros((3, 4))]), (N * 2 + 2, 4)),
    "concat flat": (lambda x: ty.concat([x, x], axis=None), (N * 8,)),
    "stack": (lambda x: ty.stack([x, x, x], axis=-1), (N, 4, 3)),
    "pad": (lambda x: ty.pad(x, ((0, 1), (2, 3))), (N + 1, 9)),
    "pad dim": (lambda x: ty.pad(x, ((0, N % 8), (0, 0))), (N + N % 8, 4)),
    "broadcast": (lambda x: ty.broadcast_to(x, (3, N, 4)), (3, N, 4)),
    "matmul": (lambda x: x @ x.T, (N, N)),
    "matmul vector": (lambda x: x[0] @ x.T, (N,)),
    "matmul batch": (lambda x: x[None, None] @ ty.zeros((5, 1, 4, 7)), (5, 1, N, 7)),
    "matmul left": (lambda x: x @ ty.zeros((5, 4, 7)), (5, N, 7)),
    "matmul left vector": (lambda x: x[0] @ ty.zeros((5, 4, 7)), (5, 7)),
    "tensordot": (lambda x: ty.tensordot(x, x, axes=((0,), (0,))), (4, 4)),
    "conv": (
        lambda x: ty.conv(x[None, None], ty.zeros((6, 1, 3, 3)), stride=2, padding=1),
        (1, 6, (N + 1) // 2, 2),
    ),
    "max_pool": (lambda x: ty.max_pool(x[None, None], 2), (1, 1, N // 2, 2)),
    "avg_pool": (lambda x: ty.avg_pool(x[None, None], 2, stride=1, padding=1), (1, 1, N + 1, 5)),
    "arange": (lambda x: ty.arange(x.shape[0], dtype=ty.float32), (N,)),
    "arange step": (lambda x: ty.arange(1, x.shape[0], 2, dtype=ty.float32), (N // 2,)),
    "full": (lambda x: ty.full((x.shape[0] // 2, 3), 1.0), (N // 2, 3)),
    "softmax": (lambda x: ty.softmax(x, axis=0), (N, 4)),
    "layer_norm": (lambda x: ty.layer_norm(x, -1), (N, 4)),
    "var": (lambda x: x.var(axis=0, correction=1), (4,)),
}


@pytest.mark.parametrize("case", SHAPES)
def test_extents_of_results(case):
    function, expected = SHAPES[case]
    assert result(function, ty.Spec((N, 4))) == ty.Spec(expected, ty.float32)


DTYPES = {
    "sum of int8": (lambda x: x.astype(ty.int8).sum(), ty.int64),
    "sum of bool": (lambda x: (x > 0).sum(), ty.int64),
    "sum of uint8": (lambda x: x.astype(ty.uint8).sum(), ty.uint64),
    "sum of half": (lambda x: x.astype(ty.float16).sum(), ty.float16),
    "sum dtype": (lambda x: x.sum(dtype=ty.float64), ty.float64),
    "mean of half": (lambda x: x.astype(ty.bfloat16).mean(), ty.bfloat16),
    "argmax": (lambda x: x.argmax(axis=0)[0], ty.int64),
    "any": (lambda x: x.any(), ty.bool),
    "compare": (lambda x: (x < 1)[0, 0], ty.bool),
    "astype": (lambda x: x.astype("uint16")[0, 0], ty.uint16),
    "softmax of half": (lambda x: ty.softmax(x.astype(ty.float16))[0, 0], ty.float16),
    "layer_norm of half": (lambda x: ty.layer_norm(x.astype(ty.float16))[0, 0], ty.float16),
}


@pytest.mark.parametrize("case", DTYPES)
def test_dtypes_of_results(case):
    function, expected = DTYPES[case]
    assert result(function, ty.Spec((4, 4))) == ty.Spec((), expected)
