"""Try what was chosen for a kernel; where it is not legal after all, leave the kernel as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.utils.exceptions import VerifyException

from teenyir.diagnostics import PassError
from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.rewriting.base import Session


def apply(schedule: Sequence[Primitive], func: kernel.FuncOp, session: Session) -> bool:
    """Apply a schedule to a kernel, all of it or nothing; what was in the way is a remark.

    Where nothing is applied, the ops of the kernel are others than before.
    """

    def rewrite() -> None:
        for primitive in schedule:
            primitive.rewrite(func)

    why = attempt(rewrite, func)
    if why is not None and session.wants_remarks:
        session.remark("missed", func, f"not legal here: {why}; tried {as_text(schedule)}")
    return why is None


def attempt(rewrite: Callable[[], None], func: kernel.FuncOp) -> str | None:
    """Rewrite a kernel, or leave it as it was and return why: what a rewrite refuses, or what makes
    no kernel. The ops are others afterwards then."""
    kept = func.body.clone()
    try:
        rewrite()
        func.verify_()
    except (PassError, VerifyException) as problem:
        failed = func.body.detach_block(func.body.block)
        kept.move_blocks(func.body)
        failed.erase(safe_erase=False)
        if isinstance(problem, PassError):
            return problem.diagnostics[0].message
        return str(problem)
    return None
