"""Random ops whose indices are data, and those that read bits as another type."""

from __future__ import annotations

from random_builder import Builder, Extents, Value

from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr

INDICES = (dtypes.INT32, dtypes.INT64, dtypes.INT8, dtypes.UINT8)


def _indices(b: Builder, extents: Extents) -> Value:
    """A tensor of indices, some of them out of range; often one that is there already."""
    found = [v for v in b.pool if v.dtype.kind in ("int", "uint") and v.extents == extents]
    found = [v for v in found if v.exact and not v.dtype.storage]
    if found and b.random.random() < 0.7:
        return b.random.choice(found)
    return b.argument(b.random.choice(INDICES), extents)


def _picked(b: Builder, operand: Value) -> tuple[Value, list[int], Extents] | None:
    """Indices for some axes of a value, the axes, and the extents of what they pick."""
    rank = len(operand.extents)
    axes = b.random.sample(range(rank), b.random.randint(1, min(rank, 2)))
    batch = b.shape()[:2]
    rest = [extent for axis, extent in enumerate(operand.extents) if axis not in axes]
    if not b.fits([*batch, *rest]):
        return None
    return _indices(b, (*batch, Expr.of(len(axes)))), axes, (*batch, *rest)


def gather(b: Builder) -> None:
    operand = b.pick(lambda v: len(v.extents) > 0, stored=True)
    if operand and (found := _picked(b, operand)):
        indices, axes, _ = found
        b.add(graph.GatherOp(operand.value, indices.value, axes), operand.exact)


def scatter(b: Builder) -> None:
    kind = b.random.choice(tuple(graph.SCATTERS))
    sums = kind in ("add", "mul")

    def accepts(v: Value) -> bool:
        is_float = v.dtype.kind == "float"
        return (
            len(v.extents) > 0
            and v.dtype.kind in graph.SCATTERS[kind]
            and not (is_float and sums and (b.special or not v.exact))
        )

    if (operand := b.pick(accepts)) and (found := _picked(b, operand)):
        indices, axes, extents = found
        updates = b.like(Value(operand.value, operand.dtype, extents), exact=sums)
        settled = not (operand.dtype.kind == "float" and sums)
        op = graph.ScatterOp(kind, operand.value, indices.value, updates.value, axes)
        b.add(op, operand.exact and updates.exact and settled)


def _part(b: Builder, operand: Value) -> tuple[Extents, Value]:
    """Sizes of a part of a value, and where it starts."""
    sizes = tuple(
        extent if extent.constant is None else Expr.of(b.random.randint(0, extent.constant))
        for extent in operand.extents
    )
    return sizes, _indices(b, (Expr.of(len(sizes)),))


def dynamic_slice(b: Builder) -> None:
    if operand := b.pick(lambda v: len(v.extents) > 0, stored=True):
        sizes, starts = _part(b, operand)
        b.add(graph.DynamicSliceOp(operand.value, starts.value, sizes), operand.exact)


def dynamic_update(b: Builder) -> None:
    if operand := b.pick(lambda v: len(v.extents) > 0, stored=True):
        sizes, starts = _part(b, operand)
        update = b.like(Value(operand.value, operand.dtype, sizes), exact=False)
        op = graph.DynamicUpdateOp(operand.value, update.value, starts.value)
        b.add(op, operand.exact and update.exact)


def bitcast(b: Builder) -> None:
    """To another type of that width; of floats only inputs, since a NaN has no bits of its own."""

    def accepts(v: Value) -> bool:
        is_input = any(v is given for given in b.inputs)
        return v.exact and v.dtype.kind != "bool" and (v.dtype.kind != "float" or is_input)

    if operand := b.pick(accepts):
        width = operand.dtype.bits
        targets = [d for d in dtypes.COMPUTED if d.bits == width and d.kind != "bool"]
        b.add(graph.BitcastOp(operand.value, b.random.choice(targets).element), True)
