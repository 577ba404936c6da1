"""How teeny-run shows an array: what it holds, or one line about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def _heading(name: str, array: npt.NDArray[Any]) -> str:
    return f"{name}: {array.dtype}[{', '.join(map(str, array.shape))}]"


def values(name: str, array: npt.NDArray[Any]) -> str:
    """The elements, as numpy prints them, under a heading."""
    return f"{_heading(name, array)}\n{array}\n"


def summary(name: str, array: npt.NDArray[Any]) -> str:
    """One line: the shape, and between which values the elements are."""
    if not array.size:
        return f"{_heading(name, array)}\n"
    wide = array.astype(np.float64)
    known = wide[~np.isnan(wide)]
    missing = "" if known.size == wide.size else f", {wide.size - known.size} NaN"
    if not known.size:
        return f"{_heading(name, array)}{missing}\n"
    return f"{_heading(name, array)}, {known.min():.6g} to {known.max():.6g}{missing}\n"
