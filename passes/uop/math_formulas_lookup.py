"""erf and tanh by polynomials whose coefficients are looked up, for vectors of 16 lanes.

    n = round(s a), r = s a - n, b = min(a, knee)   -->   b + b P[n](r)

A processor that permutes a vector of 16 lanes finds a coefficient for each lane by one instruction,
and then polynomials of degree 5 or 6 do for all there is: half the work of the formulas for numbers
of any kind, which they are nearer than besides. NaN, infinities, zeros with their signs and
denormal numbers give what C's Annex F says; how near the results come is stated in `docs/c.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import math
from xdsl.dialects.builtin import DenseArrayBase, f32
from xdsl.ir import Operation

from teenyir.dialects.lanewise import LookupOp
from teenyir.passes.uop import math_tables_lookup as table
from teenyir.passes.uop.math_formulas import ROUNDING, Formula
from teenyir.passes.uop.numbers import Number

LANES = 16
"""Of the vectors that these formulas are for: as many as there are intervals."""


@dataclass(frozen=True)
class Odd:
    """An odd function that goes from 0 to 1."""

    rows: table.Rows
    """Of each power the coefficients of the 16 intervals."""
    scale: float
    """Intervals for a step of 1."""
    most: float
    """It is 1 from here on."""
    knee: float
    """The most that the factor is."""

    def __call__(self, x: Number) -> Number:
        a = x.absolute()
        a = a.compare("ogt", self.most).select(self.most, a)
        shift, _ = ROUNDING[f32]
        shifted = a * self.scale + shift
        interval = shifted.bits()  # its last digits
        r = a.fused(self.scale, -(shifted - shift))
        *rest, last = self.rows
        total = find(last, interval)
        for row in reversed(rest):
            total = total * r + find(row, interval)
        b = a.compare("ogt", self.knee).select(self.knee, a).signed_as(x)
        return b * total + b


def find(row: tuple[float, ...], interval: Number) -> Number:
    """The number of an interval, on every lane."""
    return interval.op(LookupOp(interval.value, DenseArrayBase.from_list(f32, row)))


erf = Odd(table.ERF, scale=3.5, most=4.0, knee=1.0)
tanh = Odd(table.TANH, scale=1.6875, most=9.1, knee=1.5 / 1.6875)

FORMULAS_LOOKUP: dict[type[Operation], Formula] = {math.ErfOp: erf, math.TanhOp: tanh}
"""The formulas of ops that have one of this kind."""
