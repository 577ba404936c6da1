"""The inputs of a model: their extents and dtypes, and the values that are given for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from teenyir.analysis.binding import LIMIT
from teenyir.diagnostics import InputError, did_you_mean, error
from teenyir.dialects import dtypes
from teenyir.frontend.core import Array
from teenyir.frontend.dims import Dim, Extent, Spec, merge_ranges, ranges_of, to_expr
from teenyir.frontend.errors import TraceError, user_place
from teenyir.frontend.onnx.extents import read_extent
from teenyir.frontend.onnx.nodes import shown
from teenyir.frontend.onnx.tensors import dtype_of

if TYPE_CHECKING:
    from onnx import GraphProto, TensorProto, ValueInfoProto


@dataclass(frozen=True)
class Inputs:
    """What a model says of its inputs."""

    specs: dict[str, Spec]
    """Extents and dtype of those that a call has to pass, by name."""
    optional: dict[str, Spec]
    """Of those that a weight is the value of, unless a call passes another."""
    unused: tuple[str, ...]
    """Those that are no tensors of numbers, and that nothing reads."""
    extents: dict[str, Extent]
    """What the names that the model has for extents mean."""

    @property
    def every(self) -> dict[str, Spec]:
        """Extents and dtype of all that a call may pass."""
        return {**self.specs, **self.optional}


def read_inputs(graph: GraphProto, name: str, dims: Mapping[str, Extent]) -> Inputs:
    """The inputs of a graph. Raises InputError where one is no tensor, or contradicts a weight."""
    weights = {tensor.name: tensor for tensor in graph.initializer}
    weights |= {sparse.values.name: None for sparse in graph.sparse_initializer}
    found: dict[str, Spec] = {}
    optional: dict[str, Spec] = {}
    unused: list[str] = []
    names: dict[str, Extent] = dict(dims)
    _read_extents(graph, names)
    read = set(_read(graph))
    for value in graph.input:
        if value.name in found or value.name in optional or value.name in unused:
            raise InputError(f"{name}: two inputs are called '{shown(value.name)}'")
        if value.name not in read and not _is_tensor_of_numbers(value):
            unused.append(value.name)
        elif value.name not in weights:
            found[value.name] = _spec(value, name, names)
        elif (weight := weights[value.name]) is not None:
            optional[value.name] = _spec_of_weight(value, weight, name, names)
    _check_dims(graph, name, dims)
    return Inputs(found, optional, tuple(unused), names)


def _read_extents(graph: GraphProto, names: dict[str, Extent]) -> None:
    """Let sums and products of extents be such: exporters write `past + new` for a third one."""
    texts = [dim.dim_param for value in graph.input for dim in value.type.tensor_type.shape.dim]
    for text in texts:
        if text not in names and (expr := read_extent(text)) and expr.names <= set(texts):
            parts = {n: names.setdefault(n, _dim(n, names)) for n in sorted(expr.names)}
            put = expr.substitute({n: to_expr(extent) for n, extent in parts.items()})
            names[text] = Dim.of(put, merge_ranges(*map(ranges_of, parts.values())))


def checked_dims(dims: object) -> dict[str, Extent]:
    """What a caller says of extents. Raises InputError where one is no extent."""
    wanted = "dims maps names of extents to integers or dims"
    if not isinstance(dims, Mapping):
        raise InputError(error(f"{wanted}, got {type(dims).__name__}", user_place()))
    found: dict[str, Extent] = {}
    for name, extent in cast("Mapping[object, object]", dims).items():
        if not isinstance(name, str):
            raise InputError(error(f"{wanted}, got the name {name!r}", user_place()))
        if isinstance(extent, np.integer):
            extent = int(cast("np.integer[Any]", extent))
        if isinstance(extent, bool) or not isinstance(extent, int | Dim):
            what = f"{extent!r} of type {type(extent).__name__}"
            raise InputError(
                error(f"the extent {name} is an integer or a dim, got {what}", user_place())
            )
        if isinstance(extent, int) and not 0 <= extent < LIMIT:
            raise InputError(
                error(f"the extent {name} is from 0 to below 2**63, got {extent}", user_place())
            )
        found[name] = extent
    return found


def _read(graph: GraphProto) -> Iterator[str]:
    """The names that nodes, and those of graphs in their attributes, take; and the outputs."""
    pending = [graph]
    while pending:
        each = pending.pop()
        yield from (output.name for output in each.output)
        for node in each.node:
            yield from node.input
            for attribute in node.attribute:
                pending += [attribute.g] if attribute.HasField("g") else []
                pending += attribute.graphs


def _is_tensor_of_numbers(value: ValueInfoProto) -> bool:
    if not value.type.HasField("tensor_type"):
        return False
    try:
        dtype_of(value.type.tensor_type.elem_type, "")
    except InputError:
        return False
    return True


def _check_dims(graph: GraphProto, name: str, dims: Mapping[str, Extent]) -> None:
    called = {
        _called(value, place)
        for value in graph.input
        for place, dim in enumerate(value.type.tensor_type.shape.dim)
        if not _is_stated(dim)
    }
    for dim in dims:
        if dim not in called:
            known = sorted(called) or ["none"]
            hint = did_you_mean(dim, known) or f" (there are {', '.join(known)})"
            raise InputError(f"{name}: no extent is called '{dim}'{hint}")


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
        if _is_stated(dim):
            if dim.dim_value < 0:
                raise InputError(f"{what} has a negative extent: {dim.dim_value}")
            shape.append(dim.dim_value)
        else:
            called = _called(value, place)
            shape.append(dims.setdefault(called, _dim(called, dims)))
    return Spec(shape, dtype)


def _is_stated(dim: Any) -> bool:
    """Whether an extent is a number; exporters write -1 for one that they do not know."""
    return dim.HasField("dim_value") and dim.dim_value != -1


def _spec_of_weight(
    value: ValueInfoProto, weight: TensorProto, name: str, dims: dict[str, Extent]
) -> Spec:
    """The spec of an input with a value of its own, which has to suit."""
    what = f"{name}: the input '{shown(value.name)}'"
    own = Spec([int(extent) for extent in weight.dims], dtype_of(weight.data_type, what))
    if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
        return own
    spec = _spec(value, name, dims)
    if spec.dtype != own.dtype or not fits(spec.shape, cast("Sequence[int]", own.shape)):
        raise InputError(
            f"{what} is declared as {text_of(spec)}, and the weight of its name is {text_of(own)}"
        )
    return spec


def text_of(spec: Spec) -> str:
    """What an input is, as messages say it: `float32[N, 4]`."""
    return f"{spec.dtype}[{', '.join(map(str, spec.shape))}]"


def fits(shape: Sequence[Extent], other: Sequence[int]) -> bool:
    """Whether an array of known extents can be what has these ones."""
    return len(shape) == len(other) and all(
        isinstance(a, Dim) or a == b for a, b in zip(shape, other, strict=True)
    )


def _called(value: ValueInfoProto, place: int) -> str:
    """The name of an extent of an input; one without is called by its input and place: `x_0`."""
    return value.type.tensor_type.shape.dim[place].dim_param or f"{value.name}_{place}"


def _dim(name: str, taken: Mapping[str, Extent]) -> Extent:
    """The dim of a name in a model, which may hold any characters."""
    plain = plain_name(name)
    used = {dim.expr for dim in taken.values() if isinstance(dim, Dim)}
    found, count = Dim(plain, min=1), 1
    while found.expr in used:
        found, count = Dim(f"{plain}_{count}", min=1), count + 1
    return found


def plain_name(name: str) -> str:
    """A name of a model as one that an extent can have."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    plain = plain if re.match(r"[A-Za-z_]", plain) else f"N{plain}"
    try:
        Dim(plain)
    except TraceError:  # it is a keyword
        return f"{plain}_"
    return plain


# --- values ---------------------------------------------------------------------------------------


def given_values(specs: Mapping[str, Spec], values: Mapping[str, Any]) -> dict[str, Array]:
    """Values of inputs as arrays of their dtypes, of dtype object where there are dims among them.

    Raises InputError where they do not fit.
    """
    if not isinstance(cast(object, values), Mapping):
        got = type(values).__name__
        raise InputError(error(f"values maps names of inputs to arrays, got {got}", user_place()))
    found: dict[str, Array] = {}
    for name, value in values.items():
        if not isinstance(cast(object, name), str):
            raise InputError(error(f"an input has a name, got {name!r}", user_place()))
        if name not in specs:
            hint = did_you_mean(name, list(specs)) or f" (there are {', '.join(specs) or 'none'})"
            raise InputError(error(f"there is no input '{name}'{hint}", user_place()))
        found[name] = array = _given(name, specs[name], value)
        if not fits(specs[name].shape, array.shape):
            wanted = f"({', '.join(map(str, specs[name].shape))})"
            raise InputError(
                error(f"input '{name}' has the shape {wanted}, got {array.shape}", user_place())
            )
    return found


def _given(name: str, spec: Spec, value: Any) -> Array:
    try:
        array: Array = np.array(value)
    except (ValueError, TypeError, OverflowError) as problem:
        raise InputError(
            error(
                f"input '{name}' is {text_of(spec)}, got what is no array: {problem}", user_place()
            )
        ) from None
    if array.dtype == spec.dtype.numpy():
        return array
    if array.dtype == object and spec.dtype.kind == "int" and _are_extents(array):
        return array
    natural = dtypes.of_numpy(array.dtype)
    if natural is None or (
        isinstance(value, np.ndarray | np.generic) or natural.kind != spec.dtype.kind
    ):
        raise InputError(
            error(f"input '{name}' is of {spec.dtype}, got {array.dtype}", user_place())
        )
    return array.astype(spec.dtype.numpy())


def _are_extents(array: Array) -> bool:
    return all(isinstance(each, int | np.integer | Dim) for each in array.flat)
