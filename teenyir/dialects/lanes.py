"""Types below the graph floor are a scalar or a vector of scalars: how to look at both alike."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute


def is_vector(type: Attribute) -> TypeGuard[VectorType[Attribute]]:
    """Whether a type is a vector type; xDSL's `isa` builds a constraint each time it is asked, and
    `isinstance` of its classes, which are abstract, runs Python for all other types."""
    return type.__class__ is VectorType


def lanes(type: Attribute) -> int | None:
    """The number of elements of a vector type, None for a scalar type."""
    return type.get_shape()[0] if is_vector(type) else None


def element(type: Attribute) -> Attribute:
    """The element type of a vector type, the type itself for a scalar."""
    return type.element_type if is_vector(type) else type


@lru_cache(256)
def like(type: Attribute, new_element: Attribute) -> Attribute:
    """`new_element`, or a vector of it as long as the vector type `type`."""
    count = lanes(type)
    return new_element if count is None else VectorType(new_element, [count])
