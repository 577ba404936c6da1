"""Whether a module still means what it meant: every function of it on the same inputs.

    check = MeaningCheck()
    check.start(module)
    ...                                   a pass rewrites the module
    findings = check.compare(module)

A function runs on several samples (`samples`). Where nothing that it does may be computed in
different ways (`exactness`), its results are to be the same to the bit; elsewhere, the same within
the tolerance of their type. The names and ranges that it states count too.

`--check-each` of teeny-opt hangs this on the pass manager (`teenyir.pipeline.instruments.check`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teenyir.analysis.signature import Argument
from teenyir.diagnostics import CompileError, Diagnostic, RunError, error, note
from teenyir.interpreter.arrays import Array, silent
from teenyir.interpreter.callees import with_callees
from teenyir.interpreter.checked import Function, Outcome, Unchecked, functions_of
from teenyir.interpreter.compare import Difference, difference, shape_text
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.limits import Endless, at_most
from teenyir.interpreter.memory import OutOfBounds
from teenyir.interpreter.samples import Sample, samples_of

MOST_ITERATIONS = 1000
"""A function whose loops run longer than this on a sample is not run on it."""
FEWEST_ITERATIONS = 60
"""How long they may run once other samples have shown that they may not end."""
MORE_ITERATIONS = 4 * MOST_ITERATIONS
"""How long they may run after a pass, which may have made more loops of one."""


@dataclass
class Case:
    """Inputs of a function, and what it made of them at the start."""

    title: str
    inputs: list[Array]
    dims: dict[str, int]
    expected: Outcome


@dataclass
class Checked:
    """A function that is checked, and what it has to give."""

    function: Function
    cases: list[Case] = field(default_factory=list[Case])
    last: list[Operation] = field(default_factory=list[Operation])
    """The function and what it calls, as they were when last found to be right."""

    def keep(self, module: ModuleOp) -> None:
        """Remember the function as it is now."""
        found = self.function.found(module)
        self.last = [] if found is None else [op.clone() for op in with_callees(found)]

    def is_unchanged(self, module: ModuleOp) -> bool:
        """Whether it is what it was when last remembered, which saves running it."""
        found = self.function.found(module)
        if found is None or not self.last:
            return False
        now = with_callees(found)
        return len(now) == len(self.last) and all(
            op.is_structurally_equivalent(old) for op, old in zip(now, self.last, strict=True)
        )


@dataclass
class MeaningCheck:
    """Runs the functions of a module on made up inputs, at first and whenever it is asked."""

    seed: int = 0
    most_elements: int = 1 << 22
    """An input larger than this is not made up; its function stays unchecked."""
    functions: list[Checked] = field(default_factory=list[Checked])
    """What is checked, after `start`."""
    compared: int = 0
    """How often the outputs of a function were compared with those at the start."""

    def start(self, module: ModuleOp) -> list[Diagnostic]:
        """Run every function; warnings for those that cannot be checked."""
        self.functions.clear()
        unchecked: list[Diagnostic] = []
        for forms in list(functions_of(module)):
            if isinstance(forms, Unchecked):
                unchecked.append(forms.warning())
                continue
            try:
                self.functions.append(self._checked(module, forms))
            except RunError as problem:
                unchecked.append(_unchecked(forms[0], problem))
        return unchecked

    def compare(self, module: ModuleOp) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Run every function again: errors for those that differ from what they gave at first or
        do what has no meaning, and warnings for those that can no longer be run."""
        differences: list[Diagnostic] = []
        unchecked: list[Diagnostic] = []
        for checked in self.functions:
            if checked.is_unchanged(module):
                continue
            try:
                found = self._differences(module, checked)
            except NoMeaning as problem:
                unchecked.append(_unchecked(checked.function, problem))
                continue
            differences += found
            if not found:
                checked.keep(module)
        return differences, unchecked

    def call(
        self, module: ModuleOp, function: Function, inputs: list[Array], dims: dict[str, int]
    ) -> Outcome:
        """What a function of a module gives. Raises NoMeaning where nothing can run it."""
        if function.found(module) is None:
            raise NoMeaning("it is on no floor that runs")
        return function.run(module, inputs, dims)

    def _checked(self, module: ModuleOp, forms: Sequence[Function]) -> Checked:
        """The first form of a function that has room enough, or the last one."""
        *smaller, last = forms
        for function in smaller:
            try:
                return self._with_cases(module, function, (OutOfBounds, NoMeaning))
            except OutOfBounds:
                continue
        return self._with_cases(module, last, (NoMeaning,))

    def _with_cases(
        self, module: ModuleOp, function: Function, refused: tuple[type[RunError], ...]
    ) -> Checked:
        checked = Checked(function)
        problem: RunError | None = None
        iterations = MOST_ITERATIONS
        for sample in samples_of(function):
            if sample.round and not checked.cases:
                break  # nothing so far had a meaning
            try:
                inputs = [self._input(sample, argument) for argument in function.signature.inputs]
                with at_most(iterations):
                    outcome = self.call(module, function, inputs, sample.dims)
            except refused:
                raise
            except RunError as e:  # the function has no meaning for these inputs
                problem = problem or e
                if isinstance(e, Endless):
                    iterations = max(iterations // 2, FEWEST_ITERATIONS)
            else:
                checked.cases.append(Case(sample.title, inputs, sample.dims, outcome))
        if problem is not None and not checked.cases:
            raise problem
        checked.keep(module)
        return checked

    def _input(self, sample: Sample, argument: Argument) -> Array:
        shape = argument.shape(sample.dims)
        if math.prod(shape) > self.most_elements:
            message = f"input '{argument.name}' has {math.prod(shape)} elements"
            raise RunError(message)
        with silent():
            return sample.make(argument, shape, self.seed + sample.round)

    def _differences(self, module: ModuleOp, checked: Checked) -> list[Diagnostic]:
        """What the first case says that has something to say."""
        function = checked.function
        if stated := list(_other_interface(module, function)):
            return [error(f"@{function.entry} has another meaning: {what}") for what in stated]
        for case in checked.cases:
            if found := self._differs(module, function, case):
                return found
        return []

    def _differs(self, module: ModuleOp, function: Function, case: Case) -> list[Diagnostic]:
        where = ", ".join(f"{dim} = {value}" for dim, value in case.dims.items())
        on = note(f"on {case.title}" + (f" with {where}" if where else ""))
        try:
            with at_most(MORE_ITERATIONS):
                outcome = self.call(module, function, case.inputs, case.dims)
        except NoMeaning:
            raise
        except CompileError as problem:
            notes = [note(d.message, d.location) for d in problem.diagnostics]
            return [error(f"@{function.entry} has become faulty", None, *notes, on)]
        self.compared += 1
        return [
            error(f"@{function.entry} has another meaning: {what}", None, on)
            for what in _what_differs(function, outcome.outputs, case.expected)
        ]


def _unchecked(function: Function, problem: RunError) -> Diagnostic:
    return Unchecked(f"@{function.entry}", problem).warning()


def _other_interface(module: ModuleOp, function: Function) -> Iterable[str]:
    """What a caller relies on besides the results: names that are stated, and ranges of extents."""
    before, found = function.signature, function.found(module)
    if found is None or (after := function.interface(found)) is None:
        return
    for what, old, new in (
        ("input", before.inputs, after.inputs),
        ("output", before.outputs, after.outputs),
    ):
        for was, is_ in zip(old, new, strict=False):
            if was.stated and was.name != is_.name:
                yield f"its {what} '{was.name}' is called '{is_.name}'"
    ranges = {dim.name: dim for dim in after.dims}
    for dim in before.dims:
        if dim.name in ranges and not ranges[dim.name].contains(dim):
            yield f"it takes {ranges[dim.name]}, it took {dim}"


def _what_differs(function: Function, outputs: Sequence[Array], before: Outcome) -> Iterable[str]:
    if len(outputs) != len(before.outputs):
        yield f"{len(outputs)} outputs, it was {len(before.outputs)}"
        return
    for argument, got, expected, unwritten in zip(
        function.signature.outputs, outputs, before.outputs, before.unwritten, strict=True
    ):
        if got.shape != expected.shape or got.dtype.itemsize != expected.dtype.itemsize:
            what = f"is {shape_text(got)}, it was {shape_text(expected)}"
        elif (worst := _difference(got, expected, unwritten, function.tolerances)) is not None:
            what = str(worst)
        else:
            continue
        yield f"output '{argument.name}': {what}"


def _difference(
    got: Array, expected: Array, unwritten: Array | None, tolerances: Mapping[str, float] | None
) -> Difference | None:
    """The worst of the elements that differ, of those that had been written."""
    if unwritten is not None:
        got = got.view(expected.dtype) if got.dtype != expected.dtype else got.copy()
        got[unwritten] = expected[unwritten]
    if tolerances is None:
        return difference(got, expected, exact=True)
    tolerated = tolerances.get(expected.dtype.name)
    return difference(got, expected, tolerated, tolerated)
