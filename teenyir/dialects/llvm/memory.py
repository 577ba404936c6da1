"""Ops on memory: addresses, masked and gathered access, block copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Self, cast

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    I1,
    I32,
    I64,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import (
    GEP_USE_SSA_VAL,
    LLVMPointerType,
)
from xdsl.dialects.utils import parse_dynamic_index_list_without_types, print_dynamic_index_list
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import fill
from teenyir.dialects.lanes import element, lanes, like
from teenyir.dialects.llvm.types import (
    ADDRESS,
    INTEGER,
    MASK,
    same_lanes,
)

SEQUENTIALLY_CONSISTENT = 7
"""The number of `seq_cst` in MLIR's enumeration of orderings."""


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Orders all accesses before it and all after it, for every thread."""

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(self) -> None:
        super().__init__(properties={"ordering": IntegerAttr(SEQUENTIALLY_CONSISTENT, i64)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        parser.parse_keyword("seq_cst")
        return cls()

    def print(self, printer: Printer) -> None:
        printer.print_string(" seq_cst")

    def verify_(self) -> None:
        if self.ordering.value.data != SEQUENTIALLY_CONSISTENT:
            raise VerifyException("a fence is seq_cst")


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """Loads the elements whose mask is set; `pass_thru` gives the others."""

    name = "llvm.intr.masked.load"

    data = operand_def(LLVMPointerType)
    mask = operand_def(MASK)
    pass_thru = operand_def(VectorType)
    alignment = prop_def(IntegerAttr[I32])
    res = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[data, mask, pass_thru],
            result_types=[SSAValue.get(pass_thru).type],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )

    def verify_(self) -> None:
        same_lanes("mask and value of a masked load", self.mask.type, self.res.type)
        if self.pass_thru.type != self.res.type:
            raise VerifyException(
                f"the load gives {self.res.type}, its default is {self.pass_thru.type}"
            )


@irdl_op_definition
class MaskedStoreOp(IRDLOperation):
    """xDSL's stores floats alone; MLIR's and this one any element."""

    name = "llvm.intr.masked.store"

    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(MASK)
    alignment = prop_def(IntegerAttr[I32])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        data: SSAValue | Operation,
        mask: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[value, data, mask],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )

    def verify_(self) -> None:
        same_lanes("mask and value of a masked store", self.mask.type, self.value.type)


@irdl_op_definition
class MaskedGatherOp(IRDLOperation):
    """Loads from one address an element where its mask is set; `pass_thru` gives the others."""

    name = "llvm.intr.masked.gather"

    ptrs = operand_def(VectorType.constr(LLVMPointerType))
    mask = operand_def(MASK)
    pass_thru = operand_def(VectorType)
    alignment = prop_def(IntegerAttr[I32])
    res = result_def(VectorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        ptrs: SSAValue | Operation,
        mask: SSAValue | Operation,
        pass_thru: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[ptrs, mask, pass_thru],
            result_types=[SSAValue.get(pass_thru).type],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )

    def verify_(self) -> None:
        same_lanes(
            "addresses, mask and value of a gather",
            self.ptrs.type,
            self.mask.type,
            self.res.type,
        )


@irdl_op_definition
class MaskedScatterOp(IRDLOperation):
    """Stores each element whose mask is set to its own address."""

    name = "llvm.intr.masked.scatter"

    value = operand_def(VectorType)
    ptrs = operand_def(VectorType.constr(LLVMPointerType))
    mask = operand_def(MASK)
    alignment = prop_def(IntegerAttr[I32])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$value `,` $ptrs `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($ptrs)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        ptrs: SSAValue | Operation,
        mask: SSAValue | Operation,
        alignment: int,
    ):
        super().__init__(
            operands=[value, ptrs, mask],
            properties={"alignment": IntegerAttr(alignment, i32)},
        )

    def verify_(self) -> None:
        same_lanes(
            "value, addresses and mask of a scatter",
            self.value.type,
            self.ptrs.type,
            self.mask.type,
        )


@irdl_op_definition
class MemcpyOp(IRDLOperation):
    """Copies `len` bytes between places that do not overlap."""

    name = "llvm.intr.memcpy"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    len = operand_def(SignlessIntegerConstraint)
    isVolatile = prop_def(IntegerAttr[I1])

    def __init__(
        self,
        dst: SSAValue | Operation,
        src: SSAValue | Operation,
        len: SSAValue | Operation,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[dst, src, len],
            properties={"isVolatile": BoolAttr.from_bool(volatile)},
        )


@irdl_op_definition
class MemsetOp(IRDLOperation):
    """Writes the byte `val` to `len` places."""

    name = "llvm.intr.memset"

    dst = operand_def(LLVMPointerType)
    val = operand_def(IntegerType(8))
    len = operand_def(SignlessIntegerConstraint)
    isVolatile = prop_def(IntegerAttr[I1])

    def __init__(
        self,
        dst: SSAValue | Operation,
        val: SSAValue | Operation,
        len: SSAValue | Operation,
        volatile: bool = False,
    ):
        super().__init__(
            operands=[dst, val, len],
            properties={"isVolatile": BoolAttr.from_bool(volatile)},
        )


GEP_FLAGS: dict[str, int] = {"inbounds": 3, "inbounds_flag": 1, "nusw": 2, "nuw": 4}
"""Bits of `noWrapFlags` by keyword, widest first (MLIR's `GEPNoWrapFlags`)."""


@lru_cache(256)
def _places(flags: int, *raw: int) -> Mapping[str, Attribute]:
    """The properties of an address with these flags and indices."""
    return {
        "noWrapFlags": IntegerAttr(flags, i32),
        "rawConstantIndices": DenseArrayBase.from_list(i32, raw),
    }


@irdl_op_definition
class GEPOp(IRDLOperation):
    """Address arithmetic. xDSL's op drops the no-wrap flags and takes no vectors."""

    name = "llvm.getelementptr"

    base = operand_def(ADDRESS)
    dynamicIndices = var_operand_def(INTEGER)
    elem_type = prop_def()
    noWrapFlags = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    res = result_def(ADDRESS)

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[int | SSAValue],
        elem_type: Attribute,
        *,
        flags: int = 0,
        address_space: LLVMPointerType | None = None,
    ):
        base = SSAValue.get(base)
        dynamic = [index for index in indices if not isinstance(index, int)]
        raw = [index if isinstance(index, int) else GEP_USE_SSA_VAL for index in indices]
        wide = next((v.type for v in (base, *dynamic) if lanes(v.type) is not None), None)
        pointer = address_space or cast(LLVMPointerType, element(base.type))
        type = pointer if wide is None else like(wide, pointer)
        fill(self, [base, *dynamic], [type], {"elem_type": elem_type, **_places(flags, *raw)})

    @property
    def indices(self) -> list[int | SSAValue]:
        """The indices in order, constants as int."""
        dynamic = iter(self.dynamicIndices)
        return [
            next(dynamic) if index == GEP_USE_SSA_VAL else index
            for index in self.rawConstantIndices.iter_values()
        ]

    @property
    def flag_keywords(self) -> list[str]:
        """The no-wrap flags as MLIR spells them; `inbounds` stands for two bits."""
        bits, words = self.noWrapFlags.value.data, list[str]()
        for word, mask in GEP_FLAGS.items():
            if bits & mask == mask:
                words.append(word)
                bits &= ~mask
        return words

    def verify_(self) -> None:
        types = [value.type for value in self.operands]
        wide = {lanes(type) for type in types} - {None}
        if wide != {lanes(self.res.type)} - {None}:
            raise VerifyException(
                f"base and indices of {', '.join(map(str, types))} do not give {self.res.type}"
            )
        self._verify_fields()

    def _verify_fields(self) -> None:
        current: Attribute = self.elem_type
        for index in self.indices[1:]:
            match current:
                case stock.LLVMArrayType():
                    current = current.type
                case stock.LLVMStructType(types=types) if isinstance(
                    index, int
                ) and 0 <= index < len(types):
                    current = types.data[index]
                case stock.LLVMStructType(types=types):
                    raise VerifyException(
                        f"a field of {current} is chosen by a constant in 0..{len(types) - 1}"
                    )
                case _:
                    raise VerifyException(f"cannot index into {current}")

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        flags = 0
        while (word := parser.parse_optional_keyword_in(set(GEP_FLAGS))) is not None:
            flags |= GEP_FLAGS[word]
            if parser.parse_optional_punctuation("|") is None:
                break
        position = parser.pos
        base = parser.parse_unresolved_operand()
        dynamic, raw = parse_dynamic_index_list_without_types(parser, GEP_USE_SSA_VAL)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        parser.parse_punctuation(",")
        elem_type = parser.parse_type()
        operands = parser.resolve_operands([base, *dynamic], function_type.inputs.data, position)
        return cls.create(
            operands=operands,
            result_types=function_type.outputs.data,
            properties={
                "elem_type": elem_type,
                "noWrapFlags": IntegerAttr(flags, i32),
                "rawConstantIndices": DenseArrayBase.from_list(i32, list(raw)),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if words := self.flag_keywords:
            printer.print_string(" " + "|".join(words))
        printer.print_string(" ")
        printer.print_ssa_value(self.base)
        print_dynamic_index_list(
            printer,
            GEP_USE_SSA_VAL,
            self.dynamicIndices,
            self.rawConstantIndices.iter_values(),
        )
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type([v.type for v in self.operands], [self.res.type])
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)
