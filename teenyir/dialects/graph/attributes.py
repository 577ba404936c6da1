"""Types and attributes of the graph floor: named extents, ranges of names, element kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    NoneAttr,
    TensorType,
)
from xdsl.ir import Attribute, Data, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import dtypes
from teenyir.dialects.dim_ranges import DimRange, parse_dim_ranges
from teenyir.dialects.expr import Expr, ExprLike, parse_extents, too_large

Tensor: TypeAlias = TensorType[Attribute]
Extents: TypeAlias = tuple[Expr, ...]

MOST_AXES = 64
"""Axes of a tensor: what numpy's arrays have."""


@irdl_attr_definition
class DimsAttr(Data[tuple[Expr, ...]]):
    """A list of expressions: `#graph.dims<[N floordiv 2 + 1, 784]>`."""

    name = "graph.dims"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Extents:
        with parser.in_angle_brackets():
            return parse_extents(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{as_text(self.data)}>")


@irdl_attr_definition
class SymbolsAttr(Data[tuple[DimRange, ...]]):
    """What is known of each name in a function: `#graph.symbols<[N in 1..1024 step 8]>`."""

    name = "graph.symbols"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[DimRange, ...]:
        with parser.in_angle_brackets(), parser.in_square_brackets():
            return parse_dim_ranges(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{as_text(self.data)}>")

    def verify(self) -> None:
        seen = set[str]()
        for dim in self.data:
            if problem := dim.problem():
                raise VerifyException(problem)
            if dim.name in seen:
                raise VerifyException(f"{dim.name} has two ranges")
            seen.add(dim.name)


Kinds: TypeAlias = frozenset[dtypes.Kind]
"""What an op takes: kinds of elements."""

FLOAT = Kinds({"float"})
INTEGER = Kinds({"int", "uint"})
BOOL = Kinds({"bool"})
NUMBER = INTEGER | FLOAT
BITS = INTEGER | BOOL
ANY = NUMBER | BOOL

KIND_WORDS: dict[Kinds, str] = {
    FLOAT: "floats",
    INTEGER: "integers",
    NUMBER: "integers and floats",
    BITS: "booleans and integers",
    ANY: "any elements",
}
"""The kinds as messages and the docs call them."""


def dtype_of(element: Attribute) -> dtypes.DType:
    """The dtype of an element type. Raises VerifyException where the floor does not have it."""
    if (dtype := dtypes.of_element(element)) is None:
        known = ", ".join(str(dtype.element) for dtype in dtypes.DTYPES)
        raise VerifyException(f"{element} is not an element type of graph tensors ({known})")
    return dtype


def _check_axes(count: int) -> None:
    if count > MOST_AXES:
        raise VerifyException(f"{count} axes are more than the {MOST_AXES} that an array has")


def tensor(element: Attribute, extents: Iterable[ExprLike]) -> Tensor:
    """The tensor type of these extents; the encoding is there where one of them is no constant.

    Raises VerifyException on a negative constant extent, on too many axes or elements, or an
    element type of another floor.
    """
    return _tensor(element, tuple(map(Expr.of, extents)))


@lru_cache(1024)
def _tensor(element: Attribute, exprs: Extents) -> Tensor:
    dtype_of(element)
    _check_axes(len(exprs))
    constants = [expr.constant for expr in exprs]
    for constant in constants:
        if constant is not None and constant < 0:
            raise VerifyException(f"extent {constant} of {as_text(exprs)} is negative")
    if too_large(exprs):
        raise VerifyException(f"{as_text(exprs)} are more elements than 64 bits can address")
    if None not in constants:
        return TensorType(element, [c for c in constants if c is not None])
    shape = [DYNAMIC_INDEX if c is None else c for c in constants]
    return TensorType(element, shape, DimsAttr(exprs))


def extents(type: Tensor) -> Extents:
    """The extents of a tensor. Raises VerifyException where type and `#graph.dims` disagree.

    They are kept in the type, which is asked again and again and never changes.
    """
    known: Extents | None = vars(type).get(_EXTENTS)
    if known is None:
        known = _extents(type)
        object.__setattr__(type, _EXTENTS, known)
    return known


_EXTENTS = "graph_extents"


def _extents(type: Tensor) -> Extents:
    shape = type.get_shape()
    _check_axes(len(shape))
    if isinstance(type.encoding, NoneAttr):
        if DYNAMIC_INDEX in shape:
            raise VerifyException(f"the dynamic extents of {type} need names: #graph.dims<[...]>")
        return _constant_extents(shape)
    if not isinstance(type.encoding, DimsAttr):
        raise VerifyException(f"the encoding of {type} is not #graph.dims")
    dims = type.encoding.data
    if tensor(type.element_type, dims) != type:
        raise VerifyException(f"the shape of {type} does not agree with its #graph.dims")
    return dims


@lru_cache(1024)
def _constant_extents(shape: tuple[int, ...]) -> Extents:
    exprs = tuple(map(Expr.of, shape))
    if too_large(exprs):
        raise VerifyException(f"{as_text(exprs)} are more elements than 64 bits can address")
    return exprs


def with_element(type: Tensor, element: Attribute) -> Tensor:
    """A tensor of the same extents and another element type."""
    return TensorType(element, type.shape, type.encoding)


def tensor_type(value: SSAValue) -> Tensor:
    """The type of a tensor value. Raises VerifyException on any other value."""
    if not isinstance(value.type, TensorType):
        raise VerifyException(f"expected a tensor, got {value.type}")
    return value.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def as_exprs(values: Iterable[ExprLike]) -> Extents:
    """Integers, names and expressions as expressions."""
    return tuple(map(Expr.of, values))


def as_text(values: Sequence[object]) -> str:
    """Extents, axes or ranges as they are written: `[N, 784]`."""
    return f"[{', '.join(map(str, values))}]"
