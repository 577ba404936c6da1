"""What the schedule primitives share: which kernel, ranges by name, and the check at the end."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from teenyir.diagnostics import did_you_mean
from teenyir.dialects import kernel
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True)
class Primitive(Pass):
    """A rewrite of one kernel that leaves its meaning as it is."""

    anchor: ClassVar[str | None] = "kernel.func"

    kernel: str = ""
    """The name of the kernel to rewrite; every one if it is empty."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        if self.kernel and self.kernel != op.sym_name.data:
            self._require_kernel(op)
            session.preserve_all()
            return
        self.rewrite(op)
        try:
            op.verify_()
        except VerifyException as problem:
            raise fail(op, f"{self.name} would make a kernel that is none: {problem}") from None
        session.count("kernels")

    def _require_kernel(self, func: kernel.FuncOp) -> None:
        """Raises PassError where no kernel beside one has the name of that to rewrite."""
        block = func.parent_block()
        beside = block.ops if block is not None else (func,)
        names = [op.sym_name.data for op in beside if isinstance(op, kernel.FuncOp)]
        if self.kernel not in names:
            hint = did_you_mean(self.kernel, names) or f"; there are {', '.join(names)}"
            raise fail(func, f"there is no kernel '{self.kernel}'{hint}")

    @abstractmethod
    def rewrite(self, func: kernel.FuncOp) -> None:
        """Rewrite a kernel. Raises PassError where the rewrite would change its meaning."""


def as_text(schedule: Sequence[Primitive]) -> str:
    """A schedule as it could be written by hand."""
    return ",".join(f"{each.name}{{{_options(each)}}}" for each in schedule)


def _options(primitive: Primitive) -> str:
    given: dict[str, int | str | tuple[str, ...]] = vars(primitive)
    texts = {
        name: ",".join(value)
        if isinstance(value, tuple)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for name, value in given.items()
        if value
    }
    return " ".join(f"{name}={text}" for name, text in texts.items())


def find_range(func: kernel.FuncOp, name: str) -> kernel.RangeOp:
    """The range of a kernel with a name. Raises PassError where there is none."""
    ranges = {found: range_ for range_, found in kernel.range_names(func).items()}
    if name not in ranges:
        hint = did_you_mean(name, ranges) or f"; there are {', '.join(ranges)}"
        raise fail(func, f"@{func.sym_name.data} has no range '{name}'{hint}")
    return ranges[name]


def find_ranges(func: kernel.FuncOp, names: Iterable[str]) -> list[kernel.RangeOp]:
    """Ranges by their names, in that order, at least one and none twice."""
    found = [find_range(func, name) for name in names]
    if not found:
        raise fail(func, "no range is named")
    if len(set(found)) != len(found):
        raise fail(func, "a range is named twice")
    return found


def find_buffer(func: kernel.FuncOp, name: str) -> SSAValue:
    """The argument of a kernel with a name. Raises PassError where there is none."""
    buffers = {found: buffer for buffer, found in kernel.buffer_names(func).items()}
    if name not in buffers:
        hint = did_you_mean(name, buffers) or f"; there are {', '.join(buffers)}"
        raise fail(func, f"@{func.sym_name.data} has no argument '{name}'{hint}")
    return buffers[name]


def fresh_name(func: kernel.FuncOp, wanted: str) -> str:
    """`wanted`, or what it becomes where a range has that name already."""
    return free_name(wanted, kernel.range_names(func).values())


def free_name(wanted: str, names: Iterable[str]) -> str:
    """`wanted`, or what it becomes where it is among the names already."""
    taken = set(names)
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    return name


def name_range(func: kernel.FuncOp, range_: kernel.RangeOp, wanted: str) -> None:
    """Give a new range a name that no other has. Raises PassError where it is no name."""
    # (a value loses the `_1` at the end of its name when it is printed)
    if not SSAValue.is_valid_name(wanted) or SSAValue.extract_valid_name(wanted) != wanted:
        raise fail(
            func,
            f"'{wanted}' is no name of a range: it is made of letters, digits and _$.-, begins "
            "with no digit and ends in no number after a _",
        )
    range_.result.name_hint = fresh_name(func, wanted)


def before(op: Operation) -> LocatedBuilder:
    """A builder that puts ops in front of one, with its location."""
    return LocatedBuilder(InsertPoint.before(op), op.location)


def cone(
    values: Iterable[SSAValue],
    ranges: Iterable[kernel.RangeOp],
    nest: kernel.Dependences,
    until: AbstractSet[Operation] = frozenset(),
) -> list[Operation]:
    """The ops that compute values and depend on some of the ranges, in the order of the text.

    Neither the ops `until` nor what they alone are computed from are among them."""
    wanted = frozenset(ranges)
    found: set[Operation] = set()
    waiting = list(values)
    while waiting:
        op = waiting.pop().owner
        if not isinstance(op, Operation) or isinstance(op, kernel.RangeOp) or op in found | until:
            continue
        if not wanted.isdisjoint(nest.dependences[op.results[0]]):
            found.add(op)
            waiting += op.operands
    return sorted(found, key=nest.position.__getitem__)


def erase_unused(ops: Sequence[Operation]) -> None:
    """Erase the ops whose results nobody uses, in the order that is given."""
    for op in ops:
        if all(result.first_use is None for result in op.results):
            op.detach()
            op.erase()


def require_exchangeable(op: Operation, ranges: Iterable[kernel.RangeOp]) -> None:
    """Raises PassError for a closer of any of the ranges that can close no others in their place:
    a matrix instruction has its layout, a sort its row."""
    closed = sorted(kernel.names([r]) for r in kernel.closed_by(op).intersection(ranges))
    if closed and not isinstance(op, kernel.ReduceOp | kernel.FoldOp | kernel.StageOp):
        raise fail(op, f"closes {', '.join(closed)}, and can close no other range")


def close_others(op: Operation, change: Callable[[Sequence[SSAValue]], Sequence[SSAValue]]) -> None:
    """Have a closer close other ranges: those that `change` makes of each list that it has."""
    match op:
        case kernel.ReduceOp():
            new = kernel.ReduceOp(op.kind.data, op.value, change(op.over))
        case kernel.FoldOp():
            new = kernel.FoldOp(op.inputs, op.initial, change(op.over), op.body.clone())
        case kernel.StageOp():
            new = op.changed(over=change(op.over), accumulating=change(op.accumulating))
        case _:
            raise AssertionError("a closer that require_exchangeable refuses")
    new.attributes |= op.attributes
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
    put_in_place(before(op), op, new)


def scatter_over(
    range_: kernel.RangeOp, change: Callable[[Sequence[SSAValue]], Sequence[SSAValue]]
) -> None:
    """Have the scatters over a range be over others: those that `change` makes of each list."""
    for op in dict.fromkeys(use.operation for use in range_.result.uses):
        if isinstance(op, kernel.ScatterOp) and range_.result in op.over:
            put_in_place(before(op), op, op.over_others(change(op.over)))


def put_in_place(build: LocatedBuilder, op: Operation, new: Operation) -> None:
    """Insert an op whose results are used from now on instead of those of another, which goes."""
    build.insert(new)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
