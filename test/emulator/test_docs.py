"""The emulator's page: its code runs and prints what it says; its tables are the code's."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from teenyir.emulator import KINDS
from teenyir.emulator.instructions.isa import ISA
from teenyir.emulator.instructions.table import runs

PAGE = Path(__file__).parents[2] / "docs" / "emulator.md"


def blocks(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: (language, contents)."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def test_examples() -> None:
    names: dict[str, Any] = {}
    shown: str | None = None
    checked = 0
    for language, contents in blocks(PAGE.read_text()):
        if language == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(contents, names)
            shown = stream.getvalue()
        elif language == "text":
            assert shown == contents
            checked += 1
    assert checked >= 5


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
