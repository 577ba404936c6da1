"""Attributes of the kernel floor: expressions, ranges of names, the buffer type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.dtypes import refuse_scalar
from teenyir.dialects.expr import (
    Expr,
    ExprLike,
    parse_extents,
    too_large,
)
from teenyir.dialects.expr_attributes import ExprAttr, expr_array

Space = Literal["argument", "local", "scratch", "shared"]
"""Where a buffer lives: behind an argument of the kernel, on the stack of a thread, in a part of
an argument that is scratch, or in memory that the threads of a block share."""

CpuKind = Literal["loop", "sequential", "parallel", "unroll", "vector"]
GpuKind = Literal["grid.x", "grid.y", "grid.z", "thread.x", "thread.y", "thread.z"]
RangeKind = CpuKind | GpuKind
"""How the iterations of a range are run; what a kernel computes does not depend on it.

`loop` leaves it open, `sequential` asks for one after the other and `parallel` for threads of the
CPU. `unroll` and `vector` are no loops: all iterations stand in the code side by side, as copies
and as the lanes of a vector. `grid` and `thread` are those of a GPU's launch.
"""

RANGE_KINDS: tuple[RangeKind, ...] = (*get_args(CpuKind), *get_args(GpuKind))


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """A row-major buffer, `!kernel.buf<[N, 784] x f32>`; `..., local>` off the argument list."""

    name = "kernel.buf"

    shape: ArrayAttr[ExprAttr]
    element: Attribute
    space: StringAttr

    def __init__(
        self, extents: Iterable[ExprLike], element: Attribute, space: Space = "argument"
    ) -> None:
        super().__init__(expr_array(extents), element, StringAttr(space))

    @property
    def extents(self) -> tuple[Expr, ...]:
        """The size of each axis."""
        return tuple(attr.data for attr in self.shape)

    @property
    def size(self) -> Expr:
        """The number of elements."""
        return Expr.product(self.extents)

    def resized(self, extents: Iterable[ExprLike]) -> BufferType:
        """A buffer of other extents, in the same space."""
        return BufferType.new([expr_array(extents), self.element, self.space])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            extents = parse_extents(parser)
            parser.parse_keyword("x")
            element = parser.parse_type()
            space = "argument"
            if parser.parse_optional_punctuation(","):
                space = parser.parse_keyword_in(get_args(Space))
            return (expr_array(extents), element, StringAttr(space))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"[{', '.join(map(str, self.extents))}] x ")
            printer.print_attribute(self.element)
            if self.space.data != "argument":
                printer.print_string(f", {self.space.data}")

    def verify(self) -> None:
        for extent in self.extents:
            if (size := extent.constant) is not None and size < 0:
                raise VerifyException(f"a buffer cannot have an extent of {size}")
        if too_large(self.extents):
            raise VerifyException(f"{self} has more elements than 64 bits can address")
        if problem := refuse_scalar(self.element):
            raise VerifyException(problem)
        if self.space.data not in get_args(Space):
            raise VerifyException(f"unknown memory space {self.space.data!r}")
