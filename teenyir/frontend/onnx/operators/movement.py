"""Operators that move elements and do not change them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend import arrangement, movement
from teenyir.frontend.core import Array, broadcast_extents, normalize_axes, normalize_axis
from teenyir.frontend.creation import arange
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.elementwise import greater_equal, less_equal, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.slots import decided, promise_zero, require_not_negative
from teenyir.frontend.onnx.told import (
    cut,
    first_elements,
    numbered,
    told_extents,
    viewed,
    with_axes,
    without_axes,
)
from teenyir.frontend.onnx.values import (
    Call,
    Told,
    extents,
    integer,
    integers,
    is_symbolic,
)
from teenyir.frontend.tensor import Tensor


@operator("Reshape", until=4)
def reshape_by_attribute(node: Node, x: Tensor) -> Tensor:
    """The same elements under other extents."""
    return _reshaped(x, node.integers("shape"), False)


@operator("Reshape", since=5, known=(1,), told=(1,))
def reshape(node: Node, x: Tensor, shape: Array | Told) -> Tensor:
    """The same elements under other extents."""
    if isinstance(shape, Told):
        rule = partial(_shape_in, x, shape, node.flag("allowzero"))
        return viewed(x, decided(numbered(shape.size), rule))
    return _reshaped(x, extents(shape), node.flag("allowzero"))


def _reshaped(x: Tensor, shape: Sequence[Extent], allow_zero: bool) -> Tensor:
    """0 stands for the extent of `x` at its place, unless it is allowed as itself."""
    found: list[Extent] = []
    for place, extent in enumerate(shape):
        if extent == 0 and not allow_zero:
            if place >= x.ndim:
                fail(f"0 at place {place} of {list(shape)} stands for no extent of {x!r}")
            extent = x.shape[place]
        found.append(extent)
    told = _as_told(x, found)
    return movement.reshape(x, found) if told is None else told


def _shape_in(x: Tensor, shape: Told, allow_zero: bool, call: Call) -> list[int]:
    """What a call makes of a shape with 0 and -1 in it."""
    found: list[int] = call.array(shape).tolist()
    own = [call.extent(extent) for extent in x.shape]
    if not allow_zero:
        found = [own[k] if extent == 0 else extent for k, extent in enumerate(found)]
    if -1 in found:
        others = math.prod(extent for extent in found if extent != -1)
        found[found.index(-1)] = math.prod(own) // others
    return found


def _as_told(x: Tensor, shape: Sequence[Extent]) -> Tensor | None:
    """The first elements under extents that a call says, all of them if it says the truth.

    None where the extents multiply to what there is anyway, or no call says them.
    """
    total = Expr.product(x.extents)
    holes = [k for k, extent in enumerate(shape) if isinstance(extent, int) and extent == -1]
    if len(holes) > 1:
        return None
    wanted = list(x.trace.learn([1 if k in holes else e for k, e in enumerate(shape)]))
    others = Expr.product(wanted)
    if others.constant is not None or (total.exact_quotient(others) if holes else others == total):
        return None
    if holes:
        wanted[holes[0]] = total // others
    count = Expr.product(wanted)
    if not promise_zero(count - total):
        return None
    return first_elements(x, wanted)


@operator("Flatten")
def flatten(node: Node, x: Tensor) -> Tensor:
    """The axes before one, and those from it on, each made one."""
    axis = node.integer("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    if not 0 <= axis <= x.ndim:
        fail(f"axis {axis} is outside of the {x.ndim} axes")
    sides = Expr.product(x.extents[:axis]), Expr.product(x.extents[axis:])
    return movement.move(x, sides)


@operator("Transpose")
def transpose(node: Node, x: Tensor) -> Tensor:
    """The axes in another order."""
    return movement.permute_dims(x, node.integers("perm") if "perm" in node else None)


@operator("Squeeze", until=12)
def squeeze_by_attribute(node: Node, x: Tensor) -> Tensor:
    """Axes of extent 1 dropped."""
    return _squeezed(x, node.integers("axes") if "axes" in node else None)


@operator("Squeeze", since=13, known=(1,), told=(1,))
def squeeze(node: Node, x: Tensor, axes: Array | Told | None = None) -> Tensor:
    """Axes of extent 1 dropped."""
    if isinstance(axes, Told):
        return without_axes(x, axes)
    return _squeezed(x, None if axes is None else integers(axes, "an axis"))


def _squeezed(x: Tensor, axes: Sequence[int] | None) -> Tensor:
    """Without axes all of extent 1 go: one with a name stays, in calls for which it is not 1."""
    for extent in x.shape if axes is None else ():
        if isinstance(extent, Dim):
            require_not_negative(extent - 2)
    return movement.squeeze(x, axes)


@operator("Unsqueeze", until=12)
def unsqueeze_by_attribute(node: Node, x: Tensor) -> Tensor:
    """New axes of extent 1."""
    return movement.expand_dims(x, node.integers("axes"))


@operator("Unsqueeze", since=13, known=(1,), told=(1,))
def unsqueeze(node: Node, x: Tensor, axes: Array | Told) -> Tensor:
    """New axes of extent 1."""
    if isinstance(axes, Told):
        return with_axes(x, axes)
    return movement.expand_dims(x, integers(axes, "an axis"))


@operator("Expand", known=(1,), told=(1,))
def expand(node: Node, x: Tensor, shape: Array | Told) -> Tensor:
    """Repeated along new and unit axes; where the shape has a 1 the extent stays."""
    if isinstance(shape, Told):
        return _expanded(x, shape)
    wanted = list(x.trace.learn(extents(shape)))
    for own, place in zip(reversed(x.extents), reversed(range(len(wanted))), strict=False):
        # what a call says is 2 at least: an extent of x that is not 1 has to be it
        if own != movement.ONE and own != wanted[place] and promise_zero(wanted[place] - own):
            wanted[place] = own
    return x.trace.broadcast(x, broadcast_extents(x.extents, wanted))


def _expanded(x: Tensor, shape: Told) -> Tensor:
    """`x` repeated as a call says; the extents of its own that are not 1 have to stay."""
    rank = max(shape.size, x.ndim)

    def rule(call: Call) -> list[int]:
        own = [call.extent(extent) for extent in x.shape]
        return list(np.broadcast_shapes(tuple(own), tuple(call.array(shape).tolist())))

    wanted = list(x.trace.learn(decided(numbered(rank), rule)))
    for own, place in zip(reversed(x.extents), reversed(range(rank)), strict=False):
        if own != movement.ONE and promise_zero(wanted[place] - own):
            wanted[place] = own
    return x.trace.broadcast(x, wanted)


@operator("Tile", since=6, known=(1,), told=(1,))
def tile(node: Node, x: Tensor, repeats: Array | Told) -> Tensor:
    """The whole several times along each axis."""
    if isinstance(repeats, Told):
        return _repeated(x, told_extents(repeats))
    counts = extents(repeats)
    if all(isinstance(count, int) for count in counts):
        return arrangement.tile(x, integers(repeats, "a number of repetitions"))
    return _repeated(x, counts)


def _repeated(x: Tensor, counts: Sequence[Extent]) -> Tensor:
    """`x` as often along each axis as a call says."""
    if len(counts) != x.ndim:
        fail(f"{x.ndim} axes take as many numbers, got {len(counts)}")
    often = x.trace.learn(counts)
    apart = [e for extent in x.extents for e in (movement.ONE, extent)]
    wide = [e for pair in zip(often, x.extents, strict=True) for e in pair]
    spread = x.trace.broadcast(movement.move(x, apart), wide)
    return movement.move(spread, [a * b for a, b in zip(often, x.extents, strict=True)])


@operator("Concat")
def concat(node: Node, *tensors: Tensor) -> Tensor:
    """One after the other along an axis."""
    return movement.concat(tensors, axis=node.integer("axis", 1 if node.opset < 4 else None))


@operator("Split", until=12)
def split_by_attribute(node: Node, x: Tensor) -> list[Tensor]:
    """Cut along an axis, into equal parts or parts of the extents given."""
    return _split(node, x, node.integers("split") if "split" in node else None)


@operator("Split", since=13, known=(1,), told=(1,))
def split(node: Node, x: Tensor, sizes: Array | Told | None = None) -> list[Tensor]:
    """Cut along an axis, into equal parts or parts of the extents given."""
    if isinstance(sizes, Told):
        return _split(node, x, told_extents(sizes))
    return _split(node, x, None if sizes is None else extents(sizes))


def _split(node: Node, x: Tensor, sizes: Sequence[Extent] | None) -> list[Tensor]:
    """Where parts are not equal the last one is the smallest."""
    axis = normalize_axis(node.integer("axis", 0), x.ndim)
    if sizes is None:
        extent, count = x.shape[axis], node.integer("num_outputs", len(node.outputs))
        if isinstance(extent, Dim):
            fail(f"an extent of {extent} is cut into parts of given extents alone")
        if count != len(node.outputs):
            fail(f"{count} parts for {len(node.outputs)} results")
        part = -(-extent // count)
        sizes = [min(part, max(extent - part * k, 0)) for k in range(count)]
    lengths = x.trace.learn(sizes)
    total, extent = sum(lengths, Expr.of(0)), x.extents[axis]
    if total != extent and not promise_zero(total - extent):
        fail(f"parts of {', '.join(map(str, sizes))} are not the extent {extent}")
    parts: list[Tensor] = []
    start = Expr.of(0)
    for length in lengths:
        starts, stops = [Expr.of(0)] * x.ndim, list(x.extents)
        starts[axis], stops[axis] = start, start + length
        parts.append(x.trace.emit(graph.SliceOp, x.value, starts, stops))
        start = start + length
    return parts


@operator("Slice", until=9)
def slice_by_attributes(node: Node, x: Tensor) -> Tensor:
    """The part from one index to another along axes."""
    starts, ends = node.integers("starts"), node.integers("ends")
    axes = node.integers("axes", list(range(len(starts))))
    return _sliced(x, starts, ends, axes, [1] * len(starts))


@operator("Slice", since=10, known=(1, 2, 3, 4), told=(1, 2, 3, 4))
def slice_(
    node: Node,
    x: Tensor,
    starts: Array | Told,
    ends: Array | Told,
    axes: Array | Told | None = None,
    steps: Array | Told | None = None,
) -> Tensor:
    """The part from one index to another along axes, in steps."""
    given = (starts, ends, axes, steps)
    if any(isinstance(each, Told) for each in given):
        return cut(x, *given)
    assert not isinstance(starts, Told) and not isinstance(ends, Told)
    assert not isinstance(axes, Told) and not isinstance(steps, Told)
    first = extents(starts)
    places = list(range(len(first))) if axes is None else integers(axes, "an axis")
    strides = [1] * len(first) if steps is None else integers(steps, "a step")
    return _sliced(x, first, extents(ends), places, strides)


def _sliced(
    x: Tensor,
    starts: Sequence[Extent],
    ends: Sequence[Extent],
    axes: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    if not len(starts) == len(ends) == len(axes) == len(steps):
        fail(f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps")
    cuts = [slice(None)] * x.ndim
    places = normalize_axes(axes, x.ndim)
    for start, end, place, step in zip(starts, ends, places, steps, strict=True):
        cuts[place] = slice(*_bounds(start, end, step, x.shape[place]), step)
    return x[tuple(cuts)]


def _bounds(
    start: Extent, end: Extent, step: int, extent: Extent
) -> tuple[Extent | None, Extent | None]:
    """Bounds as Python has them: open where they are beyond what any extent is."""
    far = 10**9
    if step < 0:
        beyond = -extent - 1 if isinstance(extent, int) else -far
        first = None if isinstance(start, int) and start >= far - 1 else start
        last = None if isinstance(end, int) and end <= max(beyond, -far) else end
        if isinstance(extent, Dim) and start == -1:
            first = None
        return first, last
    return start, None if isinstance(end, int) and end >= far else end


@operator("Trilu")
def trilu(node: Node, x: Tensor, k: Tensor | None = None) -> Tensor:
    """The elements on one side of a diagonal, which data or extents may say."""
    held = node.inputs[1] if k is not None else np.array(0)
    upper = node.flag("upper", True)
    if isinstance(held, np.ndarray) and not is_symbolic(held):
        side = arrangement.triu if upper else arrangement.tril
        return side(x, k=integer(held, "the diagonal"))
    rows, columns = (arange(extent) for extent in x.shape[-2:])
    away = subtract(columns, movement.expand_dims(rows, axis=1))
    assert k is not None
    diagonal = movement.move(k, ())
    inside = greater_equal(away, diagonal) if upper else less_equal(away, diagonal)
    return where(inside, x, False if x.dtype.kind == "bool" else 0)


@operator("SpaceToDepth")
def space_to_depth(node: Node, x: Tensor) -> Tensor:
    """Blocks of rows and columns as channels."""
    size = _block_size(node)
    batch, channels, rows, columns = _image(x)
    found = movement.reshape(x, [batch, channels, rows // size, size, columns // size, size])
    order = [0, 3, 5, 1, 2, 4] if node.text("mode", "DCR") == "DCR" else [0, 1, 3, 5, 2, 4]
    found = movement.permute_dims(found, order)
    return movement.reshape(found, [batch, channels * size * size, rows // size, columns // size])


@operator("DepthToSpace")
def depth_to_space(node: Node, x: Tensor) -> Tensor:
    """Channels as blocks of rows and columns."""
    size = _block_size(node)
    batch, channels, rows, columns = _image(x)
    depth = channels // (size * size)
    if node.choice("mode", "DCR", ("DCR", "CRD")) == "DCR":
        found = movement.reshape(x, [batch, size, size, depth, rows, columns])
        found = movement.permute_dims(found, [0, 3, 4, 1, 5, 2])
    else:
        found = movement.reshape(x, [batch, depth, size, size, rows, columns])
        found = movement.permute_dims(found, [0, 1, 4, 2, 5, 3])
    return movement.reshape(found, [batch, depth, rows * size, columns * size])


def _block_size(node: Node) -> int:
    size = node.integer("blocksize")
    if size < 1:
        fail(f"the attribute blocksize is from 1 on, got {size}")
    return size


def _image(x: Tensor) -> tuple[Extent, ...]:
    if x.ndim != 4:
        fail(f"takes [batch, channels, rows, columns], got {x!r}")
    return x.shape
