"""Loops whose iterations threads share, on the machine floor of a CPU.

    scf.for %i = %a to %b step %c1 { .. %x .. } {uop.threads = #uop.threads<2, G>}

-->  store %x, %frame[0]
     call @teenyir_parallel_for(@f.task.0, %frame, %a, %b - %a, 2, G)

     @f.task.0(%frame, %begin, %end, %thread):  @f.share.0(load %frame[0], %begin, %end, %thread)
     @f.share.0(%x, %begin, %end, %thread):     for %i = %begin to %end { .. %x .. }

The function of a share has what it uses as parameters, so that LLVM knows of its pointers what it
knows of the kernel's. Constants are not handed over but written again. `teenyir_parallel_for` is a
function of the runtime (`teenyir/runtime/pool_code.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, scf, vector
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    UnitAttr,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from teenyir.dialects import llvm, uop
from teenyir.dialects.inside import of_kind, operations
from teenyir.dialects.lanes import lanes
from teenyir.dialects.llvm import POINTER
from teenyir.lowering.uop_to_llvm.ahead import ask_for_results
from teenyir.lowering.uop_to_llvm.control import insert_first, is_bool, loop
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.expressions import expression
from teenyir.lowering.uop_to_llvm.names import pointer_attributes
from teenyir.lowering.uop_to_llvm.types import memory_type, size_in_memory
from teenyir.rewriting.surgery import operands_of

PARALLEL_FOR = "teenyir_parallel_for"
"""`void (task, frame, int64 first, int64 count, int64 most_threads, int64 grain)`."""

_SHARE = (i64, i64, i64)
"""Begin and end of the iterations of a share, and the number of the thread."""

_TASK = stock.LLVMFunctionType([POINTER, *_SHARE])
_PARALLEL_FOR = stock.LLVMFunctionType([POINTER, POINTER, i64, i64, i64, i64])


def _for(emitter: Emitter, op: scf.ForOp) -> Sequence[SSAValue]:
    threads = uop.threads_of(op)
    if threads is None:
        ask_for_results(emitter, op)
        return loop(emitter, op, emitter.all((op.lb, op.ub, op.step)))
    func = _function(op)
    extents = {name: emitter.of(value) for name, value in func.extents.items()}
    used = _used(op)
    task = _functions(emitter, op, func, used)
    frame = _frame(emitter, [emitter.of(value) for value in used])
    first, end = emitter.all((op.lb, op.ub))
    count = emitter.value(stock.SubOp(end, first))
    most = emitter.constant(threads.most.data)
    grain = expression(emitter, threads.grain.data, extents)
    address = emitter.value(stock.AddressOfOp(task, POINTER))
    if PARALLEL_FOR not in emitter.library:
        declaration = stock.FuncOp(PARALLEL_FOR, _PARALLEL_FOR, stock.LinkageAttr("external"))
        declaration.location = emitter.location
        emitter.library[PARALLEL_FOR] = declaration
    emitter.emit(stock.CallOp(PARALLEL_FOR, address, frame, first, count, most, grain))
    return ()


def uses_threads(func: uop.FuncOp) -> bool:
    """Whether a kernel hands its pointers to threads."""
    return any(uop.threads_of(loop) is not None for loop in of_kind(func, scf.ForOp))


def _function(op: Operation) -> uop.FuncOp:
    func = op.parent_op()
    while not isinstance(func, uop.FuncOp):
        assert func is not None  # the verifier has seen to it
        func = func.parent_op()
    return func


def _used(op: scf.ForOp) -> list[SSAValue]:
    """The values that a loop uses and does not define, but constants, in the order of their use."""
    inside: set[SSAValue] = set()
    found: dict[SSAValue, None] = {}
    for inner in operations(op):
        inside.update(inner.results)
        inside.update(a for region in inner.regions for b in region.blocks for a in b.args)
        for value in inner.operands if inner is not op else ():
            if value not in inside and not _is_constant(value):
                found[value] = None
    return list(found)


def _constants(op: scf.ForOp) -> list[Operation]:
    """The constants outside a loop that it uses, those first that others are lanes of."""
    values = dict.fromkeys(value for inner in operations(op) for value in operands_of(inner))
    outside = [v for v in values if _is_constant(v) and not op.is_ancestor(v.owner)]
    lanes = [v for value in outside for v in cast(Operation, value.owner).operands]
    return list(dict.fromkeys(cast(Operation, value.owner) for value in [*lanes, *outside]))


def _is_constant(value: SSAValue) -> bool:
    """Whether a value is a constant, or one on all lanes."""
    owner = value.owner
    if isinstance(owner, vector.BroadcastOp):
        owner = owner.source.owner
    return isinstance(owner, arith.ConstantOp)


# --- functions ------------------------------------------------------------------------------------


def _functions(emitter: Emitter, op: scf.ForOp, func: uop.FuncOp, used: Sequence[SSAValue]) -> str:
    """Make the functions that a thread runs; the name of the one that is called with a frame."""
    name, number = emitter.symbol, len(emitter.globals) // 2
    share, task = (f"{name}.{part}.{number}" for part in ("share", "task"))
    types = [emitter.of(value).type for value in used]
    emitter.globals += [
        _share_function(emitter, share, op, used, func),
        _task_function(emitter, task, share, types),
    ]
    return task


def _share_function(
    outer: Emitter, name: str, op: scf.ForOp, used: Sequence[SSAValue], func: uop.FuncOp
) -> Operation:
    """The iterations of one share, of what they use."""
    block = Block(arg_types=[*(outer.of(value).type for value in used), *_SHARE])
    emitter = Emitter(Region(block), outer.rules, outer.library, block, op.location)
    *arguments, begin, end, thread = block.args
    for argument, hint in zip((begin, end, thread), ("begin", "end", "thread"), strict=True):
        argument.name_hint = hint
    for value, argument in zip(used, arguments, strict=True):
        emitter.values[value] = argument
        argument.name_hint = value.name_hint
    for constant in _constants(op):
        emitter.lower(constant)
    emitter.thread = thread
    emitter.location = op.location
    loop(emitter, op, (begin, end, emitter.of(op.step)))
    emitter.location = op.location
    emitter.emit(stock.ReturnOp())
    modes: dict[SSAValue, str] = {argument: mode for mode, argument in func.buffers}
    attributes = [_attributes(value, modes) for value in used]
    attributes += [DictionaryAttr({}) for _ in _SHARE]
    return _internal(name, emitter, attributes)


def _attributes(value: SSAValue, modes: dict[SSAValue, str]) -> DictionaryAttr:
    if not isinstance(value.type, uop.PtrType):
        return DictionaryAttr({})
    return pointer_attributes(modes.get(value, "scratch"))


def _task_function(outer: Emitter, name: str, share: str, types: Sequence[Attribute]) -> Operation:
    """What takes a share's values out of a frame."""
    block = Block(arg_types=_TASK.inputs.data)
    frame, *rest = block.args
    for argument, hint in zip(block.args, ("frame", "begin", "end", "thread"), strict=True):
        argument.name_hint = hint
    emitter = Emitter(Region(block), outer.rules, outer.library, block, outer.location)
    values: list[SSAValue] = []
    for type, offset in zip(types, _offsets(types), strict=True):
        address = emitter.value(llvm.GEPOp(frame, [offset], i8))
        value = emitter.value(stock.LoadOp(address, memory_type(type), _bytes(type)))
        if is_bool(type):
            value = emitter.compare("ne", value, emitter.constant(0, value.type))
        values.append(value)
    emitter.emit(stock.CallOp(share, *values, *rest))
    emitter.emit(stock.ReturnOp())
    return _internal(name, emitter, [DictionaryAttr({}) for _ in block.args])


def _internal(name: str, emitter: Emitter, attributes: Sequence[DictionaryAttr]) -> Operation:
    function = stock.FuncOp(
        name,
        stock.LLVMFunctionType([a.type for a in emitter.region.blocks[0].args]),
        stock.LinkageAttr("internal"),
        body=emitter.region,
        other_props={"arg_attrs": ArrayAttr(attributes), "no_inline": UnitAttr()},
    )
    function.location = emitter.location
    return function


# --- frames ---------------------------------------------------------------------------------------


def _bytes(type: Attribute) -> int:
    """Bytes of a value in a frame, a power of two: what it is aligned to as well."""
    if type == POINTER:
        return 8
    size = size_in_memory(memory_type(type)) * (lanes(type) or 1)
    return 1 << (size - 1).bit_length()


def _offsets(types: Sequence[Attribute]) -> list[int]:
    """Where in a frame each of some values is, in bytes."""
    offsets, end = [0] * len(types), 0
    for number, type in enumerate(types):
        size = _bytes(type)
        offsets[number] = end = -(-end // size) * size
        end += size
    return offsets


def _frame(emitter: Emitter, values: Sequence[SSAValue]) -> SSAValue:
    """Memory with values in it, on the stack of the kernel."""
    types = [value.type for value in values]
    offsets = _offsets(types)
    size = max((o + _bytes(t) for o, t in zip(offsets, types, strict=True)), default=1)
    alignment = max(map(_bytes, types), default=8)
    count = stock.ConstantOp(IntegerAttr(size, i64), i64)
    memory = stock.AllocaOp(count, i8, alignment)
    for new in (memory, count):
        new.location = emitter.location
        insert_first(emitter.region.blocks[0], new)
    for value, offset in zip(values, offsets, strict=True):
        address = emitter.value(llvm.GEPOp(memory.res, [offset], i8))
        if is_bool(value.type):
            value = emitter.value(stock.ZExtOp(value, memory_type(value.type)))
        emitter.emit(stock.StoreOp(value, address, _bytes(value.type)))
    return memory.res


def _thread(emitter: Emitter, op: uop.ThreadOp) -> SSAValue:
    assert emitter.thread is not None and isinstance(op.iteration, BlockArgument)
    return emitter.thread


THREADS: dict[type[Operation], Rule] = {scf.ForOp: _for, uop.ThreadOp: _thread}
"""The rules of what threads of a CPU do."""
