"""Names that are told apart: values in the text of a program may be called alike."""

from __future__ import annotations

from collections.abc import Sequence


def told_apart(names: Sequence[str], stated: Sequence[bool] | None = None) -> list[str]:
    """The names, a number behind those that occurred before, as a printer has it: `t`, `t_1`.

    Those that are `stated` stay, and no other takes theirs.
    """
    fixed = stated or [False] * len(names)
    taken = {name for name, is_fixed in zip(names, fixed, strict=True) if is_fixed}
    found: list[str] = []
    for name, is_fixed in zip(names, fixed, strict=True):
        own, number = name, 0
        while not is_fixed and own in taken:
            number += 1
            own = f"{name}_{number}"
        taken.add(own)
        found.append(own)
    return found
