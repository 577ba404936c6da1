"""Padding of the spatial axes of [batch, channels, spatial...]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from teenyir.frontend import borders
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import ArrayLike
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.spatial import with_batch

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

PaddingMode: TypeAlias = Literal["zeros", "reflect", "replicate", "circular"]

MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""PyTorch's names of what stands around a tensor, and numpy's."""


def padded(x: Tensor, pairs: list[tuple[int, int]], mode: str, value: float = 0.0) -> Tensor:
    """`x` with so many elements before and after each of the axes behind the first two.

    A negative number takes elements away: before the others are put there where the mode is
    "circular", and from all that there is then where it is another.
    """
    if mode != "zeros":
        for axis, (before, after) in enumerate(pairs, start=2):
            _check_reach(x, axis, max(before, after), mode)
            _check_left(x, axis, before, after, mode)
            if mode != "circular":
                before, after = max(before, 0), max(after, 0)
            x = borders.continued(x, axis, before, after, MODES[mode])
        pairs = [] if mode == "circular" else [(min(a, 0), min(b, 0)) for a, b in pairs]
    low, high = ([0, 0, *(pair[side] for pair in pairs)] for side in (0, 1))
    return borders.around(x, low, high, x.trace.constant(value, x.dtype)) if pairs else x


def _check_reach(x: Tensor, axis: int, count: int, mode: str) -> None:
    """What comes back does so once."""
    extent = x.shape[axis]
    reach = {"reflect": 1, "circular": 0}.get(mode)
    if reach is not None and isinstance(extent, int) and count > extent - reach:
        fail(f"{mode} padding of {count} is more than an axis of {extent} has")


def _check_left(x: Tensor, axis: int, before: int, after: int, mode: str) -> None:
    """Something is left of an axis whose own elements stand around it."""
    extent = x.shape[axis]
    if mode != "circular" and isinstance(extent, int) and extent + before + after < 1:
        fail(f"{mode} padding of {before} and {after} leaves nothing of an axis of {extent}")


class _Pad(Module):
    """What stands around the spatial axes: one number, or two for each, the last axis first."""

    RANK: ClassVar[int]
    MODE: ClassVar[str]
    value = 0.0

    @checked
    def __init__(self, padding: int | Sequence[int]) -> None:
        count = 2 * self.RANK
        self.padding = (padding,) * count if isinstance(padding, int) else tuple(padding)
        if len(self.padding) != count:
            fail(f"padding is a number or {count} of them, got {padding}")

    def forward(self, x: ArrayLike) -> Tensor:
        pairs = list(zip(self.padding[::2], self.padding[1::2], strict=True))[::-1]

        def pad(tensor: Tensor) -> Tensor:
            return padded(tensor, pairs, self.MODE, self.value)

        return with_batch(type(self).__name__, self.RANK, pad, x)


class _ConstantPad(_Pad):
    MODE = "zeros"

    @checked
    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """A value around [batch, channels, elements]; negative numbers take away."""

    RANK = 1


class ConstantPad2d(_ConstantPad):
    """A value around [batch, channels, rows, columns]; negative numbers take away."""

    RANK = 2


class ConstantPad3d(_ConstantPad):
    """A value around [batch, channels, planes, rows, columns]; negative numbers take away."""

    RANK = 3


class ZeroPad1d(_Pad):
    """Zeros around [batch, channels, elements]; negative numbers take away."""

    MODE = "zeros"
    RANK = 1


class ZeroPad2d(_Pad):
    """Zeros around [batch, channels, rows, columns]; negative numbers take away."""

    MODE = "zeros"
    RANK = 2


class ZeroPad3d(_Pad):
    """Zeros around [batch, channels, planes, rows, columns]; negative numbers take away."""

    MODE = "zeros"
    RANK = 3


class ReflectionPad1d(_Pad):
    """[batch, channels, elements] mirrored at its ends, which are there once."""

    MODE = "reflect"
    RANK = 1


class ReflectionPad2d(_Pad):
    """[batch, channels, rows, columns] mirrored at its ends, which are there once."""

    MODE = "reflect"
    RANK = 2


class ReflectionPad3d(_Pad):
    """[batch, channels, planes, rows, columns] mirrored at its ends, which are there once."""

    MODE = "reflect"
    RANK = 3


class ReplicationPad1d(_Pad):
    """The ends of [batch, channels, elements] repeated."""

    MODE = "replicate"
    RANK = 1


class ReplicationPad2d(_Pad):
    """The ends of [batch, channels, rows, columns] repeated."""

    MODE = "replicate"
    RANK = 2


class ReplicationPad3d(_Pad):
    """The ends of [batch, channels, planes, rows, columns] repeated."""

    MODE = "replicate"
    RANK = 3


class CircularPad1d(_Pad):
    """[batch, channels, elements] continued from its other end."""

    MODE = "circular"
    RANK = 1


class CircularPad2d(_Pad):
    """[batch, channels, rows, columns] continued from its other end."""

    MODE = "circular"
    RANK = 2


class CircularPad3d(_Pad):
    """[batch, channels, planes, rows, columns] continued from its other end."""

    MODE = "circular"
    RANK = 3
