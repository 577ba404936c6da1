"""Give a kernel the schedule that was found for it by measuring (`teeny-tune`).

    kernel.func @k, and in the database
    split-range{range=i by=8},..         -->   what the primitives make of @k

Kernels that are the same but for names share a schedule: the ranges and buffers take the names that
it speaks of. A stored schedule that no longer applies, a damaged file, and a kernel that nothing is
stored for are remarks, and leave the kernel as it is, to what is chosen for it by rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.tuned import (
    Damaged,
    Database,
    Tuned,
    find_database,
    key_of,
    machine,
    rename,
)
from teenyir.passes.kernel.schedule.replay import parse_schedule, replay
from teenyir.rewriting.base import Pass, Session


@dataclass(frozen=True)
class ApplyTuned(Pass):
    """Replay the schedules that were found by measuring."""

    name = "apply-tuned"
    anchor: ClassVar[str | None] = "kernel.func"

    database: str = ""
    """The folder that holds them, or `none`; `$TEENYIR_TUNED` or the user's own if it is empty."""
    threads: int = 0
    """How many threads they were measured with; those of this process if 0."""
    machine: str = ""
    """The machine that they were measured on; this one if it is empty."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        database = find_database(self.database)
        why = self._why_not(op, database, session) if database is not None else ""
        if why is not None:
            session.preserve_all()
        if why:
            session.remark("missed", op, why)

    def _why_not(self, op: kernel.FuncOp, database: Database, session: Session) -> str | None:
        """Apply what is stored for a kernel, or say why not."""
        key = key_of(op, self.machine or machine(self.threads))
        try:
            tuned = database.get(key)
        except Damaged as problem:
            return str(problem)
        if tuned is None:
            where = "" if database.folder.is_dir() else f": there is no folder '{database.folder}'"
            return f"no schedule is stored for it ({key}){where}"
        if not tuned.schedule:
            return "what is chosen without measuring was as fast as any schedule tried"
        try:
            _apply(op.clone(), tuned)
        except CompileError as problem:
            return f"the stored schedule does not apply: {problem.diagnostics[0].message}"
        except ValueError as problem:
            return f"the stored schedule does not apply: {problem}"
        _apply(op, tuned)
        session.count("kernels")
        session.remark(
            "passed", op, f"measured as {tuned.gain:.2f} times as fast: {tuned.schedule}"
        )
        return None


def _apply(func: kernel.FuncOp, tuned: Tuned) -> None:
    """Raises PassError or ValueError where the schedule is none for this kernel."""
    schedule = parse_schedule(tuned.schedule)
    rename(func, tuned.ranges, tuned.buffers)
    replay(func, schedule)
