"""Which names the namespace has: `ty`'s functions, and those that a traced program cannot have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, cast

import ml_dtypes
import numpy as np

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DTYPES, DType
from teenyir.frontend import arrangement, creation, gathering, scans, sorting
from teenyir.frontend.array.eager import DEVICE, Array, called, check_device, eager
from teenyir.frontend.dtypes import (
    DEFAULT_FLOAT,
    DEFAULT_INTEGER,
    DTypeLike,
    as_dtype,
    integer_range,
    promote,
)
from teenyir.frontend.errors import TraceError
from teenyir.frontend.tensor import Tensor

_TRACED: dict[str, str] = {
    "arrangement": "broadcast_arrays eye linspace meshgrid roll tile tril triu",
    "bits": "copysign nextafter signbit",
    "creation": "arange full full_like ones ones_like zeros zeros_like",
    "elementwise": "abs add astype atan2 bitwise_and bitwise_invert bitwise_left_shift bitwise_or "
    "bitwise_right_shift bitwise_xor ceil clip cos divide equal exp floor floor_divide greater "
    "greater_equal isfinite isinf isnan less less_equal log log2 logical_and logical_not "
    "logical_or logical_xor maximum minimum multiply negative not_equal positive pow reciprocal "
    "remainder round sign sin sqrt square subtract tanh trunc where",
    "gathering": "take take_along_axis",
    "linear": "matmul tensordot vecdot",
    "movement": "broadcast_to concat expand_dims flip matrix_transpose moveaxis permute_dims "
    "reshape squeeze stack",
    "reductions": "all any argmax argmin count_nonzero max mean min prod std sum var",
    "scans": "cumulative_prod cumulative_sum diff",
    "sorting": "argsort searchsorted sort",
    "transcendental": "acos acosh asin asinh atan atanh cosh expm1 hypot log10 log1p logaddexp "
    "sinh tan",
}
"""The functions of `ty`, by the module of the frontend that has them."""

_HOMES = {name: home for home, names in _TRACED.items() for name in names.split()}


# --- what is not traced ---------------------------------------------------------------------------


def asarray(
    obj: Any, /, *, dtype: DTypeLike | None = None, device: object = None, copy: bool | None = None
) -> Array:
    """An array of what an array, a number, nested sequences of numbers or a numpy array holds.

    Without a dtype numbers become bool, int64 or float32. Raises ValueError where `copy=False` and
    a copy is needed.
    """
    check_device(device)
    if isinstance(obj, Array):
        if dtype is None or as_dtype(dtype) == obj.dtype:
            return Array(obj.values.copy()) if copy else Array(obj.values)
        if copy is False:
            raise ValueError(f"an array of {obj.dtype} is copied to become one of {dtype}")
        return called(creation.asarray, obj, dtype=dtype)
    if isinstance(obj, np.ndarray | np.generic):
        return asarray(Array(np.array(cast(Any, obj), copy=copy)), dtype=dtype)
    if copy is False:
        raise ValueError("numbers of Python are copied into an array")
    return called(lambda: creation.asarray(_plain(obj), dtype=dtype))


def _plain(nest: Any) -> Any:
    """Nested sequences with arrays of rank 0 as numbers."""
    if isinstance(nest, tuple | list):
        return [_plain(item) for item in nest]  # pyright: ignore[reportUnknownVariableType]
    return nest.values[()].item() if isinstance(nest, Array) else nest


def from_dlpack(x: Any, /, *, device: object = None, copy: bool | None = None) -> Array:
    """An array of what another library's array holds."""
    check_device(device)
    return Array(np.array(np.from_dlpack(x), copy=copy))


def empty(shape: Any, *, dtype: DTypeLike | None = None, device: object = None) -> Array:
    """Zeros: memory that nobody has written has no meaning here."""
    return find("zeros")(shape, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: DTypeLike | None = None, device: object = None) -> Array:
    """Zeros of the extents of another array."""
    return find("zeros_like")(x, dtype=dtype, device=device)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices along each axis of the elements other than zero."""
    indices, count = called(gathering.nonzero, x)
    return tuple(each[: int(count)] for each in indices)


class UniqueAll(NamedTuple):
    """What `unique_all` finds."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `unique_counts` finds."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `unique_inverse` finds."""

    values: Array
    inverse_indices: Array


def _unique(function: Callable[..., Any], x: Array) -> list[Array]:
    """What a function finds, without the room behind the last one of it."""
    found, count = called(function, x)
    parts: Sequence[Array] = [found] if isinstance(found, Array) else found
    return [part[: int(count)] for part in parts]


def unique_values(x: Array, /) -> Array:
    """The different elements of an array, in order; NaN is different from NaN."""
    return _unique(sorting.unique_values, x)[0]


def unique_counts(x: Array, /) -> UniqueCounts:
    """The different elements of an array, and how often each is there."""
    return UniqueCounts(*_unique(sorting.unique_counts, x))


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The different elements of an array, and the index among them of each element of `x`."""
    (values, inverse), count = called(sorting.unique_inverse, x)
    return UniqueInverse(values[: int(count)], inverse)


def unique_all(x: Array, /) -> UniqueAll:
    """As `unique_inverse` and `unique_counts`, and where each element is first in the flat `x`."""
    (values, indices, inverse, counts), count = called(sorting.unique_all, x)
    values, indices, counts = (part[: int(count)] for part in (values, indices, counts))
    return UniqueAll(values, indices, inverse, counts)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element so many times in a row along an axis, or of all elements; an array of numbers
    says how often for each."""
    if not isinstance(repeats, Array):
        return called(arrangement.repeat, x, repeats, axis=axis)

    def places(repeats: Tensor) -> Tensor:
        ends = scans.cumsum(repeats)
        return sorting.searchsorted(ends, creation.arange(total), side="right")

    if axis is None:
        x, axis = find("reshape")(x, (-1,)), 0
    count = x.shape[axis]
    repeats = find("broadcast_to")(repeats, (count,))
    total = int(find("sum")(repeats))
    return called(gathering.take, x, called(places, repeats), axis=axis)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices of an array along an axis, without that axis."""
    return called(arrangement.unstack, x, axis=axis) if x.shape[axis] else ()


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The extents that all broadcast to."""
    found: list[tuple[int, ...]] = []

    def shape() -> Tensor:
        found.append(cast("tuple[int, ...]", arrangement.broadcast_shapes(*shapes)))
        return creation.zeros(())

    called(shape)
    return found[0]


def _dtype(x: Array | DTypeLike) -> DType:
    return x.dtype if isinstance(x, Array) else as_dtype(x)


def result_type(*operands: Array | DTypeLike | bool | int | float) -> DType:
    """The dtype that arrays, dtypes and numbers promote to; numbers take that of the others."""
    strong = [x for x in operands if type(x) not in (bool, int, float)]
    if not strong:
        raise ValueError("result_type takes an array or a dtype")
    result = _dtype(strong[0])  # pyright: ignore[reportArgumentType]
    for other in strong[1:]:
        result = promote(result, _dtype(other))  # pyright: ignore[reportArgumentType]
    return result


def can_cast(source: Array | DTypeLike, target: DTypeLike, /) -> bool:
    """Whether a dtype promotes to another one."""
    try:
        return promote(_dtype(source), as_dtype(target)) == as_dtype(target)
    except TraceError:
        return False


_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": (),
    "numeric": ("int", "uint", "float"),
}


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Whether a dtype is another one, of a kind such as "integral", or one of a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)  # pyright: ignore
    if isinstance(kind, str) and kind in _KINDS:
        return as_dtype(dtype).kind in _KINDS[kind]
    if isinstance(kind, str):
        raise ValueError(f"no kind of dtypes {kind!r}, only {', '.join(_KINDS)}")
    return as_dtype(dtype) == as_dtype(kind)


@dataclass(frozen=True)
class FloatLimits:
    """What `finfo` tells."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerLimits:
    """What `iinfo` tells."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: Array | DTypeLike, /) -> FloatLimits:
    """The limits of a dtype of floats."""
    dtype = _dtype(type)
    if dtype.kind != "float":
        raise ValueError(f"{dtype} is no dtype of floats")
    known: Any = ml_dtypes
    limits = known.finfo(dtype.numpy())
    return FloatLimits(
        dtype.bits,
        eps=float(limits.eps),
        max=float(limits.max),
        min=float(limits.min),
        smallest_normal=float(limits.smallest_normal),
        dtype=dtype,
    )


def iinfo(type: Array | DTypeLike, /) -> IntegerLimits:
    """The limits of a dtype of integers."""
    dtype = _dtype(type)
    if dtype.kind not in ("int", "uint"):
        raise ValueError(f"{dtype} is no dtype of integers")
    low, high = integer_range(dtype)
    return IntegerLimits(dtype.bits, high, low, dtype)


class Info:
    """What the library can do, as the array API asks for it."""

    def capabilities(self) -> dict[str, Any]:
        """Masks are indices, some results have extents that depend on values; ranks up to 64."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device."""
        return DEVICE

    def devices(self) -> list[str]:
        """The devices."""
        return [DEVICE]

    def default_dtypes(self, *, device: object = None) -> dict[str, DType]:
        """The dtypes of numbers."""
        integer = DEFAULT_INTEGER
        return {"real floating": DEFAULT_FLOAT, "integral": integer, "indexing": integer}

    def dtypes(self, *, device: object = None, kind: Any = None) -> dict[str, DType]:
        """The dtypes, all or of a kind."""
        standard = [dtype for dtype in DTYPES if dtype.name in STANDARD]
        return {d.name: d for d in standard if kind is None or isdtype(d, kind)}


STANDARD = {
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
}
"""The dtypes that the array API has, too."""

_OTHERS: dict[str, Any] = {
    **{dtype.name: dtype for dtype in dtypes.DTYPES},
    **{"e": math.e, "pi": math.pi, "inf": math.inf, "nan": math.nan, "newaxis": None},
    **{"__array_api_version__": "2024.12", "__array_namespace_info__": Info},
    "asarray": asarray,
    "broadcast_shapes": broadcast_shapes,
    "can_cast": can_cast,
    "empty": empty,
    "empty_like": empty_like,
    "finfo": finfo,
    "from_dlpack": from_dlpack,
    "iinfo": iinfo,
    "isdtype": isdtype,
    "nonzero": nonzero,
    "repeat": repeat,
    "result_type": result_type,
    "unique_all": unique_all,
    "unique_counts": unique_counts,
    "unique_inverse": unique_inverse,
    "unique_values": unique_values,
    "unstack": unstack,
}

_OPTIONS: dict[str, tuple[str, ...]] = {
    "astype": ("copy", "device"),
    "reshape": ("copy",),
    **dict.fromkeys((*_TRACED["creation"].split(), "eye", "linspace"), ("device",)),
}
"""Which functions take what has no meaning for symbolic tensors."""

NAMES = sorted({*_HOMES, *_OTHERS})
"""The names of the namespace."""


@cache
def find(name: str) -> Callable[..., Any]:
    """What a name of the namespace stands for."""
    if name in _OTHERS:
        return _OTHERS[name]
    function = getattr(import_module(f"teenyir.frontend.{_HOMES[name]}"), name)
    return eager(function, _OPTIONS.get(name, ()))
