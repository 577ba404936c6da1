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


UNSEEN_OBJECTS = 5 * NEW_OBJECTS
"""Of containers that come to be in this way, before all of memory is searched: a few programs."""


class Unseen:
    """How many containers were put among the old ones without being looked at."""

    count = 0


@contextmanager
def rare_collections() -> Generator[None]:
    """Have garbage collected rarely, unless it is never collected anyway.

    Nor is it afterwards, where little came to be: half of that is a program, and stays, and to
    find the other half takes a twentieth of a compilation. It is put among the old objects, which
    are searched all together after some more of it (`UNSEEN_OBJECTS`), or when Python does so.
    """
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], NEW_OBJECTS), *before[1:])
    try:
        yield
    finally:
        if before[0] and not gc.get_freeze_count():  # who has frozen objects wants them to stay so
            Unseen.count += gc.get_count()[0]
            if Unseen.count > UNSEEN_OBJECTS:
                Unseen.count = 0
                gc.collect()
            else:
                gc.freeze()
                gc.unfreeze()
        gc.set_threshold(*before)
