"""What LLVM's code generator gets wrong, gone round once LLVM's passes have run.

A masked store of numbers that are truncated becomes one truncating store where AVX-512 has it. If
its mask is constant and has one lane, LLVM 22 makes a scalar store of that, and forgets that it
truncates: it writes the wide number, over what is beside it (llvm/llvm-project, issue 179489). Here
such a store becomes a scalar one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

REVISION = "1"
"""Counts what is gone round here: code that is kept depends on it."""

_SUSPECT = re.compile(r"@llvm\.masked\.store\.v\d+i(?:8|16|32)\.p0\(")
"""Of elements that something wider can be truncated to."""

_STORE = re.compile(
    r"^  (?:tail )?call void @llvm\.masked\.store\.v\d+(i8|i16|i32)\.p0\("
    r"(<\d+ x i\d+>) (%[^,]+), ptr ((?:[a-z]\S* )*?)(?:align (\d+) )?((?:[a-z]\S* )*)(%[^,]+), "
    r"<\d+ x i1> <((?:i1 (?:true|false)(?:, )?)+)>\).*$",
    re.MULTILINE,
)


def is_suspect(text: str) -> bool:
    """Whether LLVM IR text has masked stores of narrow integers."""
    return _SUSPECT.search(text) is not None


def without_one_lane_stores(text: str) -> str | None:
    """Optimised LLVM IR text with scalar stores in place of masked ones whose mask is constant and
    has one lane; None where there are none."""
    names = _fresh_names(text)

    def scalar(match: re.Match[str]) -> str:
        element, vector, value, _, alignment, _, address, mask = match.groups()
        lanes = [lane.strip() == "i1 true" for lane in mask.split(",")]
        if lanes.count(True) != 1:
            return match[0]
        lane, size = lanes.index(True), int(element[1:]) // 8
        number, place = next(names), next(names)
        return (
            f"  {number} = extractelement {vector} {value}, i64 {lane}\n"
            f"  {place} = getelementptr inbounds {element}, ptr {address}, i64 {lane}\n"
            f"  store {element} {number}, ptr {place}, align {min(int(alignment or 1), size)}"
        )

    mended = _STORE.sub(scalar, text)
    return mended if mended != text else None


def _fresh_names(text: str) -> Iterator[str]:
    """Names of values that the text does not have."""
    prefix = "%one"
    while prefix in text:
        prefix += "."
    number = 0
    while True:
        number += 1
        yield f"{prefix}{number}"
