"""An input whose value decides extents, as extents with names.

There are three ways, each of which is taken where the one before it does not do:

1. The input stays an input. Each extent that it decides is a name of its own, and a *rule* says how
   a call works out what the name stands for: of the axis of a reduction, how many elements lie
   before, along and after it. So one program serves every value.
2. The program is made for the value with a name in the place of each number from 2 on:
   `[3, 4, -1]` is `[shape_0, shape_1, -1]`, and what follows from these are expressions. Numbers
   below 2 mean something else (0 and -1 in a `Reshape`, 1 in an `Expand`) or are none that an
   extent can be, and stay. Where an operator has to know a number, it is put back.
3. The program is one for the very value.

What has to hold of the names is promised: the extents of a `Reshape` multiply to what there is. A
call whose value does not keep what was promised is served by a program for that value, which says
what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp

from teenyir.analysis.bounds import Ranges, bounds
from teenyir.analysis.signature import Promise
from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.core import Array, Trace, current
from teenyir.frontend.dims import Dim, Extent
from teenyir.frontend.errors import fail
from teenyir.frontend.onnx.inputs import plain_name
from teenyir.frontend.onnx.values import Call

LEAST = 2
"""The least number that a name is put in the place of."""

FARTHEST = 10**9
"""From here on a number stands for the end of an axis, however long it is."""

MOST_NAMES = 16
"""Elements of an input that has names in it."""


class ModelTrace(Trace):
    """The trace of a model, with the names that a call says and what is promised of them."""

    def __init__(
        self, wrap: Any, told: Mapping[str, tuple[str, int]], has_rules: bool = False
    ) -> None:
        super().__init__(wrap)
        self.from_file, self.has_rules = True, has_rules
        self.told = dict(told)
        """By name, of which input and which of its elements it is."""
        self.promises: list[Promise] = []
        self.rules: list[Rule] = []
        """How a call works out the names of extents that inputs decide, in order."""

    @property
    def given(self) -> set[str]:
        """The names that a call gives or works out, and that no extent of an input is."""
        return {*self.told, *(name for rule in self.rules for name in rule.names)}


@dataclass(frozen=True)
class Rule:
    """How a call works out what some names of extents stand for."""

    names: tuple[str, ...]
    work_out: Callable[[Call], Sequence[int]]
    """Raises CompileError where the inputs make no sense."""

    def add_to(self, call: Call) -> None:
        """Let it be known of a call what the names stand for."""
        try:
            found = self.work_out(call)
        except (ArithmeticError, LookupError, ValueError) as problem:
            fail(f"{type(problem).__name__}: {problem}")
        call.dims.update(zip(self.names, map(int, found), strict=True))


def decided(
    labels: Sequence[str], work_out: Callable[[Call], Sequence[int]], least: int = 0
) -> list[Extent]:
    """Extents that a call works out, named after the node that is walked over and `labels`.

    None is below `least`. Raises TraceError where the program is not one that goes by rules.
    """
    trace = current()
    if not isinstance(trace, ModelTrace) or not trace.has_rules:
        fail("an extent depends on the call in a way that is not supported")
    start = trace.scopes[-1]
    used = {*trace.ranges, *trace.given}
    names: list[str] = []
    for label in labels:
        names.append(_unused(plain_name(f"{start}_{label}"), used))
        used.add(names[-1])
    trace.rules.append(Rule(tuple(names), work_out))
    return [Dim(name, min=least) for name in names]


def promise_zero(expr: Expr) -> bool:
    """Let an expression be 0 in every call; False where no call could see to that."""
    return _promise(expr, True)


def promise_not_negative(expr: Expr) -> bool:
    """Let an expression not be negative in any call; False where no call could see to that."""
    return _promise(expr, False)


def require_not_negative(extent: Extent) -> None:
    """Refuse calls for which an extent would be negative, whatever names are in it."""
    trace = current()
    if (
        isinstance(extent, Dim)
        and isinstance(trace, ModelTrace)
        and _is_open(extent.expr, extent.ranges)
    ):
        trace.promises.append(Promise(extent.expr, False))


def _promise(expr: Expr, is_zero: bool) -> bool:
    trace = current()
    if not isinstance(trace, ModelTrace) or not expr.names & trace.given:
        return False
    trace.promises.append(Promise(expr, is_zero))
    return True


# --- values with names in them --------------------------------------------------------------------


@dataclass
class Named:
    """Values of inputs, with names in the place of some of their elements."""

    values: dict[str, Array] = field(default_factory=dict[str, Array])
    told: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    dims: dict[str, int] = field(default_factory=dict[str, int])
    """What the names stand for."""

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for values that differ in what the names stand for alone."""
        return tuple(
            (name, array.dtype.str, array.shape, tuple(map(str, array.flat)))
            for name, array in self.values.items()
        )


def named(
    given: Mapping[str, Array], settled: set[tuple[str, int]], taken: Collection[str]
) -> Named:
    """The values with names in them; the `settled` elements stay numbers."""
    found = Named()
    used = set(taken)
    for name, array in given.items():
        found.values[name] = array
        if array.dtype.name not in ("int32", "int64") or array.ndim > 1 or array.size > MOST_NAMES:
            continue
        held = array.astype(object)
        for place, number in enumerate(array.reshape(-1).tolist()):
            if LEAST <= number < FARTHEST and (name, place) not in settled:
                called = _unused(plain_name(f"{name}_{place}" if array.ndim else name), used)
                used.add(called)
                held.reshape(-1)[place] = Dim(called, min=LEAST)
                found.told[called] = (name, place)
                found.dims[called] = number
        if any(isinstance(each, Dim) for each in held.flat):
            found.values[name] = held
    return found


def _unused(name: str, used: set[str]) -> str:
    found, count = name, 1
    while found in used:
        found, count = f"{name}_{count}", count + 1
    return found


def promises_of(func: FuncOp, trace: ModelTrace) -> tuple[Promise, ...]:
    """What was promised, and that no extent is negative and each slice is in its tensor."""
    ranges = {dim.name: dim for dim in graph.symbols(func)}
    exprs: dict[Expr, None] = {}
    for op in func.walk():
        for result in op.results:
            if isinstance(result.type, TensorType):
                exprs |= dict.fromkeys(graph.extents(graph.tensor_type(result)))
        if isinstance(op, graph.SliceOp):
            whole = graph.extents(graph.tensor_type(op.operand))
            for start, stop, extent in zip(op.starts, op.stops, whole, strict=True):
                exprs |= dict.fromkeys((start, stop - start, extent - stop))
    given = trace.given
    open_ = [expr for expr in exprs if expr.names & given and _is_open(expr, ranges)]
    return (*trace.promises, *[Promise(expr, False) for expr in open_])


def _is_open(expr: Expr, ranges: Ranges) -> bool:
    low = bounds(expr, ranges).low
    return low is None or low < 0
