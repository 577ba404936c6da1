"""How the demonstration looks in a terminal: headings, coloured IR, digits in half-blocks.

Colour only on a terminal, and not where `NO_COLOR` is set (https://no-color.org). Nothing is
wider than 100 columns.
"""

import os
import re
import sys
import textwrap
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WIDTH = 100
SCALE = 2
"""Each pixel of an image is drawn as this many, smoothed."""

CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
GREYS = range(232, 256)
"""The grey levels of the 256-colour terminals, dark to light."""

WORDS = re.compile(
    r"(?P<comment>(?://|;|#(?![A-Za-z])).*)"
    r"|(?P<value>%[\w.#-]+)"
    r"|(?P<symbol>@[\w.$-]+)"
    r"|(?P<op>\b(?:graph|kernel|uop|program|func|arith|math|scf|vector|llvm)\.[\w.]+)"
)
STYLES = {"comment": "dim", "value": "yellow", "symbol": "green", "op": "cyan"}


def coloured() -> bool:
    """Whether standard output may carry colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def style(text: str, name: str) -> str:
    """Return `text` in the style `name`, where there is colour."""
    return f"\x1b[{CODES[name]}m{text}\x1b[0m" if coloured() and text else text


def heading(title: str, remark: str = "") -> str:
    """Return a line across the page with a title in it."""
    words = f"── {title} "
    tail = f" {remark}" if remark else ""
    rule = "─" * max(2, WIDTH - len(words) - len(tail))
    return f"\n{style(words, 'bold')}{style(rule + tail, 'dim')}"


def wrap(line: str) -> list[str]:
    """Break a line that is wider than the page at spaces; what follows is indented further."""
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + " " * 6,
        break_on_hyphens=False,
    )


def excerpt(text: str, longest: int) -> str:
    """Return IR, assembly or Python coloured, wrapped, and cut to about `longest` lines."""
    lines = text.expandtabs(8).rstrip().splitlines()
    left = len(lines) - longest
    shown = [colour_words(part) for line in lines[:longest] for part in wrap(line)]
    if left > 0:
        shown.append(style(f"        … and {left} more lines", "dim"))
    return "\n".join(shown)


def colour_words(line: str) -> str:
    """Colour what a reader looks for first: operations, values, symbols, comments."""
    return WORDS.sub(lambda found: style(found[0], STYLES[str(found.lastgroup)]), line)


def enlarge(image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Enlarge a square image of levels 0..16 by `SCALE`, bilinear, to levels 0..1."""
    size = len(image)
    places = np.clip((np.arange(size * SCALE) + 0.5) / SCALE - 0.5, 0, size - 1)
    shares = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(size)))
    return shares @ (image / 16) @ shares.T


def cell(upper: float, lower: float) -> str:
    """Return two pixels, one above the other, as one character; levels 0..1."""
    if not coloured():
        return " ▀▄█"[(upper > 0.5) + 2 * (lower > 0.5)]
    ink = [GREYS[round(level * (len(GREYS) - 1))] for level in (upper, lower)]
    return f"\x1b[38;5;{ink[0]};48;5;{ink[1]}m▀"


def draw(image: NDArray[np.uint8]) -> list[str]:
    """Return an image (h, w) of levels 0..16 as lines, two rows of pixels each."""
    levels = enlarge(image)
    end = "\x1b[0m" if coloured() else ""
    return [
        "".join(cell(float(a), float(b)) for a, b in zip(upper, lower, strict=True)) + end
        for upper, lower in zip(levels[::2], levels[1::2], strict=True)
    ]


def side_by_side(images: Sequence[NDArray[np.uint8]], captions: Sequence[str]) -> str:
    """Return images beside each other, a caption under each; a wrong answer's starts with ✗."""
    gap = "  "
    rows = [gap + gap.join(row) for row in zip(*map(draw, images), strict=True)]
    width = images[0].shape[1] * SCALE
    under = [
        style(caption.center(width), "red" if caption.startswith("✗") else "bold")
        for caption in captions
    ]
    return "\n".join([*rows, gap + gap.join(under)])
