"""What MLIR checks of ops of its `llvm` dialect, and xDSL does not.

1. Numbers are extended to wider ones and truncated to narrower ones of their kind, lane by lane;
   floats and integers are cast to each other lane by lane; bits are read as as many.
2. A comparison of integers has a predicate that there is.
3. A constant is of its type: an integer of an integer's, a float of its own, elements of a
   vector's or an array's of as many.
4. An alignment is a power of two. A load does not release, a store does not acquire.
5. A field of a structure is there, and of its type. A shuffle gives as many lanes as its mask has.
6. A branch passes what the block takes; a call what the function takes, and gives what it returns.
7. The symbol whose address is taken is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Block
from xdsl.traits import SymbolTable

from teenyir.dialects.checks import between, bits, check, check_around, one_of, resized
from teenyir.dialects.lanes import element, is_vector, lanes
from teenyir.dialects.llvm.scalar import FPToSIOp, FPToUIOp, UIToFPOp

ACQUIRE, RELEASE, ACQ_REL = 4, 5, 6
"""Orderings of memory, by MLIR's numbers; 7 is the last."""


def _bits_fault(op: Any) -> str | None:
    source, result = op.arg.type, op.result.type
    pointers = [isinstance(type, llvm.LLVMPointerType) for type in (source, result)]
    if any(pointers):
        return None if all(pointers) else f"{source} and {result}: a pointer stays a pointer"
    sizes = [_size(type) for type in (source, result)]
    return None if sizes[0] == sizes[1] else f"{source} and {result} are not of as many bits"


def _size(type: Attribute) -> int | None:
    number = element(type)
    return bits(type) * (lanes(type) or 1) if isinstance(number, AnyFloat | IntegerType) else None


def _is_integer(type: Attribute) -> bool:
    return isinstance(type, IntegerType)


def _constant_fault(op: llvm.ConstantOp) -> str | None:
    value, type = cast(Any, op.value), op.result.type
    right = True
    if isinstance(value, IntegerAttr):
        right = _is_integer(type) or isinstance(type, llvm.LLVMPointerType)
    elif isinstance(value, FloatAttr):
        own = cast("FloatAttr[Any]", value).type
        right = type == own or (_is_integer(type) and _size(type) == _size(own))
    elif is_vector(type):
        found = value.get_element_type(), tuple(value.get_shape())
        right = found == (type.element_type, type.get_shape())
    return None if right else f"{value} is no constant of {type}"


def _memory_fault(op: llvm.LoadOp | llvm.StoreOp) -> str | None:
    align = None if op.alignment is None else op.alignment.value.data
    if align is not None and (align <= 0 or align & (align - 1)):
        return f"an alignment is a power of two, not {align}"
    ordering = 0 if op.ordering is None else op.ordering.value.data
    other = (RELEASE, ACQ_REL) if isinstance(op, llvm.LoadOp) else (ACQUIRE, ACQ_REL)
    if not 0 <= ordering <= 7 or ordering in other:
        return f"it has no ordering {ordering}"
    loaded = op.dereferenced_value.type if isinstance(op, llvm.LoadOp) else op.value.type
    return f"nothing of {loaded} is in memory" if isinstance(loaded, llvm.LLVMVoidType) else None


def _field(container: Attribute, position: Sequence[int]) -> Attribute | None:
    """The type of what is at a place in a nest of structures and arrays; None where none is."""
    type: Attribute | None = container
    for place in position:
        if isinstance(type, llvm.LLVMStructType) and 0 <= place < len(type.types.data):
            type = type.types.data[place]
        elif isinstance(type, llvm.LLVMArrayType) and 0 <= place < type.size.data:
            type = type.type
        else:
            return None
    return type


def _field_fault(op: llvm.ExtractValueOp | llvm.InsertValueOp) -> str | None:
    position = op.position.get_values()
    field = _field(op.container.type, position)
    if field is None:
        return f"there is nothing at {list(position)} in {op.container.type}"
    value = op.res if isinstance(op, llvm.ExtractValueOp) else op.value
    return None if value.type == field else f"{field} is there, not {value.type}"


def _shuffle_fault(op: llvm.ShuffleVectorOp) -> str | None:
    count = len(op.mask)
    return None if lanes(op.res.type) == count else f"{count} lanes are chosen for {op.res.type}"


def _passed(block: Block, values: Sequence[Any]) -> str | None:
    given, taken = ([value.type for value in group] for group in (values, block.args))
    return None if given == taken else f"passes ({_listed(given)}) to a block of ({_listed(taken)})"


def _branch_fault(op: llvm.BrOp) -> str | None:
    return _passed(op.successor, op.arguments)


def _condition_fault(op: llvm.CondBrOp) -> str | None:
    then = _passed(op.then_block, op.then_arguments)
    return then or _passed(op.else_block, op.else_arguments)


def _call_fault(op: llvm.CallOp) -> str | None:
    callee = None if op.callee is None else SymbolTable.lookup_symbol(op, op.callee)
    if not isinstance(callee, llvm.FuncOp):
        return None  # indirect, or none, which xDSL says
    type = callee.function_type
    given, taken = [value.type for value in op.args], list(type.inputs)
    if given[: len(taken)] != taken or (len(given) > len(taken) and not type.is_variadic):
        return f"passes ({_listed(given)}) to a function of ({_listed(taken)})"
    returned = [] if isinstance(type.output, llvm.LLVMVoidType) else [type.output]
    found = [result.type for result in op.results]
    return None if found == returned else f"gives {_listed(found)} of {_listed(returned)}"


def _address_fault(op: llvm.AddressOfOp) -> str | None:
    if SymbolTable.lookup_symbol(op, op.global_name) is not None:
        return None
    return f"there is no symbol {op.global_name}"


def _listed(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types))


check(lambda op: resized(op.arg.type, op.result.type, AnyFloat, wider=True), llvm.FPExtOp)
check(lambda op: resized(op.arg.type, op.result.type, AnyFloat, wider=False), llvm.FPTruncOp)
check(
    lambda op: resized(op.arg.type, op.res.type, IntegerType, wider=True), llvm.ZExtOp, llvm.SExtOp
)
check(lambda op: resized(op.arg.type, op.res.type, IntegerType, wider=False), llvm.TruncOp)
check(
    lambda op: between(op.arg.type, op.result.type, (IntegerType, AnyFloat)),
    *(llvm.SIToFPOp, UIToFPOp),
)
check(
    lambda op: between(op.arg.type, op.result.type, (AnyFloat, IntegerType)),
    *(FPToSIOp, FPToUIOp),
)
check(_bits_fault, llvm.BitcastOp)
check(lambda op: one_of(10, op.predicate), llvm.ICmpOp)
check(_constant_fault, llvm.ConstantOp)
check(_memory_fault, llvm.LoadOp, llvm.StoreOp)
check(_field_fault, llvm.ExtractValueOp, llvm.InsertValueOp)
check(_shuffle_fault, llvm.ShuffleVectorOp)
check_around(_branch_fault, llvm.BrOp)
check_around(_condition_fault, llvm.CondBrOp)
check_around(_call_fault, llvm.CallOp)
check_around(_address_fault, llvm.AddressOfOp)
