"""vector on the machine floor: broadcasts, elements, shuffles and horizontal reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import llvm as stock
from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.lanes import element, lanes
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Rule
from teenyir.lowering.uop_to_llvm.types import NoType, fast_math, machine_type


def _broadcast(emitter: Emitter, op: vector.BroadcastOp) -> SSAValue:
    source, type = emitter.of(op.source), machine_type(op.vector.type)
    if source.type == type:
        return source
    if lanes(source.type) is not None:
        raise NoType(f"cannot broadcast {source.type} to {type}")
    return emitter.splat(source, type)


def _position(
    emitter: Emitter, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]
) -> SSAValue:
    if dynamic:
        return emitter.of(dynamic[0])
    return emitter.constant(static.get_values()[0])


def _extract(emitter: Emitter, op: vector.ExtractOp) -> SSAValue:
    at = _position(emitter, op.static_position, op.dynamic_position)
    return emitter.value(llvm.ExtractElementOp(emitter.of(op.vector), at))


def _insert(emitter: Emitter, op: vector.InsertOp) -> SSAValue:
    at = _position(emitter, op.static_position, op.dynamic_position)
    return emitter.value(stock.InsertElementOp(emitter.of(op.dest), emitter.of(op.source), at))


def _shuffle(emitter: Emitter, op: vector.ShuffleOp) -> SSAValue:
    mask = DenseArrayBase.from_list(i32, list(op.mask.get_values()))
    first, second = emitter.of(op.v1), emitter.of(op.v2)
    type = machine_type(op.result.type)
    return emitter.value(stock.ShuffleVectorOp(first, second, mask, type))


def _fma(emitter: Emitter, op: vector.FMAOp) -> SSAValue:
    lhs, rhs, acc = emitter.all(op.operands)
    return emitter.value(stock.FMAOp(lhs, rhs, acc))


def _bitcast(emitter: Emitter, op: vector.BitcastOp) -> SSAValue:
    return emitter.value(stock.BitcastOp(emitter.of(op.source), machine_type(op.result.type)))


_REDUCTIONS: dict[Kind, tuple[Callable[..., Operation], Callable[..., Operation]]] = {
    Kind.MINUI: (llvm.VectorReduceUMinOp, llvm.UMinOp),
    Kind.MAXUI: (llvm.VectorReduceUMaxOp, llvm.UMaxOp),
    Kind.MINSI: (llvm.VectorReduceSMinOp, llvm.SMinOp),
    Kind.MAXSI: (llvm.VectorReduceSMaxOp, llvm.SMaxOp),
    Kind.AND: (llvm.VectorReduceAndOp, stock.AndOp),
    Kind.OR: (llvm.VectorReduceOrOp, stock.OrOp),
    Kind.XOR: (llvm.VectorReduceXorOp, stock.XOrOp),
    Kind.MINNUMF: (llvm.VectorReduceFMinOp, stock.VectorFMinOp),
    Kind.MAXNUMF: (llvm.VectorReduceFMaxOp, stock.VectorFMaxOp),
    Kind.MINIMUMF: (llvm.VectorReduceFMinimumOp, llvm.MinimumOp),
    Kind.MAXIMUMF: (llvm.VectorReduceFMaximumOp, llvm.MaximumOp),
}
"""The reduction of a vector, and what combines its result with the accumulator."""

_REASSOCIATE = stock.FastMathAttr([FastMathFlag.REASSOC])


def _float_sum(emitter: Emitter, op: vector.ReductionOp) -> SSAValue:
    """Sum or product of floats, in any order: reductions may be reassociated."""
    add = op.kind.data == Kind.ADD
    build = stock.VectorReduceFAddOp if add else stock.VectorReduceFMulOp
    source = emitter.of(op.vector)
    start = (
        emitter.of(op.acc)
        if op.acc is not None
        else emitter.constant(-0.0 if add else 1.0, element(source.type))
    )
    flags = stock.FastMathAttr(fast_math(op.fastmath).data | _REASSOCIATE.data)
    return emitter.value(build(start, source, flags))


def _reduction(emitter: Emitter, op: vector.ReductionOp) -> SSAValue:
    source, kind = emitter.of(op.vector), op.kind.data
    integers = isinstance(element(source.type), IntegerType)
    if kind in (Kind.ADD, Kind.MUL) and not integers:
        return _float_sum(emitter, op)
    table = _REDUCTIONS | {
        Kind.ADD: (llvm.VectorReduceAddOp, stock.AddOp),
        Kind.MUL: (llvm.VectorReduceMulOp, stock.MulOp),
    }
    reduce, combine = table[kind]
    result = emitter.value(reduce(source))
    return result if op.acc is None else emitter.value(combine(emitter.of(op.acc), result))


VECTORS: dict[type[Operation], Rule] = {
    vector.BroadcastOp: _broadcast,
    vector.ExtractOp: _extract,
    vector.InsertOp: _insert,
    vector.ShuffleOp: _shuffle,
    vector.FMAOp: _fma,
    vector.BitcastOp: _bitcast,
    vector.ReductionOp: _reduction,
}
"""The rule of each vector op."""
