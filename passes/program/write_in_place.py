"""Let a kernel write where it reads, what nobody reads any more.

    kernel.func @f(out %y, in %x) { ..        kernel.func @f(inout %y) { ..
      %v = kernel.load %x[%i]                   %v = kernel.load %y[%i]
      kernel.store %w, %y[%i]                   kernel.store %w, %y[%i]
    launch @f(%b, %a)      // %a: its end     launch @f(%a)
    launch @g(%c, %b)                         launch @g(%c, %a)

So a temporary buffer less is needed. Legal where each element is read before it is written, and by
no other iteration: the kernel loads from the one buffer at one place, stores into the other at one
place, at the same indices, and what it stores comes of what it loads. The buffer that is read is
a temporary one that no later statement touches; the one that is written, a temporary one or an
output of the program, is touched by none before. All of that has to hold of every launch of the
kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.inside import of_kind
from teenyir.dialects.program import AllocOp, FuncOp, LaunchOp
from teenyir.passes.program.lives import statements, touched_by
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class WriteInPlace(Pass):
    """Let kernels write where they read what is read no more."""

    name = "write-in-place"
    anchor: ClassVar[str | None] = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, ModuleOp)
        launches: dict[str, list[LaunchOp]] = {}
        for inner in of_kind(op, LaunchOp):
            launches.setdefault(inner.kernel.string_value(), []).append(inner)
        changed = False
        for func in op.body.block.ops:
            if not isinstance(func, kernel.FuncOp):
                continue
            known = launches.get(func.sym_name.data, [])
            for read, written in kernel.rewritten(func):
                if not known or not all(_is_free(launch, read, written) for launch in known):
                    continue
                for launch in known:
                    _launch_in_place(launch, read, written)
                _merge(func, read, written)
                session.count("buffers written in place", len(known))
                changed = True
                break  # a kernel has few outputs, and the numbers of its buffers are others now
        if not changed:
            session.preserve_all()


def _is_free(launch: LaunchOp, read: int, written: int) -> bool:
    """Whether a launch is the last to touch what it reads, and the first for what it writes."""
    func = launch.parent_op()
    old, new = launch.buffers[read], launch.buffers[written]
    if not isinstance(func, FuncOp) or not isinstance(old.owner, AllocOp):
        return False
    if [*launch.buffers].count(old) > 1 or [*launch.buffers].count(new) > 1:
        return False
    is_output = any(new is buffer and mode == "out" for mode, buffer in func.buffers)
    if not is_output and not isinstance(new.owner, AllocOp):
        return False
    text = statements(func)
    here = text.index(launch)
    uses = {
        buffer: [number for number, op in enumerate(text) if buffer in touched_by(op)]
        for buffer in (old, new)
    }
    return uses[old][-1] == here and uses[new][0] == here


def _launch_in_place(launch: LaunchOp, read: int, written: int) -> None:
    old, new = launch.buffers[read], launch.buffers[written]
    launch.operands = [buffer for k, buffer in enumerate(launch.buffers) if k != read]
    assert isinstance(old.owner, AllocOp)
    if isinstance(new.owner, AllocOp):
        # the earlier of the two stays: it stands before all that uses it
        new.replace_all_uses_with(old)
        new.owner.detach()
        new.owner.erase()
    else:
        old.replace_all_uses_with(new)
        old.owner.detach()
        old.owner.erase()


def _merge(func: kernel.FuncOp, read: int, written: int) -> None:
    old, new = (func.body.block.args[k] for k in (read, written))
    old.replace_all_uses_with(new)
    words = func.mode_words
    words[written] = "inout"
    del words[read]
    func.body.block.erase_arg(old)
    func.modes = ArrayAttr(map(StringAttr, words))
