"""Order: elements as whole numbers that compare as they do, and stable sorts by several keys.

NaN is greater than every number and equal to NaN, -0.0 equals +0.0, false is less than true.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teenyir.interpreter.arrays import Array, is_float, unsigned


def ranks(values: Array, *, descending: bool = False) -> Array:
    """Unsigned integers in the order of the values; descending, in the opposite order."""
    bits = values.view(f"u{values.dtype.itemsize}")
    top = bits.dtype.type(1 << (8 * values.dtype.itemsize - 1))
    if is_float(values.dtype):
        # negative numbers count down as unsigned ones
        found = np.where(bits & top, ~bits, bits | top)
        found = np.where(values == 0, top, found)
        found = np.where(np.isnan(values), np.iinfo(bits.dtype).max, found)
    else:
        found = bits ^ top if values.dtype.kind == "i" else bits
    return ~found if descending else found


def stable_order(keys: Sequence[Array], axis: int) -> Array:
    """Where each element of the order stands in the values; the first key decides first.

    `keys` are `ranks`. The result has their shape, its indices run along the axis.
    """
    found = np.argsort(keys[-1], axis=axis, kind="stable")
    for key in reversed(keys[:-1]):
        ordered = np.take_along_axis(key, found, axis)
        found = np.take_along_axis(found, np.argsort(ordered, axis=axis, kind="stable"), axis)
    return found


def sorted_places(values: Sequence[Array], orders: Sequence[str]) -> Array:
    """Where each element of the order stands in values, along their last axis.

    `orders` are `kernel.ORDERS`, one for each key; the first of the values are the keys.
    """
    keys = [
        ranks(unsigned(key) if order[0] == "u" else key, descending=order[1:] == "gt")
        for key, order in zip(values, orders, strict=False)
    ]
    return stable_order(keys, -1)
