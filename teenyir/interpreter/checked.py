"""The functions of a module whose meaning can be checked, each with the way in which it is run.

    for function in functions_of(module):
        outcome = function.run(module, inputs, dims)

A function on tensors or a program is called; a kernel that nothing launches is launched by a
program made for it; a function on numbers runs by itself. All are found again by their names, in
whatever floor a pass has brought them to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from teenyir.analysis.places import place_of_op
from teenyir.analysis.signature import Argument, Signature, signature_of, symbol_of
from teenyir.diagnostics import Diagnostic, RunError, error, warning
from teenyir.dialects import kernel, program, uop
from teenyir.dialects.expr import Expr
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.exactness import tolerances_of
from teenyir.interpreter.program import run
from teenyir.interpreter.scalar_function import is_scalar_function, run_scalars, scalar_signature

ROOMS = (64, 1 << 10, 1 << 14)
"""How many elements a buffer is given that does not say how many it has, from few to many."""


@dataclass(frozen=True)
class Outcome:
    """What a function made of its inputs."""

    outputs: list[Array]
    unwritten: list[Array | None]
    """Where an output was never written, in which case it may hold anything; None for nowhere."""


@dataclass(frozen=True)
class Function:
    """A function that is checked."""

    signature: Signature
    """As it was at the start."""
    tolerances: Mapping[str, float] | None
    """What is tolerated in its results, by their element type; None where they are settled to the
    bit, at the start."""

    floors: ClassVar[tuple[type[Operation], ...]]
    """What it can become and still be run in this way."""

    @property
    def entry(self) -> str:
        """Its name."""
        return self.signature.entry

    def found(self, module: ModuleOp) -> Operation | None:
        """The function in a module, or None where it is on no floor that runs."""
        for op in module.body.block.ops:
            if isinstance(op, self.floors) and symbol_of(op) == self.entry:
                return op
        return None

    def interface(self, found: Operation) -> Signature | None:
        """What a caller relies on in what was found; None where there is nothing but the results.

        Raises RunError where it cannot be called any more.
        """
        return None

    def run(self, module: ModuleOp, inputs: Sequence[Array], dims: Mapping[str, int]) -> Outcome:
        """What it gives; `found` has been asked. Raises RunError where it does what has no meaning,
        and NoMeaning where nobody can run it."""
        raise NotImplementedError


class Called(Function):
    """A function on tensors, or the program that it became."""

    floors = (FuncOp, program.FuncOp)

    def interface(self, found: Operation) -> Signature | None:
        return signature_of(found)

    def run(self, module: ModuleOp, inputs: Sequence[Array], dims: Mapping[str, int]) -> Outcome:
        unwritten: list[Array | None] = []
        if isinstance(function := self.found(module), program.FuncOp):
            inputs = list(map(_as_held, inputs, signature_of(function).inputs))
        outputs = run(module, inputs, entry=self.entry, dims=dims, unwritten=unwritten)
        return Outcome(outputs, unwritten or [None for _ in outputs])


def _as_held(array: Array, argument: Argument) -> Array:
    """An input as a program takes it that has its floats as integers of as many bytes."""
    held = argument.dtype.numpy()
    as_integers = held.kind in "iu" and array.dtype.kind not in "iub"
    return array.view(held) if as_integers and held.itemsize == array.dtype.itemsize else array


class Numbers(Function):
    """A function on numbers."""

    floors = (FuncOp,)

    def run(self, module: ModuleOp, inputs: Sequence[Array], dims: Mapping[str, int]) -> Outcome:
        function = self.found(module)
        assert isinstance(function, FuncOp)
        outputs = run_scalars(module, function, inputs)
        return Outcome(outputs, [None for _ in outputs])


@dataclass(frozen=True)
class Kernel(Function):
    """A kernel that nothing launches."""

    extents: tuple[tuple[Expr, ...], ...]
    """Of each buffer, at the start."""

    floors = (kernel.FuncOp, uop.FuncOp)

    def run(self, module: ModuleOp, inputs: Sequence[Array], dims: Mapping[str, int]) -> Outcome:
        callee = self.found(module)
        assert isinstance(callee, kernel.FuncOp | uop.FuncOp)
        if len(callee.modes) != len(self.extents):
            raise NoMeaning(error("it takes other buffers than before", place_of_op(callee)))
        launcher = _launcher(callee, self.extents)
        module.body.block.add_op(launcher)
        unwritten: list[Array | None] = []
        try:
            entry = launcher.sym_name.data
            arrays = [
                array.view(argument.dtype.numpy())  # floats may have become the bytes of them
                for array, argument in zip(inputs, signature_of(launcher).inputs, strict=True)
            ]
            outputs = run(module, arrays, entry=entry, dims=dims, unwritten=unwritten)
        finally:
            launcher.detach()
        return Outcome(outputs, unwritten)


@dataclass(frozen=True)
class Unchecked:
    """What cannot be run at all."""

    title: str
    """As in `@main`."""
    problem: RunError

    def warning(self) -> Diagnostic:
        """As the user hears it."""
        first = self.problem.diagnostics[0]
        return warning(f"{self.title} is unchecked: {first.message}", first.location)


def functions_of(module: ModuleOp) -> Iterator[Sequence[Function] | Unchecked]:
    """Every function of a module, and why what else runs in it is none.

    A function has more than one form where it does not say how large its buffers are: the first one
    that has room enough is it.
    """
    launched = {
        attribute.root_reference.data
        for op in module.walk()
        for attribute in op.properties.values()
        if isinstance(attribute, SymbolRefAttr)
    }
    stray: Operation | None = None
    for op in module.body.block.ops:
        name = symbol_of(op)
        if isinstance(op, kernel.FuncOp | uop.FuncOp) and name in launched:
            continue  # it runs where it is launched
        if op.regions:
            try:
                yield _FORMS.get(type(op), _no_form)(op)
            except RunError as problem:
                yield Unchecked(f"@{name}" if name else f"a '{op.name}'", problem)
        elif not name:
            stray = stray or op
    if stray is not None:
        problem = NoMeaning(error(f"'{stray.name}' is in no function", place_of_op(stray)))
        yield Unchecked("what stands outside of functions", problem)


def _of_func(op: Operation) -> Sequence[Function]:
    assert isinstance(op, FuncOp)
    if is_scalar_function(op):
        return [Numbers(scalar_signature(op), tolerances_of(op))]
    return _of_program(op)


def _of_program(op: Operation) -> Sequence[Function]:
    return [Called(signature_of(op), tolerances_of(op))]


def _of_kernel(op: Operation) -> Sequence[Function]:
    assert isinstance(op, kernel.FuncOp)
    extents = tuple(_extents(value.type) for _, value in op.buffers)
    return [Kernel(signature_of(op), tolerances_of(op), extents)]


def _of_linear(op: Operation) -> Sequence[Function]:
    assert isinstance(op, uop.FuncOp)
    return [_with_room(op, room) for room in ROOMS]


def _with_room(op: uop.FuncOp, room: int) -> Function:
    extents = tuple((Expr.of(room),) for _ in op.modes)
    launcher = _launcher(op, extents)
    signature = replace(signature_of(launcher), function=op, entry=symbol_of(op))
    return Kernel(signature, tolerances_of(op), extents)


def _no_form(op: Operation) -> Sequence[Function]:
    raise NoMeaning(error(f"nothing here runs a '{op.name}'", place_of_op(op)))


_FORMS: dict[type[Operation], Callable[[Operation], Sequence[Function]]] = {
    FuncOp: _of_func,
    program.FuncOp: _of_program,
    kernel.FuncOp: _of_kernel,
    uop.FuncOp: _of_linear,
}


def _extents(type: Attribute) -> tuple[Expr, ...]:
    return tuple(type.extents) if isinstance(type, kernel.BufferType) else ()


def _launcher(
    callee: kernel.FuncOp | uop.FuncOp, extents: Sequence[tuple[Expr, ...]]
) -> program.FuncOp:
    """A program that launches a kernel on its own arguments, buffers of these extents."""
    types = [
        kernel.BufferType(each, value.type.element)
        for (_, value), each in zip(callee.buffers, extents, strict=True)
        if isinstance(value.type, kernel.BufferType | uop.PtrType)
    ]
    name = f"{symbol_of(callee)}.launcher"
    launcher = program.FuncOp(name, callee.mode_words, types, callee.dims)
    arguments = launcher.body.block.args
    for (_, old), new in zip(callee.buffers, arguments, strict=True):
        new.name_hint = old.name_hint
    launcher.body.block.add_op(program.LaunchOp(symbol_of(callee), arguments))
    return launcher
