"""One kernel from a graph: the element of a tensor at an index, asked for from its result back.

`KernelBuilder.element(tensor, index)` builds the scalar ops that compute one element and answers
its value. A movement op passes the question on at another index; a contraction opens ranges and
reduces over them; a tensor in memory is loaded. Asking twice for the same element builds it once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph, kernel
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import ONE, ZERO, DimRange, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.lowering.graph_to_kernel import scalars
from teenyir.lowering.graph_to_kernel.scalars import Scalars, cast_scalar, index_scalar
from teenyir.rewriting.locations import LocatedBuilder

Index: TypeAlias = tuple[Expr, ...]
"""An index of a tensor: expressions over extents and `_k`, the kernel's k-th index value."""

RANGE_NAMES = "ijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Gate:
    """A condition under which alone an element is asked for."""

    value: SSAValue


class KernelBuilder:
    """Builds the body of one `kernel.func`."""

    def __init__(
        self,
        func: kernel.FuncOp,
        buffers: Mapping[SSAValue, BlockArgument],
        dims: Sequence[DimRange],
    ):
        """`buffers` are the tensors in memory, by the argument of `func` that holds each."""
        block = func.body.block
        self.builder = LocatedBuilder(InsertPoint.at_end(block))
        self.scalars = Scalars(self.builder)
        self.buffers = buffers
        self.loops: dict[str, tuple[Expr, Expr]] = {}
        self.facts = Facts({dim.name: dim for dim in dims}, self.loops)
        self.index_values: list[SSAValue] = []
        self.known: dict[tuple[SSAValue, Index, Gate | None], SSAValue] = {}
        self.gates: dict[tuple[Expr, Expr, Gate | None], Gate] = {}
        self.index_ops: dict[Expr, SSAValue] = {}

    # --- index values -------------------------------------------------------------------------

    def open_range(self, extent: Expr) -> tuple[SSAValue, Expr]:
        """A new range from 0 to `extent`: its value, and how expressions name it."""
        number = len(self.loops)
        value = self.scalars.op(kernel.RangeOp(ZERO, extent))
        letters = len(RANGE_NAMES)
        suffix = f"{number // letters}" if number >= letters else ""
        value.name_hint = RANGE_NAMES[number % letters] + suffix
        name = placeholder(len(self.index_values))
        self.index_values.append(value)
        self.loops[name] = (ZERO, extent)
        return value, Expr.of(name)

    def reduced_index(self, extent: Expr, over: list[SSAValue]) -> Expr:
        """The index along an axis to reduce: a new range, added to `over`, or 0 of an extent 1."""
        if extent == ONE:
            return ZERO
        value, name = self.open_range(extent)
        over.append(value)
        return name

    def operands(self, exprs: Sequence[Expr]) -> tuple[list[Expr], list[SSAValue]]:
        """Expressions as an op keeps them: renumbered, with the values that they stand for."""
        used = sorted(frozenset[str]().union(*(e.names for e in exprs)) & self.loops.keys())
        values = [self.index_values[int(name[1:])] for name in used]
        renamed = {name: placeholder(k) for k, name in enumerate(used)}
        # through names that no expression has, since the old and the new ones overlap
        away = {name: f"${name}" for name in used}
        back = {away[name]: renamed[name] for name in used}
        return [e.substitute(away).substitute(back) for e in exprs], values

    def index_value(self, expr: Expr) -> SSAValue:
        """An expression as an SSA value."""
        if expr.name in self.loops:
            return self.index_values[int(expr.name[1:])]
        if expr not in self.index_ops:
            (renamed,), values = self.operands([expr])
            self.index_ops[expr] = self.scalars.op(kernel.IndexOp(renamed, values))
        return self.index_ops[expr]

    # --- gates --------------------------------------------------------------------------------

    def inside(self, expr: Expr, extent: Expr, gate: Gate | None) -> Gate | None:
        """The gate that holds where `0 <= expr < extent` does and `gate` holds; None for always."""
        expr = self.facts.simplify(expr)
        if self.facts.is_nonnegative(expr) and self.facts.is_nonnegative(extent - 1 - expr):
            return gate
        key = (expr, extent, gate)
        if key not in self.gates:
            # as unsigned numbers, the negative ones are the largest
            holds = self.scalars.compare("ult", self.index_value(expr), self.index_value(extent))
            self.gates[key] = Gate(holds if gate is None else self.scalars.both(gate.value, holds))
        return self.gates[key]

    # --- elements -----------------------------------------------------------------------------

    def element(self, tensor: SSAValue, index: Index, gate: Gate | None = None) -> SSAValue:
        """The element of `tensor` at `index`. It need mean something only where `gate` holds."""
        index = tuple(self.facts.simplify(expr) for expr in index)
        key = (tensor, index, gate)
        if (known := self.known.get(key)) is None:
            if (buffer := self.buffers.get(tensor)) is not None:
                known = self._load(tensor, buffer, index, gate)
            else:
                known = self.computed(tensor, index, gate)
            self.known[key] = known
        return known

    def computed(self, tensor: SSAValue, index: Index, gate: Gate | None = None) -> SSAValue:
        """The element as the op that defines `tensor` computes it, in memory or not."""
        op = tensor.owner
        assert isinstance(op, graph.GraphOp)  # an argument is in memory, all else is refused
        if isinstance(op, graph.ElementwiseOp):
            return self._elementwise(op, index, gate)
        return ELEMENTS[type(op)](self, op, index, gate)

    def at(self, op: Operation) -> Scalars:
        """The scalar builder, building for `op` from here on."""
        self.builder.at(op)
        return self.scalars

    def _load(
        self, tensor: SSAValue, buffer: BlockArgument, index: Index, gate: Gate | None
    ) -> SSAValue:
        if isinstance(tensor.owner, Operation):
            self.builder.at(tensor.owner)
        exprs, values = self.operands(index)
        if gate is None:
            return self.scalars.op(kernel.LoadOp(buffer, exprs, values))
        zero = self.scalars.constant(0, dtype_of(tensor).below)
        return self.scalars.op(kernel.LoadOp(buffer, exprs, values, gate.value, zero))

    def _elementwise(self, op: graph.ElementwiseOp, index: Index, gate: Gate | None) -> SSAValue:
        args = [self.element(operand, index, gate) for operand in op.operands]
        rule = scalars.RULES[type(op)][dtype_of(op.result).kind]
        return rule(self.at(op), args)


def dtype_of(tensor: SSAValue) -> DType:
    """The element type of a tensor value."""
    return graph.dtype_of(graph.tensor_type(tensor).element_type)


def extents_of(tensor: SSAValue) -> Index:
    """The extents of a tensor value."""
    return graph.extents(graph.tensor_type(tensor))


# --- elementwise, but not on operands of one type -------------------------------------------------


def _compare(b: KernelBuilder, op: graph.CompareOp, index: Index, gate: Gate | None) -> SSAValue:
    lhs, rhs = b.element(op.lhs, index, gate), b.element(op.rhs, index, gate)
    predicate = scalars.PREDICATES[dtype_of(op.lhs).kind][op.predicate]
    return b.at(op).compare(predicate, lhs, rhs)


def _select(b: KernelBuilder, op: graph.SelectOp, index: Index, gate: Gate | None) -> SSAValue:
    condition, on_true, on_false = (b.element(operand, index, gate) for operand in op.operands)
    return b.at(op).select(condition, on_true, on_false)


def _cast(b: KernelBuilder, op: graph.CastOp, index: Index, gate: Gate | None) -> SSAValue:
    value = b.element(op.operand, index, gate)
    return cast_scalar(b.at(op), value, dtype_of(op.operand), dtype_of(op.result))


# --- creation -------------------------------------------------------------------------------------


def splat_of(op: graph.ConstantOp) -> float | int | None:
    """The value of a constant whose elements are all the same, otherwise None."""
    assert isa(op.value, DenseIntOrFPElementsAttr)
    if not len(op.value) or not op.value.is_splat():
        return None
    value = op.value.get_values()[0]
    return value if isinstance(value, int | float) else None


def _constant(b: KernelBuilder, op: graph.ConstantOp, index: Index, gate: Gate | None) -> SSAValue:
    value = splat_of(op)
    # an empty constant has no element that could be asked for
    return b.at(op).constant(0 if value is None else value, dtype_of(op.result).below)


def _iota(b: KernelBuilder, op: graph.IotaOp, index: Index, gate: Gate | None) -> SSAValue:
    b.at(op)
    return index_scalar(b.scalars, b.index_value(index[op.axis]), dtype_of(op.result))


# --- movement: the same question at another index -------------------------------------------------


def _permute(b: KernelBuilder, op: graph.PermuteOp, index: Index, gate: Gate | None) -> SSAValue:
    moved = dict(zip(op.permutation, index, strict=True))
    return b.element(op.operand, tuple(moved[axis] for axis in range(len(index))), gate)


def _broadcast(
    b: KernelBuilder, op: graph.BroadcastOp, index: Index, gate: Gate | None
) -> SSAValue:
    pairs = zip(op.axes, extents_of(op.operand), strict=True)
    moved = tuple(ZERO if extent == ONE else index[axis] for axis, extent in pairs)
    return b.element(op.operand, moved, gate)


def _slice(b: KernelBuilder, op: graph.SliceOp, index: Index, gate: Gate | None) -> SSAValue:
    moved = (i * step + start for i, start, step in zip(index, op.starts, op.steps, strict=True))
    return b.element(op.operand, tuple(moved), gate)


def _flip(b: KernelBuilder, op: graph.FlipOp, index: Index, gate: Gate | None) -> SSAValue:
    extents = extents_of(op.operand)
    moved = (extents[axis] - 1 - i if axis in op.axes else i for axis, i in enumerate(index))
    return b.element(op.operand, tuple(moved), gate)


def _window(b: KernelBuilder, op: graph.WindowOp, index: Index, gate: Gate | None) -> SSAValue:
    rank = len(extents_of(op.operand))
    moved = list(index[:rank])
    for k, axis in enumerate(op.axes):
        moved[axis] = moved[axis] * op.stride[k] + index[rank + k] * op.dilation[k]
    return b.element(op.operand, tuple(moved), gate)


def _reshape(b: KernelBuilder, op: graph.ReshapeOp, index: Index, gate: Gate | None) -> SSAValue:
    moved = reshaped(b.facts, index, extents_of(op.result), extents_of(op.operand))
    return b.element(op.operand, moved, gate)


def reshaped(facts: Facts, index: Index, shape: Index, target: Index) -> Index:
    """The index in a row-major shape of the same size of the element at `index` in `shape`."""
    moved: list[Expr] = []
    for before, after in _equal_groups(target, shape):
        flat = ZERO
        for axis in after:
            flat = flat * shape[axis] + index[axis]
        moved += _unflatten(facts, flat, [target[axis] for axis in before])
    return tuple(moved)


def _equal_groups(before: Index, after: Index) -> list[tuple[range, range]]:
    """The axes of two shapes of one size, cut where their leading products agree."""
    groups: list[tuple[range, range]] = []
    start_a = start_b = 0
    left = right = ONE
    a = b = 0
    while a < len(before) or b < len(after):
        if a < len(before) and (b == len(after) or a - start_a <= b - start_b):
            left, a = left * before[a], a + 1
        else:
            right, b = right * after[b], b + 1
        if left == right and a > start_a and b > start_b:
            groups.append((range(start_a, a), range(start_b, b)))
            start_a, start_b, left, right = a, b, ONE, ONE
    if a > start_a or b > start_b:
        groups.append((range(start_a, a), range(start_b, b)))
    return groups


def _unflatten(facts: Facts, flat: Expr, extents: Sequence[Expr]) -> list[Expr]:
    result: list[Expr] = []
    for position, extent in reversed(list(enumerate(extents))):
        if extent == ONE:
            result.append(ZERO)
        elif position == 0 or all(other == ONE for other in extents[:position]):
            result.append(flat)
        else:
            result.append(facts.simplify(flat % extent))
            flat = facts.simplify(flat // extent)
    return result[::-1]


def _pad(b: KernelBuilder, op: graph.PadOp, index: Index, gate: Gate | None) -> SSAValue:
    moved = tuple(i - low for i, low in zip(index, op.low, strict=True))
    padding = b.element(op.value, (), gate)
    inner = gate
    b.at(op)
    for i, extent in zip(moved, extents_of(op.operand), strict=True):
        inner = b.inside(i, extent, inner)
    value = b.element(op.operand, moved, inner)
    if inner is None or inner is gate:
        return value
    return b.at(op).select(inner.value, value, padding)


def _concat(b: KernelBuilder, op: graph.ConcatOp, index: Index, gate: Gate | None) -> SSAValue:
    result: SSAValue | None = None
    start = ZERO
    for operand in op.operands:
        extent = extents_of(operand)[op.axis]
        here = index[op.axis] - start
        start = start + extent
        if extent == ZERO:
            continue
        b.at(op)
        inner = b.inside(here, extent, gate)
        moved = (*index[: op.axis], here, *index[op.axis + 1 :])
        value = b.element(operand, moved, inner)
        if result is None or inner is None:
            result = value
        else:
            result = b.at(op).select(inner.value, value, result)
    if result is None:
        # nothing but empty operands: no element could be asked for
        return b.at(op).constant(0, dtype_of(op.result).below)
    return result


# --- contraction ----------------------------------------------------------------------------------

UNSIGNED_KINDS = {"max": "umax", "min": "umin"}
"""The kernel floor's word for a combiner on unsigned integers and bools, where it differs."""


def _reduced(
    b: KernelBuilder, op: graph.GraphOp, kind: str, value: SSAValue, over: Sequence[SSAValue]
) -> SSAValue:
    """Reduce a value that is in the accumulator's type, and bring it back to the result's."""
    dtype = dtype_of(op.result)
    if dtype.kind in ("uint", "bool"):
        kind = UNSIGNED_KINDS.get(kind, kind)
    b.at(op)
    total = b.scalars.op(kernel.ReduceOp(kind, value, over)) if over else value
    return cast_scalar(b.scalars, total, dtype.accumulator, dtype)


def _accumulated(b: KernelBuilder, tensor: SSAValue, index: Index, gate: Gate | None) -> SSAValue:
    """An element in the type in which its sums are formed."""
    value = b.element(tensor, index, gate)
    return cast_scalar(b.scalars, value, dtype_of(tensor), dtype_of(tensor).accumulator)


def _reduce(b: KernelBuilder, op: graph.ReduceOp, index: Index, gate: Gate | None) -> SSAValue:
    b.at(op)
    kept = iter(index)
    moved: list[Expr] = []
    over: list[SSAValue] = []
    for axis, extent in enumerate(extents_of(op.operand)):
        moved.append(b.reduced_index(extent, over) if axis in op.axes else next(kept))
    return _reduced(b, op, op.kind, _accumulated(b, op.operand, tuple(moved), gate), over)


def _dot(b: KernelBuilder, op: graph.DotOp, index: Index, gate: Gate | None) -> SSAValue:
    b.at(op)
    batch, free = len(op.lhs_batch), len(op.lhs_batch) + len(op.lhs_free)
    lhs = dict(zip(op.lhs_batch + op.lhs_free, index[:free], strict=True))
    rhs = dict(zip(op.rhs_batch + op.rhs_free, index[:batch] + index[free:], strict=True))
    over: list[SSAValue] = []
    for left, right in zip(op.lhs_contract, op.rhs_contract, strict=True):
        lhs[left] = rhs[right] = b.reduced_index(extents_of(op.lhs)[left], over)
    at_left = tuple(lhs[axis] for axis in sorted(lhs))
    at_right = tuple(rhs[axis] for axis in sorted(rhs))
    return _product_sum(b, op, (op.lhs, at_left), (op.rhs, at_right), over, (gate, gate))


def _product_sum(
    b: KernelBuilder,
    op: graph.DotOp | graph.ConvOp,
    lhs: tuple[SSAValue, Index],
    rhs: tuple[SSAValue, Index],
    over: Sequence[SSAValue],
    gates: tuple[Gate | None, Gate | None],
) -> SSAValue:
    left = _accumulated(b, *lhs, gates[0])
    right = _accumulated(b, *rhs, gates[1])
    kind = dtype_of(op.result).kind
    product = scalars.RULES[graph.MulOp][kind](b.at(op), (left, right))
    return _reduced(b, op, "add", product, over)


def _conv(b: KernelBuilder, op: graph.ConvOp, index: Index, gate: Gate | None) -> SSAValue:
    b.at(op)
    x_extents, w_extents = extents_of(op.x), extents_of(op.w)
    over: list[SSAValue] = []
    inner = [b.reduced_index(extent, over) for extent in w_extents[1:]]
    group = b.facts.simplify(index[1] // (w_extents[0] // op.groups))
    moved = [index[0], group * w_extents[1] + inner[0]]
    x_gate = gate
    for k, offset in enumerate(inner[1:]):
        position = index[2 + k] * op.stride[k] + offset * op.dilation[k] - op.pad[k][0]
        x_gate = b.inside(position, x_extents[2 + k], x_gate)
        moved.append(position)
    rhs = (op.w, (index[1], *inner))
    return _product_sum(b, op, (op.x, tuple(moved)), rhs, over, (x_gate, gate))


ELEMENTS: dict[type[graph.GraphOp], Callable[..., SSAValue]] = {
    graph.CompareOp: _compare,
    graph.SelectOp: _select,
    graph.CastOp: _cast,
    graph.ConstantOp: _constant,
    graph.IotaOp: _iota,
    graph.PermuteOp: _permute,
    graph.BroadcastOp: _broadcast,
    graph.SliceOp: _slice,
    graph.FlipOp: _flip,
    graph.WindowOp: _window,
    graph.ReshapeOp: _reshape,
    graph.PadOp: _pad,
    graph.ConcatOp: _concat,
    graph.ReduceOp: _reduce,
    graph.DotOp: _dot,
    graph.ConvOp: _conv,
}
"""How to compute one element of each op's result; elementwise ops are in `scalars`."""
