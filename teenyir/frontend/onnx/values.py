"""What a name of the graph stands for while a model is imported.

A `Tensor` is a value of the program. A numpy array is known: a weight, a constant, or what can be
worked out from these. An array of dtype `object` is one of int64 whose elements are extents,
integers and dims: what `Shape` gives. A `Told` is a tensor that a call can work out beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from teenyir.diagnostics import Diagnostic
from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.frontend.core import Array, TensorBase, as_tensor, current
from teenyir.frontend.creation import asarray
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import astype
from teenyir.frontend.errors import TraceError, fail
from teenyir.frontend.movement import reshape, stack
from teenyir.frontend.tensor import Tensor


@dataclass(frozen=True)
class Bounded:
    """A tensor of which fewer elements count than there is room for: how many, data decides."""

    tensor: Tensor
    counts: dict[int, Tensor]
    """By axis, how many of its first places count: an integer of rank 0."""


@dataclass
class Call:
    """What is known of a call before its program runs."""

    values: Mapping[str, Array]
    """The inputs that decide extents."""
    dims: dict[str, int]
    """What the names of extents stand for, as far as it is worked out."""

    def array(self, value: Told | Array) -> Array:
        """The elements of a value, extents with names as integers."""
        if isinstance(value, Told):
            return value.work_out(self)
        if value.dtype != object:
            return value
        found = [self.extent(each) for each in value.flat]
        return np.array(found, np.int64).reshape(value.shape)

    def extent(self, extent: Extent) -> int:
        """What an extent is."""
        return extent.expr.evaluate(self.dims) if isinstance(extent, Dim) else int(extent)


@dataclass(frozen=True)
class Told:
    """A tensor of the program, made of inputs that a call can read before the program runs.

    So it may decide extents, which are names to the program that the call works out.
    """

    tensor: Tensor
    work_out: Callable[[Call], Array]
    """Its elements in a call. Raises CompileError on inputs that make no sense."""

    @property
    def size(self) -> int:
        """How many elements, which no name has part in."""
        (count,) = constants([self.tensor.size], "what decides extents")
        return count


class UnknownExtent(TraceError):
    """A number is to be known when a model is compiled, and has names in it."""

    def __init__(self, names: Iterable[str], *diagnostics: Diagnostic | str) -> None:
        super().__init__(*diagnostics)
        self.names = set(names)


Value: TypeAlias = "Tensor | Array | Bounded | Told | None"
"""None stands for an input that is left out."""

FEW = 16
"""Elements of an array that is written into the program as a constant."""


def of_extents(extents: Sequence[Extent]) -> Array:
    """A vector of extents as a known value."""
    return settled(np.array([*extents, None], object)[:-1])


def settled(array: Array) -> Array:
    """An array of extents as integers, where they all are."""
    if array.dtype == object and not any(isinstance(each, Dim) for each in array.flat):
        return array.astype(np.int64)
    return array


def is_symbolic(value: Value) -> bool:
    """Whether a value is known but for the names in it."""
    return isinstance(value, np.ndarray) and value.dtype == object


def dtype_of(value: Tensor | Array | Told) -> DType:
    """The dtype of the elements."""
    if isinstance(value, Told):
        return value.tensor.dtype
    if isinstance(value, TensorBase):
        return value.dtype
    found = dtypes.INT64 if value.dtype == object else dtypes.of_numpy(value.dtype)
    if found is None:
        fail(f"an array of {value.dtype} cannot be part of a program")
    return found


def shape_of(value: Tensor | Array | Told) -> tuple[Extent, ...]:
    """The extents."""
    return tuple(value.tensor.shape if isinstance(value, Told) else value.shape)


def lifted(value: Tensor | Array | Told) -> Tensor:
    """A value as a tensor of the program: a small array as a constant, others as parameters."""
    if isinstance(value, Told):
        return value.tensor
    if isinstance(value, TensorBase):
        return value
    if value.dtype == object:
        return _counted(value)
    if value.ndim and value.size <= FEW and id(value) not in current().names:
        return _literal(value)
    return as_tensor(value)


def _literal(array: Array) -> Tensor:
    dtype = dtype_of(array)
    if dtype.storage or not array.size:
        return as_tensor(array)
    held: Any = array.astype(np.float64) if dtype.kind == "float" else array
    return asarray(held.tolist(), dtype=dtype)


def _counted(array: Array) -> Tensor:
    """An array of extents, worked out when the program runs."""
    parts = [as_tensor(each, dtypes.INT64) for each in array.flat]
    if not array.ndim:
        return parts[0]
    return reshape(stack(parts), array.shape)


def constants(extents: Sequence[Extent], what: str) -> list[int]:
    """Extents as integers. Raises TraceError where one of them has a name."""
    found = [extent for extent in extents if isinstance(extent, int)]
    if len(found) != len(extents):
        message = f"{what} takes constant extents, got ({', '.join(map(str, extents))})"
        raise UnknownExtent(
            (n for e in extents if isinstance(e, Dim) for n in e.expr.names), message
        )
    return found


def integers(array: Array, what: str) -> list[int]:
    """A known vector (or a number) as integers. Raises UnknownExtent where an extent is named."""
    found: list[int] = []
    for each in np.atleast_1d(array).flat:
        if isinstance(each, Dim):
            message = f"{what} is to be known when the model is compiled, and is {each}"
            raise UnknownExtent(each.expr.names, message)
        found.append(int(each))
    return found


def integer(array: Array, what: str) -> int:
    """A known number. Raises TraceError where it is several, or an extent with a name."""
    found = integers(array, what)
    if len(found) != 1:
        fail(f"{what} is one number, got {found}")
    return found[0]


def extents(array: Array) -> list[Extent]:
    """A known vector as extents."""
    return [each if isinstance(each, Dim) else int(each) for each in np.atleast_1d(array).flat]


def cast_like(x: Tensor, other: Tensor) -> Tensor:
    """`x` in the dtype of another tensor."""
    return astype(x, other.dtype)
