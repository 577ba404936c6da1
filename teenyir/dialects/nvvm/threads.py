"""What threads do together: barriers, fences, shuffles, votes, reductions over a warp."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, BoolAttr, UnitAttr, i1, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.nvvm.attributes import (
    MatchKind,
    MatchKindAttr,
    ReduxKind,
    ReduxKindAttr,
    ShflKind,
    ShflKindAttr,
    VoteKind,
    VoteKindAttr,
)


@irdl_op_definition
class Barrier0Op(IRDLOperation):
    """All threads of the block meet."""

    name = "nvvm.barrier0"


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """`number_of_threads` threads of the block, or all, meet at barrier `id`."""

    name = "nvvm.barrier"

    barrier_id = opt_operand_def(I32)
    number_of_threads = opt_operand_def(I32)
    reduction_predicate = opt_operand_def(I32)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, barrier_id: SSAValue | None, number_of_threads: SSAValue | None):
        super().__init__(operands=[barrier_id, number_of_threads, None])

    def verify_(self) -> None:
        if self.number_of_threads is not None and self.barrier_id is None:
            raise VerifyException("a number of threads needs the id of a barrier")
        if self.reduction_predicate is not None:
            raise VerifyException("a barrier that reduces has no form here")


@irdl_op_definition
class SyncWarpOp(IRDLOperation):
    """The lanes of a mask meet."""

    name = "nvvm.bar.warp.sync"

    mask = operand_def(I32)

    def __init__(self, mask: SSAValue):
        super().__init__(operands=[mask])


@irdl_op_definition
class ShflOp(IRDLOperation):
    """Reads a value of 32 bits from another lane; with `return_value_and_is_valid`, and whether
    there is one."""

    name = "nvvm.shfl.sync"

    thread_mask = operand_def(I32)
    val = operand_def()
    offset = operand_def(I32)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(ShflKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    res = result_def()

    def __init__(
        self,
        kind: ShflKind,
        thread_mask: SSAValue,
        value: SSAValue,
        offset: SSAValue,
        mask_and_clamp: SSAValue,
        *,
        with_validity: bool = False,
    ):
        super().__init__(
            operands=[thread_mask, value, offset, mask_and_clamp],
            properties={
                "kind": ShflKindAttr(kind),
                "return_value_and_is_valid": UnitAttr() if with_validity else None,
            },
            result_types=[
                LLVMStructType.from_type_list([value.type, i1]) if with_validity else value.type
            ],
        )

    def verify_(self) -> None:
        wanted: Attribute = self.val.type
        if self.return_value_and_is_valid is not None:
            wanted = LLVMStructType.from_type_list([wanted, i1])
        if self.res.type != wanted:
            raise VerifyException(f"a shuffle of {self.val.type} gives {wanted}")


@irdl_op_definition
class VoteSyncOp(IRDLOperation):
    """Whether a predicate holds in any or all lanes of a mask, or in which."""

    name = "nvvm.vote.sync"

    mask = operand_def(I32)
    pred = operand_def(I1)
    kind = prop_def(VoteKindAttr)
    res = result_def()

    def __init__(self, kind: VoteKind, mask: SSAValue, predicate: SSAValue):
        super().__init__(
            operands=[mask, predicate],
            properties={"kind": VoteKindAttr(kind)},
            result_types=[i32 if kind == VoteKind.BALLOT else i1],
        )

    def verify_(self) -> None:
        wanted = i32 if self.kind.data == VoteKind.BALLOT else i1
        if self.res.type != wanted:
            raise VerifyException(f"vote {self.kind.data.value} gives {wanted}")


@irdl_op_definition
class ReduxOp(IRDLOperation):
    """Combines an i32 of all lanes of a mask (sm_80)."""

    name = "nvvm.redux.sync"

    val = operand_def(I32)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(ReduxKindAttr)
    abs = opt_prop_def(BoolAttr)
    nan = opt_prop_def(BoolAttr)
    res = result_def(I32)

    def __init__(self, kind: ReduxKind, value: SSAValue, mask: SSAValue):
        super().__init__(
            operands=[value, mask],
            properties={"kind": ReduxKindAttr(kind)},
            result_types=[i32],
        )

    def verify_(self) -> None:
        if any(flag is not None and flag.value.data for flag in (self.abs, self.nan)):
            raise VerifyException("`abs` and `nan` are for floats")


@irdl_op_definition
class MatchSyncOp(IRDLOperation):
    """Which lanes of a mask have the same value; with `all`, and whether all have."""

    name = "nvvm.match.sync"

    thread_mask = operand_def(I32)
    val = operand_def()
    kind = prop_def(MatchKindAttr)
    res = result_def()

    RESULTS: ClassVar[dict[MatchKind, Attribute]] = {
        MatchKind.ANY: i32,
        MatchKind.ALL: LLVMStructType.from_type_list([i32, i1]),
    }

    def __init__(self, kind: MatchKind, mask: SSAValue, value: SSAValue):
        super().__init__(
            operands=[mask, value],
            properties={"kind": MatchKindAttr(kind)},
            result_types=[self.RESULTS[kind]],
        )


THREADS = (Barrier0Op, BarrierOp, SyncWarpOp, ShflOp, VoteSyncOp, ReduxOp, MatchSyncOp)
