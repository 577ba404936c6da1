"""Compute again what a stage keeps: the value of a local stage, at the places where it is loaded.

row[k] = exp(x[i, k])                 for j
for j                         -->       y[i, j] = exp(x[i, j]) / s
  y[i, j] = row[j] / s
"""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.dialects import kernel
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import cone
from teenyir.rewriting.locations import LocatedBuilder


def unstage(stage: kernel.StageOp, nest: kernel.Dependences) -> None:
    """Put what a stage keeps in the place of its loads.

    Not where it is combined, or where an element is no iteration's, or a load's index no range.
    """
    loads = [use.operation for use in stage.result.uses]
    written = _indexing(stage)
    if stage.kind is not None or written is None or set(written) != set(stage.over):
        return
    read = {op: _indexing(op) for op in loads if isinstance(op, kernel.LoadOp) and op.gate is None}
    if len(read) < len(loads) or None in read.values():
        return
    for load, values in read.items():
        assert values is not None
        at = dict(zip(written, values, strict=True))
        ranges = [value.owner for value in at if isinstance(value.owner, kernel.RangeOp)]
        builder = LocatedBuilder(InsertPoint.before(load), load.location)
        for op in cone([stage.value], ranges, nest):
            clone = builder.insert(op.clone(at))
            for old, new in zip(op.results, clone.results, strict=True):
                new.name_hint = old.name_hint
                at[old] = new
        value = at[stage.value]
        load.result.replace_all_uses_with(value)
        load.detach()
        load.erase()
    stage.detach()
    stage.erase()


def _indexing(op: kernel.AccessOp) -> list[SSAValue] | None:
    """The index values that are an access's indices, or None where it computes one."""
    values = {placeholder(number): value for number, value in enumerate(op.index_values)}
    found = [values.get(str(expr)) for expr in op.exprs]
    return None if None in found else [value for value in found if value is not None]
