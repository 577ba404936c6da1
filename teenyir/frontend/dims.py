"""Extents that are not known when a function is traced: `ty.Dim`, and the specs of inputs."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, TypeGuard, cast

import numpy as np

from teenyir.analysis.bounds import bounds
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail

Extent: TypeAlias = "int | Dim"
Shape: TypeAlias = "Sequence[Extent] | Extent"

MOST_PARTS = 512
"""Numbers, names and operations in the expression of an extent."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = {"floordiv", "ceildiv", "mod", "min", "max", "in", "step"}


class Dim:
    """A named extent, or an expression of such: `N`, `N // 2 + 1`.

    Sums, differences, products, quotients and remainders of dims and integers are dims. Equal
    expressions are equal; an order is answered where it holds for every value in the ranges.
    """

    __slots__ = ("expr", "ranges")

    expr: Expr
    """The expression."""
    ranges: Mapping[str, DimRange]
    """The range of each name in it."""

    def __init__(self, name: str, min: int = 0, max: int | None = None, step: int = 1) -> None:
        """An extent called `name`, from `min` to `max` (None: any), a multiple of `step`.

        Raises TraceError where the name is no identifier or the range is empty or negative.
        """
        if not isinstance(cast(object, name), str) or not _NAME.fullmatch(name):
            fail(f"{name!r} cannot name an extent: it is to be an identifier")
        if name in _RESERVED:
            fail(f"'{name}' cannot name an extent: it is a keyword")
        min, step = _integer("min", name, min), _integer("step", name, step)
        max = None if max is None else _integer("max", name, max)
        dim = DimRange(name, min, max, step)
        if problem := dim.problem():
            fail(problem)
        self.expr, self.ranges = Expr.of(name), {name: dim}

    @staticmethod
    def of(expr: Expr, ranges: Mapping[str, DimRange]) -> Extent:
        """The integer or the dim that an expression is."""
        if (constant := expr.constant) is not None:
            return constant
        if expr.parts > MOST_PARTS:
            fail(f"an extent is an expression of {expr.parts} parts: {MOST_PARTS} are the most")
        dim = Dim.__new__(Dim)
        dim.expr, dim.ranges = expr, {name: ranges[name] for name in sorted(expr.names)}
        return dim

    def _combine(
        self, other: object, combine: Callable[[Expr, Expr], Expr], swap: bool = False
    ) -> Any:
        if not is_extent(other):
            return NotImplemented
        ranges = merge_ranges(self.ranges, ranges_of(other))
        a, b = self.expr, to_expr(other)
        try:
            return Dim.of(combine(b, a) if swap else combine(a, b), ranges)
        except ZeroDivisionError as error:
            fail(str(error))

    def __add__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__add__)

    def __radd__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__add__)

    def __sub__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__sub__)

    def __rsub__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__sub__, swap=True)

    def __mul__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__mul__)

    def __rmul__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__mul__)

    def __neg__(self) -> Extent:
        return Dim.of(-self.expr, self.ranges)

    def __pos__(self) -> Dim:
        return self

    def __floordiv__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__floordiv__)

    def __rfloordiv__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__floordiv__, swap=True)

    def __mod__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__mod__)

    def __rmod__(self, other: Extent) -> Extent:
        return self._combine(other, Expr.__mod__, swap=True)

    def __eq__(self, other: object) -> bool:
        return is_extent(other) and self.expr == to_expr(other)

    def __hash__(self) -> int:
        return hash(self.expr)

    def _order(self, other: Extent, sign: str, least: int) -> bool:
        """Whether `self - other >= least`, where that is the same for all values."""
        if not is_extent(other):
            fail(f"whether {self} {sign} {other!r} is asked of extents, which are integers")
        ranges = merge_ranges(self.ranges, ranges_of(other))
        low, high = bounds(self.expr - to_expr(other), ranges)
        if low is not None and low >= least:
            return True
        if high is not None and high < least:
            return False
        known = ", ".join(map(str, ranges.values()))
        fail(f"whether {self} {sign} {other} depends on the call ({known}): no branch on it")

    def __ge__(self, other: Extent) -> bool:
        return self._order(other, ">=", 0)

    def __gt__(self, other: Extent) -> bool:
        return self._order(other, ">", 1)

    def __lt__(self, other: Extent) -> bool:
        return not self._order(other, "<", 0)

    def __le__(self, other: Extent) -> bool:
        return not self._order(other, "<=", 1)

    def __bool__(self) -> bool:
        return self._order(0, "!=", 1)

    def _refuse(self) -> NoReturn:
        fail(f"{self} is not known when the function is traced; use it as an extent only")

    def __int__(self) -> int:
        self._refuse()

    def __index__(self) -> int:  # noqa: PLE0305
        self._refuse()

    def __float__(self) -> float:
        self._refuse()

    def __str__(self) -> str:
        return str(self.expr)

    def __repr__(self) -> str:
        return f"Dim({self.expr})"


def _integer(what: str, name: str, value: object) -> int:
    """An integer of 64 bits, which says something of a dim. Raises TraceError unless it is one."""
    if isinstance(value, Dim) or not is_extent(value) or not -(2**63) <= value < 2**63:
        fail(f"the {what} of the extent {name} is an integer of 64 bits, got {reprlib.repr(value)}")
    return int(value)


def is_extent(value: object) -> TypeGuard[Extent]:
    """Whether a value is an integer, numpy's ones too, or a dim."""
    return isinstance(value, int | np.integer | Dim) and not isinstance(value, bool)


def as_extent(value: object) -> Extent:
    """What a user gave as an extent. Raises TraceError unless it is an integer >= 0 or a dim."""
    if isinstance(value, Dim):
        return value
    if not is_extent(value):
        fail(f"an extent is an integer or a ty.Dim, got {value!r}")
    if value < 0:
        fail(f"extent {value} is negative")
    if value >= 2**63:
        fail("an extent is an integer of 64 bits")
    return int(value)


def as_shape(shape: Shape) -> tuple[Extent, ...]:
    """The extents of a shape, which may be one alone. Raises TraceError where it is no shape."""
    if isinstance(shape, int | np.integer | Dim):
        shape = (shape,)
    in_a_row = isinstance(cast(object, shape), list | tuple | range)
    if not in_a_row and not (isinstance(shape, np.ndarray) and cast("np.ndarray", shape).ndim == 1):
        fail(f"a shape is extents in a row, got {shape!r}")
    return tuple(map(as_extent, shape))


def to_expr(extent: Extent) -> Expr:
    """The expression of an extent."""
    return extent.expr if isinstance(extent, Dim) else Expr.of(int(extent))


def ranges_of(extent: Extent) -> Mapping[str, DimRange]:
    """The ranges of the names in an extent."""
    return extent.ranges if isinstance(extent, Dim) else {}


def merge_ranges(*groups: Mapping[str, DimRange]) -> dict[str, DimRange]:
    """All ranges together. Raises TraceError where one name has two."""
    merged: dict[str, DimRange] = {}
    for group in groups:
        for name, dim in group.items():
            if merged.setdefault(name, dim) != dim:
                fail(f"two extents are called {name}: {merged[name]} and {dim}")
    return merged


class Spec:
    """The extents and the dtype of an input: `ty.Spec((N, 64), ty.float32)`."""

    __slots__ = ("dtype", "shape")

    shape: tuple[Extent, ...]
    dtype: DType

    def __init__(self, shape: Shape, dtype: DTypeLike = "float32") -> None:
        """Raises TraceError on an extent that is neither an integer >= 0 nor a dim."""
        self.shape, self.dtype = as_shape(shape), as_dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"Spec(({', '.join(map(str, self.shape))}), {self.dtype!r})"
