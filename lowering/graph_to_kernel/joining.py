"""Which kernel writes a tensor: one of its own, or one that runs over the same elements anyway.

A kernel may write several tensors. A tensor joins

- a kernel that asks once for each of its elements, which then stores what it computes;
- a kernel that asks for it and whose loops are its axes, or begin with them, or begin it: so
  [x - m, m] with m = max(x) over rows are one kernel, whose outer loop stores the maxima;
- a kernel with such loops that reads some of the same elements of memory in corresponding
  iterations: they are then read once. No product does: its loops are tiled for it alone.

Whatever asks for a tensor runs after the kernel that writes it, so a tensor must not join a kernel
that itself needs, by way of a third one, the tensor:

    y = f(t), z = g(t) + sum(y)     t may join the kernel of y, not that of z, which runs later
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import ZERO, Expr
from teenyir.lowering.graph_to_kernel.builder import is_empty
from teenyir.lowering.graph_to_kernel.columns import innermost_axes
from teenyir.lowering.graph_to_kernel.costs import CONTRACTIONS, MOST_ASKED, bytes_of
from teenyir.lowering.graph_to_kernel.requests import Request, Root, asked_by
from teenyir.lowering.graph_to_kernel.rules import has_rule
from teenyir.lowering.graph_to_kernel.scalars import is_table
from teenyir.lowering.graph_to_kernel.start import behind_reshapes, join_loops, open_loops

MOST_SIBLINGS = 4
"""How many kernels are looked at for one to join, the last ones of the function first."""
MOST_OUTPUTS = 8
"""How many tensors one kernel writes at most: their elements are to stay in registers."""

IN_ORDER = (graph.ScanOp, graph.ScatterOp, graph.SortOp)
"""What writes in an order of its own, and so with nothing else."""

ALWAYS_WRITTEN = (*IN_ORDER, *graph.CONTROL_OPS, graph.CustomCallOp)
"""What is in memory whoever asks for it."""

Starts = Sequence[tuple[SSAValue, Request]]
"""What a kernel asks for first on behalf of each tensor that it writes."""
Reads = list[tuple[SSAValue, Request]]
"""What a kernel asks of memory; nothing where it is a product, or large."""


@dataclass(frozen=True)
class Joining:
    """How tensors join a kernel."""

    root: Root
    starts: Starts
    axes: tuple[str, ...]
    """The loops over the results of the kernel then."""
    reason: str


@dataclass
class Kernels:
    """The kernels of a function in the making, and which of them run after which."""

    dims: Sequence[DimRange]
    written: AbstractSet[SSAValue]
    """The tensors that are known to be in memory."""
    columns: bool = False
    """Whether the target reduces along columns, several at once (see `columns`)."""
    segments: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """For each op, how many statements stand before it in its block."""
    roots: list[Root] = field(default_factory=list[Root])
    later: dict[Root, int] = field(default_factory=dict[Root, int])
    """For each kernel, as a set of bits, those that need something of it, if by way of others."""
    writing: dict[SSAValue, Root] = field(default_factory=dict[SSAValue, Root])
    """The kernel that writes each tensor."""
    reads: dict[Root, Reads] = field(default_factory=dict["Root", "Reads"])
    computed: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    """Of each tensor, whether a kernel may compute it where it asks for it."""

    def begin(self, block: Block | None) -> Root:
        """A new kernel, without loops yet."""
        root = Root.over(self.dims, block, len(self.roots))
        self.roots.append(root)
        self.later[root] = 0
        return root

    def start(self, root: Root, tensor: SSAValue) -> tuple[SSAValue, Request]:
        """Open the loops of a kernel that writes a tensor: what it asks for first."""
        computed = self._computed(root, tensor)
        root.innermost = self._innermost(root, computed)
        index = open_loops(root.builder, computed, root.innermost)
        root.axes = root.builder.root_loops
        return computed, Request(root, index, root.axes)

    def _innermost(self, root: Root, computed: SSAValue) -> tuple[int, ...]:
        """The axes whose loops are to be inside of the others, so that what is reduced along them
        is computed once for each iteration of those."""
        op = computed.owner
        if not self.columns or not isinstance(op, Operation) or isinstance(op, ALWAYS_WRITTEN):
            return ()
        if is_empty(computed):
            return ()  # there are no elements to ask for
        trial = Root.over(self.dims, root.block)
        index = open_loops(trial.builder, computed)
        asked = self.needed(op, Request(trial, index, trial.builder.root_loops))
        return innermost_axes(computed, index, asked, {dim.name: dim for dim in self.dims})

    def _computed(self, root: Root, tensor: SSAValue) -> SSAValue:
        return behind_reshapes(tensor, self.written - {tensor}, root.builder.facts)

    def write(self, tensor: SSAValue, root: Root, askers: Iterable[Root]) -> None:
        """Say that a kernel writes a tensor that others ask for."""
        self.writing[tensor] = root
        own, new = 1 << root.number, 0
        for asker in askers:
            new |= 1 << asker.number | self.later[asker]
        new &= ~own
        for other in self.roots:
            if other is root or self.later[other] & own:
                self.later[other] |= new

    # --- joining ------------------------------------------------------------------------------

    def join(
        self,
        op: Operation,
        wanted: Sequence[SSAValue],
        requests: Sequence[Request],
        refuse: Callable[[Sequence[Request]], str | None],
    ) -> Joining | None:
        """A kernel that can write the results of an op at no cost; None where there is none.

        `refuse` tells why a kernel should not compute what it is asked for by these requests.
        """
        if isinstance(op, IN_ORDER):
            return None
        askers = list(dict.fromkeys(request.root for request in requests))
        able = (root for root in askers if self._may_join(op, root, askers))
        for root in able:
            own = [request for request in requests if request.root is root]
            if (
                root.axes
                and refuse(own) is None
                and all(_passes_through(own, result) for result in wanted)
            ):
                return Joining(root, (), root.axes, "a kernel that computes it stores it")
            joining = self._in_loops(wanted, root, "a kernel that asks for it stores it")
            if joining is not None and refuse([*own, *_of(op, joining.starts)]) is None:
                return joining
        return self._sibling(op, wanted, askers, refuse)

    def _may_join(self, op: Operation, root: Root, askers: Sequence[Root]) -> bool:
        """Whether a kernel can be launched where the op stands, before all that ask for it."""
        first = next((tensor.owner for tensor in root.outputs), None)
        own = 1 << root.number
        return (
            isinstance(first, Operation)
            and not isinstance(first, IN_ORDER)
            and not root.by_blocks
            and len(root.outputs) < MOST_OUTPUTS
            and root.block is op.parent
            and self.segments[first] == self.segments[op]
            and not any(self.later[asker] & own for asker in askers if asker is not root)
        )

    def _in_loops(self, wanted: Sequence[SSAValue], root: Root, reason: str) -> Joining | None:
        """How a kernel stores tensors in its own loops, or None where these are others."""
        starts: list[tuple[SSAValue, Request]] = []
        axes = root.axes
        for result in wanted:
            computed = self._computed(root, result)
            joined = join_loops(root.builder, axes, computed, root.innermost)
            if joined is None:
                return None
            index, axes = joined
            starts.append((computed, Request(root, index, axes)))
        return Joining(root, starts, axes, reason)

    def _sibling(
        self,
        op: Operation,
        wanted: Sequence[SSAValue],
        askers: Sequence[Root],
        refuse: Callable[[Sequence[Request]], str | None],
    ) -> Joining | None:
        """How to join a kernel that reads some of what the op needs, in the same iterations."""
        near = [root for root in self._nearest(op, askers) if root not in askers]
        own: Reads = []
        if near:
            own = self._reads([self.start(Root.over(self.dims, op.parent), wanted[0])])
        for root in near if own else ():
            if root not in self.reads:
                scratch = Root.over(self.dims, root.block)
                self.reads[root] = self._reads([self.start(scratch, next(iter(root.outputs)))])
            shared = _shared_bytes(own, self.reads[root])
            if shared == ZERO:
                continue
            joining = self._in_loops(wanted, root, f"both read the same {shared} bytes")
            if joining is not None and refuse(_of(op, joining.starts)) is None:
                self.reads[root] += own
                return joining
        return None

    def why_apart(self, one: Root, other: Root) -> str:
        """Why two kernels, neither of which needs the other, are not one."""
        (first, *_), (second, *_) = one.outputs, other.outputs
        ops = [tensor.owner for tensor in (first, second) if isinstance(tensor.owner, Operation)]
        if one.block is not other.block or len({self.segments[op] for op in ops}) > 1:
            return "a branch, a loop or a called kernel stands between them"
        if any(isinstance(op, IN_ORDER) for op in ops):
            return "one of them writes in an order of its own"
        loops = [[str(r.builder.loops[axis][1]) for axis in r.axes] for r in (one, other)]
        common = min(map(len, loops))
        if loops[0][:common] != loops[1][:common] or (not common and loops[0] != loops[1]):
            sizes = " and ".join(f"[{', '.join(extents)}]" for extents in loops)
            return f"their kernels run over other loops: {sizes}"
        if self.later[one] & 1 << other.number or self.later[other] & 1 << one.number:
            return "one of their kernels needs, for something else, what the other writes"
        reads = [
            self._reads([self.start(Root.over(self.dims, r.block), next(iter(r.outputs)))])
            for r in (one, other)
        ]
        if not all(reads):
            return "one is a product, whose loops are tiled for it alone, or reads nothing"
        if _shared_bytes(*reads) == ZERO:
            return "their kernels read no element of memory in the same iteration"
        return f"a kernel writes at most {MOST_OUTPUTS} tensors, and computes little again"

    def _nearest(self, op: Operation, askers: Sequence[Root]) -> Iterator[Root]:
        left = MOST_SIBLINGS
        for root in reversed(self.roots):
            if left and self._may_join(op, root, askers):
                left -= 1
                yield root

    def _reads(self, starts: Starts) -> Reads:
        """What a kernel that starts so reads of memory."""
        found: Reads = []
        waiting = list(starts)
        computed = {tensor for tensor, _ in starts}
        seen: set[tuple[SSAValue, Request]] = set()
        while waiting:
            asked = waiting.pop()
            if asked in seen:
                continue
            seen.add(asked)
            tensor, request = asked
            op = tensor.owner
            if self.is_in_memory(tensor) and tensor not in computed:
                found.append(asked)
            elif isinstance(op, graph.DotOp | graph.ConvOp) or len(seen) > MOST_ASKED:
                return []
            elif isinstance(op, Operation) and has_rule(op):
                waiting += asked_by(op, request)
        return found

    def needed(
        self, op: Operation, request: Request, *, beyond: bool = True
    ) -> Iterator[tuple[Operation, Request]]:
        """What computes an element of an op, itself first, down to what is in memory; not `beyond`
        contractions, if so wanted.

        Cut off after `MOST_ASKED`.
        """
        waiting = [(op, request)]
        seen = set[tuple[Operation, Request]]()
        while waiting and len(seen) < MOST_ASKED:
            asking = waiting.pop()
            if asking in seen:
                continue
            seen.add(asking)
            yield asking
            if not beyond and asking[0] is not op and type(asking[0]) in CONTRACTIONS:
                continue
            waiting += [
                (cast(Operation, tensor.owner), each)
                for tensor, each in asked_by(*asking)
                if tensor not in self.written and self._may_compute(tensor)
            ]

    def _may_compute(self, tensor: SSAValue) -> bool:
        """Whether elements of a tensor that is not written can be computed, as there are any."""
        if (known := self.computed.get(tensor)) is None:
            known = not self.is_in_memory(tensor) and not is_empty(tensor)
            self.computed[tensor] = known
        return known

    def is_in_memory(self, tensor: SSAValue) -> bool:
        """Whether a kernel loads a tensor, as far as is known."""
        op = tensor.owner
        return (
            isinstance(op, Block)
            or tensor in self.written
            or isinstance(op, ALWAYS_WRITTEN)
            or is_table(op)
        )


def _of(op: Operation, starts: Starts) -> list[Request]:
    """What the starts ask of an op itself."""
    return list(dict.fromkeys(request for tensor, request in starts if tensor in op.results))


def _passes_through(requests: Sequence[Request], tensor: SSAValue) -> bool:
    """Whether requests of one kernel make it compute each element of a tensor once, in order."""
    whole = [r for r in requests if not r.gated and r.root.builder.is_whole(r.index, tensor)]
    return bool(whole) and all(r.once and r.loops == _loops_of(r) for r in whole)


def _loops_of(request: Request) -> tuple[str | None, ...]:
    """The loops over the axes of an index, in the order in which those of its kernel nest."""
    axes = sorted(range(len(request.index)), key=lambda axis: axis in request.root.innermost)
    return tuple(request.index[axis].name for axis in axes if request.index[axis] != ZERO)


def _shared_bytes(one: Reads, other: Reads) -> Expr:
    """The bytes of the tensors of which two kernels read the same elements in an iteration."""
    if not one or not other:
        return ZERO
    common = min(len(one[0][1].root.axes), len(other[0][1].root.axes))
    mine = {(tensor, _normal(request, common)) for tensor, request in one}
    theirs = {(tensor, _normal(request, common)) for tensor, request in other}
    shared = {tensor for tensor, _ in mine & theirs}
    return sum(map(bytes_of, shared), ZERO)


def _normal(request: Request, common: int) -> tuple[str, ...]:
    """An index such that equal ones mean the same elements in two kernels.

    They have the outermost `common` loops in common; the others count by their extents.
    """
    root = request.root
    names = {name: f"axis{k}" for k, name in enumerate(root.axes[:common])}
    for name, (_, extent) in root.builder.loops.items():
        names.setdefault(name, f"over[{extent}]")
    return tuple(
        str(expr.substitute({name: names[name] for name in expr.names & names.keys()}))
        for expr in request.index
    )
