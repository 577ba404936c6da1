"""What a loop computes of loads and stores into shared memory, with the loads a step ahead of it.

    for k in n                           s = local [2 * size];  v = load a[0, ..]
      barrier                              for k in n  carried v
      s[t] = f(load a[k, t])                 s[k mod 2, t] = f(v)
      barrier                        -->     barrier
      y += g(s)                              v = load a[k + 1, ..] if there is one
                                             y += g(s[k mod 2])

What is loaded waits in registers, since no asynchronous copy computes. The memory is there twice,
so that one barrier is enough: behind it no thread is before the end of the iteration before, and
so none reads what the next one overwrites. Only loads of what is not written in the kernel are
made sooner, and only in an iteration before one that there is; what their addresses take from such
memory is loaded with them. What else the value depends on stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import scf, vector
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from teenyir.analysis.slices import backward_slice
from teenyir.dialects import uop
from teenyir.dialects.constants import constant
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.lanes import element, lanes
from teenyir.rewriting.locations import LocatedBuilder

Also: TypeAlias = Callable[[Operation], bool]

MOST_REGISTERS = 192
"""The most registers of a thread that have loads that wait, what a loop hands on, and memory of a
thread's own: with what is multiplied, these are within the 255 that there are."""


@dataclass(frozen=True)
class Computed:
    """A store into shared memory, and the loads that its value takes and that can be sooner."""

    store: uop.StoreOp
    loads: Sequence[uop.LoadOp]


def loads_of(store: uop.StoreOp, loop: scf.ForOp) -> Computed | str:
    """The loads of what a store in a loop writes, or why they can be no sooner."""
    block = loop.body.block
    loads: list[uop.LoadOp] = []
    for op in slice_of([store.value], block, is_argument):
        if op.regions:
            return f"what is stored depends on {op.name}"
        if isinstance(op, uop.LoadOp) and is_argument(op):
            if refusal := why_not_sooner(address_of(op), block, is_argument):
                return refusal
            loads.append(op)
    return Computed(store, loads)


def is_argument(op: Operation) -> bool:
    """Whether an op loads of an argument that the kernel does not write."""
    if not isinstance(op, uop.LoadOp) or not isinstance(op.pointer.owner, Block):
        return False
    func = op.pointer.owner.parent_op()
    return isinstance(func, uop.FuncOp) and ("in", op.pointer) in func.buffers


def registers(values: Iterable[SSAValue]) -> int:
    """The registers of 32 bits that a thread keeps values in."""
    sizes = [SCALAR_BYTES[element(value.type)] * (lanes(value.type) or 1) for value in values]
    return sum(-(-size // 4) for size in sizes)


def address_of(load: uop.LoadOp) -> list[SSAValue]:
    """What a load takes, but for its pointer."""
    return list(load.operands[1:])


def is_of_any_iteration(load: uop.LoadOp, loop: scf.ForOp) -> bool:
    """Whether a load in a loop is the same in all iterations."""
    block, needs = loop.body.block, address_of(load)
    used = [*needs, *(value for op in slice_of(needs, block) for value in op.operands)]
    return not any(value in block.args for value in used)


def why_not_sooner(
    needs: Sequence[SSAValue], block: Block, also: Also = lambda op: False
) -> str | None:
    """Why what an address needs cannot be computed in another iteration; None if it can be: it is
    pure, but for what `also` may be computed there."""
    ops = slice_of(needs, block)
    for op in ops:
        if op.regions or not (is_side_effect_free(op) or also(op)):
            return f"its address depends on {op.name}"
    if any(value in block.args[1:] for value in (*needs, *(v for op in ops for v in op.operands))):
        return "its address depends on an earlier iteration"
    return None


def slice_of(
    values: Sequence[SSAValue], block: Block, until: Also = lambda op: False
) -> list[Operation]:
    """The ops of a block that compute values, in its order; not what those `until` which take."""
    found = backward_slice(values, lambda op: op.parent is block, until)
    return [op for op in block.ops if op in found]


def load_ahead(
    builder: LocatedBuilder,
    loop: scf.ForOp,
    loads: Sequence[uop.LoadOp],
    iteration: SSAValue,
    inside: SSAValue | None,
    others: Sequence[SSAValue] = (),
) -> Sequence[SSAValue]:
    """What loads give in an iteration of their loop. Where it is not `inside` of the loop, what it
    is instead makes no difference: the `others`, or zeros."""
    if inside is None:
        return _cloned(builder, loop, loads, iteration)
    loaded, not_loaded = Block(), Block()
    build = LocatedBuilder(InsertPoint.at_end(loaded), builder.location)
    build.insert(scf.YieldOp(*_cloned(build, loop, loads, iteration)))
    build = LocatedBuilder(InsertPoint.at_end(not_loaded), builder.location)
    types = [op.result.type for op in loads]
    if not others:
        zeros = {type: _zero(build, type) for type in dict.fromkeys(types)}
        others = [zeros[type] for type in types]
    build.insert(scf.YieldOp(*others))
    return builder.insert(scf.IfOp(inside, types, Region(loaded), Region(not_loaded))).results


def _cloned(
    builder: LocatedBuilder, loop: scf.ForOp, loads: Sequence[uop.LoadOp], iteration: SSAValue
) -> list[SSAValue]:
    block = loop.body.block
    known: dict[SSAValue, SSAValue] = {block.args[0]: iteration}
    for op in slice_of([each.result for each in loads], block):
        builder.location = op.location
        clone = builder.insert(op.clone(known))
        known.update(zip(op.results, clone.results, strict=True))
    return [known[each.result] for each in loads]


def _zero(builder: LocatedBuilder, type: Attribute) -> SSAValue:
    zero = builder.insert(constant(0, element(type))).result
    if lanes(type) is None:
        return zero
    broadcast = vector.BroadcastOp.create(operands=[zero], result_types=[type])
    return builder.insert(broadcast).results[0]
