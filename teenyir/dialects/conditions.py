"""Conditions that are conjunctions of others."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue


def conjuncts(condition: SSAValue | None) -> list[SSAValue]:
    """What all holds where a condition does: itself, and the parts of what is a conjunction.

    Nothing for None, which always holds.
    """
    if condition is None:
        return []
    found = [condition]
    if isinstance(op := condition.owner, arith.AndIOp):
        found += [*conjuncts(op.lhs), *conjuncts(op.rhs)]
    return found


def implies(condition: SSAValue | None, other: SSAValue) -> bool:
    """Whether a condition is another one, or a conjunction of all that it is of, and more."""
    known = conjuncts(condition)
    if other in known:
        return True
    op = other.owner
    is_both = isinstance(op, arith.AndIOp)
    return is_both and implies(condition, op.lhs) and implies(condition, op.rhs)
