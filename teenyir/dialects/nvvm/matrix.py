"""Products of small matrices, held in the registers of a warp."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I32, Float16Type, Float32Type, VectorType, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.nvvm.attributes import (
    FPRoundingMode,
    FPRoundingModeAttr,
    MMAIntOverflow,
    MMAIntOverflowAttr,
    MMALayout,
    MMALayoutAttr,
    MMAShapeAttr,
    MMAType,
    MMATypeAttr,
)

HALVES = VectorType(Float16Type(), [2])
"""The register of a factor or accumulator of f16."""

_INTEGERS = (MMAType.S8, MMAType.U8, MMAType.S4, MMAType.U4)
BITS: dict[MMAType, int] = {
    **{MMAType.F16: 16, MMAType.BF16: 16, MMAType.TF32: 32, MMAType.F64: 64},
    **{MMAType.S8: 8, MMAType.U8: 8, MMAType.S4: 4, MMAType.U4: 4, MMAType.B1: 1},
}
"""Bits of an element of a factor, in its register."""


@irdl_op_definition
class MmaOp(IRDLOperation):
    """`A * B + C` by all lanes of a warp, each with its part of the matrices in registers.

    How the elements lie is PTX's ("Matrix Fragments for mma"). A register of a factor is a
    `vector<2xf16>` for f16, an f64 for f64, and otherwise an i32.
    """

    name = "nvvm.mma.sync"

    operand_a = var_operand_def()
    operand_b = var_operand_def()
    operand_c = var_operand_def()
    shape = prop_def(MMAShapeAttr)
    layout_a = prop_def(MMALayoutAttr, prop_name="layoutA")
    layout_b = prop_def(MMALayoutAttr, prop_name="layoutB")
    type_a = opt_prop_def(MMATypeAttr, prop_name="multiplicandAPtxType")
    type_b = opt_prop_def(MMATypeAttr, prop_name="multiplicandBPtxType")
    overflow = opt_prop_def(MMAIntOverflowAttr, prop_name="intOverflowBehavior")
    res = result_def(LLVMStructType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        shape: tuple[int, int, int],
        type: MMAType,
        a: Sequence[SSAValue],
        b: Sequence[SSAValue],
        c: Sequence[SSAValue],
    ):
        super().__init__(
            operands=[a, b, c],
            properties={
                "shape": MMAShapeAttr(*shape),
                "layoutA": MMALayoutAttr(MMALayout.ROW),
                "layoutB": MMALayoutAttr(MMALayout.COL),
                "multiplicandAPtxType": MMATypeAttr(type),
                "multiplicandBPtxType": MMATypeAttr(type),
                "intOverflowBehavior": (
                    MMAIntOverflowAttr(MMAIntOverflow.WRAPPED) if type in _INTEGERS else None
                ),
            },
            result_types=[LLVMStructType.from_type_list([value.type for value in c])],
        )

    @property
    def element(self) -> MMAType:
        """The elements of the first factor."""
        return MMAType.F16 if self.type_a is None else self.type_a.data

    def verify_(self) -> None:
        if self.type_a is None and any(v.type != HALVES for v in self.operand_a):
            raise VerifyException("the elements of a factor in an i32 must be named")
        m, n, k = self.shape.numbers
        bits = BITS[self.element]
        register = 64 if self.element == MMAType.F64 else 32
        counts = {
            "A": (len(self.operand_a), m * k * bits // (32 * register)),
            "B": (len(self.operand_b), n * k * bits // (32 * register)),
        }
        for name, (found, wanted) in counts.items():
            if found != wanted:
                raise VerifyException(f"{name} has {found} registers, its shape needs {wanted}")
        types: list[Attribute] = [value.type for value in self.operand_c]
        if list(self.res.type.types) != types:
            raise VerifyException("the result and C are of the same types")


_TF32_ROUNDING = (FPRoundingMode.RN, FPRoundingMode.RZ, FPRoundingMode.RNA)


@irdl_op_definition
class ConvertFloatToTF32Op(IRDLOperation):
    """An f32 with the digits of a tf32, as the register of a factor."""

    name = "nvvm.convert.float.to.tf32"

    src = operand_def(Float32Type)
    rnd = prop_def(FPRoundingModeAttr)
    res = result_def(I32)

    def __init__(self, src: SSAValue, rnd: FPRoundingMode = FPRoundingMode.RNA):
        super().__init__(
            operands=[src], properties={"rnd": FPRoundingModeAttr(rnd)}, result_types=[i32]
        )

    def verify_(self) -> None:
        if self.rnd.data not in _TF32_ROUNDING:
            listed = ", ".join(map(str, _TF32_ROUNDING))
            raise VerifyException(f"a tf32 is rounded by {listed}, not by {self.rnd.data.value}")


MATRIX = (MmaOp, ConvertFloatToTF32Op)
