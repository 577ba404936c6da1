"""The machine floor for NVIDIA's GPUs: MLIR's `nvvm` dialect, in its names and generic form.

It passes through a stock `mlir-opt` and `mlir-translate` of LLVM 22, and a test does that.
Ops print in the generic form. By file: `registers`, `threads` (barriers, shuffles, votes),
`memory` (asynchronous copies, `ldmatrix`), `matrix` (`mma.sync`), `attributes`.

A kernel is an `llvm.func` with the attribute `nvvm.kernel`; `nvvm.reqntid` has its block's sizes.

Source of names and forms: MLIR 22, `mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td`,
<https://mlir.llvm.org/docs/Dialects/NVVMDialect/>. Left out so far: `wgmma`, TMA, clusters, and the
8-bit floats of `mma.sync`, which MLIR 22 has no op for.
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
from teenyir.dialects.nvvm.memory import (
    MEMORY,
    CpAsyncCommitGroupOp,
    CpAsyncOp,
    CpAsyncWaitGroupOp,
    LdMatrixOp,
    MBarrierInitOp,
    MBarrierInvalOp,
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

NVVM = Dialect("nvvm", [*SPECIAL_REGISTERS.values(), *THREADS, *MEMORY, *MATRIX], [*ATTRIBUTES])

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
    "CpAsyncOp",
    "CpAsyncWaitGroupOp",
    "FPRoundingMode",
    "LdMatrixOp",
    "MBarrierInitOp",
    "MBarrierInvalOp",
    "MMALayout",
    "MMAType",
    "MatchKind",
    "MatchSyncOp",
    "MmaOp",
    "ReduxKind",
    "ReduxOp",
    "ShflKind",
    "ShflOp",
    "SpecialRegisterOp",
    "StMatrixOp",
    "SyncWarpOp",
    "VoteKind",
    "VoteSyncOp",
    "target_of",
]
