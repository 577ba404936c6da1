"""Which buffers of a kernel can be one: read where it is written, each element before it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from teenyir.dialects.conditions import implies
from teenyir.dialects.kernel.dependences import accumulated_by
from teenyir.dialects.kernel.kinds import only_loops, runs_at_once
from teenyir.dialects.kernel.nest import Nest
from teenyir.dialects.kernel.ops import FuncOp, LoadOp, RangeOp, StoreOp, written_out
from teenyir.dialects.syntax import placeholder


def rewritten(func: FuncOp) -> Iterator[tuple[int, int]]:
    """Pairs of an `in` and an `out` argument, by number, that one `inout` argument can be."""
    if not (pairs := [*_candidates(func)]):
        return
    nest = Nest(func)
    for read, written, load, store in pairs:
        if is_read_before(load, store, nest):
            yield read, written


def _candidates(func: FuncOp) -> Iterator[tuple[int, int, LoadOp, StoreOp]]:
    """Such pairs by their types alone, with the only load and the only store."""
    for written, (mode, target) in enumerate(func.buffers):
        if mode != "out" or (store := _only_use(target, StoreOp)) is None:
            continue
        for read, (other, source) in enumerate(func.buffers):
            if other != "in" or source.type != target.type:
                continue
            load = _only_use(source, LoadOp)
            if load is not None:
                yield read, written, load, store


def is_read_before(load: LoadOp, store: StoreOp, nest: Nest) -> bool:
    """Whether a store writes each element that a load reads, later, and in the same iteration."""
    if accumulated_by(store) or _is_repeated(store, nest):
        return False
    if store.gate is not None and not implies(load.gate, store.gate):
        return False  # another iteration may have written what is read
    before = len(load.index_values)
    shift = {placeholder(k): placeholder(k + before) for k in range(len(store.index_values))}
    indices = [expr.substitute(shift) for expr in store.exprs]
    exprs, _ = written_out([*load.exprs, *indices], [*load.index_values, *store.index_values])
    return exprs[: len(load.exprs)] == exprs[len(load.exprs) :] and _needs(store, load)


def _is_repeated(store: StoreOp, nest: Nest) -> bool:
    """Whether a store does the same again, in loops or threads that it does not depend on."""
    # what threads have found together is the same in all of them
    known = nest.operand_dependences[store] - nest.repeated(store)
    at_once = {op for op in nest.ops if isinstance(op, RangeOp) and runs_at_once(op)}
    return not {*nest.place(store)} <= only_loops(known) or not at_once <= known


AccessT = TypeVar("AccessT", LoadOp, StoreOp)


def _only_use(buffer: SSAValue, kind: type[AccessT]) -> AccessT | None:
    use = buffer.get_user_of_unique_use()
    return use if isinstance(use, kind) else None


def _needs(op: Operation, other: Operation) -> bool:
    """Whether an op takes in what another gives."""
    met = set[Operation]()
    waiting = [op]
    while waiting:
        for value in waiting.pop().operands:
            owner = value.owner
            if owner is other:
                return True
            if isinstance(owner, Operation) and owner not in met:
                met.add(owner)
                waiting.append(owner)
    return False
