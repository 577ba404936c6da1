"""Images read at places that are data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.frontend import elementwise, reductions
from teenyir.frontend.control import fori_loop
from teenyir.frontend.core import as_tensor
from teenyir.frontend.creation import arange, full
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import (
    add,
    astype,
    divide,
    floor,
    greater,
    less,
    maximum,
    minimum,
    multiply,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted, gather
from teenyir.frontend.linear import matmul
from teenyir.frontend.movement import broadcast_to, move, moveaxis, permute_dims, reshape
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.convolution import kernel_of, with_bias
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor

Taps = list[tuple[Tensor, Tensor]]
"""Along one axis, the places that are read and their weights."""


def _extent(x: Tensor, axis: int, dtype: dtypes.DType) -> Tensor:
    """An extent as a number of a dtype."""
    return astype(x.trace.extent_value(x.extents[axis]), dtype)


@operator("GridSample", ranks=(3, 3))
def grid_sample(node: Node, x: Tensor, grid: Tensor) -> Tensor:
    """`x` [batch, channels, spatial...] at [batch, places..., one coordinate a spatial axis].

    Coordinates are from -1 to 1, that of the last axis first.
    """
    count = x.ndim - 2
    mode = node.text("mode", "linear").replace("bilinear", "linear").replace("bicubic", "cubic")
    if mode not in ("linear", "nearest", "cubic"):
        fail(f"'{mode}' is no mode of reading")
    padding = node.choice("padding_mode", "zeros", ("zeros", "border", "reflection"))
    corners = node.flag("align_corners")
    if grid.shape[-1] != count or grid.ndim != x.ndim:
        fail(f"takes [batch, places..., {count}] for {x!r}, got {grid!r}")
    taps: list[Taps] = []
    for axis in range(count):
        place = _denormalized(x, 2 + axis, grid[..., count - 1 - axis], corners)
        taps.append(_taps(x, 2 + axis, place, mode, padding, corners))
    return _read(x, taps)


def _denormalized(x: Tensor, axis: int, place: Tensor, corners: bool) -> Tensor:
    """A coordinate from -1 to 1 as a place among the elements of an axis."""
    size = _extent(x, axis, place.dtype)
    moved = add(place, 1.0)
    if corners:
        return multiply(divide(moved, 2.0), subtract(size, 1.0))
    return divide(subtract(multiply(moved, size), 1.0), 2.0)


def _taps(x: Tensor, axis: int, place: Tensor, mode: str, padding: str, corners: bool) -> Taps:
    size = _extent(x, axis, place.dtype)
    low = place.trace.constant(0.0 if corners else -0.5, place.dtype)
    high = subtract(size, 1.0) if corners else subtract(size, 0.5)

    def inside(p: Tensor) -> Tensor:
        if padding == "border":
            return minimum(maximum(p, 0.0), subtract(size, 1.0))
        return _reflected(p, low, high) if padding == "reflection" else p

    place = elementwise.round(place) if mode == "nearest" else place
    is_out = elementwise.logical_or(less(place, low), greater(place, high))
    place = where(is_out, inside(place), place)
    if mode == "nearest":
        one = as_tensor(1.0, place.dtype)
        return [(astype(inside(elementwise.trunc(place)), dtypes.INT64), one)]
    start = floor(place)
    away = subtract(place, start)
    weights = _linear(away) if mode == "linear" else _cubic(away)
    first = 0 if mode == "linear" else -1
    return [
        (astype(inside(add(start, float(first + k))), dtypes.INT64), weight)
        for k, weight in enumerate(weights)
    ]


def _reflected(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Thrown back at both ends, as often as it takes."""
    span = subtract(high, low)
    safe = where(greater(span, 0.0), span, 1.0)
    beyond = elementwise.abs(subtract(x, low))
    turns = floor(divide(beyond, safe))
    rest = subtract(beyond, multiply(turns, safe))
    is_odd = elementwise.equal(elementwise.remainder(turns, 2.0), 1.0)
    return where(greater(span, 0.0), where(is_odd, subtract(high, rest), add(low, rest)), low)


def _linear(away: Tensor) -> list[Tensor]:
    return [subtract(1.0, away), away]


def _cubic(away: Tensor, a: float = -0.75) -> list[Tensor]:
    """The four weights of cubic convolution (Keys, 1981)."""

    def near(x: Tensor) -> Tensor:
        return add(multiply(multiply(subtract(multiply(x, a + 2), a + 3), x), x), 1.0)

    def far(x: Tensor) -> Tensor:
        inner = add(multiply(subtract(multiply(x, a), 5 * a), x), 8 * a)
        return subtract(multiply(inner, x), 4 * a)

    rest = subtract(1.0, away)
    return [far(add(away, 1.0)), near(away), near(rest), far(add(rest, 1.0))]


def _read(x: Tensor, taps: Sequence[Taps]) -> Tensor:
    """[batch, channels, places...]: elements at [batch, places...], 0 where there is none."""
    total: Tensor | None = None
    for combination in product(*taps):
        places = [place for place, _ in combination]
        batch = counted(places[0], 0)
        axes = (0, *range(2, x.ndim))
        part = moveaxis(gather(x, [batch, *places], axes), -1, 1)
        weight = combination[0][1]
        for _, more in combination[1:]:
            weight = multiply(weight, more)
        if weight.ndim:
            weight = move(weight, [weight.extents[0], Expr.of(1), *weight.extents[1:]])
        term = multiply(part, astype(weight, x.dtype))
        total = term if total is None else add(total, term)
    assert total is not None
    return total


@operator("RoiAlign", ranks=(4, 2, 1))
def roi_align(node: Node, x: Tensor, rois: Tensor, batch: Tensor) -> Tensor:
    """The mean, or the maximum, of places in each cell of a grid on each of several regions."""
    rows, columns = node.integer("output_height", 1), node.integer("output_width", 1)
    ratio = node.integer("sampling_ratio", 0)
    if ratio < 0:
        fail(f"the attribute sampling_ratio is not negative, got {ratio}")
    usual = "half_pixel" if node.opset >= 16 else "output_half_pixel"
    half = node.text("coordinate_transformation_mode", usual) == "half_pixel"
    scaled = multiply(rois, node.number("spatial_scale", 1.0))
    scaled = subtract(scaled, 0.5) if half else scaled
    if not ratio:
        return _adaptive(node, x, astype(batch, dtypes.INT64), scaled, half, (rows, columns))
    taps: list[Taps] = []
    valid: list[Tensor] = []
    for axis, (start, count) in enumerate(((1, rows), (0, columns))):
        first, last = scaled[:, start], scaled[:, start + 2]
        size = subtract(last, first)
        size = size if half else maximum(size, 1.0)
        cell = divide(size, float(count))
        step = divide(add(astype(arange(count * ratio), x.dtype), 0.5), float(ratio))
        place = add(first[:, None], multiply(step[None, :], cell[:, None]))
        found, inside = _clamped(x, 2 + axis, place)
        taps.append(found)
        valid.append(inside)
    return _pooled(node, x, astype(batch, dtypes.INT64), taps, valid, (rows, columns, ratio))


def _clamped(x: Tensor, axis: int, place: Tensor) -> tuple[Taps, Tensor]:
    """The two neighbours, moved inside, and whether a place is not too far outside."""
    size = _extent(x, axis, place.dtype)
    inside = elementwise.logical_and(
        elementwise.greater_equal(place, -1.0), elementwise.less_equal(place, size)
    )
    last = subtract(size, 1.0)
    place = minimum(maximum(place, 0.0), last)
    low = floor(place)
    away = subtract(place, low)
    high = minimum(add(low, 1.0), last)
    return [
        (astype(low, dtypes.INT64), subtract(1.0, away)),
        (astype(high, dtypes.INT64), away),
    ], inside


def _pooled(
    node: Node,
    x: Tensor,
    batch: Tensor,
    taps: Sequence[Taps],
    valid: Sequence[Tensor],
    sizes: tuple[int, int, int],
) -> Tensor:
    rows, columns, ratio = sizes
    total = _between(node, x, batch, taps, valid)
    cells = reshape(total, (total.shape[0], rows, ratio, columns, ratio, total.shape[3]))
    reduce = reductions.max if _is_max(node) else reductions.mean
    return permute_dims(reduce(cells, axis=(2, 4)), (0, 3, 1, 2))


def _is_max(node: Node) -> bool:
    return node.choice("mode", "avg", ("avg", "max")) == "max"


def _between(
    node: Node, x: Tensor, batch: Tensor, taps: Sequence[Taps], valid: Sequence[Tensor]
) -> Tensor:
    """What is between four neighbours at each place: [regions, rows, columns, channels]."""
    terms: list[Tensor] = []
    inside = elementwise.logical_and(valid[0][:, :, None], valid[1][:, None, :])
    for (down, a), (across, b) in product(*taps):
        shape = inside.shape
        places = [
            broadcast_to(each, shape)
            for each in (batch[:, None, None], down[:, :, None], across[:, None, :])
        ]
        part = gather(x, places, (0, 2, 3))
        weight = multiply(a[:, :, None], b[:, None, :])
        weight = where(inside, weight, 0.0)
        terms.append(multiply(part, astype(weight, x.dtype)[..., None]))
    total = terms[0]
    for term in terms[1:]:
        total = maximum(total, term) if _is_max(node) else add(total, term)
    return total


def _adaptive(
    node: Node, x: Tensor, batch: Tensor, scaled: Tensor, half: bool, sizes: tuple[int, int]
) -> Tensor:
    """As many places in a cell as elements lie in it: a loop to the most of any region."""
    firsts, cells, counts = list[Tensor](), list[Tensor](), list[Tensor]()
    for start, count in zip((1, 0), sizes, strict=True):
        size = subtract(scaled[:, start + 2], scaled[:, start])
        cell = divide(size if half else maximum(size, 1.0), float(count))
        firsts.append(scaled[:, start])
        cells.append(cell)
        counts.append(maximum(astype(-floor(-cell), dtypes.INT64), 0))
    most = [reductions.max(count) for count in counts]
    is_max = _is_max(node)

    def step(k: Tensor, total: Tensor) -> Tensor:
        at = (elementwise.floor_divide(k, most[1]), elementwise.remainder(k, most[1]))
        taps: list[Taps] = []
        valid: list[Tensor] = []
        for axis in range(2):
            within = divide(
                add(astype(at[axis], x.dtype), 0.5), astype(maximum(counts[axis], 1), x.dtype)
            )
            cell = astype(arange(sizes[axis]), x.dtype)
            moved = multiply(add(cell[None, :], within[:, None]), cells[axis][:, None])
            found, inside = _clamped(x, 2 + axis, add(firsts[axis][:, None], moved))
            taps.append(found)
            valid.append(inside)
        is_one = elementwise.logical_and(
            elementwise.less(at[0], counts[0]), elementwise.less(at[1], counts[1])
        )[:, None, None, None]
        read = _between(node, x, batch, taps, valid)
        return where(is_one, maximum(total, read) if is_max else add(total, read), total)

    nothing = -float("inf") if is_max else 0.0
    start = full((scaled.shape[0], *sizes, x.shape[1]), nothing, dtype=x.dtype)
    found = fori_loop(as_tensor(0, dtypes.INT64), multiply(most[0], most[1]), step, start)
    places = multiply(counts[0], counts[1])[:, None, None, None]
    if is_max:
        found = where(elementwise.greater(places, 0), found, 0.0)
    else:
        found = divide(found, astype(maximum(places, 1), x.dtype))
    return permute_dims(found, (0, 3, 1, 2))


@operator("DeformConv", ranks=(3, 3, 3))
def deform_conv(
    node: Node,
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """A convolution whose kernel reads at places that are moved by data, between elements."""
    kernel = kernel_of(w)
    count = len(kernel)
    stride = node.integers("strides", [1] * count)
    dilation = node.integers("dilations", [1] * count)
    pads = node.integers("pads", [0] * (2 * count))
    parts, groups = node.integer("offset_group", 1), node.integer("group", 1)
    batch, out = x.shape[0], offset.shape[2:]
    elements = 1
    for extent in kernel:
        elements *= extent
    # [batch * parts, channels / parts, spatial...] read at [batch * parts, elements, places...]
    channels = x.shape[1] // parts
    split = reshape(x, (batch * parts, channels, *x.shape[2:]))
    moved = reshape(offset, (batch * parts, elements, count, *out))
    taps = [
        _moved_taps(split, moved, axis, kernel, stride[axis], dilation[axis], pads[axis])
        for axis in range(count)
    ]
    found = _read(split, taps)  # [batch * parts, channels / parts, elements, places...]
    if mask is not None:
        factor = reshape(mask, (batch * parts, 1, elements, *out))
        found = multiply(found, factor)
    return with_bias(_multiplied(found, w, groups, batch, elements, out), bias)


def _moved_taps(
    x: Tensor,
    offset: Tensor,
    axis: int,
    kernel: Sequence[int],
    stride: int,
    dilation: int,
    pad: int,
) -> Taps:
    """Where along one axis the elements of the kernel read, for each place of the result."""
    count = len(kernel)
    own = offset[:, :, axis]  # [batch * parts, elements, places...]
    steps = [kernel[axis] if k == axis else 1 for k in range(count)]
    inner = reshape(multiply(arange(kernel[axis]), dilation), steps)
    inner = reshape(broadcast_to(inner, kernel), (-1, *[1] * count))
    places = own.shape[2:]
    along = [places[axis] if k == axis else 1 for k in range(count)]
    start = subtract(reshape(multiply(arange(places[axis]), stride), along), pad)
    base = add(inner, start)
    return _taps_of(x, 2 + axis, add(own, astype(base, own.dtype)))


def _taps_of(x: Tensor, axis: int, place: Tensor) -> Taps:
    """The two neighbours of a place; what is outside reads 0."""
    low = floor(place)
    away = subtract(place, low)
    first = astype(low, dtypes.INT64)
    return [(first, subtract(1.0, away)), (add(first, 1), away)]


def _multiplied(
    found: Tensor, w: Tensor, groups: int, batch: Extent, elements: int, out: Sequence[Extent]
) -> Tensor:
    """What was read times the kernel, a product of matrices for each group."""
    outputs = w.shape[0] // groups
    places: Extent = 1
    for extent in out:
        places = places * extent
    columns = reshape(found, (batch, groups, w.shape[1] * elements, places))
    rows = reshape(w, (groups, outputs, w.shape[1] * elements))
    return reshape(matmul(rows, columns), (batch, groups * outputs, *out))
