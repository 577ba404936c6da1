"""How the outputs of two floors are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from teenyir.dialects import dtypes

Array = NDArray[Any]


def differences(expected: Sequence[Array], found: Sequence[Array], exact: Sequence[bool]) -> str:
    """What differs, as text; empty where nothing does. NaN equals NaN, -0.0 is not 0.0."""
    lines: list[str] = []
    for k, (a, b, bits) in enumerate(zip(expected, found, exact, strict=True)):
        # the floors below the graph's have signless integers, and bytes for what is narrower
        if a.dtype != b.dtype and b.dtype.kind in "iu" and a.dtype.itemsize == b.dtype.itemsize:
            b = b.view(a.dtype)
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            lines.append(f"output {k}: {a.dtype}{a.shape} and {b.dtype}{b.shape}")
            continue
        wrong = _differ(a, b, bits)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            lines.append(
                f"output {k}, {a.dtype}{list(a.shape)}, {'exact' if bits else 'near'}: "
                f"{int(wrong.sum())} differ, first at {list(at)}: {a[at]} and {b[at]}"
            )
    return "\n".join(lines)


def _differ(a: Array, b: Array, exact: bool) -> Array:
    if dtypes.of_numpy(a.dtype).kind != "float":
        return np.asarray(a != b)
    x, y = a.astype(np.float64), b.astype(np.float64)
    both_nan = np.isnan(x) & np.isnan(y)
    if exact:
        return ~(both_nan | ((x == y) & (np.signbit(x) == np.signbit(y))))
    epsilon = float(ml_dtypes.finfo(a.dtype).eps)
    finite = np.abs(x[np.isfinite(x)])
    scale = float(finite.max()) if finite.size else 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(x - y) <= epsilon * (16 * np.abs(x) + 4 * min(scale, 1e300)) + 1e-300
    return ~(both_nan | (x == y) | near)
