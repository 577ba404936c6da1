"""The verifier of the uop floor. It holds these invariants true, besides those of each op:

 1. The arguments of a `uop.func` are pointers, each with a mode, then one `index` for each named
    extent of `dims`, in that order.
 2. A pointer of mode `in` is only loaded, one of mode `out` only stored; `inout` and `scratch` may
    be both, and sorted in.
 3. The body holds uop ops, and arith, math, scf and vector ops on scalars and vectors of the
    floor's element types and `index`: no pointer is carried, selected or computed.
 4. A load or store moves the pointer's element type, or a vector of one axis of it, contiguous in
    memory from the given element offset on.
 5. A gate and the value where it does not hold go together; the gate is a scalar, or for a vector
    that is moved one a lane.
 6. `uop.local` has a positive number of elements. It, loads, stores and sorts stand in a
    `uop.func`.
 7. A loop marked `uop.parallel` carries no values.
 8. A loop marked `uop.threads` carries no values, has a step of 1, and stands in no other one; its
    grain is over named extents. The operand of `uop.thread` is an iteration of such a loop.
    A loop's step, where it is a constant, is positive. Both sides of a branch with results yield
    these.
 9. A function has a grid and a block of as many axes, one to three, or neither. Its body runs once
    for each thread of each block. Without them there are no ids, shared memory and barriers.

Not checked: that offsets are in bounds, that iterations of a loop that is parallel or in threads
are independent (the interpreter looks), that all threads of a block come to a barrier, and that
scratch is written before it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.arith import ARITH
from teenyir.dialects.constants import integer_of
from teenyir.dialects.dtypes import refuse_scalar
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.inside import operations
from teenyir.dialects.kernel.ops import MODES
from teenyir.dialects.lanes import element, lanes
from teenyir.dialects.uop.ops import (
    AXES,
    INDEX,
    PARALLEL,
    READ_AND_WRITTEN,
    FuncOp,
    LoadOp,
    LocalOp,
    OfThreads,
    PtrType,
    SortOp,
    StoreOp,
)
from teenyir.dialects.uop.threads import THREADS, verify_threads


class WellFormed(OpTrait):
    """The trait of a `uop.func` that holds the invariants above true."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, FuncOp)
        _verify_arguments(op)
        _verify_launch(op)
        modes: dict[SSAValue, str] = {argument: mode for mode, argument in op.buffers}
        scalars: dict[int, bool] = {}
        names = op.dims.names
        for inner in operations(op)[1:]:
            _verify_body_op(inner, modes, scalars, names)


def _verify_arguments(func: FuncOp) -> None:
    arguments = func.body.block.args
    if len(arguments) != len(func.modes) + len(func.dims.data):
        raise VerifyException(
            f"{len(func.modes)} buffers and {len(func.dims.data)} extents, "
            f"but {len(arguments)} arguments"
        )
    for mode, argument in func.buffers:
        if mode not in MODES:
            raise VerifyException(f"a buffer's mode is one of {', '.join(MODES)}, not {mode!r}")
        if not isinstance(argument.type, PtrType) or argument.type.space.data != "global":
            raise VerifyException(f"a buffer must be a global pointer, not {argument.type}")
    for name, argument in func.extents.items():
        if argument.type != INDEX:
            raise VerifyException(f"the extent {name} must be an index, not {argument.type}")


def _verify_launch(func: FuncOp) -> None:
    if (launch := func.launch) is None:
        if func.grid is not None or func.block is not None:
            raise VerifyException("a grid and a block go together")
        return
    grid, block = launch
    if len(grid) != len(block) or not 1 <= len(grid) <= len(AXES):
        raise VerifyException(f"a grid of {len(grid)} axes and a block of {len(block)}")
    if min(block) < 1:
        raise VerifyException(f"a block of {' x '.join(map(str, block))} threads")
    used = frozenset[str]().union(*(size.names for size in grid))
    if missing := sorted(used - set(func.dims.names)):
        raise VerifyException(f"the grid names {', '.join(missing)}: not in `dims`")


_DIALECTS = frozenset(d.name for d in (ARITH, math.Math, scf.Scf, vector.Vector)) | {"uop"}


def _verify_body_op(
    op: Operation,
    modes: Mapping[SSAValue, str],
    scalars: dict[int, bool],
    names: Sequence[str],
) -> None:
    if op.name.split(".", 1)[0] not in _DIALECTS:
        raise VerifyAt(op, "has no meaning on the uop floor")
    if type(op) is LoadOp:
        _verify_pointer(op, op.pointer, modes, ("in", "loads from"))
    elif type(op) is StoreOp:
        _verify_pointer(op, op.pointer, modes, ("out", "stores into"))
    elif _is_of_threads(type(op)):
        _verify_of_threads(op, modes, scalars, names)
    else:
        _verify_other_op(op, modes, scalars, names)
        if _is_shared(op):
            _verify_in_grid(op)


@cache
def _is_of_threads(kind: type[Operation]) -> bool:
    return OfThreads in kind.__mro__


def _verify_of_threads(
    op: Operation,
    modes: Mapping[SSAValue, str],
    scalars: dict[int, bool],
    names: Sequence[str],
) -> None:
    assert isinstance(op, OfThreads)
    for pointer in op.loaded:
        _verify_pointer(op, pointer, modes, ("in", "loads from"))
    if not op.loaded:
        _verify_other_op(op, modes, scalars, names)
    _verify_in_grid(op)


def _verify_other_op(
    op: Operation,
    modes: Mapping[SSAValue, str],
    scalars: dict[int, bool],
    names: Sequence[str],
) -> None:
    if type(op) is SortOp:
        _verify_sorted(op, modes)
    elif type(op) is not LocalOp:
        _verify_scalars(op, scalars)
    if type(op) is scf.ForOp:
        _verify_loop(op, names)
    elif (own := _OWN.get(type(op))) is not None:
        own(op)


def _verify_comparison(op: arith.CmpiOp | arith.CmpfOp) -> None:
    if lanes(op.lhs.type) is not None:
        raise VerifyAt(op, f"gives one truth value for {op.lhs.type}: uop.cmp* gives one a lane")


def _verify_sides(op: scf.IfOp) -> None:
    for region in (op.true_region, op.false_region) if op.results else ():
        last = region.blocks.first.last_op if region.blocks.first is not None else None
        found = [] if last is None else [value.type for value in last.operands]
        if found != [result.type for result in op.results]:
            raise VerifyAt(op, "both sides yield values of the types of its results")


def _verify_lane(op: vector.ExtractOp | vector.InsertOp) -> None:
    type = op.vector.type if isinstance(op, vector.ExtractOp) else op.dest.type
    count = lanes(type) or 0
    for place in op.static_position.get_values():
        if place >= count:
            raise VerifyAt(op, f"there is no element {place} in {type}")


_OWN: dict[type[Operation], Callable[[Any], None]] = {
    arith.CmpiOp: _verify_comparison,
    arith.CmpfOp: _verify_comparison,
    scf.IfOp: _verify_sides,
    vector.ExtractOp: _verify_lane,
    vector.InsertOp: _verify_lane,
}
"""What ops of other dialects have to be besides, by their kinds."""


def _verify_loop(op: scf.ForOp, names: Sequence[str]) -> None:
    if (step := integer_of(op.step)) is not None and step <= 0:
        raise VerifyAt(op, f"the step of a loop is positive, not {step}")
    if PARALLEL in op.attributes:
        if not isinstance(op.attributes[PARALLEL], UnitAttr):
            raise VerifyAt(op, f"{PARALLEL} is a mark without a value")
        if op.iter_args:
            raise VerifyAt(op, "a parallel loop cannot carry values")
    if THREADS in op.attributes:
        verify_threads(op, names)


def _is_shared(op: Operation) -> bool:
    return type(op) is LocalOp and op.space == "shared"


def _verify_in_grid(op: Operation) -> None:
    func = op.parent_op()
    while func is not None and not isinstance(func, FuncOp):
        func = func.parent_op()
    launch = None if func is None else func.launch
    if launch is None:
        raise VerifyAt(op, "means something only in a function with a grid and a block")
    if isinstance(op, OfThreads):
        op.verify_launch(*launch)


def _verify_pointer(
    op: Operation, pointer: SSAValue, modes: Mapping[SSAValue, str], asks: tuple[str, str]
) -> None:
    asked, word = asks
    if (mode := modes.get(pointer, asked)) not in (asked, *READ_AND_WRITTEN):
        raise VerifyAt(op, f"{word} an argument of mode `{mode}`")


def _verify_sorted(op: SortOp, modes: Mapping[SSAValue, str]) -> None:
    for pointer in op.pointers:
        if (mode := modes.get(pointer, "inout")) not in READ_AND_WRITTEN:
            raise VerifyAt(op, f"sorts in an argument of mode `{mode}`")


def _verify_scalars(op: Operation, known: dict[int, bool]) -> None:
    """`known` holds, by the ids of types, whether they are scalars or vectors of scalars here."""
    for value in (*op.operands, *op.results):
        type = value.type
        if (right := known.get(id(type))) is None:
            scalar = element(type)
            right = known[id(type)] = scalar == INDEX or not refuse_scalar(scalar)
        if not right:
            raise VerifyAt(op, f"has no meaning on {type} on the uop floor")
