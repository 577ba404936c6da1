"""What operations do to memory, and what follows from it: which may go, which may be merged.

Most effects depend on the kind of an operation alone; those are worked out once for a kind.
"""

from __future__ import annotations

from collections.abc import Set
from enum import Enum, auto
from functools import cache

from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)

from teenyir.analysis.manager import Analysis

_STATIC = (
    NoMemoryEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    MemoryAllocEffect,
    MemoryFreeEffect,
)


class Effects(Enum):
    """What an operation does, as far as merging and removing it goes."""

    NONE = auto()
    """Nothing."""
    READ = auto()
    """It reads memory at most."""
    OWN_RESULT = auto()
    """It reads memory, and allocates what its own results stand for: it may go, but not merge."""
    OTHER = auto()
    """It writes, frees, or is not known not to."""
    INSIDE = auto()
    """What the operations in its regions do, and nothing else."""
    BY_OPERATION = auto()
    """It depends on the operation, not on its kind alone."""


_ORDER = {Effects.NONE: 0, Effects.READ: 1, Effects.OWN_RESULT: 2, Effects.OTHER: 3}
"""Of several the last one holds."""


def effects_of(op: Operation) -> Effects:
    """The effects of an operation, those of the operations in its regions included."""
    return _effects(op, op)


def _effects(op: Operation, root: Operation) -> Effects:
    """The effects of an operation in `root`; the memory of a value in there is `root`'s own."""
    effects = effects_of_kind(type(op))
    if effects is Effects.BY_OPERATION:
        return _classify(root, get_effects(op))
    if effects is not Effects.INSIDE:
        return effects
    found = Effects.NONE
    for region in op.regions:
        for block in region.blocks:
            for inner in reversed(block.ops):  # writes stand near the end, most often
                effects = _effects(inner, root)
                if effects is Effects.OTHER:
                    return effects
                if _ORDER[effects] > _ORDER[found]:
                    found = effects
    return found


EFFECTS = Analysis("effects", effects_of)
"""What an operation does: worth keeping for one with regions."""


@cache
def effects_of_kind(kind: type[Operation]) -> Effects:
    """The effects that every operation of a kind has."""
    traits = kind.get_traits_of_type(MemoryEffect)
    if not traits:
        return Effects.OTHER
    if all(isinstance(trait, RecursiveMemoryEffect) for trait in traits):
        return Effects.INSIDE
    if not all(isinstance(trait, _STATIC) for trait in traits):
        return Effects.BY_OPERATION
    if all(isinstance(trait, NoMemoryEffect) for trait in traits):
        return Effects.NONE
    if all(isinstance(trait, NoMemoryEffect | MemoryReadEffect) for trait in traits):
        return Effects.READ
    return Effects.OTHER


def _classify(op: Operation, effects: Set[EffectInstance] | None) -> Effects:
    if effects is None:
        return Effects.OTHER
    if not effects:
        return Effects.NONE
    if all(effect.kind is MemoryEffectKind.READ for effect in effects):
        return Effects.READ
    if all(effect.kind is MemoryEffectKind.READ or _is_own(op, effect) for effect in effects):
        return Effects.OWN_RESULT
    return Effects.OTHER


def _is_own(op: Operation, effect: EffectInstance) -> bool:
    """Whether an effect is the allocation of a value that `op` or an operation in it defines."""
    value = effect.value
    return (
        effect.kind is MemoryEffectKind.ALLOC
        and isinstance(value, SSAValue)
        and op.is_ancestor(value.owner)
    )


@cache
def must_stay(kind: type[Operation]) -> bool:
    """Whether operations of a kind stay, used or not: terminators and definers of symbols."""
    return kind.has_trait(IsTerminator, value_if_unregistered=False) or kind.has_trait(
        SymbolOpInterface, value_if_unregistered=False
    )


def may_go_if_unused(op: Operation) -> bool:
    """Whether nobody would notice if an operation whose results nobody uses went."""
    return not must_stay(type(op)) and effects_of(op) is not Effects.OTHER


def is_dead(op: Operation) -> bool:
    """Whether an operation may go: nobody uses its results, and it does nothing else."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return may_go_if_unused(op)
