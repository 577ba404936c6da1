"""Where a target replays schedules, and one kernel as a program that comes there unchanged."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from teenyir.diagnostics import CompileError
from teenyir.dialects import kernel, program
from teenyir.passes.kernel.choose.apply_tuned import ApplyTuned
from teenyir.pipeline.build import Nested, build_target_pipeline
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Pass


def front_of(target: str) -> tuple[PassManager, ApplyTuned, tuple[Pass, ...]]:
    """The passes of a target before it replays schedules, the one that does, and those behind it
    that choose for kernels by rules.

    Raises CompileError for a target without one.
    """
    whole = build_target_pipeline(target)
    for number, element in enumerate(whole.elements):
        if isinstance(element, ApplyTuned):
            front, behind = whole.elements[:number], whole.elements[number + 1 :]
            passes = (each for each in behind if isinstance(each, Pass))
            rules = tuple(each for each in passes if each.anchor == kernel.FuncOp.name)
            return PassManager(Nested(whole.anchor, front)), element, rules
    raise CompileError(f"the target '{target}' replays no schedules: they are for cpu")


def alone_in_module(func: kernel.FuncOp) -> ModuleOp | None:
    """A program that launches a copy of a kernel; None where its buffers cannot be a program's."""
    modes = func.mode_words
    if not set(modes) <= {"in", "out"}:
        return None
    name = "main" if func.sym_name.data != "main" else "launch_main"
    ordered = sorted(func.buffers, key=lambda each: each[0] != "in")  # inputs first, as called
    types = [own.type for _, own in ordered]
    entry = program.FuncOp(name, [mode for mode, _ in ordered], types, func.dims)
    given: dict[SSAValue, SSAValue] = {}
    for argument, (_, own) in zip(entry.body.block.args, ordered, strict=True):
        argument.name_hint = own.name_hint
        given[own] = argument
    buffers = [given[own] for _, own in func.buffers]
    entry.body.block.add_op(program.LaunchOp(func.sym_name.data, buffers))
    return ModuleOp([func.clone(), entry])
