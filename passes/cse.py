"""cse: what was computed before is not computed again, on any floor.

Two operations are the same if they have the same kind, operands (in any order, if the kind is
commutative), attributes and result types, and regions that are the same. The first one serves for
both where it dominates the second. Beyond operations without effects:

- an operation that only reads memory is merged with an earlier one in its block if nothing in
  between may have written; one pass over the block finds that out, however many reads there are;
- one that allocates what its own result stands for (`kernel.range`: equal loops are two loops)
  merges with nothing;
- a region with several blocks is walked by dominance.

Operations that nobody uses go on the way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region
from xdsl.irdl import IRDLOperation, OperandDef, ResultDef
from xdsl.irdl.constraints import RangeLengthConstraint, RangeOf, VarConstraint
from xdsl.traits import Commutative, IsolatedFromAbove

from teenyir.analysis.dominance import DOMINANCE
from teenyir.analysis.effects import Effects, effects_of, effects_of_kind, is_dead, must_stay
from teenyir.analysis.numbering import AttributeNumbers
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import fuse_locations, is_constant
from teenyir.rewriting.surgery import erase, has_other_uses, operands_of, replace_uses


@dataclass(frozen=True)
class EliminateCommonSubexpressions(Pass):
    """Merge operations that compute the same, and drop those that nobody uses."""

    name = "cse"

    def run(self, op: Operation, session: Session) -> None:
        merger = _Merger(session)
        merger.inside(op)
        merger.drop_unused()
        if merger.changed:
            session.preserve(DOMINANCE)
        else:
            session.preserve_all()


_Known: TypeAlias = tuple[Operation, int]
"""An operation that later ones may be merged with, and how many that may write came before it."""


@dataclass
class _Scope:
    """The known operations where the walk is, with a way back to those of the scope around."""

    known: dict[Hashable, _Known] = field(default_factory=dict[Hashable, _Known])
    undo: list[tuple[Hashable, _Known | None]] = field(
        default_factory=list[tuple[Hashable, _Known | None]]
    )

    def set(self, key: Hashable, known: _Known, before: _Known | None) -> None:
        """Learn of an operation; `before` is what was known under the key."""
        self.undo.append((key, before))
        self.known[key] = known

    def back_to(self, mark: int) -> None:
        """Forget what was learnt since `undo` had `mark` entries."""
        while len(self.undo) > mark:
            key, before = self.undo.pop()
            if before is None:
                del self.known[key]
            else:
                self.known[key] = before


@dataclass(frozen=True)
class _Kind:
    """What matters of a kind of operation, worked out once."""

    identity: type[Operation]
    """The kind; unregistered operations have their name among their attributes."""
    commutative: bool
    merges: bool
    """Whether operations of the kind may be merged, whatever they are like."""
    types_follow: bool
    """Whether the types of the operands say those of the results."""

    @staticmethod
    @cache
    def of(kind: type[Operation]) -> _Kind:
        """What matters of operations of this type."""
        return _Kind(
            identity=UnregisteredOp if UnregisteredOp in kind.__mro__ else kind,
            commutative=kind.has_trait(Commutative, value_if_unregistered=False),
            merges=not must_stay(kind) and effects_of_kind(kind) is Effects.NONE,
            types_follow=_types_follow(kind),
        )


def _types_follow(kind: type[Operation]) -> bool:
    """Whether each result has the type of an operand, by the definition of a kind."""
    if not issubclass(kind, IRDLOperation):
        return False
    definition = kind.get_irdl_definition()
    singles = (operand for _, operand in definition.operands if type(operand) is OperandDef)
    variables = {_variable(operand) for operand in singles} - {None}
    return all(
        type(result) is ResultDef and _variable(result) in variables
        for _, result in definition.results
    )


def _variable(value: OperandDef | ResultDef) -> str | None:
    """The name of the constraint that says that types are equal, if a value's is one."""
    match value.constr:
        case RangeLengthConstraint(constraint=RangeOf(constr=VarConstraint(name=name))):
            return name
        case _:
            return None


@dataclass
class _Merger:
    session: Session
    scope: _Scope = field(default_factory=_Scope)
    numbers: AttributeNumbers = field(default_factory=AttributeNumbers)
    memory: int = 0
    """How many operations that may write the walk has met."""
    dropped: int = 0
    merged: int = 0
    unused: list[Operation] = field(default_factory=list[Operation])
    """Operations that lost a use, and may be dead when all is done."""

    def drop_unused(self) -> None:
        """Drop the operations that were only used by dropped ones."""
        while self.unused:
            op = self.unused.pop()
            if op.parent is not None and is_dead(op):
                self._drop(op)
        self.session.count("dead operations removed", self.dropped)
        self.session.count("operations merged", self.merged)

    @property
    def changed(self) -> bool:
        """Whether anything was merged or dropped."""
        return self.merged > 0 or self.dropped > 0

    def _drop(self, op: Operation) -> None:
        self.dropped += 1
        for operand in operands_of(op):
            if type(operand) is OpResult and not has_other_uses(operand, op, 0):
                self.unused.append(operand.op)
        erase(op)

    def inside(self, op: Operation) -> None:
        """Merge in the regions of an operation."""
        outer = self.scope
        isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
        for region in op.regions:
            if isolated:
                self.scope = _Scope()
            mark = len(self.scope.undo)
            self._region(op, region)
            if not isolated:
                self.scope.back_to(mark)
        self.scope = outer

    def _region(self, op: Operation, region: Region) -> None:
        entry = region.first_block
        if entry is None:
            return
        if entry is region.last_block:
            self._block(entry)
            return
        dominated = self.session.analysis(DOMINANCE, op)[region]
        pending: list[Iterator[Block]] = [iter((entry,))]
        marks = [len(self.scope.undo)]
        while pending:
            block = next(pending[-1], None)
            if block is None:
                pending.pop()
                self.scope.back_to(marks.pop())
            else:
                marks.append(len(self.scope.undo))
                self._block(block)
                pending.append(iter(dominated.get(block, ())))

    def _block(self, block: Block) -> None:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if op.regions:
                self.inside(op)
            if is_dead(op):
                self._drop(op)
            elif not op.regions and _Kind.of(type(op)).merges:
                self._merge_or_learn(op, reads=False)
            else:
                self._look_closer(op)
            op = following

    def _look_closer(self, op: Operation) -> None:
        effects = effects_of(op)
        if effects is Effects.OTHER:
            self.memory += 1
        elif effects is not Effects.OWN_RESULT and _may_merge(op):
            self._merge_or_learn(op, reads=effects is Effects.READ)

    def _merge_or_learn(self, op: Operation, *, reads: bool) -> None:
        key = self._key(op)
        known = self.scope.known.get(key)
        if known is not None and self._serves(known, op, reads):
            self.merged += 1
            _merge(known[0], op)
        else:
            self.scope.set(key, (op, self.memory), known)

    def _key(self, op: Operation) -> Hashable:
        """What two operations have in common if they may be the same.

        Values are told apart by their ids: what a known operation uses lives as long as it does.
        """
        kind = _Kind.of(type(op))
        numbers = self.numbers
        operands = map(id, operands_of(op))
        types = () if kind.types_follow else [numbers.of(result.type) for result in op.results]
        return (
            kind.identity,
            tuple(sorted(operands) if kind.commutative else operands),
            tuple(types),
            numbers.of_items(op.attributes) if op.attributes else None,
            numbers.of_items(op.properties) if op.properties else None,
            len(op.regions),
        )

    def _serves(self, known: _Known, op: Operation, reads: bool) -> bool:
        """Whether an operation with the same key has the same results as `op`."""
        earlier, memory = known
        if reads and (memory != self.memory or earlier.parent is not op.parent):
            return False
        regions = zip(earlier.regions, op.regions, strict=True)
        return not op.regions or all(
            one.is_structurally_equivalent(other) for one, other in regions
        )


def _may_merge(op: Operation) -> bool:
    if must_stay(type(op)):
        return False
    return not op.regions or all(region.first_block is region.last_block for region in op.regions)


def _merge(kept: Operation, gone: Operation) -> None:
    """Let `kept` serve for `gone`; it takes over its location, unless it is a constant."""
    for new, old in zip(kept.results, gone.results, strict=True):
        replace_uses(old, new)
    if not is_constant(type(kept)):
        kept.location = fuse_locations((kept.location, gone.location))
    erase(gone)
