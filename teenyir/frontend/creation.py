"""Tensors from nothing: arange, zeros, ones, full, asarray."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import (
    ArrayLike,
    Scalar,
    TensorBase,
    as_tensor,
    cast_to,
    current,
    tensor_type,
)
from teenyir.frontend.dims import Dim, Extent, Shape, as_shape, ranges_of, to_expr
from teenyir.frontend.dtypes import (
    DEFAULT_FLOAT,
    DEFAULT_INTEGER,
    DTypeLike,
    as_dtype,
    check_scalar,
    default_dtype,
    rounded,
    signless,
)
from teenyir.frontend.elementwise import add, multiply
from teenyir.frontend.errors import fail

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

LONGEST = 2**48
"""The most elements of an arange: a typing error in a step is found before memory is."""

Nested: TypeAlias = "ArrayLike | Sequence[Nested]"


@checked
def full(shape: Shape, fill_value: Scalar, *, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of one value. Without a dtype: bool, int64 or float32, by the value."""
    found = default_dtype(fill_value) if dtype is None else as_dtype(dtype)
    check_scalar(fill_value, found)
    trace = current()
    return trace.constant(fill_value, found, trace.learn(as_shape(shape)))


@checked
def zeros(shape: Shape, *, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of zeros (of False in bool); float32 without a dtype."""
    found = DEFAULT_FLOAT if dtype is None else as_dtype(dtype)
    return full(shape, False if found.kind == "bool" else 0, dtype=found)


@checked
def ones(shape: Shape, *, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of ones (of True in bool); float32 without a dtype."""
    found = DEFAULT_FLOAT if dtype is None else as_dtype(dtype)
    return full(shape, True if found.kind == "bool" else 1, dtype=found)


@checked
def full_like(x: ArrayLike, fill_value: Scalar, *, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of one value with the extents, and unless said otherwise the dtype, of `x`."""
    tensor = as_tensor(x)
    return full(tensor.shape, fill_value, dtype=tensor.dtype if dtype is None else dtype)


def zeros_like(x: ArrayLike, *, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros with the extents, and unless said otherwise the dtype, of `x`."""
    tensor = as_tensor(x)
    return zeros(tensor.shape, dtype=tensor.dtype if dtype is None else dtype)


def ones_like(x: ArrayLike, *, dtype: DTypeLike | None = None) -> Tensor:
    """Ones with the extents, and unless said otherwise the dtype, of `x`."""
    tensor = as_tensor(x)
    return ones(tensor.shape, dtype=tensor.dtype if dtype is None else dtype)


@checked
def arange(
    start: Extent | float,
    stop: Extent | float | None = None,
    step: int | float = 1,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """`start`, `start + step`, ... below `stop`; with one argument from 0 to it.

    The end may be a dim: `ty.arange(x.shape[0])`, where start and step are integers.
    """
    first, last = (0, start) if stop is None else (start, stop)
    if step == 0 or not math.isfinite(step):
        fail(f"the step of arange is {step}")
    floats = any(isinstance(value, float) for value in (first, last, step))
    found = as_dtype(dtype) if dtype is not None else DEFAULT_FLOAT if floats else DEFAULT_INTEGER
    trace = current()
    if isinstance(first, Dim) or isinstance(last, Dim):
        count = _symbolic_count(first, last, step)
        trace.learn([Dim.of(count, {**ranges_of_any(first), **ranges_of_any(last)})])
        if not isinstance(first, int):
            fail("arange starts at an integer where its end is a dim")
    else:
        count = Expr.of(_count(first, last, step))
    counted = trace.emit(graph.IotaOp, tensor_type(found, (count,)), 0)
    if step != 1:
        counted = multiply(counted, _number(step, found))
    return counted if first == 0 else add(counted, _number(first, found))


def _count(first: int | float, last: int | float, step: int | float) -> int:
    length = last - first
    if not math.isfinite(length) or abs(length / step) > LONGEST:
        fail(f"arange from {first} to {last} by {step} has too many elements")
    # integers are divided as such, since a large one is no float
    count = -(-length // step) if isinstance(length, int) else math.ceil(length / step)
    return max(0, int(count))


def ranges_of_any(value: Extent | float) -> Any:
    """The ranges of the names in a bound of arange."""
    return {} if isinstance(value, float) else ranges_of(value)


def _number(value: Extent | float, dtype: DType) -> Tensor:
    assert not isinstance(value, Dim)
    return current().constant(value, dtype)


def _symbolic_count(first: Extent | float, last: Extent | float, step: int | float) -> Expr:
    if isinstance(first, float) or isinstance(last, float) or isinstance(step, float):
        fail("arange to a dim takes integers")
    if step < 0:
        fail("arange to a dim takes a positive step; flip the result")
    length = Dim.of(to_expr(last) - to_expr(first), {**ranges_of(first), **ranges_of(last)})
    if isinstance(length, Dim) and not length >= 0:
        fail(f"arange from {first} to {last} may be negative")
    return to_expr(length).ceildiv(step)


def asarray(x: Nested, *, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of what numbers, nested sequences, numpy arrays or tensors hold.

    Numbers become a constant in the program, a numpy array a parameter of it.
    """
    found = None if dtype is None else as_dtype(dtype)
    if isinstance(x, TensorBase | np.ndarray | np.generic):
        tensor = as_tensor(cast("ArrayLike", x))
        return tensor if found is None else cast_to(tensor, found)
    if isinstance(x, Dim):
        return as_tensor(x, found)
    if isinstance(x, bool | int | float):
        return full((), x, dtype=found)
    return _literal(x, found)


def _literal(x: object, dtype: DType | None) -> Tensor:
    try:
        array = np.asarray(x)
    except ValueError as error:
        fail(f"these sequences are no tensor: {error}")
    natural = dtypes.of_numpy(array.dtype)
    if natural is None:
        fail("a tensor is made of numbers of 64 bits; join symbolic tensors with ty.stack")
    if dtype is None:
        dtype = DEFAULT_FLOAT if natural.kind == "float" else natural
    values: list[Any] = array.reshape(-1).tolist()
    for value in values[:1] if natural.kind == "float" else values:
        check_scalar(value, dtype)
    is_float = dtype.kind == "float"
    values = [rounded(v, dtype) if is_float else signless(int(v), dtype) for v in values]
    trace = current()
    return trace.emit(graph.ConstantOp.of, tensor_type(dtype, array.shape), values)
