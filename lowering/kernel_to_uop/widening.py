"""Scalar ops on the lanes of a range of kind `vector`: the op on vectors in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    VectorType,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.building import made
from teenyir.dialects.kernel.combiners import FUSED, REORDERED
from teenyir.dialects.lanes import element, lanes
from teenyir.dialects.lanewise import (
    CASTS,
    CmpFOp,
    CmpIOp,
    compare_floats,
    compare_integers,
    select,
)
from teenyir.dialects.lanewise import cast as cast_op

Insert: TypeAlias = Callable[[Operation], SSAValue]
"""Puts an op of one result where ops go now, and answers the result."""


@lru_cache(256)
def widened(type: Attribute, width: int | None) -> Attribute:
    """A scalar type as a vector of `width` lanes; as it is for None."""
    return type if width is None else VectorType(type, [width])


def iota(first: int, width: int, stride: int = 1) -> arith.ConstantOp:
    """The integers from `first` on as a vector of index."""
    # xDSL's overloads tell types apart by arguments that are not known here
    make: Callable[..., Any] = DenseIntOrFPElementsAttr.from_list
    numbers = [first + stride * lane for lane in range(width)]
    return arith.ConstantOp(make(VectorType(IndexType(), [width]), numbers))


def same_op(op: Operation, operands: Sequence[SSAValue], width: int | None) -> Operation:
    """A scalar op on other operands, all of them vectors of `width` lanes unless that is None.

    The condition of a selection may be a scalar in any case.
    """
    new = _op_on(op, operands, width)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
    return new


_OTHERS_ON_VECTORS = frozenset[type[Operation]](
    (arith.CmpiOp, arith.CmpfOp, arith.SelectOp, *CASTS.values())
)
"""The ops of scalars in whose place others stand on vectors."""


def _op_on(op: Operation, operands: Sequence[SSAValue], width: int | None) -> Operation:
    if width is not None and op.__class__ in _OTHERS_ON_VECTORS:
        match op:
            case arith.CmpiOp():
                lhs, rhs = operands
                return compare_integers(lhs, rhs, CmpIOp.PREDICATES[op.predicate.value.data])
            case arith.CmpfOp():
                lhs, rhs = operands
                return compare_floats(lhs, rhs, CmpFOp.PREDICATES[op.predicate.value.data])
            case arith.SelectOp():
                cond, lhs, rhs = operands
                return select(cond, lhs, rhs)
            case _:
                (type,) = op.result_types
                return cast_op(op.__class__, operands[0], widened(type, width))
    types = [widened(type, width) for type in op.result_types]
    new = made(op.__class__, operands, types, op.properties)
    new.attributes |= op.attributes
    return new


def extract(insert: Insert, value: SSAValue, lane: int) -> SSAValue:
    """One lane of a vector."""
    return insert(vector.ExtractOp(value, [lane], element(value.type)))


def shuffle(first: SSAValue, second: SSAValue, taken: Sequence[int]) -> Operation:
    """A vector of lanes of two, those of the second counted on from those of the first."""
    mask = DenseArrayBase.from_list(i64, list(taken))
    return vector.ShuffleOp(first, second, mask, result_type=cast(Any, first.type))


def lanewise(insert: Insert, width: int, scalar: Callable[[int], SSAValue]) -> SSAValue:
    """A vector whose lanes are computed one by one."""
    first = scalar(0)
    total = insert(vector.BroadcastOp(first, cast(Any, widened(first.type, width))))
    for lane in range(1, width):
        total = insert(vector.InsertOp(scalar(lane), total, [lane]))
    return total


_FLAGS: dict[str, CombiningKindFlag] = {
    "add": CombiningKindFlag.ADD,
    "mul": CombiningKindFlag.MUL,
    "max": CombiningKindFlag.MAXSI,
    "min": CombiningKindFlag.MINSI,
    "umax": CombiningKindFlag.MAXUI,
    "umin": CombiningKindFlag.MINUI,
    "and": CombiningKindFlag.AND,
    "or": CombiningKindFlag.OR,
    "xor": CombiningKindFlag.XOR,
}
_FLOAT_FLAGS = _FLAGS | {
    "max": CombiningKindFlag.MAXIMUMF,
    "min": CombiningKindFlag.MINIMUMF,
    "maxnum": CombiningKindFlag.MAXNUMF,
    "minnum": CombiningKindFlag.MINNUMF,
}


def across(kind: str, value: SSAValue) -> Operation:
    """All lanes of a vector combined, by the name of a combiner; floats in any order."""
    type = element(value.type)
    floats = isinstance(type, AnyFloat)
    flag = (_FLOAT_FLAGS if floats else _FLAGS)[kind]
    flags = [FastMathFlag.REASSOC] if floats and kind in ("add", "mul") else []
    return vector.ReductionOp.create(
        operands=[value],
        result_types=[type],
        properties={
            "kind": CombiningKindAttr(flag),
            "fastmath": arith.FastMathFlagsAttr(flags),
        },
    )


def combined(
    combiner: kernel.Combiner, so_far: SSAValue, value: SSAValue, *, reordered: bool
) -> Operation:
    """One step of a combination, on scalars or lane by lane.

    Scalars may be summed in any other order, where that is `reordered`; how lanes are summed is
    decided, and LLVM is not to take it apart.
    """
    flags = None
    if reordered:
        flags = FUSED if lanes(value.type) is not None else REORDERED
    combine = combiner.op(element(value.type), flags)
    assert combine is not None  # the verifier has seen to it
    return combine(so_far, value)
