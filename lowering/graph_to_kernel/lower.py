"""The pass `graph-to-kernel`: functions on tensors become a program that launches kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation

from teenyir.dialects import graph, kernel
from teenyir.lowering.graph_to_kernel.costs import WIDE_VECTORS
from teenyir.lowering.graph_to_kernel.explain import answer, remark_on
from teenyir.lowering.graph_to_kernel.launches import ProgramBuilder
from teenyir.lowering.graph_to_kernel.partition import Partition, Runs, Schedules
from teenyir.lowering.graph_to_kernel.requests import Root
from teenyir.lowering.graph_to_kernel.statements import STATEMENTS
from teenyir.passes.kernel.choose.cpu.running_folds import computes_once
from teenyir.passes.kernel.choose.gpu.running_products import is_one_pass
from teenyir.passes.kernel.choose.gpu.tensor_cores import is_by_matrices
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.targets import cpu

KNOWN = graph.GraphOp | graph.FoldOp | graph.SortOp | graph.CustomCallOp | graph.YieldOp | ReturnOp
"""What a function and its regions may hold, besides control flow."""


@dataclass(frozen=True)
class GraphToKernel(Pass):
    """Turn each function on tensors into kernels and a program that launches them in order."""

    name = "graph-to-kernel"
    anchor = "builtin.module"

    blocks: bool = False
    """Count on a schedule that computes rows that are staged for products in blocks of several, as
    `block-rows` does."""

    columns: bool = False
    """Count on a schedule that reduces along neighbouring columns at once, as `lane-columns`."""

    running: bool = False
    """Count on a schedule that takes maxima, and sums that are relative to them, in one pass over
    blocks of rows of any length, as `running-folds` does."""

    twice: Literal["always", "never", "host"] = "always"
    """Whether one pass over a row may be followed by another one that computes its exponentials
    again, as for a softmax of any length: `host`, where they cost this machine less than writing
    and reading them (`costs.WIDE_VECTORS`)."""

    apart: bool = False
    """Have each kernel form products of two matrices at most, as schedules for tensor cores do."""

    matrices: str = ""
    """Count on schedules for the matrix instructions of a compute capability: `tensor-cores`, which
    computes factors in tiles, and `running-products`, which takes two products with a softmax
    between them in one pass; none if it is empty."""

    tf32: bool = False
    """Whether f32 may be multiplied as tf32, with 10 digits behind the point."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, ModuleOp)
        asked = session.why_not
        for func in [func for func in op.body.block.ops if isinstance(func, FuncOp)]:
            if _is_on_tensors(func):
                _refuse_foreign(func)
                partition = self._build(op, func)
                if session.wants_remarks:
                    remark_on(partition, func, session)
                if asked is not None and answer(partition, func, asked, session):
                    asked = None
                session.count("functions")
                func.detach()
                func.erase()
        if asked is not None:
            session.warn(op, f"no function on tensors holds both {asked[0]} and {asked[1]}")

    def _build(self, module: ModuleOp, func: FuncOp) -> Partition:
        """Build the program of a function; how it was divided into kernels.

        Where loops over a row turn out not to become one, what they share is written: once more. So
        are factors of what turns out not to be a product by matrix instructions.
        """
        counted_on = Schedules(
            self.blocks, self.columns, self._runs(), self.apart, bool(self.matrices)
        )
        refused: frozenset[Operation] = frozenset()
        while True:
            others = set(module.body.block.ops)
            builder = ProgramBuilder(
                module,
                func,
                STATEMENTS,
                lambda func, no=refused: Partition.of(func, counted_on, no),
            )
            builder.build()
            run, factors = builder.partition.run, builder.partition.factors
            again = refused_of(builder, run, self._becomes_one)
            again |= refused_of(builder, factors, self._is_of_matrices)
            if not again:
                return builder.partition
            refused |= again
            for built in [each for each in module.body.block.ops if each not in others]:
                built.detach()
                built.erase(safe_erase=False)

    def _runs(self) -> Runs:
        if self.running:
            return "all" if self._may_again() else "once"
        return "products" if self.matrices else ""

    def _may_again(self) -> bool:
        """Whether exponentials may be computed twice."""
        if self.twice == "host":
            return cpu.host().vector_bits >= WIDE_VECTORS
        return self.twice == "always"

    def _becomes_one(self, func: kernel.FuncOp, root: Root) -> bool:
        """Whether the loops of a kernel that compute the same become one."""
        if self.matrices and is_one_pass(func, self.matrices, tf32=self.tf32):
            return True
        return self.running and computes_once(func, root.by_blocks)

    def _is_of_matrices(self, func: kernel.FuncOp, root: Root) -> bool:
        return is_by_matrices(func, self.matrices, tf32=self.tf32)


def refused_of(
    builder: ProgramBuilder,
    counted_on: Mapping[Operation, Root],
    holds: Callable[[kernel.FuncOp, Root], bool],
) -> set[Operation]:
    """What kernels compute on the count of something that does not hold of them."""
    kernels = {
        op.sym_name.data: op
        for op in builder.module.body.block.ops
        if isinstance(op, kernel.FuncOp)
    }
    ops: dict[Root, list[Operation]] = {}
    for op, root in counted_on.items():
        ops.setdefault(root, []).append(op)
    return {
        op
        for root, of_root in ops.items()
        if (name := builder.launched.get(root)) and not holds(kernels[name], root)
        for op in of_root
    }


def _is_on_tensors(func: FuncOp) -> bool:
    types = (*func.function_type.inputs, *func.function_type.outputs)
    has_graph_ops = any(isinstance(op, graph.GraphOp) for op in func.body.walk())
    return not func.is_declaration and (
        has_graph_ops or any(isinstance(type, TensorType) for type in types)
    )


def _refuse_foreign(func: FuncOp) -> None:
    """Everything in the function must have a meaning as kernels."""
    if len(func.body.blocks) != 1:
        raise fail(func, "only functions of one block become kernels")
    for argument in func.args:
        if not isinstance(argument.type, TensorType):
            raise fail(func, f"an argument of type {argument.type} is no tensor")
    _refuse_foreign_ops(func.body.block)
    if not func.function_type.outputs:
        raise fail(func, "the function returns nothing, so there is nothing to compute")


def _refuse_foreign_ops(block: Block) -> None:
    for op in block.ops:
        if isinstance(op, graph.CONTROL_OPS):
            for region in op.regions:
                _refuse_foreign_ops(region.block)
        elif not isinstance(op, KNOWN):
            raise fail(op, f"{op.name} cannot be turned into a kernel")
