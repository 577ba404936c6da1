"""The names of ranges and buffers: by them messages and schedules speak of loops and memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from xdsl.ir import SSAValue

from teenyir.dialects.inside import ops_of
from teenyir.dialects.kernel.ops import FuncOp, RangeOp
from teenyir.dialects.naming import told_apart

Named = TypeVar("Named")


def range_names(func: FuncOp) -> dict[RangeOp, str]:
    """A name for each range of a kernel that has one, in the order of the text.

    It is the name of the range's value. Where several have the same, those after the first are
    told apart as the printer does it: `i`, `i_1`, `i_2`.
    """
    ranges = [op for op in ops_of(func.body.block) if type(op) is RangeOp]
    return _told_apart((op, op.results[0].name_hint) for op in ranges)


def buffer_names(func: FuncOp) -> dict[SSAValue, str]:
    """A name for each buffer argument of a kernel that has one, told apart as those of ranges."""
    return _told_apart((argument, argument.name_hint) for _, argument in func.buffers)


def _told_apart(hints: Iterable[tuple[Named, str | None]]) -> dict[Named, str]:
    called = [(named, hint) for named, hint in hints if hint]
    names = told_apart([hint for _, hint in called])
    return {named: name for (named, _), name in zip(called, names, strict=True)}


def names(ranges: Iterable[RangeOp]) -> str:
    """Ranges as a reader of the text knows them: `%i, %k`."""
    return ", ".join(map(_name, ranges))


def _name(range_: RangeOp) -> str:
    func = range_.parent_op()
    if not isinstance(func, FuncOp):
        return "a range"
    if (name := range_names(func).get(range_)) is not None:
        return f"%{name}"
    ranges = [op for op in func.body.block.ops if isinstance(op, RangeOp)]
    return f"range number {ranges.index(range_) + 1} of the kernel"
