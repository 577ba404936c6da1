"""Types below the graph floor are a scalar or a vector of scalars: how to look at both alike."""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa


def lanes(type: Attribute) -> int | None:
    """The number of elements of a vector type, None for a scalar type."""
    return type.get_shape()[0] if isa(type, VectorType[Attribute]) else None


def element(type: Attribute) -> Attribute:
    """The element type of a vector type, the type itself for a scalar."""
    return type.element_type if isa(type, VectorType[Attribute]) else type


def like(type: Attribute, new_element: Attribute) -> Attribute:
    """`new_element`, or a vector of it as long as the vector type `type`."""
    count = lanes(type)
    return new_element if count is None else VectorType(new_element, [count])
