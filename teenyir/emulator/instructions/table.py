"""From an instruction to the builder that binds it: the tables of all parts, joined."""

from __future__ import annotations

from teenyir.emulator.execution.binder import Builder
from teenyir.emulator.instructions import (
    access,
    atomics,
    barriers,
    compare,
    convert,
    copies,
    floating,
    integer,
    matrix,
    mbarrier,
    sparse,
    stack,
    textures,
    video,
    warp,
    wmma,
)
from teenyir.emulator.instructions.control import TERMINATORS
from teenyir.emulator.instructions.isa import ISA
from teenyir.emulator.syntax.program import Instruction

BUILDERS: dict[str, Builder] = {
    **integer.TABLE,
    **floating.TABLE,
    **compare.TABLE,
    **convert.TABLE,
    **access.TABLE,
    **atomics.TABLE,
    **warp.TABLE,
    **barriers.TABLE,
    **copies.TABLE,
    **matrix.TABLE,
    **wmma.TABLE,
    **mbarrier.TABLE,
    **sparse.TABLE,
    **stack.TABLE,
    **video.TABLE,
    **textures.TABLE,
}
"""Builders by instruction name."""

_ELSEWHERE = {"bar", "barrier", "call", "brx.idx", *TERMINATORS}
"""Instructions that end a block; the image binds them."""


def lookup_name(i: Instruction) -> str | None:
    """The name in the instruction set: the longest that the opcode and its modifiers begin with."""
    if "cc" in i.modifiers and f"{i.opcode}.cc" in ISA:
        return f"{i.opcode}.cc"
    parts = (i.opcode, *(m.removesuffix("::ordered_metadata") for m in i.modifiers))
    for length in range(min(len(parts), 5), 0, -1):
        name = ".".join(parts[:length])
        if name in ISA:
            return name
    if i.opcode == "brx":
        return "brx.idx"
    return None


def builder_of(i: Instruction) -> Builder | None:
    """The builder of an instruction, or None if the emulator does not run it."""
    name = lookup_name(i)
    return None if name is None else BUILDERS.get(name)


def runs(name: str) -> bool:
    """Whether the emulator runs an instruction of the set."""
    return name in BUILDERS or name in _ELSEWHERE
