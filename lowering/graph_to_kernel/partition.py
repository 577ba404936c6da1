"""Which tensors of a graph are written to memory: one kernel computes each of these.

Every other op is computed where it is used, at the index that the user asks for. That is free for
movement (index arithmetic) and cheap for elementwise ops, unless they would be computed again and
again. A tensor is written where

- it is a result of the function;
- it is a contraction (reduce, dot, conv) whose elements are asked for more than once: by a
  broadcast, by the overlapping windows or the products of another contraction, or by two kernels;
- it is a scan, which runs along a loop of its own, or a scatter, which writes in order;
- it is computed elementwise and would be recomputed by the products or windows of a contraction,
  by two kernels, or at several indices of one;
- it costs next to nothing, but one kernel would compute it at more than a few indices. Otherwise a
  chain of ops that each use the one before twice would double the kernel with each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, OpResult, SSAValue, Use

from teenyir.dialects import graph
from teenyir.dialects.expr import ONE


class Repeated(IntEnum):
    """How often one element of a tensor is asked for by the kernel that computes it."""

    ONCE = 0
    BY_BROADCAST = 1
    BY_CONTRACTION = 2


MOST_INDICES = 4
"""At most at so many indices one kernel computes again what costs next to nothing."""

FREE_OPS = (*graph.MOVEMENT_OPS, *graph.CREATION_OPS, graph.CastOp, graph.BitcastOp)
"""What costs next to nothing to compute again."""

ALWAYS_WRITTEN = (graph.ScanOp, graph.ScatterOp)
CONTRACTIONS = (*graph.CONTRACTION_OPS, graph.FoldOp)

REPEATED_OPERANDS: dict[type[Operation], dict[int, Repeated]] = {
    graph.PadOp: {1: Repeated.BY_BROADCAST},
    graph.GatherOp: {0: Repeated.BY_CONTRACTION, 1: Repeated.BY_BROADCAST},
    graph.ScatterOp: {1: Repeated.BY_BROADCAST},
    graph.DynamicSliceOp: {1: Repeated.BY_BROADCAST},
    graph.DynamicUpdateOp: {2: Repeated.BY_BROADCAST},
    graph.DotOp: {0: Repeated.BY_CONTRACTION, 1: Repeated.BY_CONTRACTION},
    graph.ConvOp: {0: Repeated.BY_CONTRACTION, 1: Repeated.BY_CONTRACTION},
    graph.WindowOp: {0: Repeated.BY_CONTRACTION},
}
"""The operands of which an op asks for one element more than once, by position."""


@dataclass
class Partition:
    """The tensors that are written, in the order of the graph."""

    written: set[SSAValue] = field(default_factory=set[SSAValue])
    _repeated: dict[SSAValue, Repeated] = field(default_factory=dict[SSAValue, Repeated])
    _roots: dict[SSAValue, frozenset[SSAValue]] = field(
        default_factory=dict[SSAValue, frozenset[SSAValue]]
    )
    _indices: dict[SSAValue, frozenset[int]] = field(default_factory=dict[SSAValue, frozenset[int]])
    """The different indices at which kernels ask for an element of a tensor, by number."""
    _moved: dict[tuple[Use, int], int] = field(default_factory=dict[tuple[Use, int], int])
    """What a user that is not elementwise makes of an index of its own."""

    @staticmethod
    def of(func: FuncOp) -> Partition:
        """Decide for every tensor of a straight-line function, users before what they use."""
        partition = Partition()
        for op in reversed(list(func.body.block.ops)):
            for result in op.results:
                partition._decide(op, result)
        return partition

    def _decide(self, op: Operation, result: OpResult) -> None:
        uses = list(result.uses)
        repeated = max((self._asked(use) for use in uses), default=Repeated.ONCE)
        roots = frozenset[SSAValue]().union(*(self._roots_of(use) for use in uses))
        indices = frozenset[int]().union(*(self._indices_of(use) for use in uses))
        if self._must_write(op, uses, repeated, roots, len(indices)):
            self.written.add(result)
            repeated, roots, indices = Repeated.ONCE, frozenset({result}), frozenset({0})
        self._repeated[result] = repeated
        self._roots[result] = roots
        self._indices[result] = indices

    def _must_write(
        self,
        op: Operation,
        uses: Sequence[Use],
        repeated: Repeated,
        roots: frozenset[SSAValue],
        indices: int,
    ) -> bool:
        if any(isinstance(use.operation, ReturnOp) for use in uses):
            return True
        if isinstance(op, ALWAYS_WRITTEN):
            return bool(uses)
        if isinstance(op, FREE_OPS):
            return indices > MOST_INDICES and not isinstance(op, graph.CREATION_OPS)
        if len(roots) > 1:
            return True
        if isinstance(op, CONTRACTIONS) and repeated > Repeated.ONCE:
            return True
        return repeated == Repeated.BY_CONTRACTION or indices > 1

    def _asked(self, use: Use) -> Repeated:
        """How often a user asks for one element of this operand."""
        user = use.operation
        if isinstance(user, ReturnOp):
            return Repeated.ONCE
        own = REPEATED_OPERANDS.get(type(user), {}).get(use.index, Repeated.ONCE)
        if isinstance(user, graph.FoldOp) and use.index >= len(user.inputs):
            own = Repeated.BY_BROADCAST
        if isinstance(user, graph.BroadcastOp) and _replicates(user):
            own = Repeated.BY_BROADCAST
        if own == Repeated.BY_CONTRACTION:
            return own
        return max(own, *(self._repeated[result] for result in user.results))

    def _roots_of(self, use: Use) -> frozenset[SSAValue]:
        """The written tensors whose kernels ask for this operand."""
        user = use.operation
        return frozenset[SSAValue]().union(*(self._roots[result] for result in user.results))

    def _indices_of(self, use: Use) -> frozenset[int]:
        """The indices at which a user asks for this operand."""
        user = use.operation
        indices = frozenset[int]().union(*(self._indices[result] for result in user.results))
        if isinstance(user, graph.ELEMENTWISE_OPS):
            return indices
        return frozenset(self._moved.setdefault((use, i), len(self._moved) + 1) for i in indices)


def _replicates(op: graph.BroadcastOp) -> bool:
    """Whether a broadcast asks for an element more than once, not just adds axes of extent 1."""
    source = dict(zip(op.axes, graph.extents(graph.tensor_type(op.operand)), strict=True))
    target = graph.extents(graph.tensor_type(op.result))
    return any(source.get(axis, ONE) != extent for axis, extent in enumerate(target))
