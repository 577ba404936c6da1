"""Attributes as small numbers, for keys that are quick to hash and to compare."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute


class AttributeNumbers:
    """A number for each attribute, equal for equal ones: hashing an attribute is costly."""

    def __init__(self) -> None:
        self._by_value: dict[Hashable, int] = {}
        self._by_id: dict[int, tuple[int, Attribute]] = {}
        """By the id of an attribute, which is kept alive so that its id stays its own."""

    def of(self, attribute: Attribute) -> int:
        """The number of an attribute."""
        known = self._by_id.get(id(attribute))
        if known is not None:
            return known[0]
        number = self._by_value.setdefault(self._identity(attribute), len(self._by_value))
        self._by_id[id(attribute)] = (number, attribute)
        return number

    def _identity(self, attribute: Attribute) -> Hashable:
        """What equal attributes have in common and others do not, quicker to hash if common."""
        kind = attribute.__class__
        if kind is IntegerType:
            # Hashing a member of an enumeration runs Python; its id does as well.
            type = cast(IntegerType, attribute)
            return IntegerType, type.width.data, id(type.signedness.data)
        if kind is IntegerAttr:
            number = cast(IntegerAttr[IntegerType | IndexType], attribute)
            return IntegerAttr, number.value.data, self.of(number.type)
        return attribute

    def of_items(self, attributes: dict[str, Attribute]) -> Hashable:
        """What equal dictionaries of attributes have in common, in whatever order."""
        if len(attributes) == 1:
            ((name, value),) = attributes.items()
            return name, self.of(value)
        return tuple(sorted([(name, self.of(value)) for name, value in attributes.items()]))

    def forget(self) -> None:
        """Let go of attributes that are not the first of their value, and may be gone in the IR."""
        self._by_id.clear()
