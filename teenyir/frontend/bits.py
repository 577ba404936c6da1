"""Functions of the bits of elements: bitcast, sign bits, neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.frontend.core import ArrayLike, as_tensor, broadcasted, promoted
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.elementwise import (
    add,
    bitwise_and,
    bitwise_or,
    equal,
    greater,
    isnan,
    less,
    logical_or,
    not_equal,
    subtract,
    where,
)
from teenyir.frontend.errors import fail

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

_SIGNED = {8: dtypes.INT8, 16: dtypes.INT16, 32: dtypes.INT32, 64: dtypes.INT64}
_UNSIGNED = {8: dtypes.UINT8, 16: dtypes.UINT16, 32: dtypes.UINT32, 64: dtypes.UINT64}


def bitcast(x: ArrayLike, dtype: DTypeLike, /) -> Tensor:
    """The same bits read as another dtype of the same width."""
    tensor, found = as_tensor(x), as_dtype(dtype)
    if tensor.dtype == found:
        return tensor
    return tensor.trace.emit(graph.BitcastOp, tensor.value, found.element)


view = bitcast


def _floats(name: str, *operands: ArrayLike) -> list[Tensor]:
    tensors = broadcasted(*promoted(*operands))
    if tensors[0].dtype.kind != "float":
        fail(f"{name} takes floats, got {tensors[0].dtype}; convert: x.astype(ty.float32)")
    return tensors


def _as_integers(x: Tensor, table: dict[int, DType]) -> Tensor:
    return bitcast(x, table[x.dtype.bits])


def signbit(x: ArrayLike, /) -> Tensor:
    """Whether the sign bit of a float is set: of -0.0 and of a negative NaN too."""
    (tensor,) = _floats("signbit", x)
    return less(_as_integers(tensor, _SIGNED), 0)


def copysign(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The magnitude of `x1` with the sign bit of `x2`; floats."""
    magnitude, sign = _floats("copysign", x1, x2)
    top = 1 << (magnitude.dtype.bits - 1)
    size = bitwise_and(_as_integers(magnitude, _UNSIGNED), top - 1)
    flag = bitwise_and(_as_integers(sign, _UNSIGNED), top)
    return bitcast(bitwise_or(size, flag), magnitude.dtype)


def nextafter(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The float that follows `x1` in the direction of `x2`; `x2` where they are equal."""
    start, goal = _floats("nextafter", x1, x2)
    bits = _as_integers(start, _SIGNED)
    # away from zero the bits count up, toward it down
    outward = equal(greater(start, 0.0), greater(goal, start))
    moved = bitcast(where(outward, add(bits, 1), subtract(bits, 1)), start.dtype)
    one = start.trace.constant(1, bits.dtype)
    least = copysign(bitcast(one, start.dtype), goal)
    moved = where(equal(start, 0.0), least, moved)
    moved = where(equal(start, goal), goal, moved)
    return where(logical_or(isnan(start), isnan(goal)), add(start, goal), moved)


def fmod(x1: ArrayLike, x2: ArrayLike, /) -> Tensor:
    """The remainder with the sign of the dividend, as C has it; of an integer by zero it is 0."""
    a, b = broadcasted(*promoted(x1, x2))
    if a.dtype.kind == "float":
        return copysign(abs(a) % abs(b), a)
    rest = a % b
    if a.dtype.kind == "uint":
        return rest
    crossed = not_equal(less(a, 0), less(b, 0))
    return where(bitwise_and(not_equal(rest, 0), crossed), subtract(rest, b), rest)
