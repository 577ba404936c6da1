"""scf and uop on the machine floor: loops and branches become blocks, memory loads and stores.

scf.for %i = %a to %b step %s iter_args(%x = %x0)

-->   br ^head(%a, %x0)
    ^head(%i, %x):  cond_br %i < %b, ^body, ^exit
    ^body:          ..., br ^head(%i + %s, %yielded)
    ^exit:          (the loop's results are ^head's arguments)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects import llvm as stock
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.building import made, on_one_type
from teenyir.dialects.lanes import element, lanes
from teenyir.lowering.render.llvm_types import suffix
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.types import (
    NO_SIGNED_WRAP,
    machine_type,
    memory_type,
    size_in_memory,
)
from teenyir.rewriting.base import fail

LOCAL_ALIGNMENT = 64
"""Bytes: local memory starts on a cache line, which fits every vector register too."""


# --- control flow ---------------------------------------------------------------------------------


def _body(emitter: Emitter, region: Region) -> list[SSAValue]:
    """Lower the ops of a region of one block; what its terminator yields."""
    block = region.block
    last = block.last_op
    emitter.lower_all([op for op in block.ops if op is not last])
    if not isinstance(last, scf.YieldOp):
        raise fail(last or region_owner(region), "expected scf.yield at the end")
    return emitter.all(last.arguments)


def region_owner(region: Region) -> Operation:
    """The op that a region belongs to."""
    owner = region.parent_op()
    assert owner is not None
    return owner


def _for(emitter: Emitter, op: scf.ForOp) -> Sequence[SSAValue]:
    return loop(emitter, op, emitter.all((op.lb, op.ub, op.step)))


def loop(emitter: Emitter, op: scf.ForOp, bounds: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """A loop from a bound up to another one by a step."""
    location = op.location
    lower, upper, step = bounds
    arguments = op.body.block.args
    head = emitter.new_block([(machine_type(a.type), a.name_hint) for a in arguments])
    emitter.branch(head, lower, *emitter.all(op.iter_args))
    emitter.block = head
    emitter.values.update(zip(arguments, head.args, strict=True))
    more = emitter.compare("slt", head.args[0], upper)
    body = emitter.new_block()
    where = emitter.block
    emitter.block = body
    yielded = _body(emitter, op.body)
    emitter.location = location
    added = on_one_type(stock.AddOp, head.args[0], step, properties=NO_SIGNED_WRAP)
    following = emitter.value(added)
    back = emitter.branch(head, following, *yielded)
    if uop.ROLLED in op.attributes:
        back.attributes[uop.ROLLED] = UnitAttr()
    done = emitter.new_block()
    emitter.block = where
    emitter.branch_if(more, body, done)
    emitter.block = done
    return head.args[1:]


def _if(emitter: Emitter, op: scf.IfOp) -> Sequence[SSAValue]:
    location = op.location
    start, cond = emitter.block, emitter.of(op.cond)
    then = emitter.new_block()
    emitter.block = then
    yielded = _body(emitter, op.true_region)
    then_end, other, other_end = emitter.block, None, start
    otherwise: list[SSAValue] = []
    if op.false_region.blocks:
        other = other_end = emitter.new_block()
        emitter.block = other
        otherwise = _body(emitter, op.false_region)
        other_end = emitter.block
    emitter.location = location
    join = emitter.new_block([(machine_type(r.type), r.name_hint) for r in op.results])
    emitter.block = then_end
    emitter.branch(join, *yielded)
    if other is not None:
        emitter.block = other_end
        emitter.branch(join, *otherwise)
    emitter.block = start
    emitter.branch_if(cond, then, join if other is None else other)
    emitter.block = join
    return join.args


# --- memory ---------------------------------------------------------------------------------------


def element_address(
    emitter: Emitter, pointer: SSAValue, offset: SSAValue
) -> tuple[SSAValue, Attribute]:
    """The address of an element, and the element's type in memory."""
    assert isinstance(pointer.type, uop.PtrType)
    scalar = memory_type(machine_type(pointer.type.element))
    return emitter.address(pointer, offset, scalar), scalar


def _alignment(emitter: Emitter, offset: SSAValue, size: int) -> int:
    """Bytes that the address of an element is a multiple of, given the size of an element."""
    return max(size, math.gcd(emitter.divisors.of(offset) * size, emitter.alignment))


@cache
def _aligned(alignment: int) -> Mapping[str, Attribute]:
    """The properties of a plain access at an address that is a multiple of so many bytes."""
    return {"ordering": IntegerAttr(0, i64), "alignment": IntegerAttr(alignment, i64)}


def is_bool(type: Attribute) -> bool:
    """Whether a value is a truth value, or a vector of them: a byte each in memory."""
    return element(type) == i1


def _read(emitter: Emitter, op: uop.LoadOp) -> SSAValue:
    address, scalar = element_address(emitter, op.pointer, op.offset)
    type = machine_type(op.result.type)
    size = size_in_memory(scalar)
    alignment = _alignment(emitter, op.offset, size)
    if emitter.narrow_loads:
        read = size * (lanes(type) or 1)
        alignment = min(alignment, 1 << read.bit_length() - 1)
    load = made(stock.LoadOp, [address], [memory_type(type)], _aligned(alignment))
    value = emitter.value(load)
    if is_bool(type):
        return emitter.compare("ne", value, emitter.constant(0, value.type))
    return value


def masked_read(emitter: Emitter, address: SSAValue, mask: SSAValue, other: SSAValue) -> SSAValue:
    """The lanes of a vector in memory whose mask is set; elsewhere those of another one."""
    type = other.type
    memory = memory_type(type)
    if is_bool(type):
        other = emitter.value(stock.ZExtOp(other, memory))
    operands = [address, emitter.constant(size_in_memory(memory), i32), mask, other]
    name = f"llvm.masked.load.{suffix(memory)}.{suffix(address.type)}"
    value = emitter.intrinsic(name, operands, [memory]).results[0]
    if is_bool(type):
        return emitter.compare("ne", value, emitter.constant(0, value.type))
    return value


def _load(emitter: Emitter, op: uop.LoadOp) -> SSAValue:
    if op.gate is None or op.other is None:
        return _read(emitter, op)
    if lanes(op.gate.type) is not None:
        address, _ = element_address(emitter, op.pointer, op.offset)
        return masked_read(emitter, address, emitter.of(op.gate), emitter.of(op.other))
    gate, other = emitter.of(op.gate), emitter.of(op.other)
    start, taken = emitter.block, emitter.new_block()
    emitter.block = taken
    value = _read(emitter, op)
    join = emitter.new_block([(value.type, op.result.name_hint)])
    emitter.branch(join, value)
    emitter.block = start
    emitter.branch_if(gate, taken, join, (), (other,))
    emitter.block = join
    return join.args[0]


def _write(emitter: Emitter, op: uop.StoreOp) -> None:
    value, address, size = written(emitter, op)
    alignment = _alignment(emitter, op.offset, size)
    emitter.emit(made(stock.StoreOp, [value, address], properties=_aligned(alignment)))


def written(emitter: Emitter, op: uop.StoreOp) -> tuple[SSAValue, SSAValue, int]:
    """What a store writes, as it is in memory, where, and the bytes of an element."""
    value = emitter.of(op.value)
    address, scalar = element_address(emitter, op.pointer, op.offset)
    if is_bool(value.type):
        value = emitter.value(stock.ZExtOp(value, memory_type(value.type)))
    return value, address, size_in_memory(scalar)


def _masked_write(emitter: Emitter, op: uop.StoreOp, mask: SSAValue) -> None:
    """A store of the lanes whose mask is set."""
    value = emitter.of(op.value)
    address, scalar = element_address(emitter, op.pointer, op.offset)
    memory = memory_type(value.type)
    if is_bool(value.type):
        value = emitter.value(stock.ZExtOp(value, memory))
    operands = [value, address, emitter.constant(size_in_memory(scalar), i32), mask]
    name = f"llvm.masked.store.{suffix(memory)}.{suffix(address.type)}"
    emitter.intrinsic(name, operands)


def _store(emitter: Emitter, op: uop.StoreOp) -> None:
    if op.gate is None:
        return _write(emitter, op)
    if lanes(op.gate.type) is not None:
        return _masked_write(emitter, op, emitter.of(op.gate))
    gate = emitter.of(op.gate)
    start, taken = emitter.block, emitter.new_block()
    emitter.block = taken
    _write(emitter, op)
    done = emitter.new_block()
    emitter.branch(done)
    emitter.block = start
    emitter.branch_if(gate, taken, done)
    emitter.block = done
    return None


def local_memory(emitter: Emitter, op: uop.LocalOp) -> SSAValue:
    """Local memory is reserved once, at the function's start, wherever the op stands."""
    assert isinstance(op.result.type, uop.PtrType)
    scalar = memory_type(machine_type(op.result.type.element))
    entry = emitter.region.blocks[0]
    count = stock.ConstantOp(IntegerAttr(op.count, i64), i64)
    memory = stock.AllocaOp(count, scalar, LOCAL_ALIGNMENT)
    for new in (memory, count):
        new.location = op.location
        insert_first(entry, new)
    return memory.res


def insert_first(block: Block, op: Operation) -> None:
    """Put an op at the start of a block."""
    first = block.first_op
    if first is None:
        block.add_op(op)
    else:
        block.insert_op_before(op, first)


CONTROL: dict[type[Operation], Rule] = {
    scf.ForOp: _for,
    scf.IfOp: _if,
    uop.LoadOp: _load,
    uop.StoreOp: _store,
    uop.LocalOp: local_memory,
}
"""The rule of each scf and uop op."""
