"""The verifier of a program. It holds these invariants true, besides those of each op:

1. The arguments of a `program.func` are buffers with a mode, inputs and outputs of the program;
   each name in an extent, an offset or the size of the arena has one range in `dims`, and none of
   these divides by what may be 0.
2. The body holds allocations, constants and statements, which stand nowhere else: launches,
   branches, loops and views. The regions of branches and loops hold statements alone.
3. A launch names a kernel of the module and hands it buffers of its argument types, in order. A
   buffer that the kernel writes is handed to it once. The kernel takes every extent that the
   program allows.
4. Nothing is read before a launch has written it, inputs and constants are never written. What a
   launch has worked in, its scratch, is not written after it. Written is, after a branch, what
   both sides write; after a loop, what its condition writes, since the body may never run, and
   what was before and no iteration works in.
5. Every output is written, unless it has no element.
6. Either no allocation has an offset or all have, and then the function has an arena.
7. The condition of a branch or a loop is a buffer of one i1.
8. A view says of an output what it shows, an input from one element on, and is all that writes it.
9. A dispatch is a launch whose kernel is on the machine floor: it says itself what the kernel does
   with each buffer, and its grid names extents of the program alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.dim_ranges import unsafe_divisor
from teenyir.dialects.errors import VerifyAt
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.program.ops import (
    MODES,
    STATEMENTS,
    AllocOp,
    ConstantOp,
    DispatchOp,
    FuncOp,
    IfOp,
    LaunchOp,
    ViewOp,
    WhileOp,
)


class WellFormed(OpTrait):
    """The trait of a `program.func` that holds the invariants above true."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, FuncOp)
        _verify_arguments(op)
        if op.arena is not None:
            _verify_size(op, op, "the arena", op.arena.data)
        for inner in op.body.walk():
            _verify_body_op(op, inner)
        _verify_effects(op)


def _verify_body_op(func: FuncOp, op: Operation) -> None:
    if not isinstance(op, AllocOp | ConstantOp | STATEMENTS):
        raise VerifyAt(op, "has no meaning on the program level")
    if isinstance(op, AllocOp | ConstantOp):
        _verify_buffer(func, op, op.result.type)
    if isinstance(op, AllocOp):
        _verify_offset(func, op)
    if isinstance(op, ViewOp):
        _verify_names(func, op, f"the offset, {op.offset.data},", (op.offset.data,))


def _verify_arguments(func: FuncOp) -> None:
    if len(func.modes) != len(func.body.block.args):
        raise VerifyException(f"{len(func.modes)} modes for {len(func.body.block.args)} buffers")
    for mode, argument in func.buffers:
        if mode not in MODES:
            raise VerifyException(f"a buffer's mode is one of {', '.join(MODES)}, not {mode!r}")
        _verify_buffer(func, func, argument.type)
    if func.mode_words != sorted(func.mode_words, key=MODES.index):
        raise VerifyException("the inputs of a program stand before its outputs")


def _verify_buffer(func: FuncOp, op: Operation, type: Attribute) -> None:
    if not isinstance(type, BufferType) or type.space.data != "argument":
        raise VerifyAt(op, f"expected a buffer in argument space, not {type}")
    _verify_names(func, op, str(type), type.extents)


def _verify_offset(func: FuncOp, op: AllocOp) -> None:
    if (op.offset is None) != (func.arena is None):
        raise VerifyAt(op, "offsets of allocations and an arena go together")
    if op.offset is not None:
        _verify_size(func, op, "the offset", op.offset.data)


def _verify_size(func: FuncOp, op: Operation, what: str, size: Expr) -> None:
    if (constant := size.constant) is not None and constant < 0:
        raise VerifyAt(op, f"{what} is negative: {constant}")
    _verify_names(func, op, f"{what}, {size},", (size,))


def _verify_names(func: FuncOp, op: Operation, what: str, exprs: Sequence[Expr]) -> None:
    used = frozenset[str]().union(*(expr.names for expr in exprs))
    if missing := sorted(used - set(func.dims.names)):
        raise VerifyAt(op, f"{what} names {', '.join(missing)}: not in `dims`")
    ranges = {dim.name: dim for dim in func.dims.data}
    for expr in exprs:
        if (divisor := unsafe_divisor(expr, ranges)) is not None:
            raise VerifyAt(op, f"{what} divides by {divisor}, which may be 0")


def _verify_effects(func: FuncOp) -> None:
    constants = [op.result for op in func.body.block.ops if isinstance(op, ConstantOp)]
    fixed: set[SSAValue] = {
        *constants,
        *(argument for mode, argument in func.buffers if mode == "in"),
    }
    written = _Effects(fixed).after(func.body.block, fixed)
    for mode, output in func.buffers:
        if mode == "out" and output not in written and not _is_empty(output.type):
            name = output.name_hint or str(output.index)
            raise VerifyException(f"nothing writes %{name}, an output of the program")


@dataclass(frozen=True)
class _Effects:
    """Follows every way through a program."""

    fixed: set[SSAValue]
    """Inputs and constants."""

    def after(self, block: Block, written: set[SSAValue]) -> set[SSAValue]:
        """What is written after a block, if `written` is before it."""
        written = set(written)
        for op in block.ops:
            match op:
                case ViewOp():
                    if op.target in written:
                        raise VerifyAt(op, "shows an output that is written too")
                    written.add(op.target)
                    self.fixed.add(op.target)
                case LaunchOp() | DispatchOp():
                    self._launch(op, written)
                case IfOp():
                    self._read(op, op.condition, written)
                    then, otherwise = (self.after(b.block, written) for b in op.branches)
                    written = then & otherwise
                case WhileOp():
                    written = self.after(op.cond.block, written)
                    self._read(op, op.condition, written)
                    written = self._once_more(op, written)
                case _:
                    pass
        return written

    def _once_more(self, op: WhileOp, written: set[SSAValue]) -> set[SSAValue]:
        """What is left after any number of iterations: a launch may work in what was written."""
        again = self.after(op.cond.block, self.after(op.body.block, written)) & written
        self._read(op, op.condition, again)
        if again != written:
            self.after(op.body.block, again)
        return again

    def _launch(self, op: LaunchOp | DispatchOp, written: set[SSAValue]) -> None:
        for mode, buffer in op.accesses():
            if mode in ("in", "inout"):
                self._read(op, buffer, written)
            if mode != "in" and buffer in self.fixed:
                raise VerifyAt(op, "writes an input or a constant")
        written.update(buffer for mode, buffer in op.accesses() if mode != "scratch")
        written.difference_update(buffer for mode, buffer in op.accesses() if mode == "scratch")

    def _read(self, op: Operation, buffer: SSAValue, written: set[SSAValue]) -> None:
        if buffer not in written and not _is_empty(buffer.type):
            raise VerifyAt(op, "reads a buffer that nothing has written yet")


def _is_empty(buffer: Attribute) -> bool:
    return isinstance(buffer, BufferType) and ZERO in buffer.extents
