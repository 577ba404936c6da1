"""What checking found: reports with the PTX line, thread, block, allocation and source line."""

from __future__ import annotations

from dataclasses import dataclass, field

from teenyir.diagnostics import Diagnostic, Severity
from teenyir.emulator.errors import EmulatorError, at_instruction, notes_of
from teenyir.emulator.syntax.program import Instruction, Program, SourceLine

KINDS = {
    "out-of-bounds": "an access outside every allocation, or outside its state space",
    "misaligned": "an address that is not a multiple of the access's size",
    "use-after-free": "an access to memory that was given back",
    "read-only": "a write to constant or parameter memory",
    "uninitialised": "a read of shared or global memory that nobody wrote",
    "shared-race": "two accesses to shared memory, one a write, that nothing orders",
    "global-race": "two accesses to global memory, one a write, that nothing orders",
    "barrier": "a barrier that not all lanes of a warp, or not the lanes it expects, reach",
    "async-copy": "an access to bytes of a cp.async that was not waited for",
    "inactive-lane": "a warp instruction that names lanes which do not execute it",
    "divergent-uniform": "an instruction marked uniform whose lanes disagree",
}
"""Every kind of report and what it means."""


@dataclass(slots=True)
class Report:
    """One finding, at its first occurrence; `count` says how often it came."""

    kind: str
    message: str
    line: int
    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    allocation: str | None = None
    source: SourceLine | None = None
    other: Instruction | None = None
    count: int = 1
    diagnostic: Diagnostic | None = None

    def __str__(self) -> str:
        return self.diagnostic.render() if self.diagnostic else f"{self.kind}: {self.message}"


class CheckError(EmulatorError):
    """Raised after a launch in which checking found errors; `reports` has them all."""

    reports: tuple[Report, ...] = ()


@dataclass(slots=True)
class Reports:
    """Collects reports: one for each kind, instruction and partner instruction."""

    program: Program
    found: dict[tuple[str, int, int, int], Report] = field(
        default_factory=dict[tuple[str, int, int, int], Report]
    )

    def add(
        self,
        kind: str,
        instruction: Instruction,
        message: str,
        *,
        thread: tuple[int, int, int],
        block: tuple[int, int, int],
        allocation: str | None = None,
        other: Instruction | None = None,
        count: int = 1,
        severity: Severity = "error",
    ) -> None:
        """Record a finding or count it again."""
        key = (kind, instruction.line, instruction.column, other.line if other else 0)
        known = self.found.get(key)
        if known is not None:
            known.count += count
            return
        notes = [Diagnostic("note", f"in thread {thread} of block {block}")]
        if allocation is not None:
            notes.append(Diagnostic("note", allocation))
        notes += notes_of(instruction)
        if other is not None:
            where = at_instruction(self.program, other)
            notes.append(Diagnostic("note", "the other access is here", where, notes_of(other)))
        diagnostic = Diagnostic(
            severity,
            f"{message} [{kind}]",
            at_instruction(self.program, instruction),
            tuple(notes),
        )
        self.found[key] = Report(
            kind,
            message,
            instruction.line,
            thread,
            block,
            allocation,
            instruction.source,
            other,
            count,
            diagnostic,
        )

    def all(self) -> list[Report]:
        """The reports in the order they were found."""
        return list(self.found.values())

    def raise_if_any(self) -> None:
        """Raise a `CheckError` if something was found."""
        found = self.all()
        if found:
            raised = CheckError(*(r.diagnostic for r in found if r.diagnostic is not None))
            raised.reports = tuple(found)
            raise raised
