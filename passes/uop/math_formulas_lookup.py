"""erf and tanh by polynomials whose coefficients are looked up: of 16 lanes, and erf of 8.

    n = round(s a), r = s a - n, b = min(a, knee)   -->   b + b P[n](r)

A processor that permutes a vector finds a coefficient for each lane by one instruction, as many as
there are lanes to choose from, and then polynomials of degree 5 or 6 do for all there is: half the
work of the formulas for numbers of any kind, which they are nearer than besides. Of 8 intervals
tanh would need degree 8, which is more work than an exponential. NaN, infinities, zeros with their
signs and denormal numbers give what C's Annex F says; how near the results come is stated in
`docs/c.md`.
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


@dataclass(frozen=True)
class Odd:
    """An odd function that goes from 0 to 1."""

    rows: table.Rows
    """Of each power the coefficients of the intervals."""
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


FORMULAS_LOOKUP: dict[int, dict[type[Operation], Formula]] = {
    16: {
        math.ErfOp: Odd(table.ERF, scale=3.5, most=4.0, knee=1.0),
        math.TanhOp: Odd(table.TANH, scale=1.6875, most=9.1, knee=1.5 / 1.6875),
    },
    8: {math.ErfOp: Odd(table.ERF_8, scale=1.90625, most=3.93, knee=2.5 / 1.90625)},
}
"""The formulas of ops that have one of this kind, by the lanes of a vector, which are as many as
there are intervals."""
