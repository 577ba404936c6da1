"""The function that random ops are added to, and inputs for it.

A value is *exact* where every correct way to compute it gives the same bits (NaN aside). Sums of
floats and transcendental functions are not; what follows them is compared within a tolerance, and
goes into no op that could make a small difference a large one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from teenyir.analysis.intervals import Facts
from teenyir.dialects import dtypes, graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr

Array = NDArray[Any]
Extents = tuple[Expr, ...]

MOST_ELEMENTS = 400
MOST_AXES = 5


@dataclass(frozen=True)
class Value:
    """A tensor of the function being built."""

    value: SSAValue
    dtype: DType
    extents: Extents
    exact: bool = True


@dataclass
class Sample:
    """A module with one function, inputs for it, and what is known of its outputs."""

    module: ModuleOp
    inputs: list[Array]
    exact: list[bool]
    dims: dict[str, int]


@dataclass
class Builder:
    """Adds one random op after the other to a function. All choices come from `random`."""

    random: Random
    special: bool
    """Whether inputs hold NaN, infinities, extremes: then sums of floats are left out."""
    block: Block = field(default_factory=Block)
    pool: list[Value] = field(default_factory=list[Value])
    inputs: list[Value] = field(default_factory=list[Value])

    def __post_init__(self) -> None:
        low = self.random.choice([0, 1, 2])
        self.size = self.random.randint(low, 5)
        self.dim = DimRange("N", low, self.random.choice([5, 8, None]))
        self.facts = Facts.of([self.dim])
        for _ in range(self.random.randint(1, 2)):
            self.argument(self.random.choice(dtypes.COMPUTED), self.shape())

    def finish(self) -> Sample:
        """Return some of the values, and make inputs."""
        count = self.random.randint(1, 3)
        last = self.pool[-1]
        returned = [last, *(self.random.choice(self.pool) for _ in range(count - 1))]
        self.block.add_op(ReturnOp(*(v.value for v in returned)))
        types = [[v.value.type for v in values] for values in (self.inputs, returned)]
        func = FuncOp("main", (types[0], types[1]), Region(self.block))
        func.attributes[graph.function.SYMBOLS] = graph.SymbolsAttr((self.dim,))
        arrays = [self.array(v.dtype, self.sizes(v.extents)) for v in self.inputs]
        return Sample(ModuleOp([func]), arrays, [v.exact for v in returned], {"N": self.size})

    # --- pieces -------------------------------------------------------------------------------

    def shape(self) -> Extents:
        rank = self.random.choice([0, 1, 1, 2, 2, 3, 4])
        return tuple(Expr.of(self.random.choice([1, 2, 3, 5, 2, 3, "N", 0])) for _ in range(rank))

    def sizes(self, extents: Extents) -> tuple[int, ...]:
        return tuple(extent.evaluate({"N": self.size}) for extent in extents)

    def fits(self, extents: Sequence[Expr]) -> bool:
        at_most = Expr.product(extents).evaluate({"N": 5})
        return len(extents) <= MOST_AXES + 1 and at_most <= MOST_ELEMENTS

    def argument(self, dtype: DType, extents: Extents) -> Value:
        type = graph.tensor(dtype.element, extents)
        value = Value(self.block.insert_arg(type, len(self.block.args)), dtype, extents)
        self.inputs.append(value)
        self.pool.append(value)
        return value

    def like(self, value: Value, exact: bool = True) -> Value:
        """Another value of the same type."""
        found = [
            v
            for v in self.pool
            if (v.dtype, v.extents) == (value.dtype, value.extents) and (v.exact or not exact)
        ]
        if found and self.random.random() < 0.7:
            return self.random.choice(found)
        return self.argument(value.dtype, value.extents)

    def pick(self, accepts: Callable[[Value], bool], *, stored: bool = False) -> Value | None:
        """A value for an operand; one that there is no arithmetic on only if it may be `stored`."""
        found = [v for v in self.pool if accepts(v) and (stored or not v.dtype.storage)]
        # recent values more often, so that chains grow
        return found[-1 - int(self.random.random() ** 2 * len(found))] if found else None

    def may_sum(self, value: Value) -> bool:
        """Whether sums of a value's elements agree in whatever order they are added up."""
        settled = value.exact and not self.special
        return value.dtype.kind in graph.REDUCTIONS["add"] and (
            settled or value.dtype.kind != "float"
        )

    def add(self, op: graph.GraphOp, exact: bool) -> None:
        self.block.add_op(op)
        extents = graph.extents(graph.tensor_type(op.result))
        dtype = graph.dtype_of(graph.tensor_type(op.result).element_type)
        self.pool.append(Value(op.result, dtype, extents, exact))

    def array(self, dtype: DType, shape: tuple[int, ...]) -> Array:
        numbers = np.random.default_rng(self.random.randrange(1 << 32))
        if dtype.kind == "bool":
            return numbers.integers(0, 2, shape).astype(np.bool_)
        low = 0 if dtype.kind == "uint" else -6
        result = numbers.integers(low, 7, shape).astype(np.float64)
        if dtype.kind == "float":
            result = result / 2
        values = result.astype(dtype.numpy())
        if self.special:
            with np.errstate(over="ignore", under="ignore"):
                pool = np.array(SPECIAL[dtype.kind](dtype), dtype.numpy())
            chosen = numbers.random(shape) < 0.6
            values = np.where(chosen, pool[numbers.integers(0, len(pool), shape)], values)
        return values.astype(dtype.numpy())


def _special_floats(dtype: DType) -> list[float]:
    import ml_dtypes

    limits = ml_dtypes.finfo(dtype.numpy())
    tiny, huge = float(limits.smallest_subnormal), float(limits.max)
    normal = float(limits.smallest_normal)
    return [
        *(np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny, normal, huge, -huge),
        *(0.5, -0.5, 1.5, 2.5, -2.5, 127.5, -128.5, 255.0, 256.0, 3e9, -3e9, 1e19, -1e19, 0.3),
    ]


def _special_integers(dtype: DType) -> list[int]:
    signed = dtype.kind == "int"
    low, high = (-(1 << dtype.bits - 1) if signed else 0), (1 << dtype.bits - signed) - 1
    found = [low, high, high - 1, 0, 1, dtype.bits - 1, dtype.bits]
    found += [-1, low + 1, -7] if signed else []
    return [number for number in found if low <= number <= high]


SPECIAL: dict[str, Callable[[DType], Sequence[float | int]]] = {
    "float": _special_floats,
    "int": _special_integers,
    "uint": _special_integers,
}
