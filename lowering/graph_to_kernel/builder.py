"""One kernel from a graph: the element of a tensor at an index, asked for from its result back.

`KernelBuilder.element(tensor, index)` builds the scalar ops that compute one element and answers
its value. A movement op passes the question on at another index; a contraction opens ranges and
reduces over them; a tensor in memory is loaded. Asking twice for the same element builds it once.

The rule of an op (see `rules`) is a generator: it yields the elements that it needs, one after the
other, and is sent their values. So memory alone bounds the depth of a graph, not the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph, kernel
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.dialects.syntax import is_placeholder, locally, placeholder
from teenyir.lowering.graph_to_kernel.scalars import Scalars
from teenyir.passes.kernel.simplify.known import dependences
from teenyir.rewriting.locations import LocatedBuilder

T = TypeVar("T")

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

Answers: TypeAlias = Generator[Question, SSAValue, Sequence[SSAValue]]
"""The same of an op with several results: returns the value of each."""

AnyAnswer: TypeAlias = Generator[Question, SSAValue, SSAValue | Sequence[SSAValue]]

Rule: TypeAlias = Callable[["KernelBuilder", Any, Index, Gate | None], AnyAnswer]
"""How to compute one element of an op's result, or one of each of its results."""


@dataclass(frozen=True)
class Row:
    """What of a tensor is kept in local memory, for a while, instead of being computed again."""

    axes: tuple[int, ...]
    """All elements along these axes, for one index of the others."""
    extents: tuple[int, ...]
    """Room for each of these axes: the greatest extents."""
    shared: bool
    """Whether the loop of a reduction that asks for the whole row may fill it."""
    by_blocks: bool = False
    """Whether it is counted on that several of them are computed at once."""


@dataclass(frozen=True)
class Filled:
    """A row that is kept, and the loops that fill it."""

    buffer: SSAValue
    loops: frozenset[str]


class KernelBuilder:
    """Builds the body of one `kernel.func`."""

    def __init__(
        self,
        func: kernel.FuncOp,
        buffers: Mapping[SSAValue, BlockArgument],
        dims: Sequence[DimRange],
        rules: Callable[[Operation], Rule],
        staged: Mapping[SSAValue, Row] | None = None,
        *,
        only_asks: bool = False,
    ):
        """`buffers` are the tensors in memory, by the argument of `func` that holds each.

        Of the tensors in `staged` a row is kept in local memory. Where it `only_asks`, rules may
        leave out what they would compute from the answers.
        """
        self.staged = staged or {}
        self.only_asks = only_asks
        self.rows: dict[tuple[SSAValue, Index], Filled] = {}
        self.rules = rules
        self.block = func.body.block
        self.builder = LocatedBuilder(InsertPoint.at_end(self.block))
        self.scalars = Scalars(self.builder)
        self.buffers = buffers
        self.loops: dict[str, tuple[Expr, Expr]] = {}
        self.around: dict[str, frozenset[str]] = {}
        """Of each loop those that it is inside of."""
        self.open: list[str] = []
        """The loops that what is asked for now goes into: what closes them is not there yet."""
        self.root_loops: tuple[str, ...] = ()
        """The loops over the kernel's results, outermost first: nothing but stores closes them."""
        self.facts = Facts({dim.name: dim for dim in dims}, self.loops)
        self.index_values: list[SSAValue] = []
        self.known: dict[Question, SSAValue] = {}
        self.gates: dict[tuple[Expr, Expr, Gate | None], Gate] = {}
        self.equalities: dict[tuple[Expr, Expr, Gate | None], Gate] = {}
        self.index_ops: dict[Expr, SSAValue] = {}

    # --- index values -------------------------------------------------------------------------

    def open_range(self, extent: Expr, inside: Iterable[Expr] = ()) -> tuple[SSAValue, Expr]:
        """A new range from 0 to `extent`: its value, and how expressions name it. It is `inside` of
        the loops that these are over."""
        number = len(self.loops)
        value = self.scalars.op(kernel.RangeOp(ZERO, extent))
        letters = len(RANGE_NAMES)
        suffix = f"{number // letters}" if number >= letters else ""
        value.name_hint = RANGE_NAMES[number % letters] + suffix
        name = placeholder(len(self.index_values))
        self.index_values.append(value)
        self.around[name] = self._loops_around(inside)
        self.loops[name] = (ZERO, extent)
        self.open.append(name)
        return value, Expr.of(name)

    def _loops_around(self, index: Iterable[Expr]) -> frozenset[str]:
        """The loops that an index is over, and those that these are inside of."""
        names = [name for expr in index for name in expr.names if name in self.loops]
        return frozenset(names).union(*(self.around[name] for name in names))

    def index_over(
        self, extents: Index, innermost: Container[int] = (), inside: Index = ()
    ) -> Index:
        """An index that runs over a whole tensor: a new range an axis, or 0 of an extent 1.

        The loops nest in the order of the axes, but for those that are named: the `innermost` ones.
        All are `inside` of the loops that these are over.
        """
        axes = sorted(range(len(extents)), key=lambda axis: axis in innermost)
        index = dict.fromkeys(axes, ZERO)
        for axis in axes:
            if extents[axis] != ONE:
                index[axis] = self.open_range(extents[axis], (*inside, *index.values()))[1]
        return tuple(index[axis] for axis in range(len(extents)))

    def reduced_index(self, extent: Expr, over: list[SSAValue], inside: Iterable[Expr]) -> Expr:
        """The index along an axis to reduce: a new range, added to `over`, or 0 of an extent 1. It
        is `inside` of the loops that these are over."""
        if extent == ONE:
            return ZERO
        value, name = self.open_range(extent, inside)
        over.append(value)
        return name

    def name_index(self, value: SSAValue) -> Expr:
        """How expressions name an index that is data."""
        self.index_values.append(value)
        return Expr.of(placeholder(len(self.index_values) - 1))

    def range_of(self, expr: Expr) -> SSAValue | None:
        """The range that an index runs over, up or down, or None of a constant index."""
        ranges = [self.index_values[int(n[1:])] for n in expr.names & self.loops.keys()]
        return ranges[0] if len(ranges) == 1 else None

    def operands(self, exprs: Sequence[Expr]) -> tuple[list[Expr], list[SSAValue]]:
        """Expressions as an op keeps them: renumbered, with the values that they stand for."""
        return locally(exprs, self.index_values)

    def index_value(self, expr: Expr) -> SSAValue:
        """An expression as an SSA value."""
        if expr.name is not None and is_placeholder(expr.name):
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

    def equal(self, expr: Expr, other: Expr, gate: Gate | None) -> Gate | None:
        """The gate that holds where two indices are equal and `gate` holds; None for always."""
        expr, other = self.facts.simplify(expr), self.facts.simplify(other)
        if expr == other:
            return gate
        key = (expr, other, gate)
        if key not in self.equalities:
            holds = self.scalars.compare("eq", self.index_value(expr), self.index_value(other))
            both = holds if gate is None else self.scalars.both(gate.value, holds)
            self.equalities[key] = Gate(both)
        return self.equalities[key]

    # --- elements -----------------------------------------------------------------------------

    def element(self, tensor: SSAValue, index: Index) -> SSAValue:
        """The element of `tensor` at `index`."""

        def ask() -> Answer:
            return (yield tensor, index, None)

        return self.run(ask())

    def run(self, asking: Generator[Question, SSAValue, T]) -> T:
        """What a generator of questions returns, once each has been answered."""
        waiting: list[tuple[Question, AnyAnswer, int]] = []
        value = cast(SSAValue, None)  # starts a generator
        while True:
            try:
                tensor, index, gate = (waiting[-1][1] if waiting else asking).send(value)
            except StopIteration as end:
                if not waiting:
                    return end.value
                question, _, around = waiting.pop()
                del self.open[around:]  # what an answer opens it closes
                value = self._keep(question, end.value)
                continue
            question = (tensor, tuple(map(self.facts.simplify, index)), gate)
            known = self._known_or_loaded(question)
            value = cast(SSAValue, known)
            if known is None:
                waiting.append((question, self._answer(question), len(self.open)))

    def _answer(self, question: Question) -> AnyAnswer:
        tensor, index, gate = question
        op = tensor.owner
        assert isinstance(op, Operation)  # an argument is in memory
        if tensor in self.staged:
            return self._from_row(op, tensor, index, gate)
        return self.rules(op)(self, op, index, gate)

    def _from_row(
        self, op: Operation, tensor: SSAValue, index: Index, gate: Gate | None
    ) -> AnyAnswer:
        """An element of a staged tensor: it is computed where its row is filled, later loaded."""
        row = self.staged[tensor]
        outer = tuple(expr for axis, expr in enumerate(index) if axis not in row.axes)
        inner = tuple(index[axis] for axis in row.axes)
        known = self.rows.get((tensor, outer))
        # (what is computed in a loop that fills a row is needed before there is one)
        if known is None or not known.loops.isdisjoint(self.open):
            extents = tuple(extents_of(tensor)[axis] for axis in row.axes)
            shared = row.shared and gate is None and self._may_fill(inner, extents, outer)
            filled = inner if shared else self.index_over(extents, inside=outer)
            at = list(index)
            for axis, expr in zip(row.axes, filled, strict=True):
                at[axis] = expr
            found = yield from self.rules(op)(
                self, op, tuple(at), self._in_rows(row, tensor, index)
            )
            values = [found] if isinstance(found, SSAValue) else found
            if not shared or all(self._are_around(filled, value) for value in values):
                self._stage(op, outer, filled, row.extents, values)
            if shared:
                return found
        self.builder.at(op)
        loads = [self._load_from(self.rows[r, outer].buffer, r, inner, gate) for r in op.results]
        return loads if len(loads) > 1 else loads[0]

    def _in_rows(self, row: Row, tensor: SSAValue, index: Index) -> Gate | None:
        """The gate that holds where there is a row at an index: others are asked for in vain."""
        gate = None
        for axis, extent in enumerate(extents_of(tensor)):
            if axis not in row.axes:
                gate = self.inside(index[axis], extent, gate)
        return gate

    def is_whole(self, index: Index, tensor: SSAValue) -> bool:
        """Whether an index runs over a whole tensor, by a loop of its own an axis."""
        names = [expr.name for expr in index if expr != ZERO]
        return len(set(names)) == len(names) and all(
            extent == ONE if expr == ZERO else self.loops.get(expr.name or "") == (ZERO, extent)
            for expr, extent in zip(index, extents_of(tensor), strict=True)
        )

    def passing(self, tensor: SSAValue) -> tuple[SSAValue, Index]:
        """An element of a tensor that has been asked for in loops over the whole, and its index.

        Raises KeyError where none has been.
        """
        for (asked, index, gate), value in self.known.items():
            if asked is tensor and gate is None and self.is_whole(index, tensor):
                return value, index
        raise KeyError(tensor)

    def _may_fill(self, index: Index, extents: Sequence[Expr], outer: Index) -> bool:
        """Whether an index runs over a whole row by ranges that a reduction will close, around
        which no other loops stand than around the row, whose place is `outer`."""
        names = [expr.name for expr in index]
        around = self._loops_around(outer)
        whole = all(
            name in self.loops
            and name not in self.root_loops
            and self.loops[name][1] == extent
            and self.around[name] - set(names) <= around
            for name, extent in zip(names, extents, strict=True)
        )
        return whole and len(set(names)) == len(names) and around.isdisjoint(names)

    def _are_around(self, filled: Index, value: SSAValue) -> bool:
        """Whether a value is another one for each iteration of loops and of those around them: else
        it is computed, and kept, outside of some that what asks for it is inside of."""
        ranges = {self.index_values[int(name[1:])] for name in self._loops_around(filled)}
        return ranges <= dependences(value)

    def _stage(
        self,
        op: Operation,
        outer: Index,
        filled: Index,
        extents: Sequence[int],
        values: Sequence[SSAValue],
    ) -> None:
        exprs, operands = self.operands(filled)
        ranges = [self.index_values[int(name[1:])] for expr in filled for name in expr.names]
        loops = frozenset(name for expr in filled for name in expr.names)
        self.builder.at(op)
        for result, value in zip(op.results, values, strict=True):
            buffer = kernel.BufferType(extents, value.type, "local")
            staged = self.builder.insert(kernel.StageOp(value, exprs, operands, ranges, buffer))
            staged.result.name_hint = "row"
            self.rows[result, outer] = Filled(staged.result, loops)

    def _keep(self, question: Question, found: SSAValue | Sequence[SSAValue]) -> SSAValue:
        tensor, index, gate = question
        values = [found] if isinstance(found, SSAValue) else found
        assert isinstance(tensor.owner, Operation)
        for result, value in zip(tensor.owner.results, values, strict=True):
            self.known[result, index, gate] = value
        return self.known[question]

    def _known_or_loaded(self, question: Question) -> SSAValue | None:
        if question not in self.known:
            if is_empty(question[0]):
                # in loops that never run
                self.known[question] = self.scalars.constant(0, dtype_of(question[0]).below)
            elif question[0] in self.buffers:
                self.known[question] = self._load(*question)
        return self.known.get(question)

    def sweep(self) -> None:
        """Erase what was built in vain, such as the gate of an element that is a constant."""
        for op in reversed(list(self.block.ops)):
            if not isinstance(op, kernel.StoreOp | kernel.ScatterOp) and not any(
                r.first_use for r in op.results
            ):
                op.detach()
                op.erase()

    def at(self, op: Operation) -> Scalars:
        """The scalar builder, building for `op` from here on."""
        self.builder.at(op)
        return self.scalars

    def _load(self, tensor: SSAValue, index: Index, gate: Gate | None) -> SSAValue:
        if isinstance(tensor.owner, Operation):
            self.builder.at(tensor.owner)
        return self._load_from(self.buffers[tensor], tensor, index, gate)

    def _load_from(
        self, buffer: SSAValue, tensor: SSAValue, index: Index, gate: Gate | None
    ) -> SSAValue:
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


def is_empty(tensor: SSAValue) -> bool:
    """Whether a tensor has no element, whatever the named extents are."""
    return ZERO in extents_of(tensor)
