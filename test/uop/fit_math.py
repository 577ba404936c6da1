"""Fits the polynomials of `passes/uop/math_tables.py`, `math_tables_f64.py` and
`math_tables_lookup.py`: run it to print them.

Each is the best in the sense of Chebyshev: Remez's exchange finds the coefficients that minimise
the largest weighted error on an interval, in decimal arithmetic of 50 digits. Coefficients are
then rounded to the type one after the other, from the constant term on, and those that are left
are fitted anew each time to what the rounded ones miss.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext
from functools import cache

getcontext().prec = 50
D = Decimal
Function = Callable[[Decimal], Decimal]
ONE, HALF = D(1), D("0.5")
LN2 = D(2).ln()
POINTS = 400
"""Where the error is looked at between the ends of an interval."""


# --- functions that decimal does not have ---------------------------------------------------------


def series(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of terms, each the one before times `ratio(k)`, until they vanish."""
    total, term, k = first, first, 1
    while term and abs(term) > abs(total) * D("1e-55"):
        term *= ratio(k)
        total += term
        k += 1
    return total


def sin(x: Decimal) -> Decimal:
    return series(x, lambda k: -x * x / (2 * k * (2 * k + 1)))


def cos(x: Decimal) -> Decimal:
    return series(ONE, lambda k: -x * x / ((2 * k - 1) * 2 * k))


def atan(x: Decimal) -> Decimal:
    """Euler's series, which converges up to 1."""
    t = x * x / (1 + x * x)
    return series(x / (1 + x * x), lambda k: t * 2 * k / (2 * k + 1))


@cache
def pi() -> Decimal:
    return 4 * (4 * atan(ONE / 5) - atan(ONE / 239))


def erf(x: Decimal) -> Decimal:
    total = series(x, lambda k: x * x * 2 / (2 * k + 1))
    return 2 / pi().sqrt() * total * (-x * x).exp()


def tanh(x: Decimal) -> Decimal:
    grown = (2 * x).exp()
    return (grown - 1) / (grown + 1)


# --- fitting --------------------------------------------------------------------------------------


def solve(rows: list[list[Decimal]], right: list[Decimal]) -> list[Decimal]:
    """The solution of a system of linear equations, by elimination with pivots."""
    size = len(rows)
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(table[r][column]))
        table[column], table[pivot] = table[pivot], table[column]
        for r in range(column + 1, size):
            factor = table[r][column] / table[column][column]
            for c in range(column, size + 1):
                table[r][c] -= factor * table[column][c]
    result = [D(0)] * size
    for r in reversed(range(size)):
        known = sum((table[r][c] * result[c] for c in range(r + 1, size)), D(0))
        result[r] = (table[r][size] - known) / table[r][r]
    return result


def horner(coefficients: Sequence[Decimal], x: Decimal) -> Decimal:
    total = D(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


@dataclass
class Fit:
    """A polynomial in `variable(x)` to be found."""

    target: Function
    """What the polynomial approximates, of x."""
    weight: Function
    """What an error of the polynomial is multiplied by: how much it matters, relatively."""
    low: Decimal
    high: Decimal
    degree: int
    variable: Function = lambda x: x

    def grid(self) -> list[Decimal]:
        """Chebyshev's points, which are dense at the ends."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        return [middle - half * cos(pi() * (2 * k + 1) / (2 * POINTS)) for k in range(POINTS)]

    def remez(self, fixed: Sequence[Decimal] = ()) -> tuple[list[Decimal], Decimal]:
        """All coefficients, the first ones given, and the largest weighted error."""
        points = self.grid()
        xs = [self.variable(x) for x in points]
        weights = [self.weight(x) for x in points]
        goal = [self.target(x) - horner(fixed, v) for x, v in zip(points, xs, strict=True)]
        start, free = len(fixed), self.degree + 1 - len(fixed)
        chosen = [round(k * (POINTS - 1) / free) for k in range(free + 1)]
        every, error = list[Decimal](), list[Decimal]()
        for _ in range(30):
            rows = [
                [
                    *(xs[i] ** (start + j) if start + j else ONE for j in range(free)),
                    (-1) ** n / weights[i],
                ]
                for n, i in enumerate(chosen)
            ]
            found = solve(rows, [goal[i] for i in chosen])[:free]
            every = [*fixed, *found]
            error = [
                w * (self.target(x) - horner(every, v))
                for w, x, v in zip(weights, points, xs, strict=True)
            ]
            peaks = extrema(error, free + 1)
            if peaks == chosen:
                break
            chosen = peaks
        return every, max(map(abs, error))

    def rounded(self, round_to: Callable[[Decimal], Decimal]) -> tuple[list[Decimal], Decimal]:
        """The coefficients as numbers of a type, and the largest weighted error with them."""
        fixed: list[Decimal] = []
        while len(fixed) <= self.degree:
            fixed.append(round_to(self.remez(fixed)[0][len(fixed)]))
        worst = max(
            abs(self.weight(x) * (self.target(x) - horner(fixed, self.variable(x))))
            for x in self.grid()
        )
        return fixed, worst


def extrema(error: Sequence[Decimal], count: int) -> list[int]:
    """Where the error is largest between its changes of sign: `count` places that alternate."""
    peaks: list[int] = []
    for i, value in enumerate(error):
        if peaks and (value > 0) == (error[peaks[-1]] > 0):
            if abs(value) > abs(error[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > count:
        # too many: the lesser end goes, or the least two neighbours
        if len(peaks) == count + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        else:
            least = min(
                range(len(peaks) - 1), key=lambda k: abs(error[peaks[k]]) + abs(error[peaks[k + 1]])
            )
            del peaks[least : least + 2]
    while len(peaks) < count:
        missing = next(i for i in range(len(error)) if i not in peaks)
        peaks = sorted([*peaks, missing])
    return peaks


def to_f32(number: Decimal) -> Decimal:
    return D(struct.unpack("<f", struct.pack("<f", float(number)))[0])


def to_f64(number: Decimal) -> Decimal:
    return D(float(number))


# --- the polynomials ------------------------------------------------------------------------------


def square(x: Decimal) -> Decimal:
    return x * x


def log1p_rest(f: Decimal) -> Decimal:
    return ((1 + f).ln() - f + f * f / 2) / f**3


def log_rest(s: Decimal) -> Decimal:
    """What is left of log((1 + s) / (1 - s)) behind 2s, over s^3."""
    return (((1 + s) / (1 - s)).ln() - 2 * s) / s**3


def log2_rest(s: Decimal) -> Decimal:
    """What is left of log2((1 + s) / (1 - s)) behind s and s^3, over s^5."""
    return (((1 + s) / (1 - s)).ln() - 2 * s - 2 * s**3 / 3) / LN2 / s**5


def log2_of(s: Decimal) -> Decimal:
    return ((1 + s) / (1 - s)).ln() / LN2 / s


ROOT = D(2).sqrt()
EDGE = D("1.0001")
"""Intervals are a little wider than needed: where a reduction rounds, it may miss them."""


def erfc_log(x: Decimal) -> Decimal:
    getcontext().prec = 70
    value = -(1 - erf(x)).ln()
    getcontext().prec = 50
    return value


HALF_LN2 = LN2 / 2 * EDGE
QUARTER_PI = pi() / 4 * EDGE
S = (ROOT - 1) / (ROOT + 1) * EDGE

FITS: dict[str, Fit] = {
    "EXP": Fit(
        lambda r: (r.exp() - 1 - r) / (r * r), lambda r: r * r / r.exp(), -HALF_LN2, HALF_LN2, 4
    ),
    "EXP_OF_TWICE": Fit(
        lambda r: ((2 * r).exp() - 1) / r,
        lambda r: abs(r) / (2 * r).exp(),
        -HALF_LN2 / 2,
        HALF_LN2 / 2,
        5,
    ),
    "EXP2": Fit(
        lambda r: ((r * LN2).exp() - 1) / r,
        lambda r: abs(r) / (r * LN2).exp(),
        -HALF * EDGE,
        HALF * EDGE,
        5,
    ),
    "LOG": Fit(
        log1p_rest, lambda f: abs(f**3 / (1 + f).ln()), ROOT / 2 / EDGE - 1, ROOT * EDGE - 1, 8
    ),
    "SIN": Fit(
        lambda r: (sin(r) - r) / r**3, lambda r: r**3 / sin(r), D("1e-4"), QUARTER_PI, 2, square
    ),
    "COS": Fit(
        lambda r: (cos(r) - 1 + r * r / 2) / r**4, lambda r: r**4, D("1e-4"), QUARTER_PI, 2, square
    ),
    "TANH": Fit(
        lambda a: (tanh(a) - a) / a**3, lambda a: a**3 / tanh(a), D("1e-4"), D("0.625"), 4, square
    ),
    "ERFC": Fit(
        lambda a: erfc_log(a) / a - 1,
        lambda a: a * (1 - erf(a)) / erf(a),
        D("1e-4"),
        D("3.925"),
        8,
    ),
    "ATAN": Fit(
        lambda a: (atan(a) - a) / a**3, lambda a: a**3 / atan(a), D("1e-4"), EDGE, 8, square
    ),
    "POW_LOG2": Fit(log2_of, lambda s: ONE, D("1e-4"), S, 5, square),
    "POW_EXP2": Fit(
        lambda r: (r * LN2).exp(), lambda r: 1 / (r * LN2).exp(), -HALF * EDGE, HALF * EDGE, 7
    ),
    "F64_EXP": Fit(
        lambda r: (r.exp() - 1 - r) / (r * r), lambda r: r * r / r.exp(), -HALF_LN2, HALF_LN2, 10
    ),
    "F64_EXP2": Fit(
        lambda r: ((r * LN2).exp() - 1) / r,
        lambda r: abs(r) / (r * LN2).exp(),
        -HALF * EDGE,
        HALF * EDGE,
        11,
    ),
    "F64_LOG": Fit(log_rest, lambda s: s * s / 2, D("1e-3"), S, 6, square),
    "F64_SIN": Fit(
        lambda r: (sin(r) - r) / r**3, lambda r: r**3 / sin(r), D("1e-3"), QUARTER_PI, 5, square
    ),
    "F64_COS": Fit(
        lambda r: (cos(r) - 1 + r * r / 2) / r**4, lambda r: r**4, D("1e-3"), QUARTER_PI, 5, square
    ),
    "F64_ERF": Fit(lambda a: erf(a) / a - 1, lambda a: a / erf(a), D("1e-3"), D("0.9"), 12, square),
    "F64_ERFC": Fit(erfc_log, lambda a: 1 - erf(a), D("0.9"), D("2.5"), 15),
    "F64_ERFC_FAR": Fit(erfc_log, lambda a: 1 - erf(a), D("2.5"), D(6), 9),
    "F64_ATAN": Fit(
        lambda a: (atan(a) - a) / a**3, lambda a: a**3 / atan(a), D("1e-3"), EDGE, 19, square
    ),
    "F64_POW_LOG2": Fit(log2_rest, lambda s: s**4, D("1e-3"), S, 7, square),
}
"""By the name in the table; those of `F64_` are in the other one, without that before the name.
They and those of `POW_` are in f64."""

F64 = ("POW_", "F64_")


@dataclass
class Pieces:
    """Polynomials for the intervals that are nearest to n / scale, n in 0 .. count - 1, in
    scale x - n."""

    function: Function
    """Odd, and 1 in the end."""
    scale: Decimal
    knee: Decimal
    """Where an interval ends, and the factor no longer grows."""
    degree: int
    count: int

    def rest(self, x: Decimal) -> Decimal:
        """The function over the factor, less 1."""
        return self.function(x) / min(x, self.knee) - 1

    def fits(self) -> list[Fit]:
        return [self.fit(D(n)) for n in range(self.count)]

    def fit(self, n: Decimal) -> Fit:
        def at(r: Decimal) -> Decimal:
            return self.rest((n + r) / self.scale)

        # (no wider than that: beyond the knee it is another function)
        low = -HALF if n else D("1e-4")
        return Fit(at, lambda r: 1 / (1 + at(r)), low, HALF, self.degree)


PIECES: dict[str, Pieces] = {
    "LOOKUP_ERF": Pieces(erf, D("3.5"), ONE, 5, 16),
    "LOOKUP_TANH": Pieces(tanh, D("1.6875"), to_f32(D("1.5") / D("1.6875")), 6, 16),
    "LOOKUP_ERF_8": Pieces(erf, D("1.90625"), to_f32(D("2.5") / D("1.90625")), 6, 8),
}
"""By the name in `math_tables_lookup.py`, after `LOOKUP_`."""


def fitted_pieces(name: str) -> tuple[list[list[float]], float]:
    """Of each power the coefficients of all intervals, and the largest weighted error before they
    are rounded, which adds at most 2^-25 of each: what they give is much less than 1."""
    found = [fit.remez() for fit in PIECES[name].fits()]
    rows = zip(*(coefficients for coefficients, _ in found), strict=True)
    error = float(max(error for _, error in found))
    return [[float(to_f32(c)) for c in row] for row in rows], error


def fitted(name: str) -> tuple[list[float], float]:
    """The rounded coefficients of a polynomial, and its largest weighted error."""
    found, error = FITS[name].rounded(to_f64 if name.startswith(F64) else to_f32)
    return [float(c) for c in found], float(error)


def main(names: Sequence[str]) -> None:
    for name in names or [*FITS, *PIECES]:
        (show_pieces if name in PIECES else show)(name)


def show(name: str) -> None:
    coefficients, error = fitted(name)
    digits = 17 if name.startswith(F64) else 9
    print(f"{name} = Polynomial(  # error {error:.2g}")
    for coefficient in coefficients:
        print(f"    {coefficient:.{digits}g},")
    print(")")


def show_pieces(name: str) -> None:
    rows, error = fitted_pieces(name)
    print(f"{name} = (  # error {error:.2g}")
    for row in rows:
        print(f"    ({', '.join(f'{c:.9g}' for c in row)}),")
    print(")")


if __name__ == "__main__":
    main(sys.argv[1:])
