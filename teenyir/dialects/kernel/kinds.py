"""What a range's kind says of it."""

from __future__ import annotations

from collections.abc import Iterable

from teenyir.dialects.kernel.ops import RangeOp


def is_unrolled(range_: RangeOp) -> bool:
    """Whether all iterations of a range stand in the code, as copies or as lanes of a vector."""
    return range_.how in ("unroll", "vector")


def is_of_launch(range_: RangeOp) -> bool:
    """Whether a range is one of the indices of a GPU's launch."""
    return range_.how.startswith(("grid.", "thread."))


def runs_at_once(range_: RangeOp) -> bool:
    """Whether iterations of a range run in several threads."""
    return range_.how == "parallel" or is_of_launch(range_)


def only_loops(ranges: Iterable[RangeOp]) -> frozenset[RangeOp]:
    """Those of some ranges that are loops."""
    return frozenset([range_ for range_ in ranges if not is_unrolled(range_)])


def only_unrolled(ranges: Iterable[RangeOp]) -> frozenset[RangeOp]:
    """Those of some ranges whose iterations stand side by side."""
    return frozenset([range_ for range_ in ranges if is_unrolled(range_)])
