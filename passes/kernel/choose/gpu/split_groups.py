"""Have the groups of a convolution be a range of their own.

    for j in 15                                       for g in 3
      for m in 3                              -->       for r in 5
        y[j] += x[j floordiv 5 * 3 + m] * w[j, m]         for m in 3
                                                            y[g*5 + r] += x[g*3 + m] * w[g*5 + r, m]

Both factors depend on the channel %j, but the first on its group alone. Once that is a range, the
products of each group are one of matrices, whose columns are its channels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO, Compound, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import is_plain
from teenyir.passes.kernel.schedule.primitive import as_text, cone
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.simplify.indices import INDICES
from teenyir.passes.kernel.simplify.known import Known, table_of
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.engine import rewrite


@dataclass(frozen=True)
class SplitGroups(Pass):
    """Have the groups of a convolution be a range of their own."""

    name = "split-groups"
    anchor: ClassVar[str | None] = "kernel.func"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        found = find_groups(op)
        if found is None or not apply([found], op, session):
            session.preserve_all()
            return
        rewrite(op, table_of(INDICES, Known(op)), session)  # of what has the same group, one index
        session.count("ranges")
        session.remark("passed", op, f"has groups of {found.by}: {as_text([found])}")


def find_groups(func: kernel.FuncOp) -> SplitRange | None:
    """How to split the channels of a sum of products into groups; None where it has none."""
    nest, names = kernel.Nest(func), kernel.range_names(func)
    for reduction in [op for op in nest.ops if isinstance(op, kernel.ReduceOp)]:
        multiply = reduction.value.owner
        if not isinstance(multiply, arith.MulfOp | arith.MuliOp):
            continue
        for a, b in (multiply.operands, multiply.operands[::-1]):
            own = nest.dependences[b] - nest.dependences[a]
            shared = (nest.dependences[b] & nest.dependences[a]) - kernel.closed_by(reduction)
            if own:
                continue
            for range_ in nest.in_text_order(shared):
                size = _group(a, range_, nest)
                if size and is_plain(range_, names):
                    return SplitRange(range=names[range_], by=size)
    return None


def _group(factor: SSAValue, range_: kernel.RangeOp, nest: kernel.Nest) -> int | None:
    """How many neighbours of a range a factor has the same elements for; None where it is not told
    by a quotient alone, or they are not as many everywhere."""
    extent = range_.extent.constant
    sizes: set[int] = set()
    for op in cone([factor], [range_], nest):
        if not isinstance(op, kernel.IndexedOp):
            continue
        exprs, values = kernel.written_out(op.exprs, op.index_values)
        if range_.result not in values:
            continue
        name = placeholder(values.index(range_.result))
        for expr in [each for each in exprs if name in each.names]:
            found = set(_divisors(expr, name))
            if len(found) != 1 or name in _by_groups(expr, name, *found).names:
                return None
            sizes |= found
    if len(sizes) != 1 or extent is None:
        return None
    (size,) = sizes
    return size if 1 < size < extent and extent % size == 0 else None


def _divisors(expr: Expr, name: str) -> Iterator[int]:
    """What a name is divided by in an expression."""
    for atom in {atom for monomial, _ in expr.terms for atom in monomial}:
        if not isinstance(atom, Compound):
            continue
        if atom.kind == "floordiv" and atom.args[0].name == name:
            divisor = atom.args[1].constant
            if divisor is not None:
                yield divisor
        for arg in atom.args:
            yield from _divisors(arg, name)


def _by_groups(expr: Expr, name: str, size: int) -> Expr:
    """An expression of the groups of a name, and of the name where it is not told by them alone."""
    loops = {name: (ZERO, Expr.of(size))}
    return Facts({}, loops).simplify(expr.substitute({name: Expr.of("group") * size + name}))
