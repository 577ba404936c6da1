"""The emulator's errors: PTX that cannot be read, run, or that was found at fault."""

from __future__ import annotations

from teenyir.diagnostics import CompileError, Diagnostic, Location
from teenyir.emulator.syntax.program import Instruction, Program


class EmulatorError(CompileError):
    """The root of what `teenyir.emulator` raises."""


class ParseError(EmulatorError):
    """PTX text that is not PTX."""


class UnsupportedError(EmulatorError):
    """An instruction, or a form of one, that the emulator does not run."""


class LaunchError(EmulatorError):
    """A launch whose kernel, sizes or arguments do not fit the module."""


class ExecutionError(EmulatorError):
    """Something that stops a launch: a trap, a deadlock, a failed device assertion."""


def place(program: Program, line: int, column: int, length: int = 1) -> Location:
    """A location in the PTX text, lines and columns from 1."""
    lines = program.text.split("\n")
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return Location(program.filename, line, column, text.rstrip("\r"), length)


def at_instruction(program: Program, instruction: Instruction) -> Location:
    """The location of an instruction, as wide as its name."""
    return place(program, instruction.line, instruction.column, len(instruction.name))


def notes_of(instruction: Instruction) -> tuple[Diagnostic, ...]:
    """A note with the source line that `.loc` gives, where it gives one."""
    if instruction.source is None:
        return ()
    return (Diagnostic("note", f"from source line {instruction.source}"),)
