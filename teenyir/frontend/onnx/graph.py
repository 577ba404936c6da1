"""The walk over the nodes of a model, in a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Block

from teenyir.diagnostics import CompileError, Diagnostic, did_you_mean
from teenyir.frontend.core import Array, TensorBase, Trace
from teenyir.frontend.errors import TraceError, fail
from teenyir.frontend.onnx.declared import check_dtype
from teenyir.frontend.onnx.definitions import (
    Definition,
    Taken,
    definition,
    known_attributes,
    of_model,
    taken,
)
from teenyir.frontend.onnx.extents import UnsuitedExtent, at_fault
from teenyir.frontend.onnx.folding import fold, told
from teenyir.frontend.onnx.nodes import Node, UnknownInput, shown
from teenyir.frontend.onnx.operators.table import AsDefined, Operator, find
from teenyir.frontend.onnx.shapes import work_out
from teenyir.frontend.onnx.slots import ModelTrace
from teenyir.frontend.onnx.tensors import dtype_name, named_dtype, sparse_to_array, to_array
from teenyir.frontend.onnx.values import Bounded, Told, UnknownExtent, Value, dtype_of, is_symbolic
from teenyir.frontend.tensor import Tensor

if TYPE_CHECKING:
    from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto

DEEPEST = 50
"""How deep operators that are defined by others, and graphs in graphs, may lie in each other."""


MOST_NODES = 200_000
"""Nodes, those of loops and functions counted as often as they are met."""


@dataclass
class Scope:
    """The values of a graph by name, inside of those of the graphs around it."""

    opsets: dict[str, int]
    attributes: dict[str, AttributeProto] = field(default_factory=dict["str", "AttributeProto"])
    """What attributes that refer to those of a function are."""
    prefix: str = ""
    """What the names of nodes are put after."""
    outer: Scope | None = None
    values: dict[str, Value] = field(default_factory=dict[str, Value])

    def find(self, name: str) -> Value:
        """What a name stands for. Raises TraceError where it stands for nothing yet."""
        if not name:
            return None
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        fail(f"'{shown(name)}' has no value here: no input, weight or earlier node gives it")

    def define(self, name: str, value: Value) -> None:
        """Let a name stand for a value. Raises TraceError where it has one."""
        if name in self.values:
            fail(f"'{shown(name)}' is given a value twice")
        self.values[name] = value


class Walk:
    """A model on its way into a trace."""

    def __init__(
        self,
        trace: ModelTrace,
        name: str,
        folder: Path | None,
        functions: dict[tuple[str, str], FunctionProto],
    ) -> None:
        self.trace, self.name, self.folder, self.functions = trace, name, folder, functions
        self.depth = self.count = 0
        self.kept: list[Array] = []
        """The weights, so that no identity is used again."""

    def graph(self, graph: GraphProto, scope: Scope) -> list[Value]:
        """The values of the outputs of a graph whose inputs the scope has."""
        self.weights(graph, scope)
        self.nodes(graph.node, scope)
        return [scope.find(output.name) for output in graph.output]

    def weights(self, graph: GraphProto, scope: Scope) -> None:
        """Define what a graph carries; an input of the same name goes before."""
        for tensor in graph.initializer:
            if tensor.name not in scope.values:
                scope.define(tensor.name, self._weight(tensor))
        for sparse in graph.sparse_initializer:
            if (name := sparse.values.name) not in scope.values:
                scope.define(name, sparse_to_array(sparse, self.folder))

    def _weight(self, tensor: TensorProto) -> Array:
        array = to_array(tensor, self.folder)
        if array.ndim:
            self.trace.names[id(array)] = tensor.name or "weight"
            self.kept.append(array)
        return array

    def nodes(self, nodes: Iterable[NodeProto], scope: Scope) -> None:
        """Define the results of nodes."""
        for index, proto in enumerate(nodes):
            label = scope.prefix + (proto.name or next(filter(None, proto.output), str(index)))
            self.trace.scopes.append(label)
            try:
                self._node(proto, scope)
            except UnknownInput:
                raise
            except CompileError as problem:
                found = _at(problem, self.name, label, proto.op_type)
                if names := at_fault(problem, self.trace.told.keys()):
                    found = UnknownExtent(names, *found.diagnostics)
                elif names := at_fault(problem, self.trace.ranges.keys()):
                    found = UnsuitedExtent(names, *found.diagnostics)
                raise found from problem
            except Exception as problem:  # what a file asks for that no check has foreseen
                reason = f"{type(problem).__name__}: {problem}"
                if isinstance(problem, MemoryError):
                    reason = "asks for more memory than there is"
                raise _at(TraceError(reason), self.name, label, proto.op_type) from problem
            finally:
                self.trace.scopes.pop()

    def _node(self, proto: NodeProto, scope: Scope) -> None:
        self.count += 1
        if self.count > MOST_NODES:
            fail(f"there are more than {MOST_NODES} nodes, with loops and functions written out")
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        inputs = tuple(scope.find(name) for name in proto.input)
        opset = scope.opsets.get(domain, 1)
        self._check_attributes(proto, domain, opset)
        if (domain, proto.op_type) not in self.functions:
            _check_types(inputs, *taken(domain, proto.op_type, opset))
        attributes = self._attributes(proto, scope)
        node = Node(
            proto,
            opset,
            attributes,
            inputs,
            self.folder,
            body_of=lambda graph: self._body(graph, scope),
            demand=lambda place: self._demand(inputs, place),
        )
        for name, value in zip(proto.output, self._results(domain, node, scope), strict=False):
            if name:
                scope.define(name, value)

    def _check_attributes(self, proto: NodeProto, domain: str, opset: int) -> None:
        """Raise where an attribute is there twice, or is none of the operator's.

        ONNX lets names that start with two underscores be anything.
        """
        names = [attribute.name for attribute in proto.attribute]
        if twice := [name for name in names if names.count(name) > 1]:
            fail(f"the attribute '{shown(twice[0])}' is there twice")
        if (function := self.functions.get((domain, proto.op_type))) is not None:
            own = [*function.attribute, *[each.name for each in function.attribute_proto]]
            known = frozenset(own)
        else:
            known = known_attributes(domain, proto.op_type, opset)
        for name in names:
            if known is not None and name not in known and not name.startswith("__"):
                listed = ", ".join(sorted(known)) or "none"
                hint = did_you_mean(name, sorted(known))
                fail(f"the attribute '{shown(name)}' is not known{hint}; there are: {listed}")

    def _attributes(self, proto: NodeProto, scope: Scope) -> dict[str, AttributeProto]:
        found: dict[str, AttributeProto] = {}
        for attribute in proto.attribute:
            if not attribute.ref_attr_name:
                found[attribute.name] = attribute
            elif (held := scope.attributes.get(attribute.ref_attr_name)) is not None:
                found[attribute.name] = held
        return found

    def _results(self, domain: str, node: Node, scope: Scope) -> Sequence[Value]:
        if (function := self.functions.get((domain, node.kind))) is not None:
            return self._expanded(of_model(function, node), node, scope)
        if (operator := find(domain, node.kind, node.opset)) is not None:
            with suppress(AsDefined):
                return self._operated(operator, node)
        if (found := definition(domain, node, node.inputs)) is not None:
            return self._expanded(found, node, scope)
        fail(f"is not supported in version {node.opset} of its operators")

    def _operated(self, operator: Operator, node: Node) -> Sequence[Value]:
        inputs = list(node.inputs)
        for place in operator.known:
            if place not in operator.told or not _is_told(inputs, place):
                self._demand(inputs, place)
        if any(isinstance(value, Told) for value in inputs):
            return told(operator, node, inputs)
        if not any(map(_is_data, inputs)) and not node.has_graph:
            if any(map(is_symbolic, inputs)):
                if (worked := work_out(node, inputs)) is not None:
                    return worked
            elif (folded := fold(operator, node, inputs)) is not None:
                return folded
        return operator(node, inputs)

    def _demand(self, inputs: Sequence[Value], place: int) -> None:
        """Raise where an input is there, and not known."""
        if place >= len(inputs):
            return
        value = inputs[place]
        if isinstance(value, Told):
            fail(f"input {place} is to be known when the model is compiled")
        if isinstance(value, Bounded):
            fail(f"input {place} is to be known when the model is compiled, and data decides it")
        if isinstance(value, TensorBase):
            self._unknown(value, place)

    def _unknown(self, tensor: Tensor, place: int) -> None:
        """Raise UnknownInput, or TraceError where it is not inputs alone that decide."""
        names = _inputs_behind(self.trace, tensor)
        if not names:
            fail(
                f"input {place} is to be known when the model is compiled, and is what a loop or a "
                "weight gives"
            )
        listed = ", ".join(f"'{shown(name)}'" for name in names)
        raise UnknownInput(
            names,
            f"the value of the input {listed} decides what is compiled (input {place} of "
            f"{self.trace.scopes[-1]}); give it: load_onnx(..., values={{{names[0]!r}: ...}})",
        )

    def _expanded(self, found: Definition, node: Node, scope: Scope) -> list[Value]:
        """The results of an operator that is defined by others."""
        function = found.function
        label = self.trace.scopes[-1]
        inner = Scope({**scope.opsets, **found.opsets}, found.attributes, f"{label}/")
        given = [*node.inputs, *[None] * len(function.input)]
        for name, value in zip(function.input, given, strict=False):
            inner.define(name, value)
        with self._deeper():
            self.nodes(function.node, inner)
        wanted = enumerate(function.output[: len(node.outputs)])
        return [inner.find(name) if node.wants(place) else None for place, name in wanted]

    def _body(self, graph: GraphProto, scope: Scope) -> Callable[[Sequence[Value]], list[Value]]:
        """A graph in an attribute as a function."""

        def call(values: Sequence[Value]) -> list[Value]:
            inner = Scope(scope.opsets, scope.attributes, f"{self.trace.scopes[-1]}/", scope)
            if len(values) != len(graph.input):
                fail(f"its graph takes {len(graph.input)} inputs, and is given {len(values)}")
            for given, value in zip(graph.input, values, strict=True):
                inner.define(given.name, value)
            with self._deeper():
                results = self.graph(graph, inner)
            for declared, value in zip(graph.output, results, strict=True):
                if isinstance(value, TensorBase | np.ndarray):
                    check_dtype(declared, dtype_of(value), "the output of its graph")
            return results

        return call

    def _deeper(self) -> _Deeper:
        return _Deeper(self)


@dataclass
class _Deeper:
    """Counts how deep graphs lie in each other."""

    walk: Walk

    def __enter__(self) -> None:
        self.walk.depth += 1
        if self.walk.depth > DEEPEST:
            fail(f"more than {DEEPEST} graphs and functions lie in each other")

    def __exit__(self, *_: object) -> None:
        self.walk.depth -= 1


def _check_types(inputs: Sequence[Value], wanted: Sequence[Taken], is_variadic: bool) -> None:
    """Raise where an input is of a dtype that ONNX's operator does not take."""
    places = chain(wanted, repeat(wanted[-1])) if is_variadic else iter(wanted)
    for place, (value, each) in enumerate(zip(inputs, places, strict=False)):
        if value is None:
            continue
        dtype = dtype_of(value.tensor if isinstance(value, Bounded) else value)
        if dtype_name(dtype) not in each.types:
            listed = ", ".join(sorted(str(named_dtype(name) or name) for name in each.types))
            fail(f"input {place} ({each.name}) is of {dtype}, and is to be of {listed}")


def _is_told(inputs: Sequence[Value], place: int) -> bool:
    return place < len(inputs) and isinstance(inputs[place], Told)


def _is_data(value: Value) -> bool:
    return isinstance(value, TensorBase | Bounded)


def _at(problem: CompileError, model: str, label: str, kind: str) -> CompileError:
    """An error with the node that it is about, if it does not say so already."""
    start = f"{model}: "
    if problem.diagnostics[0].message.startswith(start):
        return problem
    first, *rest = problem.diagnostics
    message = f"{start}node '{shown(label)}' ({shown(kind)}): {first.message}"
    is_about = isinstance(problem, UnknownExtent | UnsuitedExtent)
    kind_of = TraceError if is_about else type(problem)
    return kind_of(Diagnostic(first.severity, message, first.location, first.notes), *rest)


def _inputs_behind(trace: Trace, tensor: Tensor) -> list[str]:
    """The inputs that a value is made of; none where a loop or a branch has part in it."""
    seen: set[object] = set()
    pending, found = [tensor.value], dict[str, None]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if not isinstance(owner, Block):
            pending += owner.operands
        elif owner is not trace.entry:
            return []
        elif (name := trace.arguments[owner.args.index(value)]) not in trace.parameters:
            found[name] = None
    return list(found)
