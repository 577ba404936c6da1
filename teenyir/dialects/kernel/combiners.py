"""The named combiners of reductions: what they compute and what they start from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from teenyir.dialects.building import on_one_type

REORDERED = arith.FastMathFlagsAttr([FastMathFlag.REASSOC, FastMathFlag.ALLOW_CONTRACT])
"""Sums and products of floats may be formed in any order, and with fused multiply-adds."""

FUSED = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])
"""In the order that is written, but with fused multiply-adds."""

BinaryOp = Callable[[SSAValue, SSAValue], Operation]


def _lowest(bits: int) -> int:
    return -(1 << (bits - 1))


def _highest(bits: int) -> int:
    return (1 << (bits - 1)) - 1


@dataclass(frozen=True)
class Combiner:
    """An associative, commutative operation on one scalar type, and its identity."""

    on_float: type[Operation] | None = None
    on_integer: type[Operation] | None = None
    float_identity: float = 0.0
    integer_identity: Callable[[int], int] = lambda bits: 0
    """From the width in bits; integers are signless, so the value is read as signed."""

    def op(
        self, element: Attribute, flags: arith.FastMathFlagsAttr | None = None
    ) -> BinaryOp | None:
        """The op that combines two values of a type, or None where the type has none.

        `flags` says in which order sums and products of floats may be formed.
        """
        kind = self.on_float if isinstance(element, AnyFloat) else self.on_integer
        if kind is None:
            return None
        given = {"fastmath": flags} if flags and kind in (arith.AddfOp, arith.MulfOp) else None
        return lambda a, b: on_one_type(kind, a, b, properties=given)

    def identity(self, element: Attribute) -> float | int:
        """The value that changes nothing: what an empty reduction gives."""
        if isinstance(element, IntegerType):
            bits = element.bitwidth
            identity = self.integer_identity(bits)
            # a one-bit integer has the values 0 and 1, not 0 and -1
            return identity & 1 if bits == 1 else identity
        return self.float_identity


COMBINERS: dict[str, Combiner] = {
    "add": Combiner(arith.AddfOp, arith.AddiOp),
    "mul": Combiner(arith.MulfOp, arith.MuliOp, 1.0, lambda bits: 1),
    # the float ones hand NaN on, as IEEE's maximum and minimum do
    "max": Combiner(arith.MaximumfOp, arith.MaxSIOp, -inf, _lowest),
    "min": Combiner(arith.MinimumfOp, arith.MinSIOp, inf, _highest),
    # NaN is no number, and of zeros it may be either
    "maxnum": Combiner(arith.MaxnumfOp, None, -inf),
    "minnum": Combiner(arith.MinnumfOp, None, inf),
    "umax": Combiner(None, arith.MaxUIOp),
    "umin": Combiner(None, arith.MinUIOp, inf, lambda bits: -1),
    "and": Combiner(None, arith.AndIOp, inf, lambda bits: -1),
    "or": Combiner(None, arith.OrIOp),
    "xor": Combiner(None, arith.XOrIOp),
}
