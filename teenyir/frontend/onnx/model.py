"""`ty.load_onnx`, and the model that it gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.utils.exceptions import VerifyException

from teenyir.analysis.binding import arrange, array_of, bind_dims, stated_dims
from teenyir.analysis.signature import Promise, Signature
from teenyir.diagnostics import (
    CompileError,
    Diagnostic,
    InputError,
    RunError,
    did_you_mean,
    error,
)
from teenyir.dialects import graph as graph_dialect
from teenyir.frontend.core import Array, tracing
from teenyir.frontend.dims import Dim, Extent, Spec
from teenyir.frontend.errors import user_place
from teenyir.frontend.onnx.declared import check_declared
from teenyir.frontend.onnx.extents import (
    UnsuitedExtent,
    at_fault,
    bound,
    names_of,
    put_in,
    way_out,
)
from teenyir.frontend.onnx.files import Source, read_model
from teenyir.frontend.onnx.graph import Scope, Walk
from teenyir.frontend.onnx.inputs import (
    Inputs,
    checked_dims,
    fits,
    given_values,
    read_inputs,
    text_of,
)
from teenyir.frontend.onnx.nodes import UnknownInput, shown
from teenyir.frontend.onnx.slots import (
    LEAST,
    MOST_NAMES,
    ModelTrace,
    Rule,
    named,
    promises_of,
)
from teenyir.frontend.onnx.supported import check_operators, check_opsets, plain_domain
from teenyir.frontend.onnx.values import Bounded, Call, Told, UnknownExtent, Value, lifted
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.tracing import Traced, finish
from teenyir.frontend.trees import LEAF, Tree

if TYPE_CHECKING:
    from onnx import ModelProto

    from teenyir.runtime.compiled import Compiled
    from teenyir.runtime.lowered import Lowered


@dataclass
class OnnxProgram(Traced):
    """A program made of a model. A call gives the outputs in order, one alone as it is.

    Where data decides how many elements of an output count, the program has room for all there can
    be, and says how many in outputs of its own, `NAME.count0` for the first axis. A call of what is
    compiled takes these off.
    """

    counted: tuple[tuple[int, ...], ...] = ()
    """By output, the axes of which data decides how many places count."""
    promises: tuple[Promise, ...] = ()
    """What has to hold of the names that a call gives."""
    rules: tuple[Rule, ...] = ()
    """How a call works out the names of extents that inputs decide."""

    def unkept(self, dims: Mapping[str, int]) -> set[str]:
        """The names in what these extents do not keep of what was promised, as far as they say."""
        known = [each for each in self.promises if each.expr.names <= dims.keys()]
        return {n for each in known if each.refuse(dims) for n in each.expr.names}

    def gather(self, results: Sequence[Array]) -> Any:
        """What a call gives, of the program's results."""
        pending, found = iter(results), list[Array]()
        for axes in self.counted:
            output, counts = next(pending), {axis: int(next(pending)) for axis in axes}
            cut = tuple(slice(counts.get(axis)) for axis in range(output.ndim))
            found.append(output[cut])
        return found[0] if len(found) == 1 else tuple(found)

    def lower(self, target: str = "cpu") -> Lowered:
        """The program on the machine floor of a target. Raises CompileError."""
        from teenyir.runtime.lowered import lower

        is_plain = len(self.counted) == 1 and not self.counted[0]
        lowered = lower(self.module, target, self.parameters, None if is_plain else self.gather)
        signature = replace(lowered.signature, promises=self.promises)
        return replace(lowered, signature=signature)


@dataclass
class OnnxModel:
    """A model of ONNX: a program, and arrays that it is called with.

    Where the value of an input decides what is compiled (the shape of a `Reshape`), the program is
    made with names in it, for all such values, or for each value that occurs.
    """

    proto: ModelProto
    name: str
    folder: Path | None
    inputs: Inputs
    values: dict[str, Array]
    """The inputs whose values are part of the program; of dtype object with dims among them."""
    remarks: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """Which inputs a program was compiled for the values of."""
    _settled_dims: tuple[str, ...] = ()
    """The names of extents that an operator has to know."""
    _of_extents: dict[tuple[int, ...], OnnxModel] = field(default_factory=dict[Any, Any])
    """By what these are, the model with numbers in their place."""
    _programs: dict[tuple[Any, ...], _Program | None] = field(default_factory=dict[Any, Any])
    _deciding: tuple[str, ...] = ()
    _settled: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """The elements of these inputs that an operator has to know, by input and place."""

    @property
    def specs(self) -> dict[str, Spec]:
        """Extents and dtype of each input that has no value of its own, by name."""
        return self.inputs.specs

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs that a call passes, in order.

        It may also pass, by name, an input that a weight is the value of.
        """
        return [name for name in self.specs if name not in self.values]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in order."""
        return [output.name for output in self.proto.graph.output]

    @property
    def deciding(self) -> tuple[str, ...]:
        """The inputs whose values were found to decide what is compiled."""
        return self._deciding

    def trace(
        self,
        values: Mapping[str, Any] | None = None,
        passed: Sequence[str] = (),
        told: Collection[str] = (),
    ) -> OnnxProgram:
        """The program on the graph floor, for these values of inputs.

        A value may hold dims, which are names that a call then gives (`dims=` of what is
        compiled). Of the inputs with a value of their own, those in `passed` stay inputs. Those
        that are `told` may decide extents, which have names that a call works out by its `rules`.

        Raises CompileError where the model cannot be a program; `UnknownInput` where the value of
        an input decides what it is.
        """
        known = {**self.values, **given_values(self.inputs.every, values or {})}
        trace = ModelTrace(Tensor, _told(known), bool(told))
        try:
            return self._traced(trace, known, passed, told)
        except UnsuitedExtent as problem:
            raise way_out(problem, self.inputs.extents) from None

    def _traced(
        self,
        trace: ModelTrace,
        known: Mapping[str, Array],
        passed: Sequence[str],
        told: Collection[str],
    ) -> OnnxProgram:
        with tracing(trace):
            scope = Scope({plain_domain(e.domain): e.version for e in self.proto.opset_import})
            for name, spec in self.inputs.every.items():
                if name in known:
                    scope.define(name, known[name])
                elif name in self.specs or name in passed:
                    argument = _argument(trace, name, spec)
                    scope.define(name, _told_by(name, argument) if name in told else argument)
            functions = {(plain_domain(f.domain), f.name): f for f in self.proto.functions}
            walk = Walk(trace, self.name, self.folder, functions)
            results = walk.graph(self.proto.graph, scope)
            return self._finished(trace, results)

    def _finished(self, trace: ModelTrace, results: Sequence[Value]) -> OnnxProgram:
        if not results:
            raise InputError(f"{self.name}: has no outputs")
        named: dict[str, Tensor] = {}
        counted: list[tuple[int, ...]] = []
        for declared, value in zip(self.proto.graph.output, results, strict=True):
            name = declared.name
            if value is None:
                raise InputError(f"{self.name}: the output '{shown(name)}' is left out")
            if name in named:
                raise InputError(f"{self.name}: two outputs are called '{shown(name)}'")
            counts = value.counts if isinstance(value, Bounded) else {}
            named[name] = value.tensor if isinstance(value, Bounded) else lifted(value)
            check_declared(declared, named[name], tuple(counts), f"{self.name}: the output")
            named.update({f"{name}.count{axis}": count for axis, count in counts.items()})
            counted.append(tuple(counts))
        tree = Tree(dict, tuple((name, LEAF) for name in named))
        inputs = len(self.inputs.every.keys() & set(trace.arguments) - trace.parameters.keys())
        done = finish(trace, list(named.values()), tree, inputs, trace.given)
        return OnnxProgram(
            done.module,
            done.parameters,
            done.outputs,
            tuple(counted),
            promises_of(done.entry, trace),
            tuple(trace.rules),
        )

    def lower(self, target: str = "cpu") -> Lowered:
        """The program on the machine floor of a target. Raises CompileError."""
        return self.trace().lower(target)

    def as_text(self) -> str:
        """The IR as text, without the weights."""
        return self.trace().as_text()

    def __call__(self, /, *arrays: Any, dims: Mapping[str, int] | None = None, **named: Any) -> Any:
        """The outputs for arrays, in the order of `input_names` or by name.

        `dims` are the names in `values`; an input that is called so goes by its place. It is
        compiled for the CPU when it is first called, and again for each value of the inputs and
        the extents that decide what is compiled and that no program serves. Raises RunError where
        the arrays do not fit.
        """
        stated = stated_dims({} if dims is None else dims)
        return self._result(_by_name(self, arrays, named), stated)

    def _result(self, given: Mapping[str, Array], stated: Mapping[str, int]) -> Any:
        while not self._settled_dims:
            try:
                return self._served(given, stated)
            except UnknownInput as unknown:
                new = [name for name in unknown.names if name in given]
                if not new or set(new) & set(self._deciding):
                    raise
                self._deciding = (*self._deciding, *new)
            except RunError:
                raise
            except CompileError as problem:
                names = names_of(self.inputs.extents.values())
                if not names:
                    raise
                values = bound(self.inputs.every, given, stated)
                self._settled_dims = self._needed(sorted(at_fault(problem, names) or names), values)
        return self._by_extents(self._settled_dims, given, stated)

    def _needed(self, names: Sequence[str], values: Mapping[str, int]) -> tuple[str, ...]:
        """Those of the names without whose numbers there is no program."""
        needed = list(names)
        for name in names if len(names) > 1 else ():
            rest = {each: values[each] for each in needed if each != name and each in values}
            try:
                self.with_extents(rest).trace()
            except CompileError as problem:
                if at_fault(problem, [name]):
                    continue
            needed.remove(name)
        return tuple(needed or names)

    def _by_extents(
        self, names: Sequence[str], given: Mapping[str, Array], stated: Mapping[str, int]
    ) -> Any:
        """The outputs by a program that has numbers in the place of some names of extents."""
        found = bound(self.inputs.every, given, stated)
        values = {name: found[name] for name in names if name in found}
        if len(values) < len(names):
            raise RunError(f"no input says what {', '.join(names)} are: {self.name} needs to know")
        rest = {name: value for name, value in stated.items() if name not in values}
        key = tuple(values.values())
        if key not in self._of_extents:
            self._of_extents[key] = self.with_extents(values)
            said = ", ".join(f"{name} = {value}" for name, value in values.items())
            message = f"{self.name}: compiled for {said} alone: no program serves all"
            self.remarks.append(Diagnostic("remark", message))
        return self._of_extents[key]._result(given, rest)

    def with_extents(self, values: Mapping[str, int]) -> OnnxModel:
        """The model with numbers in the place of names of extents."""
        inputs = read_inputs(self.proto.graph, self.name, put_in(self.inputs.extents, values))
        return OnnxModel(self.proto, self.name, self.folder, inputs, self.values)

    def _served(self, given: Mapping[str, Array], dims: Mapping[str, int]) -> Any:
        """The outputs by a program with names in it, or else by one for the very values."""
        _check_there([name for name in self.deciding if name in self.specs], given)
        decides = {name: given[name] for name in self.deciding if name in given}
        _check_fit(decides, self.inputs.every)
        told = self._told_program(decides, self._passed(given))
        if told is not None and (known := told.told(decides, given, dims)) is not None:
            return told.call(given, known)
        rest: dict[str, Any] = {n: a for n, a in given.items() if n not in decides}
        passed = self._passed(rest)
        if told is None and (found := self._named_program(decides, passed)) is not None:
            program, names = found
            stated = {**dims, **program.own(names)}
            if program.suits(rest, stated):
                return program.call(rest, stated)
        key = (passed, *[(n, a.dtype.str, a.shape, a.tobytes()) for n, a in decides.items()])
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._compiled(decides, passed, ())
            self._say(decides, ())
        if unkept := program.unkept(rest, dims) & names_of(self.inputs.extents.values()):
            return self._by_extents(sorted(unkept), given, dims)
        return program.call(rest, dims)

    def _passed(self, given: Mapping[str, Array]) -> tuple[str, ...]:
        """The inputs with a value of their own that a call passes all the same."""
        return tuple(name for name in given if name in self.inputs.optional)

    def _told_program(
        self, decides: Mapping[str, Array], passed: tuple[str, ...]
    ) -> _Program | None:
        """The program whose inputs decide extents; None where there can be none."""
        key = ("told", passed, tuple(decides))
        if key not in self._programs:
            self._programs[key] = self._told_or_none(decides, passed)
        return self._programs[key]

    def _told_or_none(
        self, decides: Mapping[str, Array], passed: tuple[str, ...]
    ) -> _Program | None:
        if not any(map(_may_tell, decides.values())):
            return None
        try:
            program = self._compiled({}, passed, tuple(decides))
        except UnknownInput:
            raise
        except CompileError:  # an operator has to know a number, or other names go further
            return None
        self._say(decides, None)
        return program

    def _named_program(
        self, decides: Mapping[str, Array], passed: tuple[str, ...]
    ) -> tuple[_Program, dict[str, int]] | None:
        """A program with names in it, and what these are; None where there can be none."""
        taken = {name for spec in self.inputs.every.values() for name in _names(spec)}
        while (pattern := named(decides, self._settled, taken)).told:
            key = ("names", passed, pattern.key)
            if key not in self._programs:
                try:
                    self._programs[key] = self._compiled(pattern.values, passed, ())
                except UnknownInput:
                    raise
                except UnknownExtent as unknown:
                    self._settled |= {pattern.told[name] for name in unknown.names}
                    continue
                except CompileError:  # what is wrong is said for the values themselves
                    self._programs[key] = None
                else:
                    self._say(pattern.values, tuple(pattern.told))
            program = self._programs[key]
            return None if program is None else (program, pattern.dims)
        return None

    def _compiled(
        self, values: Mapping[str, Array], passed: tuple[str, ...], told: tuple[str, ...]
    ) -> _Program:
        program = self.trace(values, passed, told)
        return _Program(program.lower().compile(), program.rules)

    def _say(self, values: Mapping[str, Array], names: Sequence[str] | None) -> None:
        """Remark which values a program is for: every one, those that differ in names, or one."""
        if values:
            listed = ", ".join(f"'{name}'" for name in values)
            message = f"compiled for this value of {listed}, which decides extents"
            if names is None:
                message = f"compiled for every value of {listed}, which decides extents"
            elif names:
                message = (
                    f"compiled for values of {listed}, which decides extents: any "
                    f"{', '.join(names)} from {LEAST} on"
                )
            self.remarks.append(Diagnostic("remark", f"{self.name}: {message}"))


@dataclass(frozen=True)
class _Program:
    """What is compiled, with names in it."""

    compiled: Compiled
    rules: tuple[Rule, ...]

    def told(
        self, decides: Mapping[str, Array], arrays: Mapping[str, Any], dims: Mapping[str, int]
    ) -> dict[str, int] | None:
        """What the names are in a call; None where it has none that keep what was promised."""
        decided = {name for rule in self.rules for name in rule.names}
        signature = self.signature
        plain = tuple(dim for dim in signature.dims if dim.name not in decided)
        bound = bind_dims(
            replace(signature, dims=plain, outputs=(), promises=()), self._shapes(arrays), dims
        )
        call = Call(decides, bound)
        try:
            for rule in self.rules:
                rule.add_to(call)
            stated = self.own(call.dims)
            return stated if self.suits(arrays, stated) else None
        except CompileError:  # what is wrong is said for the values themselves
            return None

    def _shapes(self, arrays: Mapping[str, Any]) -> list[tuple[int, ...] | None]:
        return [
            np.shape(arrays[a.name]) if a.name in arrays else None for a in self.signature.inputs
        ]

    def own(self, names: Mapping[str, int]) -> dict[str, int]:
        """Those of the names that are in the program."""
        return {dim.name: names[dim.name] for dim in self.signature.dims if dim.name in names}

    @property
    def signature(self) -> Signature:
        """What it takes and gives."""
        return self.compiled.signature

    def call(self, arrays: Mapping[str, Any], dims: Mapping[str, int]) -> Any:
        """The outputs. Raises RunError where the arrays do not fit."""
        inputs = arrange(replace(self.signature, inputs=self.compiled.inputs), arrays)
        return self.compiled(*inputs, dims=dims) if dims else self.compiled(*inputs)

    def suits(self, arrays: Mapping[str, Any], dims: Mapping[str, int]) -> bool:
        """Whether what was promised holds in a call. Raises RunError on others."""
        return not self._broken(arrays, dims)

    def unkept(self, arrays: Mapping[str, Any], dims: Mapping[str, int]) -> set[str]:
        """The names in what was promised and does not hold in a call. Raises RunError on others."""
        return {n for promise in self._broken(arrays, dims) for n in promise.expr.names}

    def _broken(self, arrays: Mapping[str, Any], dims: Mapping[str, int]) -> list[Promise]:
        promises = self.signature.promises
        if not promises:
            return []
        own = replace(self.signature, outputs=(), promises=())
        values = bind_dims(own, self._shapes(arrays), dims)
        return [promise for promise in promises if promise.refuse(values) is not None]


def _told_by(name: str, argument: Tensor) -> Told:
    """An input that may decide extents."""
    return Told(argument, lambda call: call.values[name])


def _may_tell(array: Array) -> bool:
    """Whether there is something in it that may be another, and not too much."""
    return 0 < array.size <= MOST_NAMES


def _told(values: Mapping[str, Array]) -> dict[str, tuple[str, int]]:
    """The names in values, and where each stands by itself."""
    return {
        name: (input, place)
        for input, array in values.items()
        if array.dtype == object
        for place, each in enumerate(array.flat)
        if isinstance(each, Dim)
        for name in each.expr.names
    }


def _names(spec: Spec) -> set[str]:
    return {name for extent in spec.shape if isinstance(extent, Dim) for name in extent.expr.names}


def load_onnx(
    source: Source,
    *,
    dims: Mapping[str, Extent] | None = None,
    values: Mapping[str, Any] | None = None,
) -> OnnxModel:
    """A model of ONNX from the path of a file, bytes or an `onnx.ModelProto`.

    An extent that has a name in the model is a `ty.Dim` from 1 on, unless `dims` says what it is:
    an integer, or a dim with a range. `values` are inputs that are part of the program; they are
    no inputs any more. Among their elements may be dims, which a call then gives. Weights are the
    program's parameters under their names, and data of theirs beside the file is read from its
    folder alone.

    Raises CompileError where it is no model, is damaged, or has operators that are not supported:
    these are listed all at once.
    """
    proto, name, folder = read_model(source)
    check_opsets(proto, name)
    check_operators(proto, name)
    inputs = read_inputs(proto.graph, name, checked_dims(dims or {}))
    held = given_values(inputs.every, values or {})
    return OnnxModel(proto, name, folder, inputs, held)


# --- inputs ---------------------------------------------------------------------------------------


def _argument(trace: ModelTrace, name: str, spec: Spec) -> Tensor:
    extents = trace.learn(spec.shape)
    try:
        type = graph_dialect.tensor(spec.dtype.element, extents)
    except VerifyException as problem:
        raise InputError(f"the input '{shown(name)}': {problem}") from None
    return trace.argument(name, type)


def _check_there(names: Sequence[str], given: Mapping[str, Array]) -> None:
    for name in names:
        if name not in given:
            raise RunError(f"input '{name}' is missing: its value decides what is compiled")


def _check_fit(given: Mapping[str, Array], specs: Mapping[str, Spec]) -> None:
    """Raise RunError where an array is not of the dtype and the rank that its input has."""
    for name, array in given.items():
        spec = specs[name]
        if array.dtype != spec.dtype.numpy() or not fits(spec.shape, array.shape):
            got = f"{array.dtype}[{', '.join(map(str, array.shape))}]"
            raise RunError(f"input '{name}': expected {text_of(spec)}, got {got}")


def _by_name(model: OnnxModel, arrays: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Array]:
    names = model.input_names
    if len(arrays) > len(names):
        raise CompileError(
            error(f"{model.name} takes {len(names)} inputs, got {len(arrays)}", user_place())
        )
    given = dict(zip(names, arrays, strict=False))
    for name in given.keys() & named.keys():
        raise CompileError(error(f"input '{name}' is given twice", user_place()))
    specs = model.inputs.every
    found: dict[str, Array] = {}
    for name, value in {**given, **named}.items():
        if name in specs:
            spec = specs[name]
            found[name] = array_of(value, name, text_of(spec), spec.dtype.numpy())
        elif name not in model.inputs.unused:
            known = [*names, *(each for each in specs if each not in names)]
            hint = did_you_mean(name, known) or f" (it has {', '.join(known) or 'none'})"
            raise CompileError(
                error(f"{model.name} has no input named '{name}'{hint}", user_place())
            )
    return found
