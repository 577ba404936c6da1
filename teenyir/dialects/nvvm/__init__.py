"""The machine floor for NVIDIA's GPUs: MLIR's `nvvm` dialect, in its names and generic form.

It passes through a stock `mlir-opt` and `mlir-translate` of LLVM 22, and a test does that.
Ops print in the generic form. By file: `registers`, `threads` (barriers, shuffles, votes),
`memory` (asynchronous copies, `ldmatrix`), `mbarriers`, `matrix` (`mma.sync`), `attributes`.

A kernel is an `llvm.func` with the attribute `nvvm.kernel`; `nvvm.reqntid` has its block's sizes.

Source of names and forms: MLIR 22, `mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td`,
<https://mlir.llvm.org/docs/Dialects/NVVMDialect/>. Left out so far: `wgmma`, TMA, clusters,
`nvvm.mbarrier.try_wait.parity`, which MLIR makes inline assembly of (`nvvm.mbarrier.try_wait` of an
i32 is that without a loop), and the 8-bit floats of `mma.sync`, which MLIR 22 has no op for.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from teenyir.dialects.nvvm.attributes import (
    ATTRIBUTES,
    FPRoundingMode,
    MatchKind,
    MMALayout,
    MMAType,
    ReduxKind,
    ShflKind,
    VoteKind,
    target_of,
)
from teenyir.dialects.nvvm.matrix import HALVES, MATRIX, ConvertFloatToTF32Op, MmaOp
from teenyir.dialects.nvvm.mbarriers import (
    MBARRIERS,
    CpAsyncMBarrierArriveOp,
    FenceMBarrierInitOp,
    FenceProxyOp,
    MBarrierArriveDropExpectTxOp,
    MBarrierArriveDropNocompleteOp,
    MBarrierArriveDropOp,
    MBarrierArriveExpectTxOp,
    MBarrierArriveNocompleteOp,
    MBarrierArriveOp,
    MBarrierCompleteTxOp,
    MBarrierExpectTxOp,
    MBarrierInitOp,
    MBarrierInvalOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitOp,
    OrderedOp,
    ScopedOp,
)
from teenyir.dialects.nvvm.memory import (
    MEMORY,
    CpAsyncCommitGroupOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
    LdMatrixOp,
    StMatrixOp,
)
from teenyir.dialects.nvvm.registers import SPECIAL_REGISTERS, SpecialRegisterOp
from teenyir.dialects.nvvm.threads import (
    THREADS,
    Barrier0Op,
    BarrierOp,
    MatchSyncOp,
    ReduxOp,
    ShflOp,
    SyncWarpOp,
    VoteSyncOp,
)

KERNEL = "nvvm.kernel"
"""The attribute of a function that is launched."""

BLOCK = "nvvm.reqntid"
"""The attribute of a kernel with the size of its block."""

OPERATIONS = (*SPECIAL_REGISTERS.values(), *THREADS, *MEMORY, *MBARRIERS, *MATRIX)

NVVM = Dialect("nvvm", [*OPERATIONS], [*ATTRIBUTES])

__all__ = [
    "BLOCK",
    "HALVES",
    "KERNEL",
    "NVVM",
    "SPECIAL_REGISTERS",
    "Barrier0Op",
    "BarrierOp",
    "ConvertFloatToTF32Op",
    "CpAsyncCommitGroupOp",
    "CpAsyncMBarrierArriveOp",
    "CpAsyncOp",
    "CpAsyncWaitGroupOp",
    "FPRoundingMode",
    "FenceMBarrierInitOp",
    "FenceProxyOp",
    "LdMatrixOp",
    "MBarrierArriveDropExpectTxOp",
    "MBarrierArriveDropNocompleteOp",
    "MBarrierArriveDropOp",
    "MBarrierArriveExpectTxOp",
    "MBarrierArriveNocompleteOp",
    "MBarrierArriveOp",
    "MBarrierCompleteTxOp",
    "MBarrierExpectTxOp",
    "MBarrierInitOp",
    "MBarrierInvalOp",
    "MBarrierTestWaitOp",
    "MBarrierTryWaitOp",
    "MMALayout",
    "MMAType",
    "MatchKind",
    "MatchSyncOp",
    "MmaOp",
    "OrderedOp",
    "ReduxKind",
    "ReduxOp",
    "ScopedOp",
    "ShflKind",
    "ShflOp",
    "SpecialRegisterOp",
    "StMatrixOp",
    "SyncWarpOp",
    "VoteKind",
    "VoteSyncOp",
    "target_of",
]
