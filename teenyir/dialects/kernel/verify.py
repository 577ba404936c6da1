"""The verifier of a kernel. It holds these invariants true, besides those of each op:

 1. Every argument is a buffer in argument space with a mode.
 2. Every extent's name has one range in `dims`. No extent and no bound of a range divides by what
    may be 0; an index may, in a loop that then does not run.
 3. The body holds ops of the kernel floor, and arithmetic on scalars of its element types and
    `index`, without regions. Ops of the kernel floor stand nowhere else.
 4. A buffer of mode `in` is only loaded, one of mode `out` only stored, one of mode `inout` only
    scattered into, one of mode `scratch` is one sort's; each of the latter three at least once.
    Or one store writes an `inout` buffer in place: one load reads it, at the same indices, and the
    store needs what it reads.
 5. An op names only operands and declared extents in its expressions, one an axis of its buffer.
 6. Only results of `kernel.range` are closed, none twice by one op.
 7. A store or stage writes each element at most once: its indices tell apart all iterations of
    the ranges it depends on. Those of a sort tell apart all iterations of the loops around it.
    A scatter may write an element again and again, and so says how often: what it depends on, it
    is over, and it stands in no other loop.
 8. The loop tree exists (see `nest`): the loops around each range nest, no foreign loop stands
    between a closer and what it closes, and no value inside a loop needs what closes that loop.
 9. A constant index is in bounds, unless a gate says where it is.
10. Ranges of kind `unroll` and `vector` have constant bounds, which no loop's bounds depend on, a
    value depends on one `vector` at most, and a stage closes all that it depends on. What runs in
    several threads (`parallel`, `grid.*`, `thread.*`) is closed by stores alone: no reduction and
    no scan takes it in, no local stage but one that keeps what each iteration of a `parallel`
    has, and no scatter stands in a `parallel`. A grain is over named extents.

Not checked: that a store covers its whole buffer, that two stores write different elements, and
that computed indices are in bounds.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.arith import ARITH
from teenyir.dialects.dim_ranges import unsafe_divisor
from teenyir.dialects.dtypes import refuse_scalar
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.kernel.all_reduce import AllReduceOp
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.kernel.closers import FoldOp, ReduceOp, ScanOp, StageOp, YieldOp
from teenyir.dialects.kernel.dependences import NOTHING, accumulated_by
from teenyir.dialects.kernel.in_place import is_read_before
from teenyir.dialects.kernel.injective import told_apart
from teenyir.dialects.kernel.load_matrix import LoadMatrixOp
from teenyir.dialects.kernel.mma import MmaOp
from teenyir.dialects.kernel.names import names
from teenyir.dialects.kernel.nest import Nest
from teenyir.dialects.kernel.ops import (
    INDEX,
    MODES,
    AccessOp,
    FuncOp,
    IndexedOp,
    IndexOp,
    LoadOp,
    RangeOp,
    ScatterOp,
    StoreOp,
    written_out,
)
from teenyir.dialects.kernel.sort import SortOp
from teenyir.dialects.kernel.verify_kinds import verify_kind, verify_kinds

KERNEL_OPS = (
    *(RangeOp, IndexOp, LoadOp, StoreOp, ScatterOp),
    *(ReduceOp, FoldOp, ScanOp, StageOp, SortOp),
    *(MmaOp, LoadMatrixOp, AllReduceOp),
)
_KERNEL_KINDS: frozenset[type[Operation]] = frozenset(KERNEL_OPS)
SCALAR_DIALECTS = (ARITH.name, math.Math.name)
"""None of their ops has an effect."""


class WellFormed(OpTrait):
    """The trait of a `kernel.func` that holds the invariants above true."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, FuncOp)
        verify_function(op)


def verify_function(func: FuncOp) -> None:
    """Check a kernel against the invariants above. Raises VerifyException at the op at fault."""
    _verify_arguments(func)
    for op in func.body.block.ops:
        _verify_body_op(op)
        if type(op) is FoldOp:
            _verify_fold_body(op)
    nest = Nest(func)
    nest.require_order()
    _verify_effects(func, nest)
    for op in nest.ops:
        if type(op) is RangeOp:
            verify_kind(op, nest)
        verify_kinds(op, nest)
        if type(op) is StoreOp or type(op) is StageOp or type(op) is SortOp:
            _verify_injective(op, nest)
        if type(op) is ScatterOp:
            _verify_scattered_over(op, nest)
        if type(op) is StageOp or ((type(op) is LoadOp or type(op) is StoreOp) and op.gate is None):
            _verify_constant_indices(op)


def _verify_arguments(func: FuncOp) -> None:
    if len(func.modes) != len(func.body.block.args):
        raise VerifyException(f"{len(func.modes)} modes for {len(func.body.block.args)} buffers")
    declared = {dim.name: dim for dim in func.dims.data}
    for mode, argument in func.buffers:
        if mode not in MODES:
            raise VerifyException(f"a buffer's mode is one of {', '.join(MODES)}, not {mode!r}")
        if not isinstance(argument.type, BufferType):
            raise VerifyException(f"an argument must be a buffer, not {argument.type}")
        if argument.type.space.data != "argument":
            raise VerifyException(f"an argument cannot live in {argument.type.space.data} memory")
        used = frozenset[str]().union(*(extent.names for extent in argument.type.extents))
        if missing := sorted(used - declared.keys()):
            raise VerifyException(f"{argument.type} names {', '.join(missing)}: not in `dims`")
        for extent in argument.type.extents:
            if (divisor := unsafe_divisor(extent, declared)) is not None:
                raise VerifyException(f"{argument.type} divides by {divisor}, which may be 0")


def _verify_body_op(op: Operation) -> None:
    if type(op) in _KERNEL_KINDS:
        return
    _verify_scalar_op(op, "has no meaning on the kernel floor")


def is_scalar_op(op: Operation) -> bool:
    """Whether an op computes numbers of an iteration, of numbers of the same iteration alone."""
    return op.name.split(".", 1)[0] in SCALAR_DIALECTS and not op.regions


def _verify_scalar_op(op: Operation, refusal: str) -> None:
    if not is_scalar_op(op):
        raise VerifyAt(op, refusal)
    for type in (*op.operand_types, *op.result_types):
        if type != INDEX and refuse_scalar(type):
            raise VerifyAt(op, f"has no meaning on {type} on the kernel floor")


def _verify_fold_body(fold: FoldOp) -> None:
    for op in fold.body.block.ops:
        if not isinstance(op, YieldOp):
            _verify_scalar_op(op, "has no place in a fold")
        for operand in op.operands:
            owner = operand.owner
            if (owner if isinstance(owner, Block) else owner.parent) is not fold.body.block:
                raise VerifyAt(op, "a fold's region uses its own values alone")


_WRITES: dict[type[Operation], str] = {StoreOp: "out", ScatterOp: "inout", LoadOp: "in"}
_VERBS: dict[type[Operation], str] = {
    StoreOp: "stores into",
    ScatterOp: "scatters into",
    LoadOp: "loads from",
}


def _verify_effects(func: FuncOp, nest: Nest) -> None:
    touched: set[SSAValue] = set()
    modes: dict[SSAValue, str] = {argument: mode for mode, argument in func.buffers}
    in_place = {argument for _, argument in func.buffers if _is_written_in_place(argument, nest)}
    for op in func.body.block.ops:
        if type(op) is StoreOp or type(op) is ScatterOp or type(op) is LoadOp:
            staged = type(op) is LoadOp and op.buffer not in modes
            if op.buffer in in_place and modes[op.buffer] == "inout":
                touched.add(op.buffer)
                continue
            if not staged and modes.get(op.buffer) != _WRITES[type(op)]:
                mode = modes.get(op.buffer)
                what = "a staged buffer" if mode is None else f"an `{mode}` argument"
                raise VerifyAt(op, f"{_VERBS[type(op)]} {what}")
            touched.add(op.buffer)
        if type(op) is SortOp:
            _verify_scratch(op, modes, touched)
    for mode, argument in func.buffers:
        if mode != "in" and argument not in touched:
            name = argument.name_hint or str(argument.index)
            raise VerifyException(f"nothing is stored into the `{mode}` argument %{name}")


def _is_written_in_place(buffer: SSAValue, nest: Nest) -> bool:
    uses = [use.operation for use in buffer.uses]
    loads = [op for op in uses if isinstance(op, LoadOp)]
    stores = [op for op in uses if isinstance(op, StoreOp)]
    if len(uses) != 2 or len(loads) != 1 or len(stores) != 1:
        return False
    return is_read_before(loads[0], stores[0], nest)


def _verify_scratch(op: SortOp, modes: dict[SSAValue, str], touched: set[SSAValue]) -> None:
    for buffer in op.scratch:
        if modes.get(buffer) != "scratch":
            raise VerifyAt(op, "sorts in what is no `scratch` argument")
        if buffer in touched:
            raise VerifyAt(op, f"sorts in %{buffer.name_hint or 'scratch'}, which is used already")
        touched.add(buffer)


def _verify_injective(op: StoreOp | StageOp | SortOp, nest: Nest) -> None:
    if isinstance(op, StageOp):
        ranges = nest.operand_dependences[op] & frozenset(
            value.owner for value in op.over if isinstance(value.owner, RangeOp)
        )
    elif isinstance(op, SortOp):
        ranges = frozenset(nest.place(op))
    else:
        ranges = nest.operand_dependences[op] - nest.repeated(op)
    accumulated = accumulated_by(op)
    if accumulated and (mixed := nest.in_text_order(accumulated & _indexing(op))):
        raise VerifyAt(op, f"accumulates over {names(mixed)}, which occur in its index")
    if missing := nest.in_text_order(ranges - told_apart(op)):
        raise VerifyAt(
            op,
            f"several iterations of {names(missing)} may write one element: "
            "the indices do not tell them apart",
        )


def _verify_scattered_over(op: ScatterOp, nest: Nest) -> None:
    over = NOTHING.union(*(nest.dependences[value] for value in op.over))
    depends = nest.operand_dependences[op] - nest.repeated(op)
    if missing := nest.in_text_order(depends - over):
        raise VerifyAt(op, f"depends on {names(missing)}, which it is not over")
    if around := nest.in_text_order(frozenset(nest.place(op)) - nest.operand_dependences[op]):
        raise VerifyAt(op, f"stands in the loop of {names(around)}, which it is not over")


def _indexing(op: IndexedOp) -> set[RangeOp]:
    """The ranges that the indices of an op name."""
    _, values = written_out(op.exprs, op.index_values)
    return {value.owner for value in values if isinstance(value.owner, RangeOp)}


def _verify_constant_indices(op: AccessOp) -> None:
    for expr, extent in zip(op.exprs, op.target.extents, strict=True):
        index, size = expr.constant, extent.constant
        if index is not None and (index < 0 or (size is not None and index >= size)):
            raise VerifyAt(op, f"index {index} is out of bounds of {op.target}")
