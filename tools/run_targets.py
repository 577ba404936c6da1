"""What `teeny-run` can run a program on: each target makes of it something to call."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from teenyir.analysis.binding import bind_dims
from teenyir.analysis.signature import Signature
from teenyir.diagnostics import Diagnostic, RunError
from teenyir.dialects import kernel, program, uop
from teenyir.interpreter import run
from teenyir.interpreter.arrays import Array
from teenyir.pipeline.build import build_target_pipeline
from teenyir.pipeline.limits import deep_recursion
from teenyir.pipeline.manager import PassManager
from teenyir.tools.command import UsageError

FLOORS = ("graph", "kernel", "uop")
"""The floors that can be interpreted, from the top."""

Call = Callable[[], list[Array]]


@dataclass
class Task:
    """A program to run, and on what."""

    module: ModuleOp
    signature: Signature
    inputs: list[Array]
    dims: dict[str, int]
    target: str = "cpu"
    """The target as it was written, with its options."""
    floor: str | None = None
    """The floor to interpret; None for the one that the program stands on."""
    warn: Callable[[Diagnostic], None] = lambda diagnostic: None
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """How long each stage took."""
    facts: dict[str, int] = field(default_factory=dict[str, int])
    """What there is to count: kernels, launches, bytes of the arena."""

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Count the time of a `with` block as that of a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def interpreted(task: Task) -> Call:
    """The program as the interpreters mean it, on a floor."""
    module = task.module
    if task.floor is not None:
        with task.stage("lower"):
            module = _lowered(module, task.floor)
    _count(task, module)

    def call() -> list[Array]:
        entry = task.signature.entry
        with deep_recursion():
            return run(module, task.inputs, entry=entry, dims=task.dims, warn=task.warn)

    return call


def compiled_for(task: Task) -> Call:
    """The program as code, by way of the task's target."""
    from teenyir.runtime.lowered import lower

    if task.floor is not None:
        raise UsageError("--floor is for --target=interpret")
    with task.stage("lower"):
        lowered = lower(task.module, task.target)
    if lowered.signature.entry != task.signature.entry:
        raise RunError(
            f"the target '{task.target}' runs @{lowered.signature.entry}, "
            f"not @{task.signature.entry}"
        )
    with task.stage("compile"):
        compiled = lowered.compile()
    task.facts["kernels"] = len(set(lowered.launches))
    task.facts["launches"] = len(lowered.launches)
    task.facts["arena_bytes"] = compiled.entry.arena.evaluate(task.dims)
    # the code need not be told what the shapes of the inputs say
    told = None if _say_all(task) else task.dims
    single = len(task.signature.outputs) == 1

    def call() -> list[Array]:
        outputs = compiled(*task.inputs, dims=told)
        return [outputs] if single else list(outputs)

    return call


TARGETS: dict[str, Callable[[Task], Call]] = {
    "cpu": compiled_for,
    "c": compiled_for,
    "cuda": compiled_for,
    "cuda-emulated": compiled_for,
    "cuda-c-emulated": compiled_for,
    "interpret": interpreted,
}
"""The targets by name."""

_FLOOR_OF: dict[type[Operation], str] = {
    FuncOp: "graph",
    kernel.FuncOp: "kernel",
    uop.FuncOp: "uop",
}


def _say_all(task: Task) -> bool:
    """Whether the shapes of the inputs say what every named extent is."""
    try:
        bind_dims(task.signature, [array.shape for array in task.inputs])
    except RunError:
        return False
    return True


def _lowered(module: ModuleOp, floor: str) -> ModuleOp:
    """A copy of a module on a floor at or below its own. Raises RunError where it is above."""
    kinds = {_FLOOR_OF[type(op)] for op in module.body.block.ops if type(op) in _FLOOR_OF}
    lowest = max(map(FLOORS.index, kinds), default=0)
    if lowest > FLOORS.index(floor):
        raise RunError(f"the program stands on the {FLOORS[lowest]} floor, below {floor}")
    if kinds == {floor}:
        return module
    module = module.clone()
    PassManager(build_target_pipeline("cpu", floor)).run(module)
    return module


def _count(task: Task, module: ModuleOp) -> None:
    kernels = [op for op in module.body.block.ops if isinstance(op, kernel.FuncOp | uop.FuncOp)]
    task.facts["kernels"] = len(kernels)
    task.facts["launches"] = sum(isinstance(op, program.LaunchOp) for op in module.walk())
