"""Whether two arrays are the same but for rounding, and where they differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teenyir.dialects import dtypes
from teenyir.interpreter.arrays import Array, is_float, silent

TOLERANCES: dict[str, float] = {
    "float16": 2e-3,
    "bfloat16": 2e-2,
    "float32": 1e-4,
    "float64": 1e-10,
    **{
        dtype.name: 2.01 * 2.0 ** (1 - dtype.format.digits)
        for dtype in dtypes.DTYPES
        if dtype.format is not None and dtype.bits <= 8
    },
}
"""By element type, relative and absolute: sums may be formed in any order."""


@dataclass(frozen=True)
class Difference:
    """The element in which two arrays differ most."""

    index: tuple[int, ...]
    got: object
    expected: object
    count: int
    """How many elements differ."""
    size: int

    def __str__(self) -> str:
        place = ", ".join(map(str, self.index))
        return (
            f"{self.count} of {self.size} elements differ, the worst at [{place}]: "
            f"{self.got}, expected {self.expected}"
        )


def difference(
    got: Array,
    expected: Array,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    exact: bool = False,
) -> Difference | None:
    """The worst of the elements that differ by more than the tolerance, or None.

    `|got - expected| <= atol + rtol * |expected|` is the same, as are equal infinities and two
    NaN; without tolerances those of the element type hold, and integers are to be equal. Integers
    as wide as what is expected are taken for its bits: signed ones for unsigned ones, bytes for
    narrow floats. With `exact` nothing is tolerated, and 0.0 is not -0.0.
    """
    same_width = got.dtype.itemsize == expected.dtype.itemsize
    if got.dtype != expected.dtype and same_width and _are_integers(got):
        got = got.view(expected.dtype)
    default = 0.0 if exact else TOLERANCES.get(expected.dtype.name, 0.0)
    rtol, atol = default if rtol is None else rtol, default if atol is None else atol
    with silent():
        excess = _excess(got, expected, rtol, atol)
        if exact and is_float(expected.dtype):
            opposite = np.signbit(got) != np.signbit(expected)
            excess = np.where((got == 0) & (expected == 0) & opposite, 1.0, excess)
    wrong = excess > 0
    if not wrong.any():
        return None
    index = np.unravel_index(int(np.argmax(excess)), excess.shape) if excess.ndim else ()
    place = tuple(int(k) for k in index)
    count = int(np.count_nonzero(wrong))
    return Difference(place, got[place], expected[place], count, excess.size)


def _are_integers(*arrays: Array) -> bool:
    found = [dtypes.of_numpy(array.dtype) for array in arrays]
    return all(dtype is not None and dtype.kind in ("int", "uint") for dtype in found)


def _excess(got: Array, expected: Array, rtol: float, atol: float) -> Array:
    """By how much each element is beyond the tolerance; 0 where it is not."""
    if not is_float(expected.dtype) and not rtol and not atol:
        return (got != expected).astype(np.float64)
    a, b = got.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    distance = np.abs(a - b)
    distance = np.where(np.isnan(distance), np.inf, distance)
    allowed = atol + rtol * np.abs(np.where(np.isfinite(b), b, 0.0))
    return np.where(same | (distance <= allowed), 0.0, distance)


def shape_text(array: Array) -> str:
    """`float32[3, 4]`."""
    dtype = dtypes.of_numpy(array.dtype)
    return f"{dtype or array.dtype}[{', '.join(map(str, array.shape))}]"
