"""Where an access goes in memory: the offsets of copies, and how lanes lie beside each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import SSAValue

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Expr

Copy: TypeAlias = Mapping[kernel.RangeOp, int]
"""Which copy: the iteration of each range of kind `unroll`."""


@dataclass
class Expressions:
    """The index expressions of a kernel over names that mean the same in all of it."""

    named: KernelIndices
    is_copied: Callable[[SSAValue], bool]
    """Whether an index value depends on a range that is no loop."""
    whole: dict[tuple[kernel.IndexedOp, Expr], Expr] = field(
        default_factory=dict[tuple[kernel.IndexedOp, Expr], Expr]
    )
    offsets: dict[kernel.AccessOp, Expr] = field(default_factory=dict[kernel.AccessOp, Expr])

    def __post_init__(self) -> None:
        self.values = {name: value for value, name in self.named.names.items()}

    def of(self, expr: Expr, op: kernel.IndexedOp) -> Expr:
        """An op's expression; what depends on ranges that are no loops is written out."""
        key = (op, expr)
        if key not in self.whole:
            self.whole[key] = self._written_out(self.named.globally(expr, op))
        return self.whole[key]

    def _written_out(self, expr: Expr) -> Expr:
        found = {name: self.values[name] for name in expr.names if name in self.values}
        copied = {
            name: self.of(value.owner.expr.data, value.owner)
            for name, value in found.items()
            if isinstance(value.owner, kernel.IndexOp) and self.is_copied(value)
        }
        return expr.substitute(copied) if copied else expr

    def offset(self, op: kernel.AccessOp) -> Expr:
        """The flat element offset that an op addresses, row-major."""
        if op not in self.offsets:
            flat = self.of(Expr.row_major(op.exprs, op.target.extents), op)
            self.offsets[op] = flat + self._row(op)
        return self.offsets[op]

    def _row(self, op: kernel.AccessOp) -> Expr:
        """Where in its buffer the memory starts that an op addresses: that of a sort is a row."""
        sort = op.buffer.owner if isinstance(op, kernel.LoadOp) else None
        return self.of(sort.row, sort) if isinstance(sort, kernel.SortOp) else ZERO

    def at(self, expr: Expr, copy: Copy) -> Expr:
        """An expression in one copy."""
        names = self.named.names
        numbers = {names[range_.result]: number for range_, number in copy.items()}
        return expr.substitute({name: n for name, n in numbers.items() if name in expr.names})

    def stride(self, expr: Expr, range_: kernel.RangeOp) -> int | None:
        """By how much an expression grows from lane to lane; None if not evenly."""
        name = self.named.names[range_.result]
        first, end = range_.lower.data.evaluate({}), range_.upper.data.evaluate({})
        if name not in expr.names or end - first == 1:
            return 0
        if not _is_linear(expr, name):
            expr = self.named.facts.simplify(expr)  # once, and not for each lane
        if _is_linear(expr, name):
            return _slope(expr, name)
        start = expr.substitute({name: first})
        strides: set[int] = set()
        for lane in range(1, end - first):
            step = self.named.facts.simplify(expr.substitute({name: first + lane}) - start).constant
            if step is None or step % lane:
                return None
            strides.add(step // lane)
        return strides.pop() if len(strides) == 1 else None


def _is_linear(expr: Expr, name: str) -> bool:
    """Whether a name stands in an expression only as a factor, by itself."""
    return all(
        (isinstance(atom, str) or name not in atom.names) for term, _ in expr.terms for atom in term
    ) and all(term.count(name) <= 1 for term, _ in expr.terms)


def _slope(expr: Expr, name: str) -> int | None:
    """By how much a linear expression grows with a name, where that is a number."""
    found = {term: factor for term, factor in expr.terms if name in term}
    return None if found.keys() - {(name,)} else found.get((name,), 0)
