"""The tables of the emulator's page are the code's; its examples run with those of all pages."""

from __future__ import annotations

import re
from pathlib import Path

from teenyir.emulator import KINDS
from teenyir.emulator.instructions.isa import ISA
from teenyir.emulator.instructions.table import runs

PAGE = Path(__file__).parents[2] / "docs" / "emulator.md"


def test_kinds() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \|$", PAGE.read_text(), flags=re.MULTILINE)
    assert dict(rows[: len(KINDS)]) == KINDS


def instruction_table() -> str:
    """Instructions by group: those that run, those that do not."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for entry in ISA.values():
        yes, no = groups.setdefault(entry.group, ([], []))
        (yes if runs(entry.name) else no).append(f"`{entry.name}`")
    return "".join(
        f"| {group} | {' '.join(yes)} | {' '.join(no)} |\n" for group, (yes, no) in groups.items()
    )


def test_instructions() -> None:
    assert instruction_table() in PAGE.read_text()
