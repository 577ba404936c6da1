"""What a rule of the lowering works with: the values so far, and the place where ops go.

A rule is a function `(emitter, op) -> results`: the machine values of the op's results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from teenyir.analysis.divisors import Divisors
from teenyir.dialects import llvm
from teenyir.dialects.building import SEGMENTS, made, segments
from teenyir.dialects.lanes import lanes, like
from teenyir.lowering.uop_to_llvm.types import NoType, constant_attribute, machine_type
from teenyir.rewriting.base import fail
from teenyir.rewriting.surgery import append, name_after

Result = SSAValue | Sequence[SSAValue] | None
Rule = Callable[["Emitter", Any], Result]
OpT = TypeVar("OpT", bound=Operation)


@dataclass
class Emitter:
    """Builds the body of one function."""

    region: Region
    rules: dict[type[Operation], Rule]
    library: dict[str, stock.FuncOp]
    """Declarations of the functions of libm that were called, by name: the module's."""
    block: Block
    """Where ops go now."""
    location: LocationAttr = UNKNOWN_LOC
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    constants: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Machine values that are known numbers, the same on every lane."""
    globals: list[Operation] = field(default_factory=list[Operation])
    """Variables and functions of the module that the function turned out to need."""
    thread: SSAValue | None = None
    """The number of the thread that runs the function; None where only one does."""
    symbol: str = ""
    """The name of the function; those that it turned out to need are called after it."""
    alignment: int = 1
    """Bytes that the address of every buffer is a multiple of."""
    narrow_loads: bool = False
    """Whether loads say no more of their addresses than what they read needs. LLVM takes what more
    is known for leave to read the bytes behind, which a buffer may not have."""
    divisors: Divisors = field(default_factory=Divisors)
    """Of the indices of the uop floor."""
    carried: dict[Operation, bool] = field(default_factory=dict[Operation, bool])
    """Of maxima and minima, whether a loop carries one of those that they are combined with."""

    # --- ops --------------------------------------------------------------------------------------

    def emit(self, op: OpT) -> OpT:
        """Put an op at the end of the current block."""
        op.location = self.location
        append(self.block, op)
        return op

    def value(self, op: Operation) -> SSAValue:
        """Put an op at the end of the current block; its result."""
        return self.emit(op).results[0]

    def of(self, value: SSAValue) -> SSAValue:
        """The machine value of a value of the uop floor."""
        return self.values[value]

    def all(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.values[value] for value in values]

    def type_of(self, value: SSAValue) -> Attribute:
        """The machine type of a value of the uop floor."""
        return machine_type(value.type)

    def intrinsic(
        self, name: str, operands: Sequence[SSAValue], results: Sequence[Attribute] = ()
    ) -> stock.CallIntrinsicOp:
        """Call one of LLVM's functions by its name."""
        properties = _intrinsic_properties(name, len(operands))
        return self.emit(made(stock.CallIntrinsicOp, operands, results, properties))

    def constant(self, number: int | float, type: Attribute = i64) -> SSAValue:
        """A constant of a machine type; on every lane of a vector."""
        value = constant_attribute(number, type)
        result = self.value(made(stock.ConstantOp, (), [type], {"value": value}))
        if isinstance(number, int):
            self.constants[result] = number
        return result

    def select(self, cond: SSAValue, then: SSAValue, other: SSAValue) -> SSAValue:
        return self.value(llvm.SelectOp(cond, then, other))

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """An integer comparison by LLVM's word for it."""
        properties = {"predicate": _predicate(predicate)}
        return self.value(made(stock.ICmpOp, (lhs, rhs), [like(lhs.type, i1)], properties))

    def splat(self, value: SSAValue, type: Attribute) -> SSAValue:
        """A scalar on every lane of a vector type; the scalar itself for a scalar type."""
        count = lanes(type)
        if count is None:
            return value
        match value.owner:
            case stock.ConstantOp(value=IntegerAttr() | FloatAttr() as number):
                return self.constant(number.value.data, type)
            case _:
                pass
        poison = self.value(llvm.PoisonOp(type))
        zero = self.constant(0)
        first = self.value(made(stock.InsertElementOp, (poison, value, zero), [type]))
        properties = {"mask": _zeros(count)}
        return self.value(made(stock.ShuffleVectorOp, (first, poison), [type], properties))

    def lanewise(
        self, build: Callable[..., SSAValue], *operands: SSAValue, result: Attribute
    ) -> SSAValue:
        """Apply `build`, which takes scalars, to each lane of the operands."""
        count = lanes(result)
        if count is None:
            return build(*operands)
        vector = self.value(llvm.PoisonOp(result))
        for lane in range(count):
            at = self.constant(lane)
            scalars = [self.value(llvm.ExtractElementOp(v, at)) for v in operands]
            vector = self.value(stock.InsertElementOp(vector, build(*scalars), at))
        return vector

    def address(self, pointer: SSAValue, offset: SSAValue, scalar: Attribute) -> SSAValue:
        """The address of an element of a type, of a pointer and an index of the uop floor."""
        start, number = self.of(pointer), self.of(offset)
        if lanes(number.type) is not None:
            return self.value(llvm.GEPOp(start, [number], scalar, flags=_INBOUNDS))
        properties = _address_properties(scalar)
        return self.value(made(llvm.GEPOp, (start, number), (start.type,), properties))

    def call_library(self, name: str, *operands: SSAValue) -> SSAValue:
        """Call a function of libm on scalars of one type."""
        type = operands[0].type
        if name not in self.library:
            signature = stock.LLVMFunctionType([v.type for v in operands], type)
            declaration = stock.FuncOp(name, signature, stock.LinkageAttr("external"))
            declaration.location = self.location  # of its first call
            self.library[name] = declaration
        return self.value(stock.CallOp(name, *operands, return_type=type))

    # --- blocks -----------------------------------------------------------------------------------

    def new_block(self, arguments: Sequence[tuple[Attribute, str | None]] = ()) -> Block:
        """A block at the end of the function, with arguments of given types and name hints."""
        block = Block(arg_types=[type for type, _ in arguments])
        for argument, (_, hint) in zip(block.args, arguments, strict=True):
            argument.name_hint = hint
        self.region.add_block(block)
        return block

    def branch(self, target: Block, *arguments: SSAValue) -> Operation:
        return self.emit(stock.BrOp.create(operands=arguments, successors=[target]))

    def branch_if(
        self,
        cond: SSAValue,
        then: Block,
        other: Block,
        then_arguments: Sequence[SSAValue] = (),
        other_arguments: Sequence[SSAValue] = (),
    ) -> None:
        counts = segments(1, len(then_arguments), len(other_arguments))
        self.emit(
            stock.CondBrOp.create(
                operands=[cond, *then_arguments, *other_arguments],
                properties={SEGMENTS: counts},
                successors=[then, other],
            )
        )

    # --- lowering ---------------------------------------------------------------------------------

    def lower(self, op: Operation) -> None:
        """Lower one op by its rule. Raises PassError at an op that has none."""
        rule = self.rules.get(op.__class__)
        if rule is None:
            raise fail(op, f"{op.name} has no form on the machine floor")
        self.location = op.location
        try:
            results = rule(self, op)
        except NoType as problem:
            raise fail(op, str(problem)) from None
        if results is None:
            results = ()
        elif isinstance(results, SSAValue):
            results = (results,)
        for old, new in zip(op.results, results, strict=True):
            self.values[old] = new
            name_after(new, old)

    def lower_all(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            self.lower(op)


_INBOUNDS = llvm.GEP_FLAGS["inbounds"]


@lru_cache(256)
def _address_properties(scalar: Attribute) -> Mapping[str, Attribute]:
    """The properties of an op that gives the address of an element of a type by its index."""
    start, index = Block(arg_types=[llvm.POINTER, i64]).args
    return llvm.GEPOp(start, [index], scalar, flags=_INBOUNDS).properties


@cache
def _predicate(word: str) -> IntegerAttr[IntegerType]:
    return IntegerAttr(stock.ICmpPredicateFlag(word).to_int(), i64)


@lru_cache(256)
def _intrinsic_properties(name: str, operands: int) -> Mapping[str, Attribute]:
    """The properties of the call of an intrinsic on so many operands."""
    return stock.CallIntrinsicOp(name, Block(arg_types=[i64] * operands).args, []).properties


@cache
def _zeros(count: int) -> DenseArrayBase:
    """The mask of a shuffle that takes the first lane for all."""
    return DenseArrayBase.from_list(i32, [0] * count)


MakeEmitter = Callable[[Region, Block], Emitter]
"""Makes an emitter for a function whose first block is given."""
