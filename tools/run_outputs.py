"""How teeny-run gives arrays out: what they hold, one line about each, or a file of all."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
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


def archive(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A file of `.npz`: what `np.savez` would write, if it took every name (`file` is its own)."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, _known(array), allow_pickle=False)
    return stream.getvalue()


def _known(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of a type that numpy reads: of ml_dtypes' f8E5M2 the bytes, as of its others."""
    return array.view("V1") if array.dtype.kind == "f" and array.itemsize == 1 else array
