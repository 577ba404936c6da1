"""Barriers that are objects in shared memory: their life, arrivals, transactions, waits, fences."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I1, I32, I64, BoolAttr, IntAttr, i1
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.nvvm.attributes import (
    MemScope,
    MemScopeAttr,
    ProxyKind,
    ProxyKindAttr,
    SharedSpaceAttr,
)

SHARED = LLVMPointerType(IntAttr(3))
"""A place in the shared memory of the block."""


class MBarrierOp(IRDLOperation):
    """An op on a barrier, which its first operand is at: 8 bytes of shared memory, aligned."""

    def __init__(self, *operands: SSAValue | None, results: Sequence[Attribute | None] = ()):
        super().__init__(operands=operands, result_types=results)

    def verify_(self) -> None:
        if (at := self.operands[0].type) != SHARED:
            raise VerifyException(f"a barrier is at {SHARED}, not at {at}")


class ScopedOp(MBarrierOp):
    """An op on a barrier for the threads of a scope."""

    scope = prop_def(MemScopeAttr, default_value=MemScopeAttr(MemScope.CTA))

    def verify_(self) -> None:
        super().verify_()
        if self.scope.data not in (MemScope.CTA, MemScope.CLUSTER):
            raise VerifyException(f"a barrier is of a block or a cluster, not {self.scope.data}")


class OrderedOp(ScopedOp):
    """An op on a barrier that orders memory, unless it is `relaxed`."""

    relaxed = prop_def(BoolAttr, default_value=BoolAttr(0, i1))


# --- life -----------------------------------------------------------------------------------------


@irdl_op_definition
class MBarrierInitOp(MBarrierOp):
    """Makes a barrier in memory for `count` arrivals a phase (sm_80)."""

    name = "nvvm.mbarrier.init"

    addr = operand_def(LLVMPointerType)
    count = operand_def(I32)


@irdl_op_definition
class MBarrierInvalOp(MBarrierOp):
    """Ends the life of a barrier in memory (sm_80)."""

    name = "nvvm.mbarrier.inval"

    addr = operand_def(LLVMPointerType)


# --- arrivals -------------------------------------------------------------------------------------


@irdl_op_definition
class MBarrierArriveOp(OrderedOp):
    """Arrives, `count` times or once, and tells the state before (sm_80; with a count, relaxed or
    for a cluster: sm_90)."""

    name = "nvvm.mbarrier.arrive"

    addr = operand_def(LLVMPointerType)
    count = opt_operand_def(I32)
    res = opt_result_def(I64)


@irdl_op_definition
class MBarrierArriveDropOp(OrderedOp):
    """Arrives, and is not waited for in later phases (sm_90)."""

    name = "nvvm.mbarrier.arrive_drop"

    addr = operand_def(LLVMPointerType)
    count = opt_operand_def(I32)
    res = opt_result_def(I64)


@irdl_op_definition
class MBarrierArriveNocompleteOp(MBarrierOp):
    """Arrives `count` times where that does not end the phase (sm_80)."""

    name = "nvvm.mbarrier.arrive.nocomplete"

    addr = operand_def(LLVMPointerType)
    count = operand_def(I32)
    res = result_def(I64)


@irdl_op_definition
class MBarrierArriveDropNocompleteOp(MBarrierOp):
    """Arrives `count` times, for good, where that does not end the phase (sm_80)."""

    name = "nvvm.mbarrier.arrive_drop.nocomplete"

    addr = operand_def(LLVMPointerType)
    count = operand_def(I32)
    res = result_def(I64)


@irdl_op_definition
class CpAsyncMBarrierArriveOp(MBarrierOp):
    """Arrives once all asynchronous copies that the thread has started are done (sm_80). Unless it
    is `noinc`, the phase waits for that arrival beside those that it takes."""

    name = "nvvm.cp.async.mbarrier.arrive"

    addr = operand_def(LLVMPointerType)
    noinc = prop_def(BoolAttr, default_value=BoolAttr(0, i1))


# --- transactions ---------------------------------------------------------------------------------


@irdl_op_definition
class MBarrierArriveExpectTxOp(OrderedOp):
    """Expects `txcount` bytes more in this phase, and arrives (sm_90)."""

    name = "nvvm.mbarrier.arrive.expect_tx"

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)
    res = opt_result_def(I64)


@irdl_op_definition
class MBarrierArriveDropExpectTxOp(OrderedOp):
    """Expects `txcount` bytes more in this phase, and arrives for good (sm_90)."""

    name = "nvvm.mbarrier.arrive_drop.expect_tx"

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)
    res = opt_result_def(I64)


@irdl_op_definition
class MBarrierExpectTxOp(ScopedOp):
    """Expects `txcount` bytes more in this phase, and orders nothing (sm_90)."""

    name = "nvvm.mbarrier.expect_tx"

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)


@irdl_op_definition
class MBarrierCompleteTxOp(ScopedOp):
    """`txcount` bytes that a phase expects are there; orders nothing (sm_90)."""

    name = "nvvm.mbarrier.complete_tx"

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)


# --- waits ----------------------------------------------------------------------------------------


@irdl_op_definition
class MBarrierTestWaitOp(OrderedOp):
    """Whether a phase is over: that of a state (i64), or one of a parity (i32) (sm_90)."""

    name = "nvvm.mbarrier.test.wait"

    addr = operand_def(LLVMPointerType)
    state_or_phase = operand_def(I32 | I64)
    res = result_def(I1)


@irdl_op_definition
class MBarrierTryWaitOp(OrderedOp):
    """Waits for a while, at most `ticks` nanoseconds, and tells whether a phase is over (sm_90)."""

    name = "nvvm.mbarrier.try_wait"

    addr = operand_def(LLVMPointerType)
    state_or_phase = operand_def(I32 | I64)
    ticks = opt_operand_def(I32)
    res = result_def(I1)


# --- fences ---------------------------------------------------------------------------------------


@irdl_op_definition
class FenceMBarrierInitOp(IRDLOperation):
    """Other blocks of the cluster see the barriers that were made (sm_90)."""

    name = "nvvm.fence.mbarrier.init"


@irdl_op_definition
class FenceProxyOp(IRDLOperation):
    """Orders what is accessed in different ways, as by instructions and by asynchronous copies
    (sm_90; `alias` from sm_70 on)."""

    name = "nvvm.fence.proxy"

    kind = prop_def(ProxyKindAttr)
    space = opt_prop_def(SharedSpaceAttr)

    def verify_(self) -> None:
        if (self.kind.data == ProxyKind.ASYNC_SHARED) != (self.space is not None):
            raise VerifyException("`async.shared` has a space, and nothing else has one")


MBARRIERS = (
    *(MBarrierInitOp, MBarrierInvalOp, MBarrierArriveOp, MBarrierArriveDropOp),
    *(MBarrierArriveNocompleteOp, MBarrierArriveDropNocompleteOp, CpAsyncMBarrierArriveOp),
    *(MBarrierArriveExpectTxOp, MBarrierArriveDropExpectTxOp),
    *(MBarrierExpectTxOp, MBarrierCompleteTxOp, MBarrierTestWaitOp, MBarrierTryWaitOp),
    *(FenceMBarrierInitOp, FenceProxyOp),
)
