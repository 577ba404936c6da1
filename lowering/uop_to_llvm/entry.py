"""The program on the machine floor: one entry that calls the kernels in order, with branches.

    void main(void **buffers, int64_t *dims, void *arena)

`buffers` are the program's arguments and `dims` its named extents, each in order; `arena` is
memory of the size that the program states, aligned to 64 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, UnitAttr, i8, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from teenyir.dialects import llvm, program
from teenyir.dialects.dtypes import of_element
from teenyir.dialects.expr import Expr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.llvm import POINTER
from teenyir.lowering.uop_to_llvm.emitter import Emitter, MakeEmitter
from teenyir.lowering.uop_to_llvm.expressions import expression
from teenyir.lowering.uop_to_llvm.names import machine_name
from teenyir.lowering.uop_to_llvm.types import array_data
from teenyir.rewriting.base import fail

ARENA = "program.arena"
"""The attribute of an entry with the bytes of its arena, an expression over the extents."""

ALIGNMENT = 64
"""Bytes: where constants start, and what the arena is aligned to."""

ENTRY = stock.LLVMFunctionType([POINTER, POINTER, POINTER])


_POINTER_TO_READ = DictionaryAttr({"llvm.noalias": UnitAttr(), "llvm.readonly": UnitAttr()})


def entry_function(func: program.FuncOp, make_emitter: MakeEmitter) -> list[Operation]:
    """The constants of a program and its entry. Raises PassError before `plan-arena` has run."""
    block = Block(arg_types=ENTRY.inputs.data)
    region = Region(block)
    for argument, hint in zip(block.args, ("buffers", "dims", "arena"), strict=True):
        argument.name_hint = hint
    builder = _Entry(func, make_emitter(region, block), *block.args)
    builder.build()
    attributes = [_POINTER_TO_READ, _POINTER_TO_READ, DictionaryAttr({})]
    entry = stock.FuncOp(
        machine_name(func.sym_name.data),
        ENTRY,
        stock.LinkageAttr("external"),
        body=region,
        other_props={"arg_attrs": ArrayAttr(attributes)},
        extra_attrs={ARENA: StringAttr(str(builder.size))},
    )
    entry.location = func.location
    return [*builder.globals, entry]


class _Entry:
    def __init__(
        self,
        func: program.FuncOp,
        emitter: Emitter,
        buffers: SSAValue,
        dims: SSAValue,
        arena: SSAValue,
    ):
        self.func, self.emitter, self.arena = func, emitter, arena
        self.addresses = buffers
        self.size = func.arena.data if func.arena is not None else Expr.of(0)
        self.globals: list[Operation] = []
        self.extents: dict[str, SSAValue] = {}
        emitter.location = func.location
        for number, (_, argument) in enumerate(func.buffers):
            value = self._read(buffers, number, POINTER)
            value.name_hint = argument.name_hint
            emitter.values[argument] = value
        for number, name in enumerate(func.dims.names):
            self.extents[name] = self._read(dims, number, i64)
            self.extents[name].name_hint = name

    def _read(self, array: SSAValue, number: int, type: Attribute) -> SSAValue:
        """Element `number` of an array of 8-byte elements."""
        address = self.emitter.value(llvm.GEPOp(array, [number], type))
        return self.emitter.value(stock.LoadOp(address, type, 8))

    def build(self) -> None:
        self._statements(self.func.body)
        self.emitter.location = self.func.location
        self.emitter.emit(stock.ReturnOp())

    def _statements(self, region: Region) -> None:
        for op in region.block.ops:
            self.emitter.location = op.location
            _STATEMENTS[op.__class__](self, op)

    def alloc(self, op: program.AllocOp) -> None:
        if op.offset is None:
            raise fail(op, "this allocation has no place yet: run plan-arena before")
        offset = self.expression(op.offset.data)
        address = self.emitter.value(llvm.GEPOp(self.arena, [offset], i8))
        address.name_hint = op.result.name_hint
        self.emitter.values[op.result] = address

    def constant(self, op: program.ConstantOp) -> None:
        data = array_data(op.data)
        (count,) = data.get_shape()
        name = f"{self.func.sym_name.data}.constant.{len(self.globals)}"
        variable = stock.GlobalOp(
            stock.LLVMArrayType(count, data.get_element_type()),
            name,
            "private",
            constant=True,
            value=data,
            alignment=ALIGNMENT,
        )
        variable.location = op.location
        self.globals.append(variable)
        self.emitter.values[op.result] = self.emitter.value(stock.AddressOfOp(name, POINTER))

    def launch(self, op: program.LaunchOp) -> None:
        callee = op.callee()
        dims = [self.extents[name] for name in callee.dims.names]
        self.emitter.emit(
            stock.CallOp(machine_name(callee.sym_name.data), *self.emitter.all(op.buffers), *dims)
        )

    def view(self, op: program.ViewOp) -> None:
        """Nothing, where the caller has placed the output on what it shows; else a copy."""
        emitter, type = self.emitter, op.target.type
        assert isinstance(type, BufferType)
        held = of_element(type.element)
        if held is None:
            raise fail(op, f"an output cannot hold {type.element}")
        width = held.bytes
        target, start = emitter.of(op.target), self.expression(op.offset.data * width)
        source = emitter.value(llvm.GEPOp(emitter.of(op.source), [start], i8))
        size = self.expression(type.size * width)
        check = emitter.new_block([(i64, "byte")])
        body, done = emitter.new_block(), emitter.new_block()
        zero = emitter.constant(0)
        numbers: dict[SSAValue, int] = {a: k for k, (_, a) in enumerate(self.func.buffers)}
        held_at, shown_at = (
            self._read(self.addresses, numbers[buffer], i64) for buffer in (op.source, op.target)
        )
        place = emitter.value(stock.AddOp(held_at, start))
        emitter.branch_if(emitter.compare("eq", place, shown_at), done, check, (), (zero,))
        emitter.block = check
        (byte,) = check.args
        emitter.branch_if(emitter.compare("ult", byte, size), body, done)
        emitter.block = body
        places = [emitter.value(llvm.GEPOp(base, [byte], i8)) for base in (source, target)]
        emitter.emit(stock.StoreOp(emitter.value(stock.LoadOp(places[0], i8, 1)), places[1], 1))
        emitter.branch(check, emitter.value(stock.AddOp(byte, emitter.constant(1))))
        emitter.block = done

    def branch(self, op: program.IfOp) -> None:
        emitter = self.emitter
        then, otherwise, done = (emitter.new_block() for _ in range(3))
        emitter.branch_if(self._holds(op.condition), then, otherwise)
        for block, region in zip((then, otherwise), op.branches, strict=True):
            emitter.block = block
            self._statements(region)
            emitter.location = op.location
            emitter.branch(done)
        emitter.block = done

    def loop(self, op: program.WhileOp) -> None:
        emitter = self.emitter
        head, body, done = (emitter.new_block() for _ in range(3))
        emitter.branch(head)
        emitter.block = head
        self._statements(op.cond)
        emitter.location = op.location
        emitter.branch_if(self._holds(op.condition), body, done)
        emitter.block = body
        self._statements(op.body)
        emitter.location = op.location
        emitter.branch(head)
        emitter.block = done

    def _holds(self, condition: SSAValue) -> SSAValue:
        """Whether a buffer of one i1, which is a byte in memory, holds true."""
        byte = self.emitter.value(stock.LoadOp(self.emitter.of(condition), i8, 1))
        return self.emitter.compare("ne", byte, self.emitter.constant(0, i8))

    def expression(self, expr: Expr) -> SSAValue:
        """The value of an expression over the program's extents."""
        return expression(self.emitter, expr, self.extents)


_STATEMENTS: dict[type[Operation], Callable[[_Entry, Any], None]] = {
    program.AllocOp: _Entry.alloc,
    program.ConstantOp: _Entry.constant,
    program.LaunchOp: _Entry.launch,
    program.ViewOp: _Entry.view,
    program.IfOp: _Entry.branch,
    program.WhileOp: _Entry.loop,
}
