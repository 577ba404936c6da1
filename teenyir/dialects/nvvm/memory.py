"""Memory: asynchronous copies into shared memory, matrices out of it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.nvvm.attributes import (
    LdStMatrixEltType,
    LdStMatrixEltTypeAttr,
    LdStMatrixShapeAttr,
    LoadCacheModifier,
    LoadCacheModifierAttr,
    MMALayout,
    MMALayoutAttr,
)


@irdl_op_definition
class CpAsyncOp(IRDLOperation):
    """Copies `size` bytes from global into shared memory without waiting (sm_80). Of these,
    `cp_size` are read, where it is given, and the rest are zeros."""

    name = "nvvm.cp.async.shared.global"

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    cp_size = opt_operand_def(I32)
    size = prop_def(IntegerAttr[I32])
    modifier = prop_def(LoadCacheModifierAttr)

    def __init__(self, dst: SSAValue, src: SSAValue, size: int, cp_size: SSAValue | None = None):
        # only 16 bytes may pass the first-level cache by
        modifier = LoadCacheModifier.CG if size == 16 else LoadCacheModifier.CA
        super().__init__(
            operands=[dst, src, cp_size],
            properties={
                "size": IntegerAttr(size, i32),
                "modifier": LoadCacheModifierAttr(modifier),
            },
        )

    def verify_(self) -> None:
        size, modifier = self.size.value.data, self.modifier.data
        if size not in (4, 8, 16):
            raise VerifyException(f"copies 4, 8 or 16 bytes, not {size}")
        if modifier not in (LoadCacheModifier.CG, LoadCacheModifier.CA):
            raise VerifyException(f"no asynchronous copy by way of {modifier.value}")
        if modifier == LoadCacheModifier.CG and size != 16:
            raise VerifyException(f"`cg` is for copies of 16 bytes, not {size}")


@irdl_op_definition
class CpAsyncCommitGroupOp(IRDLOperation):
    """The copies since the last such op are one group."""

    name = "nvvm.cp.async.commit.group"


@irdl_op_definition
class CpAsyncWaitGroupOp(IRDLOperation):
    """Waits until at most the `n` youngest groups are under way."""

    name = "nvvm.cp.async.wait.group"

    n = prop_def(IntegerAttr[I32])

    def __init__(self, n: int):
        super().__init__(properties={"n": IntegerAttr(n, i32)})


def _registers(count: int) -> Attribute:
    """What holds `count` matrices of 8 by 8 in a warp."""
    return i32 if count == 1 else LLVMStructType.from_type_list([i32] * count)


@irdl_op_definition
class LdMatrixOp(IRDLOperation):
    """Loads 1, 2 or 4 matrices of 8 by 8 elements of 16 bits: lane 8i + j has the address of row j
    of matrix i (sm_75). With the layout `col` they are transposed."""

    name = "nvvm.ldmatrix"

    ptr = operand_def(LLVMPointerType)
    num = prop_def(IntegerAttr[I32])
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    elt_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")
    res = result_def()

    def __init__(self, ptr: SSAValue, count: int, layout: MMALayout = MMALayout.ROW):
        super().__init__(
            operands=[ptr],
            properties={
                "num": IntegerAttr(count, i32),
                "layout": MMALayoutAttr(layout),
                "shape": LdStMatrixShapeAttr(),
                "eltType": LdStMatrixEltTypeAttr(LdStMatrixEltType.B16),
            },
            result_types=[_registers(count)],
        )

    def verify_(self) -> None:
        count = self.num.value.data
        if count not in (1, 2, 4):
            raise VerifyException(f"loads 1, 2 or 4 matrices, not {count}")
        if self.shape.numbers != (8, 8) or self.elt_type.data != LdStMatrixEltType.B16:
            raise VerifyException("loads matrices of 8 by 8 elements of 16 bits")
        if self.res.type != _registers(count):
            raise VerifyException(f"{count} matrices are {_registers(count)}")


@irdl_op_definition
class StMatrixOp(IRDLOperation):
    """Stores 1, 2 or 4 matrices, as `ldmatrix` loads them (sm_90)."""

    name = "nvvm.stmatrix"

    ptr = operand_def(LLVMPointerType)
    sources = var_operand_def(I32)
    layout = prop_def(MMALayoutAttr)
    shape = prop_def(LdStMatrixShapeAttr)
    elt_type = prop_def(LdStMatrixEltTypeAttr, prop_name="eltType")

    def __init__(
        self, ptr: SSAValue, sources: Sequence[SSAValue], layout: MMALayout = MMALayout.ROW
    ):
        super().__init__(
            operands=[ptr, sources],
            properties={
                "layout": MMALayoutAttr(layout),
                "shape": LdStMatrixShapeAttr(),
                "eltType": LdStMatrixEltTypeAttr(LdStMatrixEltType.B16),
            },
        )

    def verify_(self) -> None:
        if len(self.sources) not in (1, 2, 4):
            raise VerifyException(f"stores 1, 2 or 4 matrices, not {len(self.sources)}")


MEMORY = (CpAsyncOp, CpAsyncCommitGroupOp, CpAsyncWaitGroupOp, LdMatrixOp, StMatrixOp)
