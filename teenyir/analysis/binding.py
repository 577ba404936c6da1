"""What the shapes of arrays say about named extents: `N` from the sizes that a caller hands in.

Each axis of an input is an equation between an expression and a size. Those that are linear in one
unknown name are solved; what is left, such as `N floordiv 2 + 1`, is tried on the range of its
name, and must leave one value.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from teenyir.analysis.signature import Argument, Signature
from teenyir.diagnostics import RunError, did_you_mean
from teenyir.dialects import dtypes
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr
from teenyir.dialects.rounding import to_float

MOST_TRIED = 1 << 16
"""Values of one name that are tried where its equations are not linear."""

LIMIT = 1 << 63
"""No extent is so large: code computes with 64 bits and a sign."""

T = TypeVar("T")
Shape = tuple[int, ...]
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def bind_dims(
    signature: Signature,
    shapes: Sequence[Shape | None],
    given: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """The value of every name, from the shapes of the inputs and from `given` ones.

    An input whose shape is not known yet is None. Raises RunError, naming symbol and input, where
    a rank or an extent is wrong, a value is out of its range, or a name stays open.
    """
    binder = _Binder(signature, {} if given is None else stated_dims(given))
    binder.check_given()
    for argument, shape in zip(signature.inputs, shapes, strict=True):
        if shape is not None:
            binder.add(argument, shape)
    binder.solve()
    return binder.checked()


def linear(expr: Expr) -> tuple[str, int] | None:
    """The name in an expression that is a multiple of it and an offset, and the factor."""
    if len(expr.names) != 1:
        return None
    (name,) = expr.names
    slope = (expr - expr.offset).exact_quotient(name)
    factor = None if slope is None else slope.constant
    return None if factor is None else (name, factor)


def stated_dims(given: object) -> dict[str, int]:
    """The values that a caller says names have. Raises RunError where they are no integers."""
    if not isinstance(given, Mapping):
        raise RunError(f"dims maps names of extents to integers, got {type(given).__name__}")
    found: dict[str, int] = {}
    for name, value in cast("Mapping[object, object]", given).items():
        if not isinstance(name, str):
            raise RunError(f"dims maps names of extents to integers, got the name {name!r}")
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise RunError(
                f"the extent {name} is an integer, got {value!r} of type {type(value).__name__}"
            )
        found[name] = int(cast(Any, value))
    return found


def stated_values(signature: Signature, given: Mapping[str, int] | None) -> dict[str, int]:
    """The values that a caller gives, of some names. Raises RunError for what cannot be theirs."""
    binder = _Binder(signature, {} if given is None else stated_dims(given))
    binder.check_given()
    for dim in signature.dims:
        if dim.name in binder.values and (refusal := dim.refuse(binder.values[dim.name])):
            raise RunError(refusal)
    return binder.values


@dataclass(frozen=True)
class _Equation:
    argument: Argument
    axis: int
    size: int

    @property
    def expr(self) -> Expr:
        return self.argument.extents[self.axis]

    def __str__(self) -> str:
        return f"axis {self.axis} of input '{self.argument.name}'"


@dataclass
class _Binder:
    signature: Signature
    values: dict[str, int]
    sources: dict[str, str] = field(default_factory=dict[str, str])
    """Where each value came from, for messages."""
    equations: list[_Equation] = field(default_factory=list[_Equation])

    def check_given(self) -> None:
        known = [dim.name for dim in self.signature.dims]
        for name in self.values:
            if name not in known:
                hint = did_you_mean(name, known) or f" (it has {', '.join(known) or 'none'})"
                raise RunError(f"@{self.signature.entry} has no extent named {name}{hint}")
            self.sources[name] = "as given"

    def add(self, argument: Argument, shape: Shape) -> None:
        if len(shape) != len(argument.extents):
            raise RunError(
                f"input '{argument.name}': expected {argument}, "
                f"got {len(shape)} axes: [{', '.join(map(str, shape))}]"
            )
        self.equations += [_Equation(argument, axis, size) for axis, size in enumerate(shape)]

    def solve(self) -> None:
        while self._solve_linear() or self._try_values():
            pass

    def _unknown(self, equation: _Equation) -> Expr:
        return equation.expr.substitute(self.values)

    def _bind(self, name: str, value: int, source: str) -> None:
        self.values[name] = value
        self.sources[name] = f"from {source}"

    def _solve_linear(self) -> bool:
        """Bind one name that an equation determines; whether there was one."""
        for equation in self.equations:
            expr = self._unknown(equation)
            if (found := linear(expr)) is None:
                continue
            name, factor = found
            value, rest = divmod(equation.size - expr.offset, factor)
            if rest:
                raise RunError(
                    f"input '{equation.argument.name}': axis {equation.axis} is {equation.size}, "
                    f"but {equation.expr} is that for no {name}"
                )
            self._bind(name, value, str(equation))
            return True
        return False

    def _try_values(self) -> bool:
        """Bind one name by trying its range on the equations in it alone."""
        for dim in self.signature.dims:
            if dim.name in self.values:
                continue
            equations = [
                e for e in self.equations if self._unknown(e).names == frozenset((dim.name,))
            ]
            if equations:
                self._bind(dim.name, self._only_value(dim, equations), str(equations[0]))
                return True
        return False

    def _only_value(self, dim: DimRange, equations: Sequence[_Equation]) -> int:
        exprs = [(self._unknown(equation), equation.size) for equation in equations]
        fitting = (
            value
            for value in islice(_values(dim), MOST_TRIED)
            if all(_evaluate(expr, dim.name, value) == size for expr, size in exprs)
        )
        found = list(islice(fitting, 2))
        first = equations[0]
        if not found:
            raise RunError(
                f"input '{first.argument.name}': axis {first.axis} is {first.size}, "
                f"but {first.expr} is that for no {dim}"
            )
        if len(found) > 1:
            raise RunError(
                f"input '{first.argument.name}': axis {first.axis}, {first.expr}, is {first.size} "
                f"for {dim.name} = {found[0]} and for {found[1]}: give {dim.name} a value"
            )
        return found[0]

    def checked(self) -> dict[str, int]:
        """The values, all of them there, in their ranges, and in agreement with every axis."""
        for dim in self.signature.dims:
            if dim.name not in self.values:
                raise RunError(f"no input says what {dim.name} is: give it a value ({dim})")
            value = self.values[dim.name]
            if refusal := dim.refuse(value) or _too_large(dim.name, value):
                raise RunError(f"{refusal} ({self.sources[dim.name]})")
        for equation in self.equations:
            self._check(equation)
        for promise in self.signature.promises:
            if refusal := promise.refuse(self.values):
                known = ", ".join(
                    f"{n} = {self.values[n]} {self.sources[n]}" for n in sorted(promise.expr.names)
                )
                raise RunError(f"the extents do not suit: {refusal}, with {known}")
        for argument in (*self.signature.inputs, *self.signature.outputs):
            self._check_size(argument)
        return self.values

    def _check(self, equation: _Equation) -> None:
        expected = equation.expr.evaluate(self.values)
        if expected == equation.size:
            return
        extent, name = str(equation.expr), equation.argument.name
        if (names := sorted(equation.expr.names)) and str(expected) != extent:
            known = ", ".join(f"{n} = {self.values[n]} {self.sources[n]}" for n in names)
            extent = f"{extent} = {expected}, with {known}"
        raise RunError(
            f"input '{name}': expected {equation.argument}, but axis {equation.axis} "
            f"is {equation.size}, not {extent}"
        )

    def _check_size(self, argument: Argument) -> None:
        for axis, size in enumerate(argument.shape(self.values)):
            if not 0 <= size < LIMIT:
                known = ", ".join(f"{n} = {v}" for n, v in sorted(self.values.items()))
                raise RunError(
                    f"axis {axis} of '{argument.name}', {argument.extents[axis]}, "
                    f"would be {size} with {known}"
                )


def _too_large(name: str, value: int) -> str | None:
    return None if value < LIMIT else f"{name} = {value} does not fit in 63 bits"


def _values(dim: DimRange) -> Iterable[int]:
    start = -(-dim.min // dim.step) * dim.step
    stop = start + MOST_TRIED * dim.step if dim.max is None else dim.max + 1
    return range(start, stop, dim.step)


def _evaluate(expr: Expr, name: str, value: int) -> int | None:
    try:
        return expr.evaluate({name: value})
    except ZeroDivisionError:
        return None


def arrange(signature: Signature, inputs: Mapping[str, T] | Sequence[T]) -> list[T]:
    """The inputs in the signature's order, from a mapping by name or a sequence in that order.

    Raises RunError on one that is missing, or that nobody asked for.
    """
    names = [argument.name for argument in signature.inputs]
    if not isinstance(inputs, Mapping):
        if len(inputs) != len(names):
            raise RunError(
                f"@{signature.entry} takes {len(names)} inputs "
                f"({', '.join(names) or 'none'}), got {len(inputs)}"
            )
        return list(inputs)
    for name in inputs:
        if name not in names:
            hint = did_you_mean(name, names) or f" (it has {', '.join(names) or 'none'})"
            raise RunError(f"@{signature.entry} has no input named '{name}'{hint}")
    for argument in signature.inputs:
        if argument.name not in inputs:
            raise RunError(f"input '{argument.name}' is missing: expected {argument}")
    return [inputs[name] for name in names]


def is_masked(value: object) -> bool:
    """Whether an array has a mask. There is none before numpy's module for them is imported, which
    takes as long as a small program to compile."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, module.MaskedArray)


def array_of(value: Any, name: str, expected: str, dtype: np.dtype[Any]) -> Array:
    """An array, in native byte order; Python's numbers, lists too, in the dtype asked for.

    Integers that it cannot hold stay what they are.

    Raises RunError, naming the input and what was expected, on what is none.
    """
    try:
        array: Array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as problem:
        raise RunError(
            f"input '{name}': expected {expected}, got what is no array: {problem}"
        ) from None
    if is_masked(value):
        raise RunError(f"input '{name}': expected {expected}, got an array with a mask")
    if array.dtype == object and not array.ndim:
        raise RunError(f"input '{name}': expected {expected}, got {reprlib.repr(value)}")
    if isinstance(value, np.ndarray | np.generic):
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    wanted = dtypes.of_numpy(dtype)
    if wanted is None or array.dtype.kind not in "bif":
        return array
    if wanted.kind == "float":
        return np.asarray(to_float(array, dtype))
    if wanted.kind in ("int", "uint") and array.dtype.kind != "f":
        held = array.astype(dtype)
        return held if np.array_equal(held.astype(np.int64), array) else array
    return array


def check_dtypes(signature: Signature, arrays: Sequence[Any]) -> None:
    """Every array has its argument's element type. Raises RunError naming the input.

    Where integers are signless (below the graph floor), arrays of any integers that take as many
    bytes will do.
    """
    signless = signature.function.name != "func.func"
    for argument, array in zip(signature.inputs, arrays, strict=True):
        expected = argument.dtype.name
        accepted = dtypes.held_as(argument.dtype) if signless else {expected}
        if array.dtype.name not in accepted or not array.dtype.isnative:
            shape = ", ".join(map(str, array.shape))
            raise RunError(
                f"input '{argument.name}': expected {argument}, got {array.dtype}[{shape}]"
            )


def example_dims(signature: Signature, start: int = 5) -> dict[str, int]:
    """Small values for all names, in their ranges and different where these allow it."""
    values: dict[str, int] = {}
    for position, dim in enumerate(signature.dims):
        wanted = max(start + 2 * position, dim.min)
        value = -(-wanted // dim.step) * dim.step
        if dim.max is not None and value > dim.max:
            value = dim.max // dim.step * dim.step
        values[dim.name] = value
    return values
