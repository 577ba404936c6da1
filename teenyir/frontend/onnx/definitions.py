"""An operator as a graph of others: as ONNX defines it, or as a function that the model carries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.files import import_onnx
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.tensors import code_of
from teenyir.frontend.onnx.values import Bounded, Value, dtype_of, shape_of

if TYPE_CHECKING:
    from onnx import AttributeProto, FunctionProto


@dataclass(frozen=True)
class Definition:
    """The body of an operator, and the attributes that its nodes refer to."""

    function: FunctionProto
    attributes: dict[str, AttributeProto]

    @property
    def opsets(self) -> dict[str, int]:
        """The versions of the sets of operators that it uses."""
        return {each.domain: each.version for each in self.function.opset_import}


def defined(domain: str, name: str, opset: int) -> bool:
    """Whether ONNX defines an operator by others."""
    schema = _schema(domain, name, opset)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


@cache
def known_attributes(domain: str, name: str, opset: int) -> frozenset[str] | None:
    """The attributes that ONNX says an operator has; None where it does not say."""
    schema = _schema(domain, name, opset)
    return None if schema is None else frozenset(schema.attributes)


@dataclass(frozen=True)
class Taken:
    """What ONNX says an operator takes at a place."""

    name: str
    types: frozenset[str]
    """ONNX's names of element types."""


@cache
def taken(domain: str, name: str, opset: int) -> tuple[tuple[Taken, ...], bool]:
    """What an operator takes, and whether there may be more of the last; nothing if not known."""
    schema = _schema(domain, name, opset)
    if schema is None:
        return (), False
    inputs: list[Any] = list(schema.inputs)
    is_variadic = bool(inputs) and inputs[-1].option.name == "Variadic"
    return tuple(Taken(each.name, _element_types(each.types)) for each in inputs), is_variadic


def _element_types(types: Iterable[str]) -> frozenset[str]:
    """Of `tensor(float)`, FLOAT; sequences, optionals and maps stay as they are."""
    return frozenset(
        each[len("tensor(") : -1].upper() if each.startswith("tensor(") else each for each in types
    )


def definition(domain: str, node: Node, inputs: Sequence[Value]) -> Definition | None:
    """What ONNX defines a node with these inputs to be, in the newest version that suits."""
    schema = _schema(domain, node.kind, node.opset)
    if schema is None:
        return None
    versions = [v for v in schema.function_opset_versions if v <= node.opset]
    if versions:
        data = schema.get_function_with_opset_version(max(versions))
    else:
        versions = [v for v in schema.context_dependent_function_opset_versions if v <= node.opset]
        if not versions:
            return None
        types = [_type_of(value) for value in inputs]
        data = schema.get_context_dependent_function_with_opset_version(
            max(versions), _plain(node).SerializeToString(), types
        )
    function: FunctionProto = import_onnx().FunctionProto()
    function.ParseFromString(data)
    if not function.node:
        return None
    attributes = {
        attribute.name: attribute.default_value
        for attribute in schema.attributes.values()
        if attribute.default_value.type
    }
    return Definition(function, {**attributes, **node.attributes})


def of_model(function: FunctionProto, node: Node) -> Definition:
    """A function of the model, with the attributes of a node that calls it."""
    defaults = {attribute.name: attribute for attribute in function.attribute_proto}
    return Definition(function, {**defaults, **node.attributes})


def _schema(domain: str, name: str, opset: int) -> Any:
    onnx = import_onnx()
    try:
        return onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError:
        return None


def _plain(node: Node) -> Any:
    """The node with attributes in place of references to them."""
    proto = import_onnx().NodeProto()
    proto.CopyFrom(node.proto)
    del proto.attribute[:]
    proto.attribute.extend(node.attributes.values())
    return proto


def _type_of(value: Value) -> bytes:
    """The type of a value as a message; empty for one that is left out."""
    proto = import_onnx().TypeProto()
    if isinstance(value, Bounded):
        fail("does not take a tensor whose extent data decides")
    if value is not None:
        tensor = proto.tensor_type
        tensor.elem_type = code_of(dtype_of(value))
        tensor.shape.SetInParent()
        for extent in shape_of(value):
            dim = tensor.shape.dim.add()
            if isinstance(extent, int):
                dim.dim_value = extent
    return cast(bytes, proto.SerializeToString())
