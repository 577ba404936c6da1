"""Which kernel computes each op of a tensor program, and what that costs: for a drawing.

A copy of the module goes down to the uop floor with a mark in the location of each op; the marks
are read off the kernels. What makes no code of its own, such as a reshape, is with its users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FusedLoc, ModuleOp, NameLoc, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from teenyir.analysis.cost import Cost, launch_costs
from teenyir.analysis.places import fused_members
from teenyir.diagnostics import CompileError
from teenyir.dialects import graph, kernel
from teenyir.lowering.graph_to_kernel.lower import GraphToKernel
from teenyir.lowering.kernel_to_uop.lower import KernelToUop

MARK = "#"
"""Begins the name that marks a location; no module of a user's program has such a name."""


@dataclass(frozen=True)
class Clusters:
    """The kernels of a tensor program."""

    kernels: Mapping[Operation, str]
    """The kernel that computes an op, the first where several do."""
    costs: Mapping[str, Cost]


NOTHING = Clusters({}, {})


def clusters_of(module: ModuleOp) -> Clusters:
    """The kernels of the ops in a module; none where it holds no tensors, or is no program."""
    ops = _tensor_ops(module)
    if not ops:
        return NOTHING
    copy = module.clone()
    for number, op in enumerate(_tensor_ops(copy)):
        op.location = NameLoc(StringAttr(f"{MARK}{number}"), op.location)
    try:
        GraphToKernel().apply(Context(), copy)
        found = {ops[number]: name for number, name in _marks(copy)}
        KernelToUop().apply(Context(), copy)
    except CompileError:
        return NOTHING
    costs = {cost.kernel: cost for cost in launch_costs(copy)}
    return Clusters(_with_movement(module, found), costs)


def _tensor_ops(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, graph.GraphOp | graph.FoldOp)]


def _marks(module: ModuleOp) -> list[tuple[int, str]]:
    """The ops that each kernel is made of, by their numbers, the last kernel first."""
    return [
        (number, func.sym_name.data)
        for func in reversed(list(module.body.block.ops))
        if isinstance(func, kernel.FuncOp)
        for op in func.walk()
        for number in _numbers(op.location)
        if op is not func
    ]


def _numbers(location: Attribute) -> Iterator[int]:
    match location:
        case NameLoc() if location.desc.data.startswith(MARK):
            yield int(location.desc.data.removeprefix(MARK))
        case FusedLoc():
            for member in fused_members(location):
                yield from _numbers(member)
        case _:
            pass


def _with_movement(module: ModuleOp, found: Mapping[Operation, str]) -> dict[Operation, str]:
    """With what makes no code of its own, where one kernel has all of its users."""
    kernels = dict(found)
    for func in module.body.block.ops:
        if isinstance(func, FuncOp):
            for op in reversed(list(func.walk())):
                users = {kernels.get(use.operation) for r in op.results for use in r.uses}
                if isinstance(op, graph.GraphOp) and op not in kernels and len(users) == 1:
                    (user,) = users
                    if user is not None:
                        kernels[op] = user
    return kernels
