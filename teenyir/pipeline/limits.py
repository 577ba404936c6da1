"""How deep IR may nest, and how often memory is searched for garbage while it is worked on.

The parser, the printer and the verifiers are recursive, xDSL's and ours. Text that nests deeper
than `DEEPEST_NESTING` regions is refused with a diagnostic; up to there the work is done under a
recursion limit that is high enough for it and low enough for the C stack of a main thread.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

DEEPEST_NESTING = 256
"""Regions inside regions. Real IR nests a tenth of this."""

RECURSION_LIMIT = 10_000
"""Python frames: a nested region takes about 14 to parse and fewer to print and verify."""

TOO_DEEP = "the IR nests too deeply"
"""The diagnostic where the recursion limit was met in spite of `DEEPEST_NESTING`."""


@contextmanager
def deep_recursion() -> Generator[None]:
    """Work under a recursion limit that suits IR of `DEEPEST_NESTING`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


NEW_OBJECTS = 100_000
"""Of Python's containers, before those that only hold each other are looked for: IR is made of
small ones that stay, and Python's own 700 would have it searched again and again."""


@contextmanager
def rare_collections() -> Generator[None]:
    """Have garbage collected rarely, unless it is never collected anyway."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], NEW_OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
