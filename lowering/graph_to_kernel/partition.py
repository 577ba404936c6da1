"""Which tensors of a graph are written to memory, staged, or computed where they are used.

Ops are met in reverse order, users before what they use, so that for each of an op's elements that
is asked for we know by which kernel, at which index and inside which loops (see `requests`). An op
is written where

- it is a result of the function, a branch or a condition, an operand of a called kernel, or
  captured: a region inside asks for what is computed outside of it, and it costs something;
- it is a scan or a sort, which run along a loop of their own, a scatter, a branch, a loop or a
  called kernel;
- two kernels ask for it, and it costs something;
- it rounds what would be written for it alone, where products are of matrix instructions;
- it would be computed again and again: a loop around the request does not occur in the index, other
  than inside the loops that do (an outer prefix of them: there it is computed before the inner
  ones start), windows overlap, or it is asked for at several indices. Movement, casts and cheap
  arithmetic are recomputed all the same, a few times, but not by the products of a contraction.

Instead of being written, an op may be *staged*: a row of it is computed once for each iteration of
the outer loops, and kept in local memory for the inner ones, if it has a greatest size that is
small enough. `costs` has the numbers, `joining` says which kernel does the writing, `views` which
results need none. An example stands in docs/kernel.md, under "How kernels come about".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import prod
from typing import Literal, TypeAlias

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.inside import operations
from teenyir.dialects.syntax import is_placeholder
from teenyir.lowering.graph_to_kernel.blocks import FEWEST_ROWS, are_by_blocks
from teenyir.lowering.graph_to_kernel.builder import Row, dtype_of, extents_of, is_empty
from teenyir.lowering.graph_to_kernel.costs import (
    CONTRACTIONS,
    EXPENSIVE_OPS,
    FREE_OPS,
    MOST_BEFORE_RUNNING,
    MOST_BLOCK_BYTES,
    MOST_BY_ROWS,
    MOST_CONDITIONS,
    MOST_INDICES,
    MOST_STAGED_BYTES,
    is_made_up_for,
    is_of_matrices,
    products_of,
    room_of,
)
from teenyir.lowering.graph_to_kernel.factors import MOST_HIDDEN, is_of_factor, operations_of
from teenyir.lowering.graph_to_kernel.joining import IN_ORDER, Kernels, Starts
from teenyir.lowering.graph_to_kernel.requests import (
    Request,
    Root,
    asked_by,
    questions,
    staged_request,
)
from teenyir.lowering.graph_to_kernel.rules.indexing import scattered
from teenyir.lowering.graph_to_kernel.running import may_run, rows_of
from teenyir.lowering.graph_to_kernel.scalars import is_table, splat_of
from teenyir.lowering.graph_to_kernel.sort import Sort
from teenyir.lowering.graph_to_kernel.views import View, views_of

STATEMENTS = (*graph.CONTROL_OPS, graph.CustomCallOp)
"""What becomes a statement of the program, not a part of a kernel."""
DEMANDS = (ReturnOp, graph.YieldOp, graph.IfOp, graph.CustomCallOp)
"""What uses a tensor as a whole, in memory."""


Runs: TypeAlias = Literal["", "products", "once", "all"]
"""Which maxima are taken in one pass with what is relative to them: none, those between products,
those with which nothing expensive is computed again for the result, or all."""


@dataclass(frozen=True)
class Schedules:
    """What the target's schedules are counted on to make of kernels."""

    blocks: bool = False
    """Whether rows that are staged for products are computed in blocks (see `blocks`)."""
    columns: bool = False
    """Whether what reduces along columns does several at once (see `columns`)."""
    running: Runs = ""
    """Whether maxima and what is relative to them are taken in one pass (see `running`)."""
    apart: bool = False
    """Whether a kernel has to form products of two matrices at most."""
    matrices: bool = False
    """Whether products are formed by matrix instructions (see `factors`)."""


@dataclass
class Partition:
    """The tensors that are written or staged, and the kernels that write them."""

    dims: Sequence[DimRange]
    counted_on: Schedules = Schedules()
    refused: AbstractSet[Operation] = frozenset()
    """Ops that turned out to be computed again and again as no schedule does what is counted on."""
    views: Mapping[SSAValue, View] = field(default_factory=dict[SSAValue, View])
    """Results that show an argument: nothing computes them."""
    of_one_number: AbstractSet[Operation] = frozenset()
    """Ops whose elements are all the same constant, which no index makes a difference to."""
    written: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """What is written to memory, with the reason."""
    staged: dict[SSAValue, Row] = field(default_factory=dict[SSAValue, Row])
    """What is kept in local memory of each tensor that is neither written nor recomputed."""
    run: dict[Operation, Root] = field(default_factory=dict[Operation, Root])
    """What is computed in several loops over a row, which become one, and the kernel."""
    factors: dict[Operation, Root] = field(default_factory=dict[Operation, Root])
    """What the tiles of a product compute of its factors, each for itself, and the kernel."""
    apart_as: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """Why tiles of a product do not compute what they multiply."""
    joined: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """What is written by a kernel that writes another tensor too, with the reason."""
    requests: dict[SSAValue, dict[Request, int]] = field(
        default_factory=dict[SSAValue, dict[Request, int]]
    )
    """What is asked of each tensor, and under how many conditions each."""

    def __post_init__(self) -> None:
        self.kernels = Kernels(self.dims, self.written.keys(), self.counted_on.columns)
        self.ranges = {dim.name: dim for dim in self.dims}
        self._rows: dict[tuple[Operation, tuple[Request, ...]], Row | None] = {}
        """The rows that were looked for since something was last decided."""

    @staticmethod
    def of(
        func: FuncOp,
        counted_on: Schedules = Schedules(),
        refused: AbstractSet[Operation] = frozenset(),
    ) -> Partition:
        """Decide for every tensor of a function, users before what they use."""
        partition = Partition(
            graph.symbols(func), counted_on, refused, views_of(func), _of_one_number(func)
        )
        partition._decide_all(func.body.block)
        return partition

    def _decide_all(self, block: Block) -> None:
        statements = 0
        for op in block.ops:
            self.kernels.segments[op] = statements
            statements += isinstance(op, STATEMENTS)
        for op in reversed(list(block.ops)):
            if isinstance(op, graph.CONTROL_OPS):
                for region in op.regions:
                    self._decide_all(region.block)
            if not isinstance(op, ReturnOp | graph.YieldOp):
                self._decide(op)

    def _decide(self, op: Operation) -> None:
        if is_table(op):
            return  # in memory without a kernel; where it is a result it is copied
        filled = [result for result in op.results if not is_empty(result)]
        demanded = [
            result
            for result in filled
            if result not in self.views
            and any(isinstance(use.operation, DEMANDS) for use in result.uses)
        ]
        requests = list(
            dict.fromkeys(request for r in op.results for request in self.requests.get(r, ()))
        )
        wanted = [r for r in filled if r in demanded or self.requests.get(r)]
        if isinstance(op, STATEMENTS):
            self.written.update(dict.fromkeys(filled, "a branch or loop fills it"))
            for value in op.initial if isinstance(op, graph.WhileOp) else ():
                self._request(*self.kernels.start(self.kernels.begin(op.parent), value))
            return
        reason = "it is a result" if demanded else self._why_write(op, requests) if wanted else None
        if reason is not None:
            self.written.update(dict.fromkeys(wanted, reason))
            requests = self._written_by(op, wanted, requests)
            self._rows.clear()
        self._compute(op, requests)

    def _compute(self, op: Operation, requests: Sequence[Request]) -> None:
        """Hand on what the op needs where its elements, or a staged row of them, are asked for."""
        row = self._row(op, requests) if requests and self._wants_stage(op, requests) else None
        if row is not None:
            self.staged.update(dict.fromkeys(op.results, row))
            root = requests[0].root
            root.by_blocks |= row.by_blocks
            root.by_rows |= row.by_blocks or any(request.multiplied for request in requests)
            requests = [staged_request(requests[0], row.axes, op.results[0])]
        elif requests and self._runs(op, requests):
            self.run[op] = root = requests[0].root
            root.rows = rows_of(requests) if root.rows is None else root.rows
            root.by_blocks |= type(op) in CONTRACTIONS
        if requests and is_of_matrices(op):
            requests[0].root.product = op
        self._rows.clear()
        for request in requests:
            conditions = self._conditions(op, [request])
            for tensor, asked in asked_by(op, request):
                self._request(tensor, asked, conditions)

    # --- deciding -----------------------------------------------------------------------------

    def _why_write(self, op: Operation, requests: Sequence[Request]) -> str | None:
        """Why an op has to have a kernel of its own, or None where it has not."""
        if isinstance(op, IN_ORDER):
            return "it writes in an order of its own"
        if isinstance(op, graph.CREATION_OPS) or op in self.of_one_number:
            return None
        if type(op) in FREE_OPS:
            return self._too_often(op, requests) or self._why_rounded(op, requests)
        if any(request.root.block is not op.parent for request in requests):
            return "a loop or branch would compute it in each iteration"
        kernels = len({request.root for request in requests})
        if kernels > 1:
            return f"{kernels} kernels ask for it"
        if self._is_second_product(op, requests):
            return "its kernel forms the products of other matrices"
        if not self._wants_stage(op, requests):
            return self._too_often(op, requests) or self._why_tiles(op, requests)
        if self._row(op, requests) is not None or self._runs(op, requests):
            return None
        return self.apart_as.get(op) or _why_again(requests)

    def _is_second_product(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether a kernel that is to form products of two matrices at most would form others."""
        if not self.counted_on.apart or not is_of_matrices(op):
            return False
        return requests[0].root.product not in (None, op) and not self._runs(op, requests)

    def _too_often(self, op: Operation, requests: Sequence[Request]) -> str | None:
        """Why even what costs little should not be computed for all requests, or None."""
        if (conditions := self._conditions(op, requests)) > MOST_CONDITIONS:
            return f"it is asked for under {conditions} conditions"
        indices = _indices(requests)
        return f"it is asked for at {indices} indices" if indices > MOST_INDICES else None

    def _why_rounded(self, op: Operation, requests: Sequence[Request]) -> str | None:
        """Why what is rounded is written when it is: it would be written before, in more bytes, and
        for nothing else. Tiles copy what they multiply as it is in memory."""
        if not self.counted_on.matrices or not isinstance(op, graph.CastOp):
            return None
        value = op.operands[0]
        source = value.owner
        is_wider = dtype_of(value).bytes > dtype_of(op.results[0]).bytes
        if not is_wider or not value.has_one_use() or self.kernels.is_in_memory(value):
            return None
        if not isinstance(source, Operation) or isinstance(source, (*STATEMENTS, *IN_ORDER)):
            return None
        return self._why_write(source, [new for each in requests for _, new in asked_by(op, each)])

    def _why_tiles(self, op: Operation, requests: Sequence[Request]) -> str | None:
        """Why products that a loop of its own asks for, over a row, should not be formed there."""
        inside = any(r.loops != r.root.axes and not r.root.by_blocks for r in requests)
        products = products_of(op, (), self.ranges) if inside else 0
        if products is not None and products <= MOST_BY_ROWS:
            return None
        return "its products are formed in tiles of several rows, not in a loop over each row"

    def _wants_stage(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether computing an op wherever it is asked for would cost too much."""
        if type(op) in FREE_OPS:
            return False
        one_index = len({request.index for request in requests}) == 1
        if one_index and all(request.once for request in requests):
            return False
        if type(op) in CONTRACTIONS:
            return True
        if self.counted_on.matrices and self._is_factor(op, requests):
            return False
        if type(op) in EXPENSIVE_OPS:
            return not one_index or not all(is_made_up_for(r, self.ranges) for r in requests)
        return any(request.multiplied and not request.once for request in requests)

    def _is_factor(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether the tiles of a product compute an op that goes into its factors."""
        if op in self.factors or op in self.apart_as or not is_of_factor(op, requests):
            return op in self.factors
        found = operations_of(self.kernels, op, requests)
        root = requests[0].root
        if op in self.refused:
            found = "its products are not formed by matrix instructions"
        elif isinstance(found, int) and (total := found + root.hidden) > MOST_HIDDEN:
            found = f"its tiles would hide {MOST_HIDDEN} operations for an element, not {total}"
        if isinstance(found, str):
            self.apart_as[op] = found
            return False
        root.hidden += found
        self.factors |= {each: root for each, _ in self.kernels.needed(op, requests[0])}
        return True

    def _runs(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether the loops that ask for what is too long for a row are counted on to be one."""
        return (
            bool(self.counted_on.running)
            and op not in self.refused
            and (self.counted_on.running != "products" or self._is_of_products(op, requests))
            and (self.counted_on.running != "once" or not _is_again(op, requests))
            and self._wants_stage(op, requests)
            and may_run(self.kernels, op, requests)
        )

    def _is_of_products(self, op: Operation, requests: Sequence[Request]) -> bool:
        """Whether products ask for what products make."""
        return requests[0].root.rows is not None or (
            any(request.multiplied for request in requests)
            and any(
                isinstance(other, graph.DotOp)
                for other, _ in self.kernels.needed(op, requests[0])
                if other is not op
            )
        )

    def _row(self, op: Operation, requests: Sequence[Request]) -> Row | None:
        """The row that can be staged for all requests, or None; none where two products in matrix
        instructions have it in registers, however short it is."""
        key = (op, tuple(requests))
        if key not in self._rows:
            self._rows[key] = self._find_row(op, requests)
        return self._rows[key]

    def _find_row(self, op: Operation, requests: Sequence[Request]) -> Row | None:
        if self.counted_on.running == "products" and self._runs(op, requests):
            return None
        extents = extents_of(op.results[0])
        same = [len({r.index[axis] for r in requests}) == 1 for axis in range(len(extents))]
        first = requests[0]
        common = _common_prefix([request.loops for request in requests])
        # at least one loop stays outside, so that its iterations can run side by side
        least = min(1, len(common))
        for length in range(len(common), least - 1, -1):
            prefix = set(common[:length])
            names = [set(filter(is_placeholder, expr.names)) for expr in first.index]
            fixed = [axis for axis in range(len(extents)) if same[axis] and names[axis] <= prefix]
            axes = tuple(axis for axis in range(len(extents)) if axis not in fixed)
            if set[str]().union(*(names[axis] for axis in fixed)) == prefix and axes:
                return self._row_along(op, axes, requests, prefix)
        return None

    def _row_along(
        self, op: Operation, axes: tuple[int, ...], requests: Sequence[Request], around: set[str]
    ) -> Row | None:
        """A row along some axes, filled in each iteration of some loops, if it is worth it."""
        extents = tuple(extents_of(op.results[0])[axis] for axis in axes)
        size = sum(dtype_of(result).bytes for result in op.results)
        multiplied = [request for request in requests if request.multiplied]
        by_blocks = any(request.root.by_blocks for request in requests)
        products = products_of(op, requests, self.ranges)
        if products is None or products > MOST_BY_ROWS:
            # tiles of several rows are faster, unless there are tiles in blocks of rows
            if not self.counted_on.blocks or not (by_blocks or multiplied):
                return None
            by_blocks, asking = True, multiplied
        else:
            asking = []
        most = MOST_BLOCK_BYTES // FEWEST_ROWS if by_blocks else MOST_STAGED_BYTES
        room = room_of(extents, size, self.ranges, most)
        if room is None or (multiplied and not self._by_rows_anyway(op, axes, multiplied, around)):
            return None
        if by_blocks and prod(room) > MOST_BEFORE_RUNNING and self._runs(op, requests):
            return None
        if asking and not are_by_blocks(self.kernels, op, axes, asking, around):
            return None
        return Row(axes, room, not multiplied, by_blocks)

    def _by_rows_anyway(
        self, op: Operation, axes: tuple[int, ...], requests: Sequence[Request], around: set[str]
    ) -> bool:
        """Whether a row may be staged for products, which are then formed row by row too.

        Only where the kernel forms products in this way already, or where the row is computed as a
        whole anyway, since its elements need a reduction over it.
        """
        if not all(request.beside for request in requests):
            return False  # windows and the like
        if all(request.root.by_rows for request in requests):
            return True
        staged = staged_request(requests[0], axes, op.results[0])
        return any(
            type(other) in CONTRACTIONS and request.names <= around
            for other, request in self.kernels.needed(op, staged, beyond=False)
            if other is not op
        )

    # --- asking -------------------------------------------------------------------------------

    def _request(self, tensor: SSAValue, request: Request, conditions: int = 1) -> None:
        """Say that an element is asked for, if `gated` under so many conditions."""
        known = self.requests.get(tensor)
        if known is None:
            if is_empty(tensor):
                return
            known = self.requests[tensor] = {}
        known[request] = known.get(request, 0) + conditions if request.gated else 1

    def _conditions(self, op: Operation, requests: Iterable[Request]) -> int:
        """Under how many conditions an op's elements are asked for: each computes them anew."""
        known = [self.requests.get(result, {}) for result in op.results]
        return sum(max(asked.get(request, 1) for asked in known) for request in requests)

    def _written_by(
        self, op: Operation, wanted: Sequence[SSAValue], requests: Sequence[Request]
    ) -> list[Request]:
        """Say which kernel writes the results of an op; what that asks of the op."""
        askers = dict.fromkeys(request.root for request in requests)
        if isinstance(op, graph.ScatterOp):
            self._begin_scatter(op, askers)
            return []
        if isinstance(op, graph.SortOp):
            self._begin_sort(op, wanted, askers)
            return []
        joining = self.kernels.join(op, wanted, requests, lambda own: self._why_write(op, own))
        if joining is not None:
            root, starts = joining.root, joining.starts
            self.joined.update(dict.fromkeys(wanted, joining.reason))
        else:
            root, starts = self._alone(op, wanted)
        outputs = dict.fromkeys(wanted) | {
            result: computed for result, (computed, _) in zip(wanted, starts, strict=False)
        }
        if joining is not None and len(joining.axes) > len(root.axes):
            root.outputs = outputs | root.outputs
            root.builder.root_loops = root.axes = joining.axes
        else:
            root.outputs |= outputs
        for result in wanted:
            self.kernels.write(result, root, (asker for asker in askers if asker is not root))
        for tensor, request in starts:
            if tensor not in op.results:
                self._request(tensor, request)
        return [
            *(request for request in requests if request.root is root),
            *dict.fromkeys(request for tensor, request in starts if tensor in op.results),
        ]

    def _alone(self, op: Operation, wanted: Sequence[SSAValue]) -> tuple[Root, Starts]:
        """A kernel of their own for the results of an op."""
        root = self.kernels.begin(op.parent)
        first = self.kernels.start(root, wanted[0])
        # the results of one op have the same extents
        return root, [first, *((result, first[1]) for result in wanted[1:])]

    def _begin_sort(
        self, op: graph.SortOp, wanted: Sequence[SSAValue], askers: Iterable[Root]
    ) -> None:
        """One kernel asks for what is sorted together, each element once."""
        root = self.kernels.begin(op.parent)
        index = root.builder.index_over(extents_of(op.inputs[0]), (op.axis,))
        loops = tuple(root.builder.loops)
        root.axes = tuple(name for name in loops if name not in index[op.axis].names)
        for source in Sort.of(op, wanted).inputs:
            self._request(source, Request(root, index, loops))
        for result in wanted:
            root.outputs[result] = result
            self.kernels.write(result, root, askers)

    def _begin_scatter(self, op: graph.ScatterOp, askers: Iterable[Root]) -> None:
        """A scatter is written by two kernels: one copies the operand, the other combines."""
        copy, root = self.kernels.begin(op.parent), self.kernels.begin(op.parent)
        index = copy.builder.index_over(extents_of(op.operand))
        self._request(op.operand, Request(copy, index, tuple(copy.builder.loops)))
        index = root.builder.index_over(extents_of(op.updates))
        root.axes = tuple(root.builder.loops)
        for tensor, asked, _ in questions(root, scattered(root.builder, op, index)):
            self._request(tensor, Request(root, asked, root.axes))
        copy.outputs[op.result] = root.outputs[op.result] = op.result
        self.kernels.write(op.result, copy, [root, *askers])
        self.kernels.write(op.result, root, askers)


def _is_again(op: Operation, requests: Sequence[Request]) -> bool:
    """Whether the loops over a result compute what is expensive, after one pass over its row."""
    return type(op) in EXPENSIVE_OPS and any(r.loops == r.root.axes for r in requests)


def _of_one_number(func: FuncOp) -> AbstractSet[Operation]:
    """The ops whose elements are all the same constant: such constants, and what moves them."""
    found = set[Operation]()
    for op in operations(func):
        if isinstance(op, graph.ConstantOp):
            same = splat_of(op) is not None
        else:
            moves = isinstance(op, graph.MOVEMENT_OPS) and len(op.operands) == 1
            same = moves and op.operands[0].owner in found
        if same:
            found.add(op)
    return found


def _why_again(requests: Sequence[Request]) -> str:
    """Why what costs much, and is not staged, is not computed for requests."""
    if any(request.multiplied for request in requests):
        return "the products or windows of a contraction would compute it again and again"
    if (indices := _indices(requests)) > 1:
        return f"it costs too much to be computed at {indices} indices"
    return "a loop that it does not depend on would compute it again and again"


def _indices(requests: Iterable[Request]) -> int:
    """At how many different indices elements are asked for."""
    return len({(request.root, request.index) for request in requests})


def _common_prefix(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The loops that all paths begin with."""
    shortest = min(paths, key=len)
    for depth, name in enumerate(shortest):
        if any(path[depth] != name for path in paths):
            return shortest[:depth]
    return shortest
