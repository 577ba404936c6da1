"""Kernels that reduce once, store once and do nothing else, as those over windows do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.products import is_plain

_OTHERS = (kernel.FoldOp, kernel.ScanOp, kernel.StageOp, kernel.SortOp, kernel.ScatterOp)


@dataclass(frozen=True)
class OnlyReduction:
    """The reduction and the store of such a kernel."""

    reduction: kernel.ReduceOp
    store: kernel.StoreOp
    ops: Sequence[Operation]
    """All of the kernel's."""
    names: dict[kernel.RangeOp, str]
    """Those of its ranges, which are plain loops."""


def only_reduction(func: kernel.FuncOp) -> OnlyReduction | None:
    """What such a kernel does; None of others, or where two ranges have one name."""
    ops = list(func.body.block.ops)
    closers = [op for op in ops if isinstance(op, kernel.ReduceOp)]
    stores = [op for op in ops if isinstance(op, kernel.StoreOp)]
    if len(closers) != 1 or len(stores) != 1 or any(isinstance(op, _OTHERS) for op in ops):
        return None
    names = kernel.range_names(func)
    ranges = [op for op in ops if isinstance(op, kernel.RangeOp)]
    if len({*names.values()}) != len(ranges) or not all(is_plain(r, names) for r in ranges):
        return None
    return OnlyReduction(closers[0], stores[0], ops, names)
