"""Whether a module still means what it meant: every function of it on the same random inputs.

    check = MeaningCheck()
    check.start(module)
    ...                                   a pass rewrites the module
    findings = check.compare(module)

`--check-each` of teeny-opt hangs this on the pass manager (`teenyir.pipeline.instruments.check`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.binding import example_dims
from teenyir.analysis.signature import Argument, entries, find_signature
from teenyir.diagnostics import CompileError, Diagnostic, error, note, warning
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.compare import difference, shape_text
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.examples import random_array
from teenyir.interpreter.program import run


@dataclass
class _Example:
    """A function's inputs, and what it made of them at the start."""

    inputs: list[Array]
    dims: dict[str, int]
    expected: list[Array]
    names: list[str]
    """Of the outputs."""


@dataclass
class MeaningCheck:
    """Runs the functions of a module on random inputs, at first and whenever it is asked."""

    seed: int = 0
    most_elements: int = 1 << 22
    """An input larger than this is not made up; its function stays unchecked."""
    _examples: dict[str, _Example] = field(default_factory=dict[str, _Example])

    def start(self, module: ModuleOp) -> list[Diagnostic]:
        """Run every function; warnings for those that cannot be checked."""
        self._examples.clear()
        unchecked: list[Diagnostic] = []
        for entry in entries(module):
            try:
                self._examples[entry] = self._example(module, entry)
            except CompileError as problem:
                unchecked.append(_unchecked(entry, problem))
        return unchecked

    def compare(self, module: ModuleOp) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Run every function again: errors for those that differ from what they gave at first or
        do what has no meaning, and warnings for those that can no longer be run."""
        differences: list[Diagnostic] = []
        unchecked: list[Diagnostic] = []
        there = entries(module)
        for entry, example in self._examples.items():
            if entry not in there:
                unchecked.append(warning(f"@{entry} is unchecked: it is on no floor that runs"))
                continue
            try:
                outputs = run(module, example.inputs, entry=entry, dims=example.dims)
            except NoMeaning as problem:
                unchecked.append(_unchecked(entry, problem))
            except CompileError as problem:
                notes = [note(d.message, d.location) for d in problem.diagnostics]
                differences.append(error(f"@{entry} has become faulty", None, *notes))
            else:
                differences += _differences(entry, example, outputs)
        return differences, unchecked

    def _example(self, module: ModuleOp, entry: str) -> _Example:
        signature = find_signature(module, entry)
        dims = example_dims(signature)
        inputs = [self._input(argument, dims) for argument in signature.inputs]
        outputs = run(module, inputs, entry=entry, dims=dims)
        return _Example(inputs, dims, outputs, [each.name for each in signature.outputs])

    def _input(self, argument: Argument, dims: dict[str, int]) -> Array:
        shape = argument.shape(dims)
        count = 1
        for extent in shape:
            count *= extent
        if count > self.most_elements:
            raise CompileError(f"input '{argument.name}' has {count} elements")
        return random_array(argument, shape, self.seed)


def _unchecked(entry: str, problem: CompileError) -> Diagnostic:
    first = problem.diagnostics[0]
    return warning(f"@{entry} is unchecked: {first.message}", first.location)


def _differences(entry: str, example: _Example, outputs: Sequence[Array]) -> list[Diagnostic]:
    if len(outputs) != len(example.expected):
        counts = f"{len(outputs)} outputs, it was {len(example.expected)}"
        return [error(f"@{entry} has another meaning: {counts}")]
    found: list[Diagnostic] = []
    for name, got, expected in zip(example.names, outputs, example.expected, strict=True):
        if got.shape != expected.shape or got.dtype.itemsize != expected.dtype.itemsize:
            what = f"is {shape_text(got)}, it was {shape_text(expected)}"
        elif (worst := difference(got, expected)) is not None:
            what = str(worst)
        else:
            continue
        where = ", ".join(f"{dim} = {value}" for dim, value in example.dims.items())
        notes = [note(f"on random inputs with {where}")] if where else []
        found.append(error(f"@{entry} has another meaning: output '{name}': {what}", None, *notes))
    return found
