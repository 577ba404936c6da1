"""The state of one tracing, and how a value gets into it.

`Trace.emit` is the only place where ops are made: it stamps the user's place on them and turns
what a constructor refuses into an error there. `as_tensor` lifts what users write as operands:
symbolic tensors, numpy arrays (which become parameters) and Python scalars (which take the dtype
of their neighbour).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from teenyir.analysis.binding import is_masked
from teenyir.diagnostics import Location
from teenyir.dialects import dtypes, graph, kernel
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Atom, Expr, ExprLike
from teenyir.frontend.dims import Dim, Extent, as_extent, merge_ranges, ranges_of, to_expr
from teenyir.frontend.dtypes import (
    DEFAULT_INTEGER,
    check_scalar,
    default_dtype,
    promote,
    rounded,
    signless,
)
from teenyir.frontend.errors import fail, user_place

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Scalar: TypeAlias = "bool | int | float"
ArrayLike: TypeAlias = "Tensor | Array | np.generic | Scalar | Dim"


class TensorBase:
    """A value of the program that is being traced. `Tensor` adds operators and methods."""

    __slots__ = ("trace", "value")

    def __init__(self, trace: Trace, value: SSAValue) -> None:
        self.trace, self.value = trace, value

    @property
    def type(self) -> graph.Tensor:
        """The IR's type."""
        return graph.tensor_type(self.value)

    @property
    def extents(self) -> graph.Extents:
        """The extents as expressions."""
        return graph.extents(self.type)

    @property
    def shape(self) -> tuple[Extent, ...]:
        """The extents: integers, and dims where they are named."""
        return tuple(Dim.of(expr, self.trace.ranges) for expr in self.extents)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return graph.dtype_of(self.type.element_type)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.type.get_num_dims()


def tensor_type(dtype: DType, extents: Sequence[ExprLike]) -> graph.Tensor:
    """The IR's type. Raises TraceError where there would be too many elements."""
    try:
        return graph.tensor(dtype.element, extents)
    except VerifyException as problem:
        fail(str(problem))


@lru_cache(1024)
def _located(place: Location | None, composite: str | None, scope: str | None) -> LocationAttr:
    """A place as an attribute: many ops are made at one, and what it is made of is verified."""
    location: LocationAttr = UNKNOWN_LOC
    if place is not None:
        location = FileLineColLoc(StringAttr(place.file), IntAttr(place.line), IntAttr(place.col))
    if composite is not None:
        callee = NameLoc(StringAttr(composite), UNKNOWN_LOC)
        location = CallSiteLoc(callee, location)
    return location if scope is None else NameLoc(StringAttr(scope), location)


_ANOTHERS = "this tensor belongs to another traced function; pass it in as an input"

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_$.-]")
"""What a name may hold, and the IR's text cannot."""

_ATOM_OPS: dict[str, type[graph.BinaryOp]] = {
    "floordiv": graph.FloorDivOp,
    "mod": graph.ModOp,
    "min": graph.MinOp,
    "max": graph.MaxOp,
}


class Trace:
    """The function under construction: its block, the ranges of its dims, its parameters."""

    def __init__(self, wrap: Callable[[Trace, SSAValue], Tensor]) -> None:
        self.entry = Block()
        """The body of the function."""
        self.block = self.entry
        """Where ops go: the body, or the region of the op that is being made."""
        self.open = [self.entry]
        """The blocks around the place where ops go, outermost first."""
        self.kernels: dict[str, kernel.FuncOp] = {}
        """The kernels that the function calls, by name."""
        self.ranges: dict[str, DimRange] = {}
        self.arguments: list[str] = []
        """The name of each argument of the block."""
        self.parameters: dict[str, Array] = {}
        """The weights among the arguments, in order of first use."""
        self.names: dict[int, str] = {}
        """What an array, by identity, is called."""
        self.scopes: list[str] = []
        """The modules that are being called, outermost first, as dotted names."""
        self.composite: str | None = None
        """The outermost composite that is being called."""
        self.from_file = False
        """Whether the program is read from a file, and ops have their names alone as places."""
        self.module_names: dict[int, str] = {}
        """What a module, by identity, is called."""
        self._wrap = wrap
        self._lifted: dict[int, Tensor] = {}
        self._kept: list[Array] = []  # so that no identity is used again

    def emit(self, make: Callable[P, graph.GraphOp], *args: P.args, **kwargs: P.kwargs) -> Tensor:
        """The result of a new op. Raises TraceError at the user's line where it is refused."""
        try:
            op = make(*args, **kwargs)
        except VerifyException as error:
            fail(str(error).removeprefix("graph."))
        return self.insert(op)[0]

    def insert(self, op: Operation) -> list[Tensor]:
        """The results of an op, which is put where ops go, with the user's place.

        Raises TraceError where the function is traced no more, or not by who asks, or where an
        operand was made in a branch or a loop that has ended.
        """
        if current() is not self:
            fail(_ANOTHERS)
        for operand in op.operands:
            owner = operand.owner
            if (owner if isinstance(owner, Block) else owner.parent) not in self.open:
                fail(
                    "a tensor of a branch or a loop does not exist outside of it; "
                    "let its function return it"
                )
        op.location = self.location()
        self.block.add_op(op)
        return [self._wrap(self, result) for result in op.results]

    @contextmanager
    def inside(self, block: Block) -> Generator[list[Tensor]]:
        """While the region of an op is made, ops go to its block; gives the block's arguments."""
        outer, self.block = self.block, block
        self.open.append(block)
        try:
            yield [self._wrap(self, argument) for argument in block.args]
        finally:
            self.block = outer
            self.open.pop()

    def fold(
        self,
        inputs: Sequence[Tensor],
        initial: Sequence[Tensor],
        axes: Sequence[int],
        step: Callable[..., Sequence[Tensor]],
    ) -> list[Tensor]:
        """The results of a `graph.fold` whose region is what `step` does with tensors of rank 0.

        Raises TraceError where the step does not answer one value of rank 0 for each input.
        """
        block = graph.FoldOp.block([tensor.value for tensor in inputs])
        with self.inside(block) as arguments:
            self._end_fold(block, inputs, step(*arguments))
        values, start = ([tensor.value for tensor in group] for group in (inputs, initial))
        return self.insert(graph.FoldOp(values, start, axes, Region(block)))

    def _end_fold(self, block: Block, inputs: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        given = results if isinstance(results, list | tuple) else [results]
        found = [(x.dtype, x.ndim) if isinstance(x, TensorBase) else x for x in given]
        if found != [(tensor.dtype, 0) for tensor in inputs]:
            wanted = ", ".join(str(tensor.dtype) for tensor in inputs)
            fail(f"a step of a fold is to answer values of rank 0 of {wanted}")
        for op in block.ops:
            for operand in op.operands:
                owner = operand.owner
                if owner is not block and getattr(owner, "parent", None) is not block:
                    fail("a step of a fold uses its arguments and Python numbers alone")
        end = graph.YieldOp([result.value for result in results])
        end.location = self.location()
        block.add_op(end)

    def location(self) -> LocationAttr:
        """The user's place, named after the module that is being called, if there is one.

        What a composite is made of is located in it, at the place of its call.
        """
        place = None if self.from_file else user_place()
        return _located(place, self.composite, self.scopes[-1] if self.scopes else None)

    def argument(self, name: str, type: graph.Tensor) -> Tensor:
        """A new argument of the function."""
        value = self.entry.insert_arg(type, len(self.entry.args), self.location())
        plain = _NOT_IN_NAMES.sub("_", name)
        value.name_hint = plain if plain and not plain[0].isdigit() else f"w{plain}"
        self.arguments.append(name)
        return self._wrap(self, value)

    def parameter(self, array: Array) -> Tensor:
        """The argument that stands for an array; the same array gives the same argument."""
        if (known := self._lifted.get(id(array))) is not None:
            return known
        dtype = _dtype_of("an array", array)
        name = self._unused(self.names.get(id(array)) or f"constant{len(self._kept)}")
        tensor = self.argument(name, tensor_type(dtype, array.shape))
        self._kept.append(array)
        self.parameters[name] = array
        self._lifted[id(array)] = tensor
        return tensor

    def _unused(self, name: str) -> str:
        """A name that no argument has: this one, or one with a number after it."""
        found, count = name, 1
        while found in self.arguments:
            found, count = f"{name}_{count}", count + 1
        return found

    def drop_unused_parameters(self) -> None:
        """Erase the arguments of parameters that nothing uses."""
        for arg in reversed(self.entry.args):
            name = self.arguments[arg.index]
            if name in self.parameters and arg.first_use is None:
                self.entry.erase_arg(arg)
                del self.arguments[arg.index], self.parameters[name]

    def constant(self, value: Scalar, dtype: DType, extents: Sequence[Expr] = ()) -> Tensor:
        """A tensor of one value."""
        is_float = dtype.kind == "float"
        held = rounded(value, dtype) if is_float else signless(int(value), dtype)
        scalar = self.emit(graph.ConstantOp.of, tensor_type(dtype, ()), [held])
        return self.broadcast(scalar, extents)

    def extent_value(self, expr: Expr) -> Tensor:
        """The value of an expression of extents, as a tensor of rank 0 and int64.

        The program counts what a name stands for, a sum of ones, and does the arithmetic.
        """
        total: Tensor | None = None
        for monomial, coefficient in expr.terms:
            factors = [self._atom_value(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.append(self.constant(coefficient, dtypes.INT64))
            term = self._chain(graph.MulOp, factors)
            total = term if total is None else self.emit(graph.AddOp, total.value, term.value)
        return self.constant(0, dtypes.INT64) if total is None else total

    def _chain(self, op: type[graph.BinaryOp], values: Sequence[Tensor]) -> Tensor:
        result = values[0]
        for value in values[1:]:
            result = self.emit(op, result.value, value.value)
        return result

    def _atom_value(self, atom: Atom) -> Tensor:
        if isinstance(atom, str):
            ones = self.constant(1, dtypes.INT64, (Expr.of(atom),))
            return self.emit(graph.ReduceOp, "add", ones.value, (0,))
        return self._chain(_ATOM_OPS[atom.kind], [self.extent_value(arg) for arg in atom.args])

    def broadcast(self, x: Tensor, extents: Sequence[Expr]) -> Tensor:
        """`x` under extents that it broadcasts to, aligned at the last axis."""
        if x.extents == tuple(extents):
            return x
        axes = range(len(extents) - x.ndim, len(extents))
        return self.emit(graph.BroadcastOp, x.value, extents, tuple(axes))

    def learn(self, extents: Sequence[Extent]) -> tuple[Expr, ...]:
        """The expressions of extents, whose dims are now known to the function."""
        known = [as_extent(extent) for extent in extents]
        self.ranges = merge_ranges(self.ranges, *map(ranges_of, known))
        return tuple(map(to_expr, known))

    @contextmanager
    def scope(self, module: object) -> Generator[None]:
        """While a module is called, ops are named after it, if it has a name."""
        name = self.module_names.get(id(module))
        if name is None:
            yield
            return
        self.scopes.append(name)
        try:
            yield
        finally:
            self.scopes.pop()


_CURRENT: ContextVar[Trace | None] = ContextVar("teenyir_trace", default=None)


@contextmanager
def tracing(trace: Trace) -> Generator[None]:
    """Make `trace` the current one."""
    token = _CURRENT.set(trace)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_or_none() -> Trace | None:
    """The trace that runs now, if there is one."""
    return _CURRENT.get()


def current() -> Trace:
    """The trace that runs now. Raises TraceError where there is none."""
    trace = _CURRENT.get()
    if trace is None:
        fail("tensors exist only inside a function that ty.trace calls, and in its thread")
    return trace


def composite(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function of several ops: where they come from, and kernels made of them, get its name."""

    def named(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            trace = _CURRENT.get()
            if trace is None or trace.composite is not None:
                return function(*args, **kwargs)
            trace.composite = name
            try:
                return function(*args, **kwargs)
            finally:
                trace.composite = None

        return call

    return named


def is_scalar(x: object) -> bool:
    """Whether `x` is a Python scalar or a dim, which has no dtype of its own."""
    return type(x) in (bool, int, float, Dim)


def as_tensor(x: ArrayLike, dtype: DType | None = None) -> Tensor:
    """Lift an operand. `dtype` is the one that a Python scalar takes."""
    trace = current()
    if isinstance(x, TensorBase):
        if x.trace is not trace:
            fail(_ANOTHERS)
        return x
    if isinstance(x, Dim):
        if dtype is not None:
            check_scalar(1, dtype)
        trace.learn([x])
        return cast_to(trace.extent_value(x.expr), dtype or DEFAULT_INTEGER)
    if isinstance(x, np.ndarray | np.generic):
        array = cast(Array, x)
        return trace.parameter(array) if array.ndim else _numpy_scalar(trace, array)
    if type(x) not in (bool, int, float):
        fail(
            f"expected a tensor, a numpy array or a Python scalar, got {type(x).__name__}; "
            "sequences go through ty.asarray or ty.stack"
        )
    found = default_dtype(x) if dtype is None else dtype
    check_scalar(x, found)
    return trace.constant(x, found)


def _numpy_scalar(trace: Trace, scalar: Array) -> Tensor:
    dtype = _dtype_of("a scalar", scalar)
    return trace.constant(scalar.item(), dtype)


def _dtype_of(what: str, array: Array) -> DType:
    """The dtype of an array of the user's. Raises TraceError where a program has no room for it."""
    dtype = dtypes.of_numpy(array.dtype)
    if dtype is None:
        fail(f"{what} of {array.dtype} cannot be part of a program; convert it")
    check_unmasked(array)
    return dtype


def check_unmasked(array: object) -> None:
    """Raises TraceError for a masked array, whose mask would be lost."""
    if is_masked(array):
        fail("a masked array has no place for its mask in a program; use its data and ty.where")


def promoted(*operands: ArrayLike) -> list[Tensor]:
    """Operands in their common dtype. Raises TraceError where they have none."""
    strong = {k: as_tensor(x) for k, x in enumerate(operands) if not is_scalar(x)}
    if operands and not strong:
        return promoted(*(as_tensor(x) for x in operands))
    dtype: DType | None = None
    for tensor in strong.values():
        dtype = tensor.dtype if dtype is None else promote(dtype, tensor.dtype)
    return [
        cast_to(strong[k], dtype or strong[k].dtype) if k in strong else as_tensor(x, dtype)
        for k, x in enumerate(operands)
    ]


def cast_to(x: Tensor, dtype: DType) -> Tensor:
    """`x` in another dtype; itself where that is its own."""
    return x if x.dtype == dtype else x.trace.emit(graph.CastOp, x.value, dtype.element)


def broadcast_extents(*shapes: Sequence[Expr]) -> tuple[Expr, ...]:
    """The extents that all broadcast to. A named extent is taken not to be 1."""
    rank = max(len(shape) for shape in shapes)
    result = [Expr.of(1)] * rank
    for shape in shapes:
        for axis, extent in enumerate(shape, start=rank - len(shape)):
            if result[axis] == Expr.of(1):
                result[axis] = extent
            elif extent not in (result[axis], Expr.of(1)):
                texts = " and ".join(graph.as_text(shape) for shape in shapes)
                fail(f"{texts} do not broadcast: {result[axis]} and {extent} differ")
    return tuple(result)


def broadcasted(*tensors: Tensor) -> list[Tensor]:
    """Tensors under their common extents. Raises TraceError where there are none."""
    extents = broadcast_extents(*(tensor.extents for tensor in tensors))
    return [tensor.trace.broadcast(tensor, extents) for tensor in tensors]


def normalize_axis(axis: int, rank: int) -> int:
    """An axis counted from the front. Raises TraceError where the tensor has no such axis."""
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):  # pyright: ignore
        fail(f"an axis is an integer, got {axis!r}")
    if not -rank <= axis < rank:
        fail(f"axis {axis} is outside of the {rank} axes")
    return int(axis) % rank if rank else int(axis)


def normalize_axes(axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """Axes counted from the front, all of them for None. Raises TraceError on a repeated one."""
    if axis is None:
        return tuple(range(rank))
    given: tuple[Any, ...] = tuple(axis) if isinstance(axis, tuple | list | range) else (axis,)
    axes = tuple(normalize_axis(one, rank) for one in given)
    if len(set(axes)) != len(axes):
        fail(f"an axis is named twice: {list(given)}")
    return axes
