"""Where an operation came from, and how rewrites hand that on.

Every operation carries a location. A rewrite that replaces operations by others must not lose it,
and its author should not have to think of it: `LocationListener` watches a rewriter and gives new
operations the location of what they replace. Lowerings that build operations without a rewriter
use `LocatedBuilder`, or `locate` for a single one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeGuard

from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriterListener
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from teenyir.analysis.places import fused_members
from teenyir.analysis.places import place_of as place_of
from teenyir.analysis.places import place_of_op as place_of_op

_NO_METADATA = NoneAttr()
_NOWHERE = (UnknownLoc, NoneAttr)

MOST_FUSED = 8
"""A fused location keeps at most this many places, the first ones: more tell a reader nothing."""


def is_known(location: Attribute) -> bool:
    """Whether a location names a place."""
    return type(location) not in _NOWHERE


@cache
def is_constant(kind: type[Operation]) -> bool:
    """Whether operations of a kind are constants."""
    return kind.has_trait(ConstantLike, value_if_unregistered=False)


def fuse_locations(locations: Iterable[Attribute]) -> LocationAttr:
    """One location for several: distinct, flattened, in order, at most `MOST_FUSED` of them."""
    distinct: dict[Hashable, Attribute] = {}
    for location in locations:
        if not distinct and _is_full(location):
            return location
        for part in _parts(location):
            distinct.setdefault(_identity(part), part)
            if len(distinct) == MOST_FUSED:
                return _fused(tuple(distinct.values()))
    if len(distinct) > 1:
        return _fused(tuple(distinct.values()))
    for only in distinct.values():
        assert isinstance(only, LocationAttr)
        return only
    return UNKNOWN_LOC


def _fused(parts: tuple[Attribute, ...]) -> FusedLoc:
    """A fused location of parts that are locations, which is what its constructor would check.

    Checking each part anew at every rewrite takes longer than the rewrite.
    """
    array: ArrayAttr[Attribute] = object.__new__(ArrayAttr)
    object.__setattr__(array, "data", parts)
    fused = object.__new__(FusedLoc)
    object.__setattr__(fused, "locations", array)
    object.__setattr__(fused, "metadata", _NO_METADATA)
    return fused


def _identity(location: Attribute) -> Hashable:
    """What equal locations have in common and is quick to compare."""
    if type(location) is FileLineColLoc:
        return location.filename.data, location.line.data, location.column.data
    return location


def _is_full(location: Attribute) -> TypeGuard[FusedLoc]:
    return _is_plainly_fused(location) and len(fused_members(location)) == MOST_FUSED


def _is_plainly_fused(location: Attribute) -> TypeGuard[FusedLoc]:
    return type(location) is FusedLoc and type(location.metadata) is NoneAttr


def _parts(location: Attribute) -> Iterable[Attribute]:
    """The known locations that `location` fuses; itself, if it fuses none."""
    if _is_plainly_fused(location):
        return [part for member in fused_members(location) for part in _parts(member)]
    return (location,) if is_known(location) else ()


def locate(op: Operation, *sources: Operation | Attribute) -> Operation:
    """Give `op` the fused locations of `sources` (operations or locations), and return it."""
    op.location = fuse_locations(s.location if isinstance(s, Operation) else s for s in sources)
    return op


def _stamp(op: Operation, location: LocationAttr) -> None:
    """Give `location` to `op` and the operations inside it that have none."""
    for inner in op.walk() if op.regions else (op,):
        if isinstance(inner.location, UnknownLoc):
            inner.location = location


class LocatedBuilder(Builder):
    """A builder that gives each operation it inserts its current `location`.

    An operation that already has a location keeps it. Set `location` (or call `at`) whenever the
    source of what is being built changes.
    """

    location: LocationAttr

    def __init__(self, insertion_point: InsertPoint, location: LocationAttr = UNKNOWN_LOC) -> None:
        super().__init__(insertion_point)
        self.location = location
        self.operation_insertion_handler.append(lambda op: _stamp(op, self.location))

    def at(self, *sources: Operation | Attribute) -> LocatedBuilder:
        """Build for `sources` from here on: their locations, fused."""
        self.location = fuse_locations(
            s.location if isinstance(s, Operation) else s for s in sources
        )
        return self


@dataclass(eq=False)
class LocationListener(PatternRewriterListener):
    """Hands locations on during pattern rewriting.

    New operations without a location get that of the operation being rewritten: `root` where the
    driver sets it, otherwise the operation that they replace. An operation that was there before
    and takes the place of another one is fused with it, unless it is a constant: a constant is
    shared by operations that have nothing to do with each other.
    """

    root: Operation | None = None
    """The operation being rewritten, where the driver says so."""
    _pending: list[Operation] = field(default_factory=list[Operation])

    def __post_init__(self) -> None:
        self.operation_insertion_handler.append(self._inserted)
        self.operation_replacement_handler.append(self._replaced)
        self.operation_modification_handler.append(self._settle)
        self.operation_removal_handler.append(self._settle)

    def _inserted(self, op: Operation) -> None:
        if self.root is not None:
            _stamp(op, self.root.location)
        elif not op.regions and not isinstance(op.location, UnknownLoc):
            return
        else:
            self._pending.append(op)

    def _replaced(self, op: Operation, new_results: Sequence[SSAValue | None]) -> None:
        new = set(self._pending)
        self._settle(op)
        for result in new_results:
            owner = result.owner if result is not None else None
            if isinstance(owner, Operation) and owner not in new and owner is not op:
                self.merge(owner, op)

    def merge(self, kept: Operation, gone: Operation) -> None:
        """Let `kept` have the location of `gone` too, whose place it takes."""
        if kept.location is gone.location or is_constant(type(kept)):
            return
        if not is_known(kept.location) or is_constant(type(gone)):
            return
        kept.location = fuse_locations((kept.location, gone.location))

    def _settle(self, op: Operation) -> None:
        """Give the operations inserted since the last event the location of `op`."""
        for new in self._pending:
            _stamp(new, op.location)
        self._pending.clear()
