"""What the kinds of ranges ask for; the tenth invariant of a kernel's verifier."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.kernel.all_reduce import AllReduceOp
from teenyir.dialects.kernel.closers import FoldOp, ReduceOp, ScanOp, StageOp
from teenyir.dialects.kernel.dependences import accumulated_by, closed_by, scanned_by
from teenyir.dialects.kernel.kinds import is_of_launch, is_unrolled, only_unrolled, runs_at_once
from teenyir.dialects.kernel.load_matrix import LoadMatrixOp
from teenyir.dialects.kernel.mma import MmaOp
from teenyir.dialects.kernel.names import names
from teenyir.dialects.kernel.nest import Nest
from teenyir.dialects.kernel.ops import RangeOp, ScatterOp
from teenyir.dialects.kernel.sort import SortOp
from teenyir.targets.cuda import WARP

MOST_COPIES = 1024
"""The longest range whose iterations may all stand in the code side by side."""


def verify_kind(range_: RangeOp, nest: Nest) -> None:
    """Ranges that stand in the code have constant bounds and not too many iterations."""
    if not is_unrolled(range_):
        if inner := nest.in_text_order(only_unrolled(nest.operand_dependences[range_])):
            raise VerifyAt(range_, f"its bounds depend on {names(inner)}, of kind `{inner[0].how}`")
        return
    lower, upper = (expr.constant for expr in range_.exprs)
    if lower is None or upper is None:
        raise VerifyAt(range_, f"a range of kind `{range_.how}` needs constant bounds")
    if not 1 <= upper - lower <= MOST_COPIES:
        raise VerifyAt(
            range_,
            f"a range of kind `{range_.how}` has 1 to {MOST_COPIES} iterations, "
            f"not {upper - lower}",
        )


def verify_kinds(op: Operation, nest: Nest) -> None:
    """Check an op against the kinds of the ranges that it depends on. Raises VerifyAt."""
    vectors = nest.operand_dependences[op] & nest.vectors
    if type(op) is RangeOp and op in nest.vectors:
        vectors |= {op}
    if len(vectors) > 1:
        raise VerifyAt(
            op,
            f"depends on {names(nest.in_text_order(vectors))}: "
            "a value has one range of kind `vector` at most",
        )
    if type(op) is StageOp:
        _verify_place(op, nest)
    _verify_threads(op, nest)
    if type(op) is StageOp and op.target.space.data == "shared":
        _verify_shared(op, nest)
        return
    for kind, refusal in _REFUSALS.get(type(op), ()):
        ranges = closed_by(op) | scanned_by(op)
        if isinstance(op, ScatterOp):
            ranges = nest.operand_dependences[op]
        if refused := nest.in_text_order(r for r in ranges if kind(r)):
            raise VerifyAt(op, f"{refusal} {names(refused)}, of kind `{refused[0].how}`")
    if type(op) is SortOp:
        _verify_rows(op, nest)


def _verify_threads(op: Operation, nest: Nest) -> None:
    if type(op) is MmaOp or type(op) is LoadMatrixOp:
        _verify_warps(op, nest)
    if type(op) is AllReduceOp:
        _verify_all_reduce(op, nest)


def _verify_rows(sort: SortOp, nest: Nest) -> None:
    """A row is sorted once, by one thread, whose loop it is in."""
    if copied := nest.in_text_order(only_unrolled(nest.operand_dependences[sort])):
        raise VerifyAt(sort, f"cannot sort copies of {names(copied)}, of kind `{copied[0].how}`")
    around = nest.place(sort)
    others = [r for r in nest.outside if is_of_launch(r) and r not in around]
    if others := nest.in_text_order(others):
        raise VerifyAt(sort, f"every thread of {names(others)} would sort the same rows")


def _verify_shared(stage: StageOp, nest: Nest) -> None:
    """What a block shares is written by all of its threads."""
    threads = {r for r in nest.operand_dependences[stage] if r.how.startswith("thread.")}
    if not threads or threads - closed_by(stage):
        raise VerifyAt(stage, "a shared stage closes the ranges of kind `thread.*` that it is of")
    if refused := nest.in_text_order(r for r in closed_by(stage) if r.how.startswith("grid.")):
        raise VerifyAt(stage, f"no block has the values of {names(refused)} of others")


def _verify_place(stage: StageOp, nest: Nest) -> None:
    """What is staged is kept for all iterations that stand side by side, and added up in order."""
    if shared := nest.in_text_order(r for r in accumulated_by(stage) if runs_at_once(r)):
        raise VerifyAt(stage, f"cannot accumulate over {names(shared)}, of kind `{shared[0].how}`")
    if around := nest.in_text_order(only_unrolled(nest.open_around(stage))):
        raise VerifyAt(
            stage,
            f"is to close {names(around)}, of kind `{around[0].how}`, which its value depends on",
        )


def _verify_warps(op: MmaOp | LoadMatrixOp, nest: Nest) -> None:
    """A matrix instruction is one of whole warps, and its elements are no others' iterations."""
    threads = [r for r in nest.operand_dependences[op] if r.how.startswith("thread.")]
    sizes = [range_.extent.constant for range_ in threads if range_.how == "thread.x"]
    if len(threads) != 1 or len(sizes) != 1 or sizes[0] is None or sizes[0] % WARP:
        raise VerifyAt(op, f"needs a range of kind `thread.x` of {WARP}, {2 * WARP}, .. threads")
    if isinstance(op, MmaOp) and only_unrolled(closed_by(op)) & {op.elements.owner}:
        raise VerifyAt(op, "opens a range that it closes")


def _verify_all_reduce(op: AllReduceOp, nest: Nest) -> None:
    """Whole warps combine what they have, or all that there are in a block."""
    size = op.across.extent.constant
    if size is None or size % WARP:
        raise VerifyAt(op, f"needs {WARP}, {2 * WARP}, .. threads, not {op.across.extent}")
    others = [r for r in nest.outside if r.how in ("thread.y", "thread.z")]
    if size > WARP and others and op.lanes is None:
        raise VerifyAt(
            op, f"is across {size} threads, where {names(nest.in_text_order(others))} has others"
        )
    if vectors := [r for r in nest.operand_dependences[op] if r.how == "vector"]:
        raise VerifyAt(op, f"combines scalars, not the lanes of {names(vectors)}")


_AT_ONCE = (runs_at_once, "cannot combine over")
_REFUSALS: dict[type[Operation], tuple[tuple[Callable[[RangeOp], bool], str], ...]] = {
    ReduceOp: (_AT_ONCE,),
    FoldOp: (_AT_ONCE,),
    MmaOp: (_AT_ONCE,),
    ScanOp: (_AT_ONCE, (is_unrolled, "cannot run along")),
    SortOp: ((runs_at_once, "cannot sort over"),),
    # local memory is each thread's own on a GPU; on a CPU other threads can write to it
    StageOp: ((is_of_launch, "cannot keep in local memory the values of"),),
    ScatterOp: ((lambda r: r.how in ("parallel", "vector"), "cannot scatter in the order of"),),
}
