"""Which tensors of a graph are written to memory: one kernel computes each of these.

Every other op is computed where it is used. For each of its elements that is asked for we know at
which index, inside which loops of the kernel, by asking the ops' own rules. An op is written where

- it is a result of the function, a branch or a condition, an operand of a called kernel, or
  captured: a region inside asks for what is computed outside of it, and it costs something;
- it is a scan, which runs along a loop of its own, a scatter, a branch, a loop or a called kernel;
- two kernels ask for it, and it costs something;
- it would be computed again and again: a loop around the request does not occur in the index, other
  than inside the loops that do (an outer prefix of them: there it is computed before the inner
  ones start), windows overlap, or it is asked for at several indices. Movement, casts and cheap
  arithmetic are recomputed all the same, a few times, but not by the products of a contraction.

Instead of being written, an op may be *staged*: a row of it is computed once for each iteration of
the outer loops, and kept in local memory for the inner ones, if its size is constant and small.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import graph, kernel
from teenyir.dialects.expr import ONE, DimRange, Expr
from teenyir.dialects.syntax import is_placeholder
from teenyir.lowering.graph_to_kernel.builder import (
    Index,
    KernelBuilder,
    Question,
    dtype_of,
    extents_of,
    is_empty,
)
from teenyir.lowering.graph_to_kernel.rules import rule_of
from teenyir.lowering.graph_to_kernel.rules.indexing import scattered
from teenyir.lowering.graph_to_kernel.start import starting_point

MOST_INDICES = 4
"""At most at so many indices one kernel computes again what costs little."""
MOST_STAGED_BYTES = 32 * 1024
"""The largest row that is kept in local memory: it is to stay in the first-level cache."""

FREE_OPS = (*graph.MOVEMENT_OPS, *graph.CREATION_OPS, graph.CastOp, graph.BitcastOp)
"""What costs next to nothing to compute again."""

EXPENSIVE_OPS = (
    *(graph.ExpOp, graph.Exp2Op, graph.LogOp, graph.Log2Op, graph.SinOp, graph.CosOp),
    *(graph.TanhOp, graph.ErfOp, graph.PowOp, graph.Atan2Op, graph.SqrtOp, graph.RsqrtOp),
    *(graph.DivOp, graph.FloorDivOp, graph.ModOp),
)
"""Elementwise ops that cost more than reading the result back."""

ALWAYS_WRITTEN = (graph.ScanOp, graph.ScatterOp)
STATEMENTS = (*graph.CONTROL_OPS, graph.CustomCallOp)
"""What becomes a statement of the program, not a part of a kernel."""
DEMANDS = (ReturnOp, graph.YieldOp, graph.IfOp, graph.CustomCallOp)
"""What uses a tensor as a whole, in memory."""
CONTRACTIONS = (*graph.CONTRACTION_OPS, graph.FoldOp)
PRODUCTS = (graph.DotOp, graph.ConvOp, graph.WindowOp, graph.GatherOp)
"""The ops that ask for one element of an operand again and again."""


@dataclass(eq=False)
class Root:
    """A kernel in the making: a builder that is asked what the kernel would ask for."""

    builder: KernelBuilder
    block: Block | None = None
    """Where the kernel will be launched: the block of the graph."""
    axes: tuple[str, ...] = ()
    """The loops over the kernel's result, outermost first, as expressions name them."""

    @staticmethod
    def over(dims: Sequence[DimRange], block: Block | None) -> Root:
        """A root without loops yet; what it builds is thrown away."""
        func = kernel.FuncOp("scratch", [], [], kernel.DimsAttr(()))
        return Root(KernelBuilder(func, {}, dims, rule_of), block)


@dataclass(frozen=True)
class Request:
    """An element that a kernel asks for."""

    root: Root
    index: Index
    loops: tuple[str, ...]
    """The loops inside which it is asked for, outermost first."""
    multiplied: bool = False
    """Whether it goes into the products or windows of a contraction."""
    overlapping: bool = False
    """Whether different iterations ask for one element, though all loops occur in the index."""

    @property
    def names(self) -> frozenset[str]:
        """The loops, and the indices that are data, that the index depends on."""
        names = frozenset[str]().union(*(expr.names for expr in self.index))
        return frozenset(filter(is_placeholder, names))

    @property
    def hoisted(self) -> tuple[str, ...]:
        """The loops inside which it has to be computed: an outer prefix, if the index allows."""
        prefix = self.loops[: len(self.names)]
        return prefix if self.names == frozenset(prefix) else self.loops

    @property
    def once(self) -> bool:
        """Whether no element is computed twice on behalf of this request."""
        return not self.overlapping and self.names >= set(self.hoisted)


@dataclass
class Partition:
    """The tensors that are written or staged."""

    dims: Sequence[DimRange]
    written: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """What is written to memory, with the reason."""
    staged: dict[SSAValue, tuple[int, ...]] = field(default_factory=dict[SSAValue, tuple[int, ...]])
    """For each staged tensor the axes that make up its row."""
    requests: dict[SSAValue, dict[Request, None]] = field(
        default_factory=dict[SSAValue, dict[Request, None]]
    )

    @staticmethod
    def of(func: FuncOp) -> Partition:
        """Decide for every tensor of a function, users before what they use."""
        partition = Partition(graph.symbols(func))
        partition._decide_all(func.body.block)
        return partition

    def _decide_all(self, block: Block) -> None:
        for op in reversed(list(block.ops)):
            if isinstance(op, graph.CONTROL_OPS):
                for region in op.regions:
                    self._decide_all(region.block)
            if not isinstance(op, ReturnOp | graph.YieldOp):
                self._decide(op)

    def _decide(self, op: Operation) -> None:
        filled = [result for result in op.results if not is_empty(result)]
        demanded = [r for r in filled if any(isinstance(u.operation, DEMANDS) for u in r.uses)]
        requests = list(
            dict.fromkeys(request for r in op.results for request in self.requests.get(r, ()))
        )
        wanted = [r for r in filled if r in demanded or self.requests.get(r)]
        if isinstance(op, STATEMENTS):
            self.written.update(dict.fromkeys(filled, "a branch or loop fills it"))
            for value in op.initial if isinstance(op, graph.WhileOp) else ():
                self._request(*self._start(value, op.parent))
            return
        reason = "it is a result" if demanded else self._why_write(op, requests) if wanted else None
        if reason is not None:
            self.written.update(dict.fromkeys(wanted, reason))
            for result in wanted:
                self._begin(op, result)
            return
        row = self._row(op, requests) if wanted and self._wants_stage(op, requests) else None
        if row is not None:
            self.staged.update(dict.fromkeys(op.results, row))
            requests = [_staged_request(requests[0], row, extents_of(op.results[0]))]
        for request in requests:
            self._ask(op, request)

    # --- deciding -----------------------------------------------------------------------------

    def _why_write(self, op: Operation, requests: Sequence[Request]) -> str | None:
        """Why an op has to have a kernel of its own, or None where it has not."""
        if isinstance(op, ALWAYS_WRITTEN):
            return "it writes in an order of its own"
        if isinstance(op, graph.CREATION_OPS):
            return None
        indices = len({(request.root, request.index) for request in requests})
        if isinstance(op, FREE_OPS):
            return _too_often(indices)
        if any(request.root.block is not op.parent for request in requests):
            return "a loop or branch would compute it in each iteration"
        kernels = len({request.root for request in requests})
        if kernels > 1:
            return f"{kernels} kernels ask for it"
        if not self._wants_stage(op, requests):
            return _too_often(indices)
        if self._row(op, requests) is not None:
            return None
        if any(request.multiplied for request in requests):
            return "the products or windows of a contraction would compute it again and again"
        if indices > 1:
            return f"it costs too much to be computed at {indices} indices"
        return "a loop that it does not depend on would compute it again and again"

    def _wants_stage(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether computing an op wherever it is asked for would cost too much."""
        if isinstance(op, FREE_OPS) or (
            all(request.once for request in requests)
            and len({request.index for request in requests}) == 1
        ):
            return False
        if isinstance(op, (*CONTRACTIONS, *EXPENSIVE_OPS)):
            return True
        return any(request.multiplied and not request.once for request in requests)

    def _row(self, op: Operation, requests: Sequence[Request]) -> tuple[int, ...] | None:
        """The axes of a row that can be staged for all requests, or None."""
        if any(request.multiplied for request in requests):
            return None  # it would keep the contraction's loops from being tiled
        extents = extents_of(op.results[0])
        same = [len({r.index[axis] for r in requests}) == 1 for axis in range(len(extents))]
        first = requests[0]
        # at least one loop stays outside, so that its iterations can run side by side
        least = min(1, len(first.root.axes))
        for length in range(len(first.root.axes), least - 1, -1):
            prefix = set(first.root.axes[:length])
            names = [set(filter(is_placeholder, expr.names)) for expr in first.index]
            fixed = [axis for axis in range(len(extents)) if same[axis] and names[axis] <= prefix]
            row = tuple(axis for axis in range(len(extents)) if axis not in fixed)
            if set[str]().union(*(names[axis] for axis in fixed)) == prefix and row:
                return row if self._fits(op, [extents[axis] for axis in row]) else None
        return None

    def _fits(self, op: Operation, extents: Sequence[Expr]) -> bool:
        if all(extent == ONE for extent in extents):
            return False  # one element is no row: no range would fill it
        size = sum(dtype_of(result).bytes for result in op.results)
        for extent in extents:
            if not extent.constant:
                return False
            size *= extent.constant
        return size <= MOST_STAGED_BYTES

    # --- asking -------------------------------------------------------------------------------

    def _request(self, tensor: SSAValue, request: Request) -> None:
        if not is_empty(tensor):
            self.requests.setdefault(tensor, {})[request] = None

    def _begin(self, op: Operation, result: SSAValue) -> None:
        """A kernel of its own asks for a tensor."""
        if isinstance(op, graph.ScatterOp):
            copy = Root.over(self.dims, op.parent)
            index = copy.builder.index_over(extents_of(op.operand))
            self._request(op.operand, Request(copy, index, tuple(copy.builder.loops)))
            root = Root.over(self.dims, op.parent)
            index = root.builder.index_over(extents_of(op.updates))
            loops = root.axes = tuple(root.builder.loops)
            asking = scattered(root.builder, op, index)
            for tensor, asked in _questions(asking):
                self._request(tensor, Request(root, asked, loops))
            return
        computed, request = self._start(result, op.parent)
        if computed is result:
            self._ask(op, request)
        else:
            self._request(computed, request)

    def _start(self, tensor: SSAValue, block: Block | None) -> tuple[SSAValue, Request]:
        """What a kernel that writes a tensor asks for first, if it is launched in a block."""
        root = Root.over(self.dims, block)
        computed, index = starting_point(root.builder, tensor, self.written.keys() - {tensor})
        root.axes = tuple(root.builder.loops)
        return computed, Request(root, index, root.axes)

    def _ask(self, op: Operation, request: Request) -> None:
        """Hand on what an op asks for where one of its elements is asked for."""
        builder = request.root.builder
        known = len(builder.index_values)
        asking = rule_of(op)(builder, op, request.index, None)
        overlapping = isinstance(op, graph.ConvOp) or (
            isinstance(op, graph.WindowOp) and _overlaps(op)
        )
        for tensor, index in _questions(asking):
            opened = [f"_{k}" for k in range(known, len(builder.index_values))]
            loops = (*request.hoisted, *(name for name in opened if name in builder.loops))
            multiplied = request.multiplied or isinstance(op, PRODUCTS)
            self._request(
                tensor,
                Request(request.root, index, loops, multiplied, request.overlapping or overlapping),
            )


def _too_often(indices: int) -> str | None:
    return f"it is asked for at {indices} indices" if indices > MOST_INDICES else None


def _questions(asking: Generator[Question, SSAValue, object]) -> Iterator[tuple[SSAValue, Index]]:
    """What a rule asks for, answered with values that stand for the elements."""
    answer = cast(SSAValue, None)  # starts it
    while True:
        try:
            tensor, index, _ = asking.send(answer)
        except StopIteration:
            return
        yield tensor, index
        answer = Block(arg_types=[dtype_of(tensor).below]).args[0]


def _staged_request(request: Request, row: tuple[int, ...], extents: Index) -> Request:
    """The one request of the loops that fill a row."""
    builder = request.root.builder
    index = list(request.index)
    fixed = [expr for axis, expr in enumerate(index) if axis not in row]
    known = len(builder.index_values)
    filled = builder.index_over(tuple(extents[axis] for axis in row))
    for axis, expr in zip(row, filled, strict=True):
        index[axis] = expr
    used = frozenset[str]().union(*(expr.names for expr in fixed))
    outer = tuple(name for name in request.root.axes if name in used)
    inner = tuple(f"_{k}" for k in range(known, len(builder.index_values)))
    return Request(request.root, tuple(index), (*outer, *inner))


def _overlaps(op: graph.WindowOp) -> bool:
    """Whether windows share elements."""
    return any(
        stride < (size - 1) * dilation + 1
        for size, stride, dilation in zip(op.size, op.stride, op.dilation, strict=True)
    )
