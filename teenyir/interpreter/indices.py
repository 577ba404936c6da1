"""Index expressions on arrays, and the sizes that they can take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeAlias

import numpy as np

from teenyir.dialects.expr import Compound, Expr
from teenyir.interpreter.arrays import Array

Value: TypeAlias = "Array | int"


def evaluate(expr: Expr, values: Mapping[str, Value]) -> Value:
    """The value of an expression where names stand for arrays of int64, or for integers."""
    total: Value = 0
    for monomial, coefficient in expr.terms:
        product: Value = coefficient
        for atom in monomial:
            factor = _compound(atom, values) if isinstance(atom, Compound) else values[atom]
            product = factor if isinstance(product, int) and product == 1 else product * factor
        total = product if isinstance(total, int) and total == 0 else total + product
    return total


def _minimum(a: Value, b: Value) -> Value:
    return np.minimum(a, b)


def _maximum(a: Value, b: Value) -> Value:
    return np.maximum(a, b)


_COMPOUNDS: dict[str, Callable[[Value, Value], Value]] = {
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": _minimum,
    "max": _maximum,
}


def _compound(atom: Compound, values: Mapping[str, Value]) -> Value:
    return reduce(_COMPOUNDS[atom.kind], (evaluate(arg, values) for arg in atom.args))
