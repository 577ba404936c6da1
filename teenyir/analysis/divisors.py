"""What is known to divide an index on the uop floor, and so how well addresses are aligned."""

from __future__ import annotations

import math

from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.constants import integer_of


class Divisors:
    """The divisors of the index values of one function, each found once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, int] = {}

    def of(self, value: SSAValue) -> int:
        """A number that divides a value, whatever the threads and extents; 0 where the value is."""
        if value not in self._known:
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: SSAValue) -> int:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(owner, value)
        match owner:
            case arith.ConstantOp():
                return 1 if (number := integer_of(value)) is None else abs(number)
            case arith.AddiOp() | arith.SubiOp() | arith.MinSIOp() | arith.MaxSIOp():
                return math.gcd(self.of(owner.lhs), self.of(owner.rhs))
            case arith.MuliOp():
                return self.of(owner.lhs) * self.of(owner.rhs)
            case arith.RemUIOp():  # x - q * d
                return math.gcd(self.of(owner.lhs), self.of(owner.rhs))
            case arith.DivUIOp():
                x, d = self.of(owner.lhs), integer_of(owner.rhs)
                return x // d if d and x % d == 0 else 1
            case arith.IndexCastOp():
                # what is computed in fewer bits may wrap, which keeps powers of two alone
                found = self.of(owner.input)
                return found & -found
            case arith.SelectOp():
                return math.gcd(self.of(owner.lhs), self.of(owner.rhs))
            case _:
                return 1

    def _argument(self, block: Block, value: SSAValue) -> int:
        parent = block.parent_op()
        if isinstance(parent, scf.ForOp) and value is block.args[0]:
            return math.gcd(self.of(parent.lb), self.of(parent.step))
        if isinstance(parent, uop.FuncOp):
            steps = {dim.name: dim.step for dim in parent.dims.data}
            return next((steps[n] for n, extent in parent.extents.items() if extent is value), 1)
        return 1
