"""Loads of some lanes of a vector that is longer than a register: a load for each register.

    %v = uop.load %x[%i] if %a & %b  -->  %p = masked.load %x[%i], lanes 0 to 7 of %a & those of %b
         : vector<16xf32>                 %q = masked.load %x[%i + 8], lanes 8 to 15 of both
                                          %v = %p, %q

LLVM's code generator makes such parts by itself. If it is then that a mask turns out to have no
lane in one of them, as the mask of a window of four elements in sixteen lanes, LLVM 22 loads all of
that part where masks are vectors (AVX2): what lies there takes the place of what should be, or the
process ends. Each part has the conjunction of its own parts here, and LLVM's passes find those that
have no lane before.
"""

from __future__ import annotations

from xdsl.dialects import arith, vector
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i32
from xdsl.ir import SSAValue

from teenyir.dialects import llvm, uop
from teenyir.dialects.conditions import conjuncts
from teenyir.dialects.lanes import element, lanes
from teenyir.lowering.uop_to_llvm.control import element_address, masked_read
from teenyir.lowering.uop_to_llvm.emitter import Emitter, Result, Rule
from teenyir.lowering.uop_to_llvm.types import size_in_memory


def in_parts(rule: Rule, register_bits: int) -> Rule:
    """The rule of loads by another one, for registers of so many bits."""

    def load(emitter: Emitter, op: uop.LoadOp) -> Result:
        mask, other = op.gate, op.other
        if mask is None or other is None or (count := lanes(mask.type)) is None:
            return rule(emitter, op)
        most = max(register_bits // (8 * size_in_memory(emitter.type_of(op.result))), 1)
        if count <= most:
            return rule(emitter, op)
        address, scalar = element_address(emitter, op.pointer, op.offset)
        result = None
        for start in range(0, count, most):
            places = range(start, min(start + most, count))
            part = masked_read(
                emitter,
                emitter.value(llvm.GEPOp(address, [start], scalar)) if start else address,
                _mask(emitter, mask, places),
                _lanes(emitter, emitter.of(other), places),
            )
            result = part if result is None else _joined(emitter, result, part)
        return result

    return load


def _mask(emitter: Emitter, mask: SSAValue, places: range) -> SSAValue:
    """Some lanes of a mask, as the conjunction of those of what it is one of."""
    parts = [each for each in conjuncts(mask) if not isinstance(each.owner, arith.AndIOp)]
    first, *others = (_condition(emitter, each, places) for each in dict.fromkeys(parts))
    for each in others:
        first = emitter.value(stock.AndOp(first, each))
    return first


def _condition(emitter: Emitter, mask: SSAValue, places: range) -> SSAValue:
    if isinstance(mask.owner, vector.BroadcastOp):
        source = emitter.of(mask.owner.source)
        return emitter.splat(source, VectorType(source.type, [len(places)]))
    return _lanes(emitter, emitter.of(mask), places)


def _lanes(emitter: Emitter, value: SSAValue, places: range) -> SSAValue:
    """Some lanes of a vector."""
    return _shuffled(emitter, value, value, [*places])


def _joined(emitter: Emitter, first: SSAValue, second: SSAValue) -> SSAValue:
    """The lanes of two vectors, of which the first one is no shorter."""
    many, more = lanes(first.type) or 1, lanes(second.type) or 1
    if more < many:
        second = _shuffled(emitter, second, second, [*range(more), *[0] * (many - more)])
    return _shuffled(emitter, first, second, [*range(many + more)])


def _shuffled(emitter: Emitter, first: SSAValue, second: SSAValue, places: list[int]) -> SSAValue:
    type = VectorType(element(first.type), [len(places)])
    mask = DenseArrayBase.from_list(i32, places)
    return emitter.value(stock.ShuffleVectorOp(first, second, mask, type))
