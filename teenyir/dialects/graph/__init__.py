"""The graph floor: pure SSA on tensors, without target or layout. Says *what* is computed.

Read `attributes` (types), `base` (inference and assembly), then the ops: `elementwise`,
`contraction`, `movement`, `indexing`, `scan`, `creation`, `control`, `call`; `function` is what a
`func.func` carries here.

Every op infers its result type, in its constructor and in its verifier alike, and refuses what
does not suit it. Checked are:

- of every operand and result: a ranked tensor; elements i1, i8..i64, ui8..ui64, f16, bf16, f32 or
  f64; an encoding `#graph.dims` exactly where some extent is no constant, and agreeing with the
  shape; the result type is the inferred one
- elementwise: operands of one type; elements of a kind that the op takes (see the class table)
- compare: operands of one type, a known predicate      - cast: the same extents
- select: a condition of i1 and of the operands' extents, operands of one type
- reduce: a known combiner that takes the elements; axes in range, none twice
- dot: one numeric element type; axes in range, none twice, as many on both sides, extents equal
- conv: one numeric element type; equal ranks >= 2; channels = groups * kernel channels; outputs
  divide into the groups; stride, dilation and groups >= 1; pad >= 0; the kernel fits
- reshape: equal numbers of elements, as expressions    - permute: a permutation of the axes
- broadcast: axes in range and ascending; each extent is the result's or 1
- pad: a value of rank 0 and the same element type; low and high known not to be negative, or
  expressions
- slice: 0 <= start <= stop <= extent where these are constants; steps >= 1
- flip: axes in range, none twice
- concat: one operand or more; axis in range; equal elements and other extents
- bitcast: the same extents and width
- gather, scatter: integer indices with one for each of the axes on their last axis; axes in range,
  none twice; updates of the extents that gather would give; a known combiner
- dynamic_slice, dynamic_update: one integer start for each axis; a part that fits
- scan: a known combiner that takes the elements; axis in range
- fold: inputs of equal extents; one initial value for each; a region of elementwise ops on rank 0
  that takes and yields one value for each
- sort: inputs of equal extents with the axis; at least one key, of a type that is computed with;
  no more first elements than there are, where both are constant
- if: a condition of i1 and rank 0; branches that yield values of the same types
- while: both regions take the carried values; a condition of i1 and rank 0; a body that yields
  values of the carried types
- custom_call: a `kernel.func` of the module, that takes and gives these tensors and all extents
  that the function allows
- yield: ends a region of fold, if or while
- window: axes in range, none twice; size, stride and dilation >= 1; a window fits
- constant: as many values as elements, extents constant
- iota: numeric elements, axis in range
- `function_faults`, which `verify_module` asks: every name in a function's types and properties
  has a range in its `graph.symbols`; a name has one range; no extent divides by what may be 0;
  arguments have different names

Not checked: that expressions stay within bounds for all values of their names (a negative extent
is an error at the call that causes it).
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.traits import HasParent

from teenyir.dialects.graph.attributes import (
    KIND_WORDS,
    DimsAttr,
    Extents,
    Kinds,
    SymbolsAttr,
    Tensor,
    as_text,
    dtype_of,
    extents,
    tensor,
    tensor_type,
    with_element,
)
from teenyir.dialects.graph.base import GraphOp
from teenyir.dialects.graph.call import GIVEN, CustomCallOp
from teenyir.dialects.graph.contraction import (
    CONTRACTION_OPS,
    REDUCTIONS,
    ConvOp,
    DotOp,
    ReduceOp,
)
from teenyir.dialects.graph.control import CONTROL_OPS, IfOp, WhileOp, yield_of
from teenyir.dialects.graph.creation import CREATION_OPS, ConstantOp, IotaOp
from teenyir.dialects.graph.elementwise import (
    BINARY_OPS,
    ELEMENTWISE_OPS,
    PREDICATES,
    UNARY_OPS,
    AbsOp,
    AddOp,
    AndOp,
    Atan2Op,
    BinaryOp,
    BitcastOp,
    CastOp,
    CeilOp,
    CompareOp,
    CosOp,
    DivOp,
    ElementwiseOp,
    ErfOp,
    Exp2Op,
    ExpOp,
    FloorDivOp,
    FloorOp,
    Log2Op,
    LogOp,
    MaxOp,
    MinOp,
    ModOp,
    MulOp,
    NegOp,
    NotOp,
    OrOp,
    PowOp,
    RoundOp,
    RsqrtOp,
    SelectOp,
    ShlOp,
    ShrOp,
    SignOp,
    SinOp,
    SqrtOp,
    SubOp,
    TanhOp,
    TruncOp,
    UnaryOp,
    XorOp,
)
from teenyir.dialects.graph.function import (
    NAME,
    PARAMETER,
    SYMBOLS,
    argument_attributes,
    argument_names,
    function_faults,
    is_parameter,
    name_arguments,
    name_results,
    result_attributes,
    result_names,
    symbols,
)
from teenyir.dialects.graph.indexing import (
    INDEXING_OPS,
    SCATTERS,
    DynamicSliceOp,
    DynamicUpdateOp,
    GatherOp,
    ScatterOp,
)
from teenyir.dialects.graph.movement import (
    MOVEMENT_OPS,
    BroadcastOp,
    ConcatOp,
    FlipOp,
    PadOp,
    PermuteOp,
    ReshapeOp,
    SliceOp,
    WindowOp,
)
from teenyir.dialects.graph.regions import YieldOp
from teenyir.dialects.graph.scan import SCAN_OPS, FoldOp, ScanOp
from teenyir.dialects.graph.sort import SortOp

YieldOp.traits.add_trait(HasParent(FoldOp, *CONTROL_OPS))

OPS: tuple[type[GraphOp], ...] = (
    *CREATION_OPS,
    *ELEMENTWISE_OPS,
    *CONTRACTION_OPS,
    *MOVEMENT_OPS,
    *INDEXING_OPS,
    *SCAN_OPS,
)
"""The ops with one result, which they infer."""

GRAPH = Dialect(
    "graph", [*OPS, FoldOp, SortOp, *CONTROL_OPS, CustomCallOp, YieldOp], [DimsAttr, SymbolsAttr]
)

__all__ = [
    "BINARY_OPS",
    "CONTRACTION_OPS",
    "CONTROL_OPS",
    "CREATION_OPS",
    "ELEMENTWISE_OPS",
    "GIVEN",
    "GRAPH",
    "INDEXING_OPS",
    "KIND_WORDS",
    "MOVEMENT_OPS",
    "NAME",
    "OPS",
    "PARAMETER",
    "PREDICATES",
    "REDUCTIONS",
    "SCAN_OPS",
    "SCATTERS",
    "SYMBOLS",
    "UNARY_OPS",
    "AbsOp",
    "AddOp",
    "AndOp",
    "Atan2Op",
    "BinaryOp",
    "BitcastOp",
    "BroadcastOp",
    "CastOp",
    "CeilOp",
    "CompareOp",
    "ConcatOp",
    "ConstantOp",
    "ConvOp",
    "CosOp",
    "CustomCallOp",
    "DimsAttr",
    "DivOp",
    "DotOp",
    "DynamicSliceOp",
    "DynamicUpdateOp",
    "ElementwiseOp",
    "ErfOp",
    "Exp2Op",
    "ExpOp",
    "Extents",
    "FlipOp",
    "FloorDivOp",
    "FloorOp",
    "FoldOp",
    "GatherOp",
    "GraphOp",
    "IfOp",
    "IotaOp",
    "Kinds",
    "Log2Op",
    "LogOp",
    "MaxOp",
    "MinOp",
    "ModOp",
    "MulOp",
    "NegOp",
    "NotOp",
    "OrOp",
    "PadOp",
    "PermuteOp",
    "PowOp",
    "ReduceOp",
    "ReshapeOp",
    "RoundOp",
    "RsqrtOp",
    "ScanOp",
    "ScatterOp",
    "SelectOp",
    "ShlOp",
    "ShrOp",
    "SignOp",
    "SinOp",
    "SliceOp",
    "SortOp",
    "SqrtOp",
    "SubOp",
    "SymbolsAttr",
    "TanhOp",
    "Tensor",
    "TruncOp",
    "UnaryOp",
    "WhileOp",
    "WindowOp",
    "XorOp",
    "YieldOp",
    "argument_attributes",
    "argument_names",
    "as_text",
    "dtype_of",
    "extents",
    "function_faults",
    "is_parameter",
    "name_arguments",
    "name_results",
    "result_attributes",
    "result_names",
    "symbols",
    "tensor",
    "tensor_type",
    "with_element",
    "yield_of",
]
