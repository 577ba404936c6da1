"""Textures and surfaces, read and written by coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.execution.textures import Surface, Texture
from teenyir.emulator.instructions.atomics import rounds
from teenyir.emulator.syntax.program import Address, Group, Instruction, Operand, Register, Special
from teenyir.emulator.types import TYPES, Array, Mask, Operation, ScalarType

_AXES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}
"""Coordinates along which a geometry is sampled; layered ones (`a…`) have an index before them."""


def _geometry(b: Binder, i: Instruction) -> tuple[int, bool]:
    """The spatial axes of an instruction, and whether a layer index comes first."""
    name = next((m for m in i.modifiers if m in _AXES), None)
    if name is None:
        b.fail(i, f"the geometry of '{i.name}' is not supported")
    return _AXES[name], name.startswith("a")


def _operands(b: Binder, i: Instruction, position: int, kind: ScalarType) -> _Place:
    operand = i.operands[position]
    if not isinstance(operand, Group):
        b.fail(i, "a texture or surface operand is [handle, {coordinates}]")
    base, coordinates = operand.items[0], operand.items[-1]
    handle = base.base if isinstance(base, Address) else base
    if not isinstance(handle, Register | Special):
        b.fail(i, "texture and surface references by name are not supported; pass a handle")
    axes, layered = _geometry(b, i)
    items = list(b.items(coordinates))
    layer = b.source(items.pop(0), TYPES["u32"]) if layered else None
    return _Place(
        b.source(handle, TYPES["u64"]),
        [b.source(item, kind) for item in items[:axes]],
        layer,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Bound handle and coordinates (x first)."""

    handles: Array
    coordinates: list[Array]
    layer: Array | None


def _each(
    b: Binder, i: Instruction, place: _Place, kind: type[Texture] | type[Surface], mask: Mask
) -> list[tuple[Any, Array]]:
    """The objects that lanes use, each with its lanes."""
    lanes = b.machine.selected(mask)
    used = place.handles[lanes]
    found: list[tuple[Any, Array]] = []
    for handle in np.unique(used).tolist():
        made = b.image.handles.objects.get(int(handle))
        if not isinstance(made, kind):
            what = kind.__name__.lower()
            b.machine.stop(i, f"{int(handle):#x} is no handle of a {what}", int(lanes[0]))
        found.append((made, lanes[used == handle]))
    return found


def _addressed(index: Array, extent: int, mode: str) -> tuple[Array, Array]:
    """Texel indices brought into range, and whether they were inside."""
    inside = (index >= 0) & (index < extent)
    if mode == "wrap":
        return index % extent, np.ones_like(inside)
    if mode == "mirror":
        folded = index % (2 * extent)
        return np.minimum(folded, 2 * extent - 1 - folded), np.ones_like(inside)
    return np.clip(index, 0, extent - 1), inside | (mode == "clamp")


def _fetch(texture: Texture, indices: list[Array], layer: Array | None) -> Array:
    """Texels (n, channels) at integer indices, x first."""
    texels = texture.texels
    extents = texels.shape[-1 - len(indices) : -1][::-1]
    chosen: list[Array] = []
    inside = np.ones(len(indices[0]), np.bool_)
    for index, extent in zip(indices, extents, strict=True):
        brought, good = _addressed(index, extent, texture.address)
        chosen.append(brought)
        inside &= good
    key = tuple(chosen[::-1])
    if layer is not None:
        key = (np.clip(layer.astype(np.int64), 0, len(texels) - 1), *key)
    return np.where(inside[:, None], texels[key], texels.dtype.type(0))


def _scaled(texture: Texture, coordinates: list[Array]) -> list[Array]:
    """Float coordinates in texels."""
    extents = texture.texels.shape[-1 - len(coordinates) : -1][::-1]
    wide = [c.astype(np.float64) for c in coordinates]
    if not texture.normalised:
        return wide
    return [c * extent for c, extent in zip(wide, extents, strict=True)]


def _linear(texture: Texture, coordinates: list[Array], layer: Array | None) -> Array:
    """Linear filtering, with the machine's weights of 8 fractional bits."""
    bases = [np.floor(c - 0.5) for c in coordinates]
    weights = [
        np.round((c - 0.5 - base) * 256) / 256 for c, base in zip(coordinates, bases, strict=True)
    ]
    total: Array = np.zeros((len(bases[0]), texture.channels))
    for corner in range(2 ** len(bases)):
        share = np.ones(len(bases[0]))
        indices: list[Array] = []
        for axis, (base, weight) in enumerate(zip(bases, weights, strict=True)):
            bit = corner >> axis & 1
            share = share * (weight if bit else 1 - weight)
            indices.append(base.astype(np.int64) + bit)
        total = total + share[:, None] * _fetch(texture, indices, layer).astype(np.float64)
    return total


def sample(b: Binder, i: Instruction) -> Operation:
    """`tex`, at its base level."""
    result, coordinate = b.types(i)[:2]
    place = _operands(b, i, 1, coordinate)
    targets = [b.dest(item, result) for item in b.items(i.operands[0])]

    def read(texture: Texture, lanes: Array) -> Array:
        points = [c[lanes] for c in place.coordinates]
        layer = place.layer[lanes] if place.layer is not None else None
        if not coordinate.is_float:
            return _fetch(texture, [p.astype(np.int64) for p in points], layer)
        points = _scaled(texture, points)
        if texture.filter == "linear":
            return _linear(texture, points, layer)
        return _fetch(texture, [np.floor(p).astype(np.int64) for p in points], layer)

    def operation(mask: Mask) -> None:
        for texture, lanes in _each(b, i, place, Texture, mask):
            values = read(texture, lanes)
            for index, target in enumerate(targets):
                if index < values.shape[1]:
                    target[lanes] = values[:, index]
                else:
                    target[lanes] = 1 if index == 3 else 0

    return operation


def gather(b: Binder, i: Instruction) -> Operation:
    """`tld4`: one channel of the four texels that linear filtering would blend."""
    result, coordinate = b.types(i)[:2]
    place = _operands(b, i, 1, coordinate)
    targets = [b.dest(item, result) for item in b.items(i.operands[0])]
    channel = "rgba".index(next(m for m in i.modifiers if m in tuple("rgba")))
    corners = ((0, 1), (1, 1), (1, 0), (0, 0))

    def operation(mask: Mask) -> None:
        for texture, lanes in _each(b, i, place, Texture, mask):
            points = _scaled(texture, [c[lanes] for c in place.coordinates])
            layer = place.layer[lanes] if place.layer is not None else None
            base = [np.floor(p - 0.5).astype(np.int64) for p in points]
            for target, (x, y) in zip(targets, corners, strict=True):
                texels = _fetch(texture, [base[0] + x, base[1] + y], layer)
                target[lanes] = texels[:, channel] if channel < texels.shape[1] else 0

    return operation


# Surfaces


def _surface_index(
    b: Binder, i: Instruction, place: _Place, surface: Surface, lanes: Array, size: int
) -> tuple[Array, Array, Array]:
    """Flat byte offsets of accesses, the lanes inside, and the surface as bytes."""
    texels = surface.texels
    raw = texels.reshape(-1).view(np.uint8)
    axes = len(place.coordinates)
    row = texels.shape[-2] * texels.shape[-1] * texels.itemsize
    extents = [row, *texels.shape[-1 - axes : -2][::-1]]
    inside = np.ones(len(lanes), np.bool_)
    offset = np.zeros(len(lanes), np.int64)
    stride = 1
    for axis, extent in enumerate(extents):
        index = place.coordinates[axis][lanes].astype(np.int64)
        width = size if axis == 0 else 1
        inside &= (index >= 0) & (index + width <= extent)
        offset += np.clip(index, 0, extent - width) * stride
        stride *= extent
    if place.layer is not None:
        offset += np.clip(place.layer[lanes].astype(np.int64), 0, len(texels) - 1) * stride
    if "trap" in i.modifiers and not inside.all():
        b.machine.stop(i, "surface access out of bounds", int(lanes[int(np.argmin(inside))]))
    return offset, inside | ("clamp" in i.modifiers), raw


def _span(b: Binder, i: Instruction, items: tuple[Operand, ...]) -> tuple[ScalarType, int]:
    kind = b.type(i)
    return kind, kind.bytes * len(items)


def surface_load(b: Binder, i: Instruction) -> Operation:
    """`suld.b`."""
    items = b.items(i.operands[0])
    kind, size = _span(b, i, items)
    place = _operands(b, i, 1, TYPES["s32"])
    targets = [b.dest(item, kind) for item in items]

    def operation(mask: Mask) -> None:
        for surface, lanes in _each(b, i, place, Surface, mask):
            offset, inside, raw = _surface_index(b, i, place, surface, lanes, size)
            data = np.where(inside[:, None], raw[offset[:, None] + np.arange(size)], 0)
            values = np.ascontiguousarray(data.astype(np.uint8)).view(kind.dtype)
            for index, target in enumerate(targets):
                target[lanes] = values[:, index]

    return operation


def surface_store(b: Binder, i: Instruction) -> Operation:
    """`sust.b`."""
    items = b.items(i.operands[1])
    kind, size = _span(b, i, items)
    place = _operands(b, i, 0, TYPES["s32"])
    sources = [b.source(item, kind) for item in items]

    def operation(mask: Mask) -> None:
        values = np.ascontiguousarray(np.stack(sources, axis=1)).view(np.uint8)
        for surface, lanes in _each(b, i, place, Surface, mask):
            offset, inside, raw = _surface_index(b, i, place, surface, lanes, size)
            raw[(offset[:, None] + np.arange(size))[inside]] = values[lanes[inside]]

    return operation


_UPDATES: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
}


def surface_reduce(b: Binder, i: Instruction) -> Operation:
    """`sured.b`."""
    kind = b.type(i)
    place = _operands(b, i, 0, TYPES["s32"])
    value = b.source(i.operands[1], kind)
    update = _UPDATES[next(m for m in i.modifiers if m in _UPDATES)]

    def operation(mask: Mask) -> None:
        for surface, lanes in _each(b, i, place, Surface, mask):
            offset, inside, raw = _surface_index(b, i, place, surface, lanes, kind.bytes)
            cells, own = raw.view(kind.dtype), lanes[inside]
            rows = offset[inside] // kind.bytes
            for turn in rounds(rows):
                cells[rows[turn]] = update(cells[rows[turn]], value[own[turn]])

    return operation


# Queries


def query(b: Binder, i: Instruction) -> Operation:
    """`txq`, `suq`: the extents of a texture or surface."""
    what = next((m for m in i.modifiers if m in ("width", "height", "depth", "array_size")), None)
    if what is None:
        b.fail(i, f"the query of '{i.name}' is not supported")
    operand = i.operands[1]
    base = operand.base if isinstance(operand, Address) else operand
    handles = b.source(base, TYPES["u64"])
    dest = b.dest(i.operands[0], TYPES["u32"])
    place = _Place(handles, [], None)
    kind = Texture if i.opcode == "txq" else Surface
    axis = {"width": -2, "height": -3}.get(what, -4)

    def operation(mask: Mask) -> None:
        for made, lanes in _each(b, i, place, kind, mask):
            shape = made.texels.shape
            dest[lanes] = shape[axis] if len(shape) >= -axis else 0

    return operation


def is_type(b: Binder, i: Instruction) -> Operation:
    """`istypep`: whether a handle is of a texture or a surface."""
    handles = b.source(i.operands[1], TYPES["u64"])
    kind = Surface if "surfref" in i.modifiers else Texture

    def run(values: Array) -> Array:
        objects = b.image.handles.objects
        return np.array([isinstance(objects.get(int(v)), kind) for v in values])

    return b.apply(run, b.dest(i.operands[0], TYPES["pred"]), [handles])


TABLE: dict[str, Builder] = {
    "tex": sample,
    "tld4": gather,
    "txq": query,
    "suld": surface_load,
    "sust": surface_store,
    "sured": surface_reduce,
    "suq": query,
    "istypep": is_type,
}
