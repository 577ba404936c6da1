"""Whether a module still means what it meant: every function of it on the same inputs.

    check = MeaningCheck()
    check.start(module)
    ...                                   a pass rewrites the module
    findings = check.compare(module)

A function runs on several samples: random numbers, the edge cases of each element type, and other
sizes of what has a range. A kernel without a program is launched, so that it can be followed down
to the uop floor. Edge cases are not for folds, which may be formed in any order: few combinations
of values are associative on NaN.

`--check-each` of teeny-opt hangs this on the pass manager (`teenyir.pipeline.instruments.check`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.binding import example_dims
from teenyir.analysis.signature import Argument, Signature, entries, find_signature
from teenyir.diagnostics import CompileError, Diagnostic, RunError, error, note, warning
from teenyir.dialects import kernel, program, uop
from teenyir.interpreter.arrays import Array, poisoned
from teenyir.interpreter.compare import Difference, difference, shape_text
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.examples import Shape, edge_array, random_array, small_array
from teenyir.interpreter.limits import at_most
from teenyir.interpreter.program import Warn, run


@dataclass(frozen=True)
class Sample:
    """One way to make up inputs."""

    title: str
    """As in `on random inputs`."""
    make: Callable[[Argument, Shape, int], Array]
    start: int
    """The size from which named extents are chosen; see `example_dims`."""


EDGES = Sample("edge cases", edge_array, 6)
SAMPLES = (
    Sample("random inputs", random_array, 5),
    EDGES,
    Sample("small inputs", small_array, 1),
    Sample("small inputs", small_array, 16),
)
NO_EDGES = ".fold"
"""How the names of operations end that edge cases are not for."""
MOST_ITERATIONS = 1000
"""A function whose loops run longer than this on a sample is not run on it."""


@dataclass
class Case:
    """Inputs of a function, and what it made of them at the start."""

    title: str
    inputs: list[Array]
    dims: dict[str, int]
    expected: list[Array]
    unwritten: list[Array | None]
    """Where an output was never written, in which case it may hold anything; None for nowhere."""


@dataclass
class Function:
    """A function that is checked."""

    signature: Signature
    """As it was at the start."""
    launcher: program.FuncOp | None
    """What launches it, where it is a kernel by itself."""
    cases: list[Case] = field(default_factory=list[Case])

    @property
    def entry(self) -> str:
        return self.signature.entry


@dataclass
class MeaningCheck:
    """Runs the functions of a module on made up inputs, at first and whenever it is asked."""

    seed: int = 0
    most_elements: int = 1 << 22
    """An input larger than this is not made up; its function stays unchecked."""
    functions: list[Function] = field(default_factory=list[Function])
    """What is checked, after `start`."""
    compared: int = 0
    """How often the outputs of a function were compared with those at the start."""

    def start(self, module: ModuleOp) -> list[Diagnostic]:
        """Run every function; warnings for those that cannot be checked."""
        self.functions.clear()
        unchecked: list[Diagnostic] = []
        for entry in entries(module):
            try:
                self.functions.append(self._function(module, entry))
            except CompileError as problem:
                unchecked.append(_unchecked(entry, problem))
        return unchecked

    def compare(self, module: ModuleOp) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Run every function again: errors for those that differ from what they gave at first or
        do what has no meaning, and warnings for those that can no longer be run."""
        differences: list[Diagnostic] = []
        unchecked: list[Diagnostic] = []
        for function in self.functions:
            try:
                for case in function.cases:
                    found = self._differences(module, function, case)
                    differences += found
                    if found:
                        break
            except NoMeaning as problem:
                unchecked.append(_unchecked(function.entry, problem))
        return differences, unchecked

    def call(
        self,
        module: ModuleOp,
        function: Function,
        inputs: list[Array],
        dims: dict[str, int],
        warn: Warn | None = None,
    ) -> list[Array]:
        """The outputs of a function of a module. Raises NoMeaning where nothing can run it.

        `warn` is told of elements that were never written.
        """
        launcher, entry = function.launcher, function.entry
        there = entry in entries(module) if launcher is None else _has_kernel(module, entry)
        if not there:
            raise NoMeaning("it is on no floor that runs")
        if launcher is not None:
            module.body.block.add_op(launcher)
            entry = launcher.sym_name.data
        try:
            with at_most(MOST_ITERATIONS):
                return run(module, inputs, entry=entry, dims=dims, warn=warn)
        finally:
            if launcher is not None:
                launcher.detach()

    def _function(self, module: ModuleOp, entry: str) -> Function:
        signature = find_signature(module, entry)
        func = signature.function
        function = Function(signature, _launcher(func) if isinstance(func, kernel.FuncOp) else None)
        problem: CompileError | None = None
        for sample in SAMPLES:
            dims = example_dims(signature, sample.start)
            if sample is EDGES and any(op.name.endswith(NO_EDGES) for op in module.walk()):
                continue
            if any(c.title == sample.title and c.dims == dims for c in function.cases):
                continue
            try:
                inputs = [self._input(sample, argument, dims) for argument in signature.inputs]
                warned: list[Diagnostic] = []
                outputs = self.call(module, function, inputs, dims, warned.append)
            except NoMeaning:
                raise
            except CompileError as e:  # the function has no meaning for these inputs
                problem = problem or e
            else:
                poison = [_poison(each) if warned else None for each in outputs]
                function.cases.append(Case(sample.title, inputs, dims, outputs, poison))
        if problem is not None and not function.cases:
            raise problem
        return function

    def _input(self, sample: Sample, argument: Argument, dims: dict[str, int]) -> Array:
        shape = argument.shape(dims)
        if math.prod(shape) > self.most_elements:
            message = f"input '{argument.name}' has {math.prod(shape)} elements"
            raise RunError(message)
        return sample.make(argument, shape, self.seed)

    def _differences(self, module: ModuleOp, function: Function, case: Case) -> list[Diagnostic]:
        where = ", ".join(f"{dim} = {value}" for dim, value in case.dims.items())
        on = note(f"on {case.title}" + (f" with {where}" if where else ""))
        try:
            outputs = self.call(module, function, case.inputs, case.dims)
        except NoMeaning:
            raise
        except CompileError as problem:
            notes = [note(d.message, d.location) for d in problem.diagnostics]
            return [error(f"@{function.entry} has become faulty", None, *notes, on)]
        self.compared += 1
        return [
            error(f"@{function.entry} has another meaning: {what}", None, on)
            for what in _what_differs(function.signature, outputs, case)
        ]


def _launcher(func: kernel.FuncOp) -> program.FuncOp:
    """A program that launches a kernel on its own arguments."""
    types = [argument.type for _, argument in func.buffers]
    name = f"{func.sym_name.data}.launcher"
    launcher = program.FuncOp(name, func.mode_words, types, func.dims)
    arguments = launcher.body.block.args
    for (_, old), new in zip(func.buffers, arguments, strict=True):
        new.name_hint = old.name_hint
    launcher.body.block.add_op(program.LaunchOp(func.sym_name.data, arguments))
    return launcher


def _has_kernel(module: ModuleOp, name: str) -> bool:
    return any(
        isinstance(op, kernel.FuncOp | uop.FuncOp) and op.sym_name.data == name for op in module.ops
    )


def _unchecked(entry: str, problem: CompileError) -> Diagnostic:
    first = problem.diagnostics[0]
    return warning(f"@{entry} is unchecked: {first.message}", first.location)


def _what_differs(signature: Signature, outputs: Sequence[Array], case: Case) -> Iterable[str]:
    if len(outputs) != len(case.expected):
        yield f"{len(outputs)} outputs, it was {len(case.expected)}"
        return
    for argument, got, before, unwritten in zip(
        signature.outputs, outputs, case.expected, case.unwritten, strict=True
    ):
        if got.shape != before.shape or got.dtype.itemsize != before.dtype.itemsize:
            what = f"is {shape_text(got)}, it was {shape_text(before)}"
        elif (worst := _difference(got, before, unwritten)) is not None:
            what = str(worst)
        else:
            continue
        yield f"output '{argument.name}': {what}"


def _difference(got: Array, expected: Array, unwritten: Array | None) -> Difference | None:
    """The worst of the elements that differ, of those that had been written."""
    if unwritten is not None:
        got = got.view(expected.dtype) if got.dtype != expected.dtype else got.copy()
        got[unwritten] = expected[unwritten]
    return difference(got, expected)


def _poison(array: Array) -> Array:
    """Which elements hold what memory holds that was never written."""
    bits = np.dtype(f"u{array.dtype.itemsize}")
    poison = poisoned((1,), array.dtype).view(bits)
    return (np.ascontiguousarray(array).view(bits) == poison).reshape(array.shape)
