"""Have the iterations of a loop stand side by side: what is staged inside holds a row for each.

    for i in 0..16:                     for j:
      for j:                              for each i:          // copies in the code
        row[j] = f(i, j)        -->         panel[j, i] = f(i, j)
      for j:                            for j:
        .. row[j] ..                      for each i:
                                            .. panel[j, i] ..

The range becomes one of kind `unroll`, which a split can make lanes of. Loops inside it then run
once for all of its iterations, so sums of products in them can be formed in tiles of several rows.

Legal where the bounds of the range are constant, no other loop's depend on it, no scan runs along
it and nothing is sorted in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import Primitive, before, find_range
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class WidenStages(Primitive):
    """Have the iterations of a loop stand side by side, with a row of each stage for each."""

    name = "widen-stages"

    range: str
    """The range, of constant bounds from 0 on."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        range_ = find_range(func, self.range)
        nest = kernel.Dependences(func)
        extent = _extent(range_)
        _require_legal(range_, nest)
        range_.properties["kind"] = StringAttr("unroll")
        for op in nest.ops:
            if isinstance(op, kernel.StageOp) and range_ in nest.open_around(op):
                _widen(op, range_, extent)


def _extent(range_: kernel.RangeOp) -> Expr:
    name = kernel.names([range_])
    if range_.how != "loop":
        raise fail(range_, f"{name} is no loop")
    if range_.lower.data.constant != 0 or range_.extent.constant is None:
        raise fail(range_, f"{name} does not run from 0 to a constant")
    return range_.extent


def _require_legal(range_: kernel.RangeOp, nest: kernel.Dependences) -> None:
    name = kernel.names([range_])
    for op in nest.ops:
        if isinstance(op, kernel.RangeOp) and range_ in nest.operand_dependences[op]:
            raise fail(op, f"the bounds of {kernel.names([op])} depend on {name}")
        if range_ in kernel.scanned_by(op):
            raise fail(op, f"runs along {name}: its iterations cannot stand side by side")
        if isinstance(op, kernel.SortOp) and range_ in nest.operand_dependences[op]:
            raise fail(op, f"sorts what depends on {name}, whose iterations would share its memory")


def _widen(stage: kernel.StageOp, range_: kernel.RangeOp, extent: Expr) -> None:
    """Have a stage hold a row for each iteration of a range, along a last axis."""
    new = stage.changed(
        index=_with_axis(stage.exprs, stage.values, range_),
        over=[*stage.over, range_.result],
        extents=[*stage.target.extents, extent],
    )
    before(stage).insert(new)
    for load in [use.operation for use in stage.result.uses]:
        assert isinstance(load, kernel.LoadOp)  # nothing else takes a stage
        again = kernel.LoadOp(
            new.result, *_with_axis(load.exprs, load.values, range_), load.gate, load.other
        )
        again.attributes |= load.attributes
        again.result.name_hint = load.result.name_hint
        before(load).insert(again)
        load.result.replace_all_uses_with(again.result)
        _erase(load)
    _erase(stage)


def _with_axis(
    exprs: Sequence[Expr], values: Sequence[SSAValue], range_: kernel.RangeOp
) -> tuple[list[Expr], list[SSAValue]]:
    """An index with a further axis, along a range."""
    return [*exprs, Expr.of(placeholder(len(values)))], [*values, range_.result]


def _erase(op: Operation) -> None:
    op.detach()
    op.erase()
