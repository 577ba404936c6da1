"""One kernel from a graph: the element of a tensor at an index, asked for from its result back.

`KernelBuilder.element(tensor, index)` builds the scalar ops that compute one element and answers
its value. A movement op passes the question on at another index; a contraction opens ranges and
reduces over them; a tensor in memory is loaded. Asking twice for the same element builds it once.

The rule of an op is a generator: it yields the elements that it needs, one after the other, and is
sent their values. So memory alone bounds the depth of a graph, not the interpreter's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

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


Question: TypeAlias = tuple[SSAValue, Index, Gate | None]
"""The element of a tensor at an index; it need mean something only where the gate holds."""

Answer: TypeAlias = Generator[Question, SSAValue, SSAValue]
"""One element in the making: yields its questions, is sent the answers, returns its value."""


class KernelBuilder:
    """Builds the body of one `kernel.func`."""

    def __init__(
        self,
        func: kernel.FuncOp,
        buffers: Mapping[SSAValue, BlockArgument],
        dims: Sequence[DimRange],
    ):
        """`buffers` are the tensors in memory, by the argument of `func` that holds each."""
        self.block = func.body.block
        self.builder = LocatedBuilder(InsertPoint.at_end(self.block))
        self.scalars = Scalars(self.builder)
        self.buffers = buffers
        self.loops: dict[str, tuple[Expr, Expr]] = {}
        self.facts = Facts({dim.name: dim for dim in dims}, self.loops)
        self.index_values: list[SSAValue] = []
        self.known: dict[Question, SSAValue] = {}
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

    def element(self, tensor: SSAValue, index: Index) -> SSAValue:
        """The element of `tensor` at `index`."""
        question: Question = (tensor, index, None)
        value = self._known_or_loaded(question)
        waiting: list[tuple[Question, Answer]] = []
        if value is None:
            waiting.append((question, self._rule(*question)))
        while waiting:
            question, answer = waiting[-1]
            try:
                tensor, index, gate = answer.send(cast(SSAValue, value))  # None starts it
            except StopIteration as end:
                waiting.pop()
                value = self.known[question] = cast(SSAValue, end.value)
                continue
            question = (tensor, tuple(map(self.facts.simplify, index)), gate)
            value = self._known_or_loaded(question)
            if value is None:
                waiting.append((question, self._rule(*question)))
        assert value is not None
        return value

    def _known_or_loaded(self, question: Question) -> SSAValue | None:
        if question not in self.known and question[0] in self.buffers:
            self.known[question] = self._load(*question)
        return self.known.get(question)

    def _rule(self, tensor: SSAValue, index: Index, gate: Gate | None) -> Answer:
        op = tensor.owner
        assert isinstance(op, graph.GraphOp)  # an argument is in memory, all else is refused
        rule = _elementwise if isinstance(op, graph.ElementwiseOp) else ELEMENTS[type(op)]
        return rule(self, op, index, gate)

    def sweep(self) -> None:
        """Erase what was built in vain, such as the gate of an element that is a constant."""
        for op in reversed(list(self.block.ops)):
            if not isinstance(op, kernel.StoreOp) and not any(r.first_use for r in op.results):
                op.detach()
                op.erase()

    def at(self, op: Operation) -> Scalars:
        """The scalar builder, building for `op` from here on."""
        self.builder.at(op)
        return self.scalars

    def _load(self, tensor: SSAValue, index: Index, gate: Gate | None) -> SSAValue:
        if isinstance(tensor.owner, Operation):
            self.builder.at(tensor.owner)
        buffer = self.buffers[tensor]
        exprs, values = self.operands(index)
        if gate is None:
            return self.scalars.op(kernel.LoadOp(buffer, exprs, values))
        zero = self.scalars.constant(0, dtype_of(tensor).below)
        return self.scalars.op(kernel.LoadOp(buffer, exprs, values, gate.value, zero))


def dtype_of(tensor: SSAValue) -> DType:
    """The element type of a tensor value."""
    return graph.dtype_of(graph.tensor_type(tensor).element_type)


def extents_of(tensor: SSAValue) -> Index:
    """The extents of a tensor value."""
    return graph.extents(graph.tensor_type(tensor))


# --- elementwise ----------------------------------------------------------------------------------


def _elementwise(b: KernelBuilder, op: graph.GraphOp, index: Index, gate: Gate | None) -> Answer:
    args: list[SSAValue] = []
    for operand in op.operands:
        args.append((yield operand, index, gate))
    rule = scalars.RULES[type(op)][dtype_of(op.result).kind]
    return rule(b.at(op), args)


def _compare(b: KernelBuilder, op: graph.CompareOp, index: Index, gate: Gate | None) -> Answer:
    lhs = yield op.lhs, index, gate
    rhs = yield op.rhs, index, gate
    predicate = scalars.PREDICATES[dtype_of(op.lhs).kind][op.predicate]
    return b.at(op).compare(predicate, lhs, rhs)


def _select(b: KernelBuilder, op: graph.SelectOp, index: Index, gate: Gate | None) -> Answer:
    condition = yield op.condition, index, gate
    on_true = yield op.on_true, index, gate
    on_false = yield op.on_false, index, gate
    return b.at(op).select(condition, on_true, on_false)


def _cast(b: KernelBuilder, op: graph.CastOp, index: Index, gate: Gate | None) -> Answer:
    value = yield op.operand, index, gate
    return cast_scalar(b.at(op), value, dtype_of(op.operand), dtype_of(op.result))


# --- creation -------------------------------------------------------------------------------------


def splat_of(op: graph.ConstantOp) -> float | int | None:
    """The value of a constant whose elements are all the same, otherwise None."""
    assert isa(op.value, DenseIntOrFPElementsAttr)
    if not len(op.value) or not op.value.is_splat():
        return None
    value = op.value.get_values()[0]
    return value if isinstance(value, int | float) else None


def _constant(b: KernelBuilder, op: graph.ConstantOp, index: Index, gate: Gate | None) -> Answer:
    yield from ()  # no questions
    value = splat_of(op)
    # an empty constant has no element that could be asked for
    return b.at(op).constant(0 if value is None else value, dtype_of(op.result).below)


def _iota(b: KernelBuilder, op: graph.IotaOp, index: Index, gate: Gate | None) -> Answer:
    yield from ()  # no questions
    b.at(op)
    return index_scalar(b.scalars, b.index_value(index[op.axis]), dtype_of(op.result))


# --- movement: the same question at another index -------------------------------------------------


def _permute(b: KernelBuilder, op: graph.PermuteOp, index: Index, gate: Gate | None) -> Answer:
    moved = dict(zip(op.permutation, index, strict=True))
    return (yield op.operand, tuple(moved[axis] for axis in range(len(index))), gate)


def _broadcast(b: KernelBuilder, op: graph.BroadcastOp, index: Index, gate: Gate | None) -> Answer:
    pairs = zip(op.axes, extents_of(op.operand), strict=True)
    moved = tuple(ZERO if extent == ONE else index[axis] for axis, extent in pairs)
    return (yield op.operand, moved, gate)


def _slice(b: KernelBuilder, op: graph.SliceOp, index: Index, gate: Gate | None) -> Answer:
    moved = (i * step + start for i, start, step in zip(index, op.starts, op.steps, strict=True))
    return (yield op.operand, tuple(moved), gate)


def _flip(b: KernelBuilder, op: graph.FlipOp, index: Index, gate: Gate | None) -> Answer:
    extents = extents_of(op.operand)
    moved = (extents[axis] - 1 - i if axis in op.axes else i for axis, i in enumerate(index))
    return (yield op.operand, tuple(moved), gate)


def _window(b: KernelBuilder, op: graph.WindowOp, index: Index, gate: Gate | None) -> Answer:
    rank = len(extents_of(op.operand))
    moved = list(index[:rank])
    for k, axis in enumerate(op.axes):
        moved[axis] = moved[axis] * op.stride[k] + index[rank + k] * op.dilation[k]
    return (yield op.operand, tuple(moved), gate)


def _reshape(b: KernelBuilder, op: graph.ReshapeOp, index: Index, gate: Gate | None) -> Answer:
    moved = reshaped(b.facts, index, extents_of(op.result), extents_of(op.operand))
    return (yield op.operand, moved, gate)


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


def _pad(b: KernelBuilder, op: graph.PadOp, index: Index, gate: Gate | None) -> Answer:
    moved = tuple(i - low for i, low in zip(index, op.low, strict=True))
    padding = yield op.value, (), gate
    inner = gate
    b.at(op)
    for i, extent in zip(moved, extents_of(op.operand), strict=True):
        inner = b.inside(i, extent, inner)
    value = yield op.operand, moved, inner
    if inner is None or inner is gate:
        return value
    return b.at(op).select(inner.value, value, padding)


def _concat(b: KernelBuilder, op: graph.ConcatOp, index: Index, gate: Gate | None) -> Answer:
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
        value = yield operand, moved, inner
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


def _accumulated(b: KernelBuilder, tensor: SSAValue, index: Index, gate: Gate | None) -> Answer:
    """An element in the type in which its sums are formed."""
    value = yield tensor, index, gate
    return cast_scalar(b.scalars, value, dtype_of(tensor), dtype_of(tensor).accumulator)


def _reduce(b: KernelBuilder, op: graph.ReduceOp, index: Index, gate: Gate | None) -> Answer:
    b.at(op)
    kept = iter(index)
    moved: list[Expr] = []
    over: list[SSAValue] = []
    for axis, extent in enumerate(extents_of(op.operand)):
        moved.append(b.reduced_index(extent, over) if axis in op.axes else next(kept))
    value = yield from _accumulated(b, op.operand, tuple(moved), gate)
    return _reduced(b, op, op.kind, value, over)


def _dot(b: KernelBuilder, op: graph.DotOp, index: Index, gate: Gate | None) -> Answer:
    b.at(op)
    batch, free = len(op.lhs_batch), len(op.lhs_batch) + len(op.lhs_free)
    lhs = dict(zip(op.lhs_batch + op.lhs_free, index[:free], strict=True))
    rhs = dict(zip(op.rhs_batch + op.rhs_free, index[:batch] + index[free:], strict=True))
    over: list[SSAValue] = []
    for left, right in zip(op.lhs_contract, op.rhs_contract, strict=True):
        lhs[left] = rhs[right] = b.reduced_index(extents_of(op.lhs)[left], over)
    at_left = tuple(lhs[axis] for axis in sorted(lhs))
    at_right = tuple(rhs[axis] for axis in sorted(rhs))
    left = yield from _accumulated(b, op.lhs, at_left, gate)
    right = yield from _accumulated(b, op.rhs, at_right, gate)
    return _product_sum(b, op, (left, right), over)


def _product_sum(
    b: KernelBuilder,
    op: graph.DotOp | graph.ConvOp,
    factors: tuple[SSAValue, SSAValue],
    over: Sequence[SSAValue],
) -> SSAValue:
    product = scalars.RULES[graph.MulOp][dtype_of(op.result).kind](b.at(op), factors)
    return _reduced(b, op, "add", product, over)


def _conv(b: KernelBuilder, op: graph.ConvOp, index: Index, gate: Gate | None) -> Answer:
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
    left = yield from _accumulated(b, op.x, tuple(moved), x_gate)
    if x_gate is not None and x_gate is not gate and op.x not in b.buffers:
        # beside `x` there are zeros: a gated load gives them, but what is computed may not
        left = b.at(op).select(x_gate.value, left, b.scalars.constant(0, left.type))
    right = yield from _accumulated(b, op.w, (index[1], *inner), gate)
    return _product_sum(b, op, (left, right), over)


ELEMENTS: dict[type[graph.GraphOp], Callable[..., Answer]] = {
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
"""How to compute one element of each op's result; what elementwise ops do is in `scalars`."""
