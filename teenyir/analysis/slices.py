"""What values are computed of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation, SSAValue


def backward_slice(
    values: Iterable[SSAValue],
    among: Callable[[Operation], bool],
    until: Callable[[Operation], bool] = lambda op: False,
) -> set[Operation]:
    """The ops, all of those `among` which to look, that values are computed by; not what only
    those `until` which take."""
    found: set[Operation] = set()
    waiting = list(values)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner not in found and among(owner):
            found.add(owner)
            if not until(owner):
                waiting += owner.operands
    return found
