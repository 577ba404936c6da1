"""`ty.load_onnx`, and the model that it gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from teenyir.diagnostics import (
    CompileError,
    Diagnostic,
    InputError,
    RunError,
    did_you_mean,
    error,
    note,
)
from teenyir.dialects import graph as graph_dialect
from teenyir.frontend.core import Array, Trace, tracing
from teenyir.frontend.dims import Dim, Extent, Spec
from teenyir.frontend.dtypes import as_dtype
from teenyir.frontend.errors import TraceError, user_place
from teenyir.frontend.onnx.definitions import defined
from teenyir.frontend.onnx.files import Source, read_model
from teenyir.frontend.onnx.graph import Scope, Walk
from teenyir.frontend.onnx.nodes import UnknownInput, shown
from teenyir.frontend.onnx.operators.table import LATEST, find
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.onnx.values import Bounded, Value, lifted
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.tracing import Traced, finish
from teenyir.frontend.trees import LEAF, Tree

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto

    from teenyir.runtime.compiled import Compiled
    from teenyir.runtime.lowered import Lowered

MOST_LISTED = 20
"""Nodes that are listed where operators are missing."""


@dataclass
class OnnxProgram(Traced):
    """A program made of a model. A call gives the outputs in order, one alone as it is.

    Where data decides how many elements of an output count, the program has room for all there can
    be, and says how many in outputs of its own, `NAME.count0` for the first axis. A call of what is
    compiled takes these off.
    """

    counted: tuple[tuple[int, ...], ...] = ()
    """By output, the axes of which data decides how many places count."""

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
        return lower(self.module, target, self.parameters, None if is_plain else self.gather)


@dataclass
class OnnxModel:
    """A model of ONNX: a program, and arrays that it is called with.

    Where the value of an input decides what is compiled (the shape of a `Reshape`), there is a
    program for each value that occurs.
    """

    proto: ModelProto
    name: str
    folder: Path | None
    specs: dict[str, Spec]
    """Extents and dtype of each input, by name."""
    values: dict[str, Array]
    """The inputs whose values are part of the program."""
    remarks: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """Which inputs a program was compiled for the values of."""
    _compiled: dict[tuple[Any, ...], Compiled] = field(default_factory=dict[Any, Any])
    _deciding: tuple[str, ...] = ()

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs that a call passes, in order."""
        return [name for name in self.specs if name not in self.values]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in order."""
        return [output.name for output in self.proto.graph.output]

    @property
    def deciding(self) -> tuple[str, ...]:
        """The inputs whose values were found to decide what is compiled."""
        return self._deciding

    def trace(self, values: Mapping[str, Any] | None = None) -> OnnxProgram:
        """The program on the graph floor, for these values of inputs.

        Raises CompileError where the model cannot be a program; `UnknownInput` where the value of
        an input decides what it is.
        """
        known = {**self.values, **_given(self.specs, values or {})}
        trace = Trace(Tensor)
        trace.from_file = True
        with tracing(trace):
            scope = Scope({_domain(e.domain): e.version for e in self.proto.opset_import})
            for name, spec in self.specs.items():
                scope.define(name, known[name] if name in known else _argument(trace, name, spec))
            functions = {(_domain(f.domain), f.name): f for f in self.proto.functions}
            walk = Walk(trace, self.name, self.folder, functions)
            results = walk.graph(self.proto.graph, scope)
            return self._finished(trace, results)

    def _finished(self, trace: Trace, results: Sequence[Value]) -> OnnxProgram:
        if not results:
            raise InputError(f"{self.name}: has no outputs")
        named: dict[str, Tensor] = {}
        counted: list[tuple[int, ...]] = []
        for name, value in zip(self.output_names, results, strict=True):
            if value is None:
                raise InputError(f"{self.name}: the output '{shown(name)}' is left out")
            if name in named:
                raise InputError(f"{self.name}: two outputs are called '{shown(name)}'")
            counts = value.counts if isinstance(value, Bounded) else {}
            named[name] = value.tensor if isinstance(value, Bounded) else lifted(value)
            named.update({f"{name}.count{axis}": count for axis, count in counts.items()})
            counted.append(tuple(counts))
        tree = Tree(dict, tuple((name, LEAF) for name in named))
        inputs = len(self.specs.keys() & set(trace.arguments))
        done = finish(trace, list(named.values()), tree, inputs)
        return OnnxProgram(done.module, done.parameters, done.outputs, tuple(counted))

    def lower(self, target: str = "cpu") -> Lowered:
        """The program on the machine floor of a target. Raises CompileError."""
        return self.trace().lower(target)

    def as_text(self) -> str:
        """The IR as text, without the weights."""
        return self.trace().as_text()

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """The outputs for arrays, in the order of `input_names` or by name.

        It is compiled for the CPU when it is first called, and again for each value of the inputs
        that decide what is compiled. Raises RunError where the arrays do not fit.
        """
        given = _by_name(self, arrays, named)
        while True:
            _check_there(self.deciding, given)
            key = tuple(
                (n, given[n].dtype, given[n].shape, given[n].tobytes()) for n in self.deciding
            )
            if key not in self._compiled:
                try:
                    self._compile(key, {name: given[name] for name in self.deciding})
                except UnknownInput as unknown:
                    new = [name for name in unknown.names if name in given]
                    if not new:
                        raise
                    self._deciding = (*self._deciding, *new)
                    continue
            rest: dict[str, Any] = {n: a for n, a in given.items() if n not in self.deciding}
            return self._compiled[key](**rest)

    def _compile(self, key: tuple[Any, ...], values: Mapping[str, Array]) -> None:
        self._compiled[key] = self.trace(values).lower().compile()
        if values:
            listed = ", ".join(f"'{name}'" for name in values)
            message = f"compiled for this value of {listed}, which decides extents"
            self.remarks.append(Diagnostic("remark", f"{self.name}: {message}"))


def load_onnx(
    source: Source,
    *,
    dims: Mapping[str, Extent] | None = None,
    values: Mapping[str, Any] | None = None,
) -> OnnxModel:
    """A model of ONNX from the path of a file, bytes or an `onnx.ModelProto`.

    An extent that has a name in the model is a `ty.Dim` from 1 on, unless `dims` says what it is:
    an integer, or a dim with a range. `values` are inputs that are part of the program; they are
    no inputs any more. Weights are the program's parameters under their names, and data of theirs
    beside the file is read from its folder alone.

    Raises CompileError where it is no model, is damaged, or has operators that are not supported:
    these are listed all at once.
    """
    proto, name, folder = read_model(source)
    _check_opsets(proto, name)
    _check_operators(proto, name)
    specs = _specs(proto.graph, name, dims or {})
    held = _given(specs, values or {})
    return OnnxModel(proto, name, folder, specs, held)


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


# --- what is there --------------------------------------------------------------------------------


def _check_opsets(proto: ModelProto, name: str) -> None:
    versions = {_domain(each.domain): each.version for each in proto.opset_import}
    if not versions and proto.ir_version > 2:
        raise InputError(f"{name}: does not say which version of operators it is made of")
    for domain, version in versions.items():
        latest = LATEST.get(domain)
        if latest is not None and not 1 <= version <= latest:
            called = domain or "ai.onnx"
            raise InputError(
                f"{name}: needs version {version} of the operators {called}, of which 1 to "
                f"{latest} are known; convert it with onnx.version_converter"
            )


def _check_operators(proto: ModelProto, name: str) -> None:
    """Raise InputError that lists every node whose operator is not there."""
    known = {(_domain(f.domain), f.name) for f in proto.functions}
    opsets = {_domain(each.domain): each.version for each in proto.opset_import}
    missing: dict[str, list[str]] = {}
    places = [(proto.graph.node, opsets)]
    for function in proto.functions:
        own = {_domain(each.domain): each.version for each in function.opset_import}
        places.append((function.node, {**opsets, **own}))
    for nodes, versions in places:
        for node in _all_nodes(nodes, 0):
            domain = _domain(node.domain)
            version = versions.get(domain, 1)
            if (domain, node.op_type) in known or find(domain, node.op_type, version):
                continue
            if not defined(domain, node.op_type, version):
                kind = f"{domain + '.' if domain else ''}{node.op_type} (version {version})"
                label = node.name or next(iter(node.output), "")
                missing.setdefault(shown(kind), []).append(f"'{shown(label)}'")
    if missing:
        raise InputError(_missing(missing, name))


def _missing(missing: Mapping[str, Sequence[str]], name: str) -> Diagnostic:
    count = len(missing)
    what = "operator is" if count == 1 else "operators are"
    found = error(f"{name}: {count} {what} not supported: {', '.join(sorted(missing))}")
    for kind in sorted(missing):
        nodes = missing[kind]
        more = f" and {len(nodes) - MOST_LISTED} more" if len(nodes) > MOST_LISTED else ""
        found = found.with_notes(note(f"{kind}: {', '.join(nodes[:MOST_LISTED])}{more}"))
    return found


def _all_nodes(nodes: Sequence[NodeProto], depth: int) -> Iterator[NodeProto]:
    """Nodes, and those of graphs in their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _all_nodes(attribute.g.node, depth + 1)


# --- inputs ---------------------------------------------------------------------------------------


def _specs(graph: GraphProto, name: str, dims: Mapping[str, Extent]) -> dict[str, Spec]:
    """The inputs that no weight is the value of, by name."""
    weights = {tensor.name for tensor in graph.initializer}
    found: dict[str, Spec] = {}
    names: dict[str, Extent] = dict(dims)
    for value in graph.input:
        if value.name in weights:
            continue
        if value.name in found:
            raise InputError(f"{name}: two inputs are called '{shown(value.name)}'")
        found[value.name] = _spec(value, name, names)
    called = {
        _called(value, place)
        for value in graph.input
        for place, dim in enumerate(value.type.tensor_type.shape.dim)
        if not dim.HasField("dim_value")
    }
    for dim in dims:
        if dim not in called:
            known = sorted(called) or ["none"]
            hint = did_you_mean(dim, known) or f" (there are {', '.join(known)})"
            raise InputError(f"{name}: no extent is called '{dim}'{hint}")
    return found


def _spec(value: ValueInfoProto, name: str, dims: dict[str, Extent]) -> Spec:
    what = f"{name}: the input '{shown(value.name)}'"
    if not value.type.HasField("tensor_type"):
        kind = value.type.WhichOneof("value") or "nothing"
        raise InputError(f"{what} is no tensor but {kind.removesuffix('_type')}")
    type = value.type.tensor_type
    dtype = dtype_of(type.elem_type, what)
    if not type.HasField("shape"):
        raise InputError(f"{what} has no shape in the model; say it with onnx.shape_inference")
    shape: list[Extent] = []
    for place, dim in enumerate(type.shape.dim):
        if dim.HasField("dim_value"):
            if dim.dim_value < 0:
                raise InputError(f"{what} has a negative extent: {dim.dim_value}")
            shape.append(dim.dim_value)
        else:
            called = _called(value, place)
            shape.append(dims.setdefault(called, _dim(called, dims)))
    return Spec(shape, dtype)


def _called(value: ValueInfoProto, place: int) -> str:
    """The name of an extent of an input; one without is called by its input and place: `x_0`."""
    return value.type.tensor_type.shape.dim[place].dim_param or f"{value.name}_{place}"


def _dim(name: str, taken: Mapping[str, Extent]) -> Extent:
    """The dim of a name in a model, which may hold any characters."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    plain = plain if re.match(r"[A-Za-z_]", plain) else f"N{plain}"
    used = {dim.expr for dim in taken.values() if isinstance(dim, Dim)}
    found, count = Dim(_unreserved(plain), min=1), 1
    while found.expr in used:
        found, count = Dim(f"{plain}_{count}", min=1), count + 1
    return found


def _unreserved(name: str) -> str:
    try:
        Dim(name)
    except TraceError:
        return f"{name}_"
    return name


def _argument(trace: Trace, name: str, spec: Spec) -> Tensor:
    extents = trace.learn(spec.shape)
    return trace.argument(name, graph_dialect.tensor(spec.dtype.element, extents))


def _given(specs: Mapping[str, Spec], values: Mapping[str, Any]) -> dict[str, Array]:
    """Values of inputs as arrays of their dtypes. Raises InputError where they do not fit."""
    found: dict[str, Array] = {}
    for name, value in values.items():
        if name not in specs:
            hint = did_you_mean(name, list(specs)) or f" (there are {', '.join(specs) or 'none'})"
            raise InputError(error(f"there is no input '{name}'{hint}", user_place()))
        spec, array = specs[name], np.array(value)
        if array.dtype != spec.dtype.numpy():
            natural = as_dtype(array.dtype)
            if not isinstance(value, np.ndarray | np.generic) and natural.kind == spec.dtype.kind:
                array = array.astype(spec.dtype.numpy())
            else:
                raise InputError(
                    error(f"input '{name}' is of {spec.dtype}, got {array.dtype}", user_place())
                )
        suits = len(spec.shape) == array.ndim and all(
            isinstance(e, Dim) or e == n for e, n in zip(spec.shape, array.shape, strict=True)
        )
        if not suits:
            wanted = f"({', '.join(map(str, spec.shape))})"
            raise InputError(
                error(f"input '{name}' has the shape {wanted}, got {array.shape}", user_place())
            )
        found[name] = array
    return found


def _check_there(names: Sequence[str], given: Mapping[str, Array]) -> None:
    for name in names:
        if name not in given:
            raise RunError(f"input '{name}' is missing: its value decides what is compiled")


def _by_name(model: OnnxModel, arrays: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Array]:
    names = model.input_names
    if len(arrays) > len(names):
        raise CompileError(
            error(f"{model.name} takes {len(names)} inputs, got {len(arrays)}", user_place())
        )
    given = dict(zip(names, arrays, strict=False))
    for name in given.keys() & named.keys():
        raise CompileError(error(f"input '{name}' is given twice", user_place()))
    return {name: np.asarray(value) for name, value in {**given, **named}.items()}
