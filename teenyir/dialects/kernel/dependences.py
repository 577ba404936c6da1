"""Which ranges the values of a kernel depend on; `nest` has the rules, and the loops they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from teenyir.dialects.inside import ops_of
from teenyir.dialects.kernel.all_reduce import AllReduceOp
from teenyir.dialects.kernel.closers import FoldOp, ReduceOp, ScanOp, StageOp
from teenyir.dialects.kernel.mma import MmaOp
from teenyir.dialects.kernel.ops import FuncOp, RangeOp
from teenyir.dialects.kernel.sort import SortOp

Ranges: TypeAlias = frozenset[RangeOp]
Closer: TypeAlias = ReduceOp | FoldOp | StageOp | SortOp | MmaOp
"""What closes ranges. A store or scatter closes all that it depends on; nothing comes after it."""
CLOSERS = (ReduceOp, FoldOp, StageOp, SortOp, MmaOp)
NOTHING: Ranges = frozenset()

# Every op is asked whether it is one of these, many times over; `isinstance` of xDSL's classes,
# which are abstract, takes ten times as long for those that are not.
_CLOSERS: frozenset[type[Operation]] = frozenset(CLOSERS)


class Dependences:
    """The ranges that the values of a kernel depend on, as the kernel is now."""

    def __init__(self, func: FuncOp):
        self.ops = ops_of(func.body.block)
        self.position: dict[Operation, int] = {op: k for k, op in enumerate(self.ops)}
        self.closed: dict[Operation, Ranges] = {
            op: closed_by(op) for op in self.ops if op.__class__ in _CLOSERS
        }
        """The ranges that each closer closes."""
        self.dependences, self.operand_dependences = _followed(self.ops, self._closed_by)
        self._varying = self.dependences
        """The ranges from iteration to iteration of which a value may be another."""
        if any(type(op) is AllReduceOp for op in self.ops):
            self._varying, _ = _followed(self.ops, _evened)

    def _closed_by(self, op: Operation) -> Ranges:
        return self.closed[op] if op.__class__ in _CLOSERS else NOTHING

    def repeated(self, op: Operation) -> Ranges:
        """The threads that an op stands in but that all do the same: what it takes is the result of
        an all-reduce."""
        return self.operand_dependences[op] - _of_operands(op, self._varying)

    def in_text_order(self, ranges: Iterable[RangeOp]) -> list[RangeOp]:
        """Ranges in the order of their definitions."""
        return sorted(ranges, key=self.position.__getitem__)

    def open_around(self, op: Operation) -> Ranges:
        """The ranges that the op is repeated for."""
        around = self.operand_dependences[op]
        return around - self.closed[op] if op.__class__ in _CLOSERS else around


def _followed(
    ops: Sequence[Operation], ended_by: Callable[[Operation], Ranges]
) -> tuple[dict[SSAValue, Ranges], dict[Operation, Ranges]]:
    """The ranges of each value, and those of the operands of each op, where ops end some.

    What depends on the same has the same set where it can be told: a set keeps its hash.
    """
    of_values: dict[SSAValue, Ranges] = {}
    of_operands: dict[Operation, Ranges] = {}
    for op in ops:
        ranges = of_operands[op] = _of_operands(op, of_values)
        if type(op) is RangeOp:
            ranges |= {op}
        if ended := ended_by(op):  # what a matrix instruction opens is an operand of it
            ranges -= ended
        for result in op.results:
            of_values[result] = ranges
    return of_values, of_operands


def _of_operands(op: Operation, known: Mapping[SSAValue, Ranges]) -> Ranges:
    ranges = NOTHING
    for value in op.operands:
        more = known.get(value)
        if more and more is not ranges:
            ranges = ranges | more if ranges else more
    return ranges


def _evened(op: Operation) -> Ranges:
    """The ranges whose iterations have one value after an op."""
    if type(op) is AllReduceOp:
        return frozenset({op.across}) if op.lanes is None else NOTHING
    return closed_by(op)


def closed_by(op: Operation) -> Ranges:
    """The ranges an op closes; those of a store are all it depends on, and are not listed here."""
    if op.__class__ in _CLOSERS and isinstance(op, CLOSERS):
        over = frozenset(v.owner for v in op.over if isinstance(v.owner, RangeOp))
        return over | accumulated_by(op)
    return NOTHING


def accumulated_by(op: Operation) -> Ranges:
    """The ranges over which a stage combines the values of each element."""
    if type(op) is StageOp:
        return frozenset(v.owner for v in op.accumulating if isinstance(v.owner, RangeOp))
    return NOTHING


def scanned_by(op: Operation) -> Ranges:
    """The range along which a scan runs, which is the innermost around it."""
    if type(op) is ScanOp and isinstance(op.along.owner, RangeOp):
        return frozenset({op.along.owner})
    return NOTHING
