"""The machine floor: xDSL's `llvm` dialect with the ops it lacks, in MLIR's names and forms.

`LLVM` is one dialect, theirs plus ours: register it instead of xDSL's, never beside it (two
dialects of one name clash). Names, properties and operand order are MLIR's, so that the generic
form passes through a stock `mlir-opt` and `mlir-translate` of LLVM 22. Where xDSL's op is narrower
than MLIR's (`fcmp` and `select` on vectors, `getelementptr` with its no-wrap flags, masked stores
of integers) ours takes its place.

Source of names and forms: MLIR 22, `mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td` and
`LLVMIntrinsicOps.td`, <https://mlir.llvm.org/docs/Dialects/LLVM/>.

The verifier holds:
 1. casts between floats and integers keep their shape: both sides scalar, or vectors of one length;
 2. operands and result of an elementwise intrinsic have one type;
 3. `fcmp` gives `i1`, or a vector of `i1` as long as its operands;
 4. `select` by a vector takes vectors of that length;
 5. a mask is a vector of `i1` as long as the value it guards; a gathered address likewise;
 6. a vector reduction gives the element type of its operand;
 7. `getelementptr` gives a vector of pointers iff its base or an index is a vector;
 8. constant fields of a structure are in range (xDSL's check);
 9. what `verify` has, of the ops that are xDSL's.
"""

from __future__ import annotations

from xdsl.dialects import llvm as stock
from xdsl.ir import Dialect, Operation

import teenyir.dialects.llvm.verify  # noqa: F401  # pyright: ignore[reportUnusedImport]
from teenyir.dialects.llvm.memory import (
    GEP_FLAGS,
    FenceOp,
    GEPOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedScatterOp,
    MaskedStoreOp,
    MemcpyOp,
    MemsetOp,
)
from teenyir.dialects.llvm.scalar import (
    AbsOp,
    AcosOp,
    AddrSpaceCastOp,
    AsinOp,
    AssumeOp,
    Atan2Op,
    AtanOp,
    CoshOp,
    CtlzOp,
    CtPopOp,
    CttzOp,
    FCmpOp,
    FMulAddOp,
    FPToSIOp,
    FPToUIOp,
    FreezeOp,
    FTruncOp,
    Log10Op,
    MaximumOp,
    MinimumOp,
    PoisonOp,
    RintOp,
    RoundEvenOp,
    RoundOp,
    SelectOp,
    SinhOp,
    SMaxOp,
    SMinOp,
    TanhOp,
    TanOp,
    UIToFPOp,
    UMaxOp,
    UMinOp,
)
from teenyir.dialects.llvm.types import (
    POINTER,
)
from teenyir.dialects.llvm.vector import (
    ExtractElementOp,
    VectorReduceAddOp,
    VectorReduceAndOp,
    VectorReduceFMaximumOp,
    VectorReduceFMaxOp,
    VectorReduceFMinimumOp,
    VectorReduceFMinOp,
    VectorReduceMulOp,
    VectorReduceOrOp,
    VectorReduceSMaxOp,
    VectorReduceSMinOp,
    VectorReduceUMaxOp,
    VectorReduceUMinOp,
    VectorReduceXorOp,
)

OURS: tuple[type[Operation], ...] = (
    TanOp,
    AsinOp,
    AcosOp,
    AddrSpaceCastOp,
    AtanOp,
    SinhOp,
    CoshOp,
    TanhOp,
    Atan2Op,
    AbsOp,
    AssumeOp,
    CtPopOp,
    CtlzOp,
    CttzOp,
    ExtractElementOp,
    FCmpOp,
    FMulAddOp,
    FPToSIOp,
    FPToUIOp,
    FTruncOp,
    FenceOp,
    FreezeOp,
    GEPOp,
    Log10Op,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedScatterOp,
    MaskedStoreOp,
    MaximumOp,
    MemcpyOp,
    MemsetOp,
    MinimumOp,
    PoisonOp,
    RintOp,
    RoundEvenOp,
    RoundOp,
    SMaxOp,
    SMinOp,
    SelectOp,
    UIToFPOp,
    UMaxOp,
    UMinOp,
    VectorReduceAddOp,
    VectorReduceAndOp,
    VectorReduceFMaxOp,
    VectorReduceFMaximumOp,
    VectorReduceFMinOp,
    VectorReduceFMinimumOp,
    VectorReduceMulOp,
    VectorReduceOrOp,
    VectorReduceSMaxOp,
    VectorReduceSMinOp,
    VectorReduceUMaxOp,
    VectorReduceUMinOp,
    VectorReduceXorOp,
)

_REPLACED = {op.name for op in OURS}

LLVM = Dialect(
    "llvm",
    [*(op for op in stock.LLVM.operations if op.name not in _REPLACED), *OURS],
    list(stock.LLVM.attributes),
)

__all__ = [
    "GEP_FLAGS",
    "LLVM",
    "OURS",
    "POINTER",
    "AbsOp",
    "AcosOp",
    "AddrSpaceCastOp",
    "AsinOp",
    "AssumeOp",
    "Atan2Op",
    "AtanOp",
    "CoshOp",
    "CtPopOp",
    "CtlzOp",
    "CttzOp",
    "ExtractElementOp",
    "FCmpOp",
    "FMulAddOp",
    "FPToSIOp",
    "FPToUIOp",
    "FTruncOp",
    "FenceOp",
    "FreezeOp",
    "GEPOp",
    "Log10Op",
    "MaskedGatherOp",
    "MaskedLoadOp",
    "MaskedScatterOp",
    "MaskedStoreOp",
    "MaximumOp",
    "MemcpyOp",
    "MemsetOp",
    "MinimumOp",
    "PoisonOp",
    "RintOp",
    "RoundEvenOp",
    "RoundOp",
    "SMaxOp",
    "SMinOp",
    "SelectOp",
    "SinhOp",
    "TanOp",
    "TanhOp",
    "UIToFPOp",
    "UMaxOp",
    "UMinOp",
    "VectorReduceAddOp",
    "VectorReduceAndOp",
    "VectorReduceFMaxOp",
    "VectorReduceFMaximumOp",
    "VectorReduceFMinOp",
    "VectorReduceFMinimumOp",
    "VectorReduceMulOp",
    "VectorReduceOrOp",
    "VectorReduceSMaxOp",
    "VectorReduceSMinOp",
    "VectorReduceUMaxOp",
    "VectorReduceUMinOp",
    "VectorReduceXorOp",
]
