"""Why tensors are written, staged or computed together: remarks, and answers about two of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from teenyir.dialects.expr import ZERO
from teenyir.lowering.graph_to_kernel.blocks import FEWEST_ROWS
from teenyir.lowering.graph_to_kernel.builder import dtype_of
from teenyir.lowering.graph_to_kernel.costs import bytes_of, flops_again
from teenyir.lowering.graph_to_kernel.partition import STATEMENTS, Partition
from teenyir.lowering.graph_to_kernel.requests import Root
from teenyir.rewriting.base import Session


def remark_on(partition: Partition, func: FuncOp, session: Session) -> None:
    """Remark on each tensor that is written, staged or a view, and why, with its numbers."""
    names = _names(func)
    for tensor, reason in partition.written.items():
        if not isinstance(tensor.owner, Operation):
            continue
        written = f"{bytes_of(tensor)} bytes"
        if tensor in partition.joined:
            others = _outputs(partition.kernels.writing[tensor], names, tensor)
            how = f"is written by the kernel of {others}: {partition.joined[tensor]}"
            session.remark("passed", tensor.owner, f"{how}; it is {written}, and {reason}")
        else:
            text = f"has a kernel of its own: {reason}; it is {written}{_again(partition, tensor)}"
            session.remark("missed", tensor.owner, text)
    for tensor, row in partition.staged.items():
        if isinstance(tensor.owner, Operation):
            axes = ", ".join(map(str, row.axes))
            local = prod(row.extents) * dtype_of(tensor).bytes
            text = f"a row of it, axes [{axes}], is staged in {local} bytes of local memory"
            if row.by_blocks:
                text += f", {FEWEST_ROWS} or more of them at once"
            saved = f"; all of it is {bytes_of(tensor)} bytes{_again(partition, tensor)}"
            session.remark("passed", tensor.owner, text + saved)
    for op in partition.run:
        loops = len(partition.requests[op.results[0]])
        text = f"blocks of its rows are computed in one loop for its {loops} uses"
        saved = f"; all of it is {bytes_of(op.results[0])} bytes{_again(partition, op.results[0])}"
        session.remark("passed", op, text + saved)
    for tensor, view in partition.views.items():
        if isinstance(tensor.owner, Operation):
            shown = f"a view of {names[view.source]} from element {view.offset} on"
            session.remark("passed", tensor.owner, f"{shown}: it costs no kernel")


def _again(partition: Partition, tensor: SSAValue) -> str:
    """How much it would cost to compute a tensor wherever it is asked for."""
    requests = partition.requests.get(tensor, {})
    assert isinstance(tensor.owner, Operation)
    again = flops_again(tensor.owner, requests) if requests else ZERO
    return "" if again == ZERO else f", where used it would take {again} more operations"


def answer(partition: Partition, func: FuncOp, asked: tuple[str, str], session: Session) -> bool:
    """Answer why two values of a function do not share a kernel; False where it has not both."""
    named = {name: value for value, name in _names(func).items()}
    if any(name not in named for name in asked):
        return False
    values = [named[name] for name in asked]
    owners = [v.owner for v in values if isinstance(v.owner, Operation)]
    session.answer(owners[-1] if owners else func, _why_not(partition, func, *values))
    return True


def _why_not(partition: Partition, func: FuncOp, a: SSAValue, b: SSAValue) -> str:
    names = _names(func)
    if a is b:
        return f"{names[a]} is one value"
    for value in (a, b):
        if (place := _outside(partition, value, names)) is not None:
            return place
    shared = [root for root in _kernels(partition, a) if root in _kernels(partition, b)]
    if shared:
        return f"{names[a]} and {names[b]} share the kernel of {_outputs(shared[0], names)}"
    apart = partition.kernels.why_apart(_kernels(partition, a)[0], _kernels(partition, b)[0])
    for first, last in ((a, b), (b, a)):
        between = [v for v in _needs(last, first) if v in partition.written and v is not last]
        if first in between:
            own = f"{names[first]} has a kernel of its own: {partition.written[first]}"
            return f"{own}; {apart}" if "loops" in apart else own
        if between:
            here = between[0]
            lies = f"{names[here]} lies between {names[first]} and {names[last]}"
            return f"{lies} and has a kernel of its own: {partition.written[here]}"
    return f"neither {names[a]} nor {names[b]} needs the other, and {apart}"


def _outside(partition: Partition, value: SSAValue, names: dict[SSAValue, str]) -> str | None:
    """Why a value is no part of any kernel, or None where it is."""
    if not isinstance(value.owner, Operation):
        return f"{names[value]} is an argument: it is in memory"
    if value in partition.views:
        shown = names[partition.views[value].source]
        return f"{names[value]} is a view of {shown}: nothing computes it"
    if isinstance(value.owner, STATEMENTS):
        return f"{names[value]} is filled by a branch, a loop or a called kernel"
    if not _kernels(partition, value):
        return f"nothing asks for {names[value]}"
    return None


def _kernels(partition: Partition, value: SSAValue) -> list[Root]:
    """The kernels that compute a value."""
    if value in partition.kernels.writing:
        return [partition.kernels.writing[value]]
    return list(dict.fromkeys(request.root for request in partition.requests.get(value, ())))


def _needs(value: SSAValue, other: SSAValue) -> list[SSAValue]:
    """The values from `other` to `value`, which needs it, with both; none where it does not."""
    forward: set[SSAValue] = set()
    waiting = [other]
    while waiting:
        reached = waiting.pop()
        if reached not in forward:
            forward.add(reached)
            waiting += [result for use in reached.uses for result in use.operation.results]
    if value not in forward:
        return []
    found: dict[SSAValue, None] = {}
    waiting = [value]
    while waiting:
        reached = waiting.pop()
        if reached in forward and reached not in found:
            found[reached] = None
            waiting += reached.owner.operands if isinstance(reached.owner, Operation) else ()
    return list(found)


def _outputs(root: Root, names: dict[SSAValue, str], without: SSAValue | None = None) -> str:
    return ", ".join(names[tensor] for tensor in root.outputs if tensor is not without)


def _names(func: FuncOp) -> dict[SSAValue, str]:
    """The values of a function by the names that its text has for them."""
    found: dict[SSAValue, str] = {}
    taken: set[str] = set()
    unnamed = 0
    for value in _values(func):
        if value.name_hint is None:
            name, unnamed = str(unnamed), unnamed + 1
        else:
            name, count = value.name_hint, 0
            while name in taken:
                count += 1
                name = f"{value.name_hint}_{count}"
        taken.add(name)
        found[value] = f"%{name}"
    return found


def _values(func: FuncOp) -> Iterator[SSAValue]:
    yield from func.body.block.args
    for op in func.body.block.walk():
        yield from op.results
        for region in op.regions:
            yield from region.block.args
