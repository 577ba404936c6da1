"""The index values of a kernel under names that mean the same in all of it, and their bounds.

An op of the kernel floor counts its index operands for itself (`_0`, `_1`, ...). Here every index
value of the kernel has one name, so that expressions of different ops can be compared, and
`teenyir.analysis.intervals` knows the loops and extents that they range over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.analysis.manager import Analysis
from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.inside import ops_of
from teenyir.dialects.syntax import placeholder


@dataclass(frozen=True)
class KernelIndices:
    """The index values of one kernel."""

    names: Mapping[SSAValue, str]
    facts: Facts
    """What is known of the names and of the extents."""

    def globally(self, expr: Expr, op: kernel.IndexedOp) -> Expr:
        """An op's expression over the names of the whole kernel."""
        return _globally(expr, op, self.names)


def kernel_indices(func: kernel.FuncOp) -> KernelIndices:
    """Name the index values of a kernel, in the order of its text."""
    names: dict[SSAValue, str] = {}
    loops: dict[str, tuple[Expr, Expr]] = {}
    for op in ops_of(func.body.block):
        for result in op.results:
            if result.type.__class__ is IndexType:
                names[result] = placeholder(len(names))
        if type(op) is kernel.RangeOp:
            lower, upper = (_globally(expr, op, names) for expr in op.exprs)
            loops[names[op.result]] = (lower, upper)
    return KernelIndices(names, Facts({dim.name: dim for dim in func.dims.data}, loops))


def _globally(expr: Expr, op: kernel.IndexedOp, names: Mapping[SSAValue, str]) -> Expr:
    if not expr.names:
        return expr
    return expr.substitute({placeholder(k): names[v] for k, v in enumerate(op.index_values)})


KERNEL_INDICES = Analysis("kernel indices", kernel_indices)
"""The index values of a `kernel.func`."""
