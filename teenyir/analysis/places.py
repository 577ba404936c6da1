"""Places: what an IR location names, a line of a file and a composite, for people."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

from teenyir.diagnostics import Location


def fused_members(location: FusedLoc) -> tuple[Attribute, ...]:
    """The locations that a fused one holds."""
    locations = location.locations
    return cast(ArrayAttr[Attribute], locations).data if isinstance(locations, ArrayAttr) else ()


def place_of(location: Attribute) -> Location | None:
    """The first file, line and column that an IR location names, or None."""
    match location:
        case FileLineColLoc():
            return Location(location.filename.data, location.line.data, location.column.data)
        case NameLoc():
            return place_of(location.location)
        case CallSiteLoc():
            return place_of(location.callee) or place_of(location.caller)
        case FusedLoc():
            places = map(place_of, fused_members(location))
            return next((place for place in places if place is not None), None)
        case _:
            return None


def place_of_op(op: Operation) -> Location | None:
    """The place of an operation, or of the nearest operation around it that has one."""
    current: Operation | None = op
    while current is not None:
        if (place := place_of(current.location)) is not None:
            return place
        current = current.parent_op()
    return None


def composite_of(location: Attribute) -> str | None:
    """The composite of the frontend that an op was made by, the first one where several were."""
    match location:
        case CallSiteLoc(callee=NameLoc(location=UnknownLoc()) as callee):
            return callee.desc.data
        case NameLoc():
            return composite_of(location.location)
        case FusedLoc():
            found = map(composite_of, fused_members(location))
            return next((name for name in found if name is not None), None)
        case _:
            return None
