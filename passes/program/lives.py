"""When the buffers of a program are in use, and how many bytes that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from teenyir.dialects import dtypes
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.program import STATEMENTS, AllocOp, FuncOp
from teenyir.rewriting.base import fail

Life = tuple[int, int]
"""The numbers of the first and the last statement that touch a buffer."""

TYPICAL = 64
"""What an extent without a maximum is taken to be, where one choice is weighed against another."""


def statements(func: FuncOp) -> list[Operation]:
    """The launches, branches and loops of a program, in order, without those inside others."""
    return [op for op in func.body.block.ops if isinstance(op, STATEMENTS)]


def allocations(func: FuncOp) -> list[AllocOp]:
    """The temporary buffers of a program, in the order of its text."""
    return [op for op in func.body.block.ops if isinstance(op, AllocOp)]


def touched_by(statement: Operation) -> Iterable[SSAValue]:
    """The buffers that a statement reads or writes, those inside a branch or loop too."""
    return dict.fromkeys(buffer for inner in statement.walk() for buffer in inner.operands)


def lives(func: FuncOp, order: Sequence[Operation] | None = None) -> dict[AllocOp, Life]:
    """The life of each allocation, ordered by where it begins; `order` is that of the text.

    What is touched in a branch or a loop lives for all of it.
    """
    touched: dict[SSAValue, Life] = {}
    for number, statement in enumerate(statements(func) if order is None else order):
        for buffer in touched_by(statement):
            touched[buffer] = (touched.get(buffer, (number, number))[0], number)
    found = {op: touched.get(op.result, (0, 0)) for op in allocations(func)}
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def meet(a: Life, b: Life) -> bool:
    """Whether two lives have a statement in common."""
    return a[0] <= b[1] and b[0] <= a[1]


def buffer_bytes(op: AllocOp) -> Expr:
    """Bytes of a buffer. Raises PassError for elements that memory does not hold."""
    assert isinstance(op.result.type, BufferType)
    dtype = dtypes.of_element(op.result.type.element)
    if dtype is None:
        raise fail(op, f"a buffer cannot hold {op.result.type.element}")
    return op.result.type.size * dtype.bytes


def typical(dims: Iterable[DimRange]) -> dict[str, int]:
    """A value of each extent: its maximum, where it has one."""
    return {dim.name: max(dim.min, TYPICAL) if dim.max is None else dim.max for dim in dims}


def peak(lives: Mapping[AllocOp, Life], sizes: Mapping[AllocOp, int]) -> int:
    """The most bytes that are in use at one statement: no arena is smaller."""
    changes: dict[int, int] = {}
    for op, (first, last) in lives.items():
        changes[first] = changes.get(first, 0) + sizes[op]
        changes[last + 1] = changes.get(last + 1, 0) - sizes[op]
    most = held = 0
    for number in sorted(changes):
        held += changes[number]
        most = max(most, held)
    return most
