"""What is known to divide an index on the uop floor, and so how well addresses are aligned."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.constants import integer_of


class Divisors:
    """The divisors of the index values of one function, each found once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, int] = {}

    def of(self, value: SSAValue) -> int:
        """A number that divides a value, whatever the threads and extents; 0 where the value is."""
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._find(value)
        return known

    def _find(self, value: SSAValue) -> int:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(owner, value)
        rule = _RULES.get(owner.__class__)
        return 1 if rule is None else rule(self, owner)

    def _argument(self, block: Block, value: SSAValue) -> int:
        parent = block.parent_op()
        if isinstance(parent, scf.ForOp) and value is block.args[0]:
            return math.gcd(self.of(parent.lb), self.of(parent.step))
        if isinstance(parent, uop.FuncOp):
            steps = {dim.name: dim.step for dim in parent.dims.data}
            return next((steps[n] for n, extent in parent.extents.items() if extent is value), 1)
        return 1


# --- the rule of each op --------------------------------------------------------------------------


def _constant(known: Divisors, op: arith.ConstantOp) -> int:
    return 1 if (number := integer_of(op.result)) is None else abs(number)


def _either(known: Divisors, op: Any) -> int:
    """What divides both operands divides their sum, and each of them; x % d is x - q * d."""
    return math.gcd(known.of(op.lhs), known.of(op.rhs))


def _product(known: Divisors, op: arith.MuliOp) -> int:
    return known.of(op.lhs) * known.of(op.rhs)


def _quotient(known: Divisors, op: arith.DivUIOp) -> int:
    x, d = known.of(op.lhs), integer_of(op.rhs)
    return x // d if d and x % d == 0 else 1


def _index_cast(known: Divisors, op: arith.IndexCastOp) -> int:
    """What is computed in fewer bits may wrap, which keeps powers of two alone."""
    found = known.of(op.input)
    return found & -found


_OF_EITHER = arith.AddiOp, arith.SubiOp, arith.MinSIOp, arith.MaxSIOp, arith.RemUIOp, arith.SelectOp

_RULES: dict[type[Operation], Callable[[Divisors, Any], int]] = {
    **dict.fromkeys(_OF_EITHER, _either),
    arith.ConstantOp: _constant,
    arith.MuliOp: _product,
    arith.DivUIOp: _quotient,
    arith.IndexCastOp: _index_cast,
}
