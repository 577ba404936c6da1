"""8-bit floats and types for storage in programs from Python."""

import ml_dtypes
import numpy as np
import pytest

import teenyir as ty
from teenyir.interpreter import run

EIGHT = [ty.float8_e4m3fn, ty.float8_e5m2]


def both(function, *arrays):
    """What a function gives, interpreted and compiled, once they have been found equal."""
    traced = ty.trace(function, *(ty.Spec(a.shape, a.dtype) for a in arrays))
    expected = run(traced.module, list(arrays))
    found = traced.lower().compile()(*arrays)
    found = found if isinstance(found, tuple) else (found,)
    for a, b in zip(expected, found, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))
    return [a.astype(np.float64) for a in expected]


@pytest.mark.parametrize("dtype", EIGHT, ids=str)
def test_what_is_outside_of_a_pool_is_the_least_number(dtype):
    x = -np.ones((1, 1, 4, 4)).astype(dtype.numpy())
    (pooled,) = both(lambda x: ty.max_pool(x, 3, stride=1, padding=1), x)
    np.testing.assert_array_equal(pooled, x.astype(np.float64))


@pytest.mark.parametrize("dtype", EIGHT, ids=str)
def test_what_is_finite(dtype):
    x = np.array([1.0, -3.0, np.nan, np.inf, -np.inf]).astype(dtype.numpy())
    finite, infinite = both(lambda x: (ty.isfinite(x), ty.isinf(x)), x)
    np.testing.assert_array_equal(finite, np.isfinite(x.astype(np.float64)))
    np.testing.assert_array_equal(infinite, np.isinf(x.astype(np.float64)))


@pytest.mark.parametrize("dtype", EIGHT, ids=str)
def test_sums_are_formed_in_float32(dtype):
    x = np.full((100,), 0.75).astype(dtype.numpy())
    total, mean = both(lambda x: (ty.sum(x), ty.mean(x)), x)
    assert total == np.float32(75).astype(dtype.numpy())
    assert mean == 0.75


@pytest.mark.parametrize("dtype", EIGHT, ids=str)
def test_argmax_of_lowest_numbers(dtype):
    x = np.full((4,), -1e9).astype(dtype.numpy())
    x = np.nan_to_num(x.astype(np.float32), nan=-448, neginf=-np.inf).astype(dtype.numpy())
    assert both(ty.argmax, x)[0] == 0


def test_weights_of_four_bits():
    weights = np.array([[-8, 7], [3, -1]], ml_dtypes.int4)
    scales = np.array([0.5, 4.0], ml_dtypes.float8_e8m0fnu)

    def dequantized(w, s):
        return w.astype(ty.float32) * s.astype(ty.float32)

    (result,) = both(dequantized, weights, scales)
    np.testing.assert_array_equal(result, [[-4.0, 28.0], [1.5, -4.0]])


def test_quantizing_saturates():
    x = np.array([-100.0, -7.5, 2.5, 100.0, np.nan], np.float32)
    (result,) = both(lambda x: x.astype(ty.int4), x)
    np.testing.assert_array_equal(result, [-8, -7, 2, 7, 0])


def test_constants_of_narrow_types_round_trip():
    def function(x):
        return x + ty.full((), float("nan"), dtype=ty.float8_e4m3fn)

    text = ty.trace(function, ty.Spec((2,), ty.float8_e4m3fn)).as_text()
    assert "dense<0x7f> : tensor<f8E4M3FN>" in text
    assert ty.parse(text).as_text() == text


def test_the_dtype_of_an_input_is_checked():
    compiled = ty.trace(lambda x: x.astype(ty.int8), ty.Spec((2,), ty.int4)).lower().compile()
    np.testing.assert_array_equal(compiled(np.array([-8, 7], ml_dtypes.int4)), [-8, 7])
    with pytest.raises(ty.CompileError, match=r"expected int4\[2\], got int8\[2\]"):
        compiled(np.array([-8, 7], np.int8))
