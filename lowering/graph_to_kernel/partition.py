"""Which tensors of a graph are written to memory: one kernel computes each of these.

Every other op is computed where it is used, at the index that the user asks for. That is free for
movement (index arithmetic) and cheap for elementwise ops, unless they would be computed again and
again. A tensor is written where

- it is a result of the function;
- it is a contraction (reduce, dot, conv) whose elements are asked for more than once: by a
  broadcast, by the overlapping windows or the products of another contraction, or by two kernels;
- it is computed elementwise and would be recomputed by the products or windows of a contraction,
  by two kernels, or at several indices of one.
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


FREE_OPS = (*graph.MOVEMENT_OPS, *graph.CREATION_OPS, graph.CastOp)
"""What costs next to nothing to compute again."""


@dataclass
class Partition:
    """The tensors that are written, in the order of the graph."""

    written: set[SSAValue] = field(default_factory=set[SSAValue])
    _repeated: dict[SSAValue, Repeated] = field(default_factory=dict[SSAValue, Repeated])
    _roots: dict[SSAValue, frozenset[SSAValue]] = field(
        default_factory=dict[SSAValue, frozenset[SSAValue]]
    )

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
        if self._must_write(op, uses, repeated, roots):
            self.written.add(result)
            repeated, roots = Repeated.ONCE, frozenset({result})
        self._repeated[result] = repeated
        self._roots[result] = roots

    def _must_write(
        self,
        op: Operation,
        uses: Sequence[Use],
        repeated: Repeated,
        roots: frozenset[SSAValue],
    ) -> bool:
        if any(isinstance(use.operation, ReturnOp) for use in uses):
            return True
        if isinstance(op, FREE_OPS):
            return False
        if len(roots) > 1:
            return True
        if isinstance(op, graph.CONTRACTION_OPS) and repeated > Repeated.ONCE:
            return True
        moved = any(isinstance(use.operation, graph.MOVEMENT_OPS) for use in uses)
        return repeated == Repeated.BY_CONTRACTION or (len(uses) > 1 and moved)

    def _asked(self, use: Use) -> Repeated:
        """How often a user asks for one element of this operand."""
        user = use.operation
        if isinstance(user, ReturnOp):
            return Repeated.ONCE
        if isinstance(user, graph.DotOp | graph.ConvOp | graph.WindowOp):
            return Repeated.BY_CONTRACTION
        result = user.results[0]
        own = Repeated.ONCE
        if isinstance(user, graph.BroadcastOp) and _replicates(user):
            own = Repeated.BY_BROADCAST
        if isinstance(user, graph.PadOp) and use.index == 1:
            own = Repeated.BY_BROADCAST
        return max(own, self._repeated[result])

    def _roots_of(self, use: Use) -> frozenset[SSAValue]:
        """The written tensors whose kernels ask for this operand."""
        user = use.operation
        return frozenset() if isinstance(user, ReturnOp) else self._roots[user.results[0]]


def _replicates(op: graph.BroadcastOp) -> bool:
    """Whether a broadcast asks for an element more than once, not just adds axes of extent 1."""
    source = dict(zip(op.axes, graph.extents(graph.tensor_type(op.operand)), strict=True))
    target = graph.extents(graph.tensor_type(op.result))
    return any(source.get(axis, ONE) != extent for axis, extent in enumerate(target))
