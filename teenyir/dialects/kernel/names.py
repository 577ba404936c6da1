"""The names of ranges: by them messages and schedules speak of loops."""

from __future__ import annotations

from collections.abc import Iterable

from teenyir.dialects.kernel.ops import FuncOp, RangeOp


def range_names(func: FuncOp) -> dict[RangeOp, str]:
    """A name for each range of a kernel that has one, in the order of the text.

    It is the name of the range's value. Where several have the same, those after the first are
    told apart as the printer does it: `i`, `i_1`, `i_2`.
    """
    names: dict[RangeOp, str] = {}
    counts: dict[str, int] = {}
    for op in func.body.block.ops:
        if isinstance(op, RangeOp) and (hint := op.result.name_hint):
            count = counts[hint] = counts.get(hint, -1) + 1
            names[op] = f"{hint}_{count}" if count else hint
    return names


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
