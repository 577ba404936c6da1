"""Operators on square matrices."""

from __future__ import annotations

from teenyir.frontend import elementwise, reductions
from teenyir.frontend.creation import arange, ones
from teenyir.frontend.elementwise import divide, equal, multiply, negative, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import take_along_axis
from teenyir.frontend.movement import broadcast_to
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

LARGEST = 32
"""Rows of a matrix, whose elimination is written out."""


@operator("Det", ranks=(2,))
def determinant(node: Node, x: Tensor) -> Tensor:
    """The product of the pivots of Gauss's elimination, the largest of each column in turn."""
    size = x.shape[-1]
    if x.ndim < 2 or not isinstance(size, int) or x.shape[-2] != size or size > LARGEST:
        fail(f"takes square matrices of up to {LARGEST} rows, got {x!r}")
    found = ones(x.shape[:-2], dtype=x.dtype)
    for _ in range(size):
        pivot, x, swapped = _eliminated(x)
        found = multiply(found, where(swapped, negative(pivot), pivot))
    return found


def _eliminated(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The largest element of the first column, what is left of the other rows, and whether rows
    were exchanged an odd number of times."""
    size = x.shape[-1]
    assert isinstance(size, int)
    best = reductions.argmax(elementwise.abs(x[..., 0]), axis=-1, keepdims=True)[..., None]
    row = take_along_axis(x, broadcast_to(best, (*x.shape[:-2], 1, size)), axis=-2)
    # the first row takes the place of the pivot's
    is_pivot = equal(arange(size)[:, None], best)
    rest = where(is_pivot, x[..., :1, :], x)[..., 1:, :]
    pivot = row[..., 0, 0]
    safe = where(equal(row[..., :1], 0.0), 1.0, row[..., :1])
    rest = subtract(rest, multiply(divide(rest[..., :1], safe), row))
    return pivot, rest[..., 1:], elementwise.not_equal(best[..., 0, 0], 0)
