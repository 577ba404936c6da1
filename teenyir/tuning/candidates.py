"""The schedules that a kernel could have, best first by what the cost model thinks of them.

They are the ones of the choosers in `passes/kernel/choose`, with their parameters free: `products`
has the kinds of kernels that sum products, `loops` the others.
"""

from __future__ import annotations

from typing import Any

from teenyir.dialects import kernel
from teenyir.tuning.candidate import Candidate, Kind
from teenyir.tuning.loops import COLUMNS, LANE_ROWS, REDUCTIONS, TRANSPOSES, WINDOWS
from teenyir.tuning.products import (
    BLOCK_ROWS,
    DOTS,
    FEW_COLUMNS,
    FEW_ROWS,
    STEP_BLOCKS,
    TILES,
)

KINDS: tuple[tuple[Kind[Any], ...], ...] = (
    (BLOCK_ROWS,),
    (TILES, STEP_BLOCKS, FEW_ROWS, FEW_COLUMNS),
    (DOTS,),
    (TRANSPOSES,),
    (LANE_ROWS, COLUMNS),
    (WINDOWS, COLUMNS),
    (REDUCTIONS,),
    (COLUMNS,),
)
"""Kinds of kernels in the order in which the choosers run, each with those that compete with it."""


def candidates(func: kernel.FuncOp) -> list[Candidate]:
    """What is worth trying for a kernel, best first; nothing where no chooser knows its kind.

    Of the first row of `KINDS` whose first kind it is, the best of each kind come first in turns:
    what the cost model says of one kind is not to be compared with what it says of another.
    """
    for row in KINDS:
        by_kind = [list(kind.candidates(func)) for kind in row]
        if by_kind[0]:
            found: dict[str, Candidate] = {}
            for each in sorted((e for kind in by_kind for e in kind), key=lambda each: each.rank):
                found.setdefault(each.schedule, each)
            return list(found.values())
    return []
