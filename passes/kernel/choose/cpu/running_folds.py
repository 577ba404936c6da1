"""Choose which maxima, with the sums that are relative to them, run over blocks of a long row.

    m = max f(j); s = sum exp(f(j) - m); ..   -->   running-fold{range=j by=128 edge=clamped}

The rules: where f(j) is a reduction, or a sum has columns, as in attention, a block of `BLOCK`
iterations is staged, and `block-rows` computes those of many rows at once; the exponentials are
computed once, and not for each column. Other rows are read twice in any case, and folded where that
would be from memory: the row, with the columns beside it that are read together where it lies
across memory, is not known to stay in the second-level cache. Then a block is a part of the
first-level cache.

Done where nothing else runs along the same loops. `graph-to-kernel` counts on it where it is told
so (its option `running`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import math
from xdsl.ir import Operation

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.attempt import apply, attempt
from teenyir.passes.kernel.choose.cpu.staged_products import find_staged
from teenyir.passes.kernel.choose.products import moves_by_one
from teenyir.passes.kernel.schedule.primitive import as_text, cone
from teenyir.passes.kernel.schedule.running_fold import RunningFold, is_worth_keeping
from teenyir.passes.kernel.schedule.running_terms import Running, find_running
from teenyir.passes.kernel.schedule.same_values import SameValues
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

BLOCK = 128
"""Iterations of a block that is staged."""
BLOCK_ACROSS = 16
"""Iterations of a block that lies across memory."""
BESIDE = 1024
"""Bytes that an element of a row across memory takes in a cache: some columns are read together
(`lane-columns`), and rows that lie far apart share the same few places. A softmax over the middle
axis of 4 x 4096 x 1024 takes 0.55 times what it takes in two passes, of 4 x 2048 x 64 as much."""


@dataclass(frozen=True)
class RunningFolds(Pass):
    """Fold maxima, and the sums that are relative to them, over blocks of long rows."""

    name = "running-folds"
    anchor: ClassVar[str | None] = "kernel.func"

    l1: int | None = None
    """Bytes of the first-level data cache; the machine's if it is not given."""
    l2: int | None = None
    """Bytes of the second-level data cache; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        changed = False
        while (fold := self.next_fold(op)) is not None and apply([fold], op, session):
            changed = True
            session.count("maxima")
            session.remark("passed", op, f"folded as it runs: {as_text([fold])}")
        if not changed:
            session.preserve_all()

    def next_fold(self, func: kernel.FuncOp) -> RunningFold | None:
        """The first fold that is worth while, if there is one left."""
        if not any(isinstance(op, math.ExpOp | math.Exp2Op) for op in func.body.block.ops):
            return None
        nest = kernel.Nest(func)
        for found in find_running(nest):
            if _is_alone(found, nest) and (fold := self.fold(func, nest, found)) is not None:
                return fold
        return None

    def fold(self, func: kernel.FuncOp, nest: kernel.Nest, found: Running) -> RunningFold | None:
        """How a maximum is folded; None where its row is short."""
        name = kernel.range_names(func)[found.range]
        most = kernel_indices(func).facts.interval(found.range.extent)[1]
        if is_worth_keeping(found, nest):
            block = BLOCK if most is None else max(min(BLOCK, most), 1)
            return RunningFold(range=name, by=block, edge="clamped")
        size = SCALAR_BYTES[found.maximum.result.type]
        across = _lies_across(found, nest)
        l1, l2 = (cpu.host().l1 if self.l1 is None else self.l1), self.l2
        read = max(size, BESIDE) if across else size
        if most is not None and most * read <= (cpu.host().l2 if l2 is None else l2):
            return None
        return RunningFold(range=name, by=BLOCK_ACROSS if across else max(l1 // 2 // size, 1))


def _lies_across(found: Running, nest: kernel.Nest) -> bool:
    """Whether what a maximum is of does not run along memory with it."""
    needed = cone([found.maximum.value], {found.range}, nest)
    return any(isinstance(op, kernel.LoadOp) and not moves_by_one(op, found.range) for op in needed)


def _is_alone(found: Running, nest: kernel.Nest) -> bool:
    """Whether nothing but the maximum and its sums closes their loops, or runs along them, and it
    is not the maximum of a block already."""
    users = [use.operation for use in found.maximum.result.uses]
    if any(isinstance(user, kernel.ReduceOp | kernel.FoldOp) for user in users):
        return False
    own = {found.maximum, *(each.reduction for each in found.sums)}
    loops = {found.range, *(each.range for each in found.sums)}
    return all(
        op in own or loops.isdisjoint(kernel.closed_by(op) | kernel.scanned_by(op))
        for op in nest.ops
    )


# --- what graph-to-kernel counts on ---------------------------------------------------------------


def computes_once(func: kernel.FuncOp, by_blocks: bool) -> bool:
    """Whether a kernel, with all that can be folded so, forms each of its reductions once, and its
    products `by_blocks` of rows, if that is asked for."""
    trial = func.clone()
    rules = RunningFolds(l1=1, l2=0)
    folded = False
    while (fold := rules.next_fold(trial)) is not None:
        if attempt(lambda fold=fold: fold.rewrite(trial), trial) is not None:
            return False
        folded = True
    nest = kernel.Nest(trial)
    reductions = [op for op in nest.ops if isinstance(op, kernel.ReduceOp)]
    return (
        folded
        and (not by_blocks or find_staged(trial) is not None)
        and all(set(nest.place(op)) <= nest.open_around(op) for op in reductions)
        and not any(_are_one(a, b, nest) for k, a in enumerate(reductions) for b in reductions[:k])
    )


def _are_one(a: kernel.ReduceOp, b: kernel.ReduceOp, nest: kernel.Nest) -> bool:
    """Whether two reductions are the same, in two loops."""
    mine, its = (nest.open_around(op) for op in (a, b))
    only = [nest.in_text_order(mine - its), nest.in_text_order(its - mine)]
    if len(only[0]) != len(only[1]):
        return False
    return SameValues(nest, zip(*only, strict=True)).same(a.result, b.result)
