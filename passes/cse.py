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

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.traits import Commutative, ConstantLike, IsolatedFromAbove

from teenyir.analysis.dominance import DOMINANCE
from teenyir.analysis.effects import Effects, effects_of, is_dead, must_stay
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import fuse_locations


@dataclass(frozen=True)
class EliminateCommonSubexpressions(Pass):
    """Merge operations that compute the same, and drop those that nobody uses."""

    name = "cse"

    def run(self, op: Operation, session: Session) -> None:
        merger = _Merger(session)
        merger.inside(op)
        merger.drop_unused()
        session.preserve(DOMINANCE)


@dataclass
class _Known:
    """An operation that later ones may be merged with."""

    op: Operation
    memory: int
    """How many operations that may write came before it."""


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


class _Numbers:
    """A number for each attribute, equal for equal ones: hashing an attribute is costly."""

    def __init__(self) -> None:
        self._by_value: dict[Attribute, int] = {}
        self._by_id: dict[int, tuple[int, Attribute]] = {}
        """By the id of an attribute, which is kept alive so that its id stays its own."""

    def of(self, attribute: Attribute) -> int:
        """The number of an attribute."""
        known = self._by_id.get(id(attribute))
        if known is not None:
            return known[0]
        number = self._by_value.setdefault(attribute, len(self._by_value))
        self._by_id[id(attribute)] = (number, attribute)
        return number

    def of_items(self, attributes: dict[str, Attribute]) -> Hashable:
        """What equal dictionaries of attributes have in common, in whatever order."""
        if len(attributes) == 1:
            ((name, value),) = attributes.items()
            return name, self.of(value)
        return tuple(sorted([(name, self.of(value)) for name, value in attributes.items()]))


@dataclass
class _Merger:
    session: Session
    scope: _Scope = field(default_factory=_Scope)
    numbers: _Numbers = field(default_factory=_Numbers)
    memory: int = 0
    """How many operations that may write the walk has met."""
    unused: list[Operation] = field(default_factory=list[Operation])
    """Operations that lost a use, and may be dead when all is done."""

    def drop_unused(self) -> None:
        """Drop the operations that were only used by dropped ones."""
        while self.unused:
            op = self.unused.pop()
            if op.parent is not None and is_dead(op):
                self._drop(op)

    def _drop(self, op: Operation) -> None:
        self.session.count("dead operations removed")
        owners = (operand.owner for operand in op.operands)
        self.unused += [owner for owner in owners if isinstance(owner, Operation)]
        _erase(op)

    def inside(self, op: Operation) -> None:
        """Merge in the regions of an operation."""
        outer = self.scope
        if op.has_trait(IsolatedFromAbove, value_if_unregistered=True):
            self.scope = _Scope()
        for region in op.regions:
            mark = len(self.scope.undo)
            self._region(op, region)
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
            self._operation(op)
            op = following

    def _operation(self, op: Operation) -> None:
        if is_dead(op):
            self._drop(op)
            return
        effects = effects_of(op)
        if effects is Effects.OTHER:
            self.memory += 1
        elif effects is not Effects.OWN_RESULT and _may_merge(op):
            self._merge_or_learn(op, reads=effects is Effects.READ)

    def _merge_or_learn(self, op: Operation, *, reads: bool) -> None:
        key = self._key(op)
        known = self.scope.known.get(key)
        if known is not None and self._serves(known, op, reads):
            self.session.count("operations merged")
            _merge(known.op, op)
        else:
            self.scope.set(key, _Known(op, self.memory), known)

    def _key(self, op: Operation) -> Hashable:
        """What two operations have in common if they may be the same.

        Values are told apart by their ids: what a known operation uses lives as long as it does.
        """
        kind = type(op)
        operands = [id(operand) for operand in op.operands]
        if _is_commutative(kind):
            operands.sort()
        numbers = self.numbers
        return (
            op.op_name if isinstance(op, UnregisteredOp) else kind,
            tuple(operands),
            tuple([numbers.of(result.type) for result in op.results]),
            numbers.of_items(op.attributes) if op.attributes else None,
            numbers.of_items(op.properties) if op.properties else None,
            len(op.regions),
        )

    def _serves(self, known: _Known, op: Operation, reads: bool) -> bool:
        """Whether an operation with the same key has the same results as `op`."""
        if reads and (known.memory != self.memory or known.op.parent is not op.parent):
            return False
        regions = zip(known.op.regions, op.regions, strict=True)
        return all(one.is_structurally_equivalent(other) for one, other in regions)


@cache
def _is_commutative(kind: type[Operation]) -> bool:
    return kind.has_trait(Commutative, value_if_unregistered=False)


def _may_merge(op: Operation) -> bool:
    if must_stay(type(op)):
        return False
    return all(region.first_block is region.last_block for region in op.regions)


def _merge(kept: Operation, gone: Operation) -> None:
    """Let `kept` serve for `gone`; it takes over its location, unless it is a constant."""
    for new, old in zip(kept.results, gone.results, strict=True):
        name = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)  # which also hands the name on
        new.name_hint = name
    if not kept.has_trait(ConstantLike, value_if_unregistered=False):
        kept.location = fuse_locations((kept.location, gone.location))
    _erase(gone)


def _erase(op: Operation) -> None:
    op.detach()
    op.erase()
