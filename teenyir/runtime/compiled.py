"""A program as native code, called with numpy arrays.

A call is: look at the inputs, find the plan for their shapes (extents, output shapes, size of the
arena), allocate the outputs, and enter the code once. What depends on shapes alone is worked out
on the first call with them. Anything unusual (a list, another dtype, a strided view, a shape not
met before) takes the slow path, which converts what can be converted and explains what cannot.

Calls may run in several threads at once: each has an arena of its own, taken from a pool, and the
GIL is released while the code runs. Results may be written into arrays of the caller's (`out`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from teenyir.analysis.binding import (
    arrange,
    array_of,
    bind_dims,
    check_dtypes,
    is_masked,
    stated_values,
)
from teenyir.analysis.signature import Argument, Signature, View
from teenyir.diagnostics import RunError
from teenyir.dialects.expr import Expr
from teenyir.runtime.arenas import LARGE, ArenaPool, empty
from teenyir.runtime.calls import entrance
from teenyir.runtime.jit import assembly
from teenyir.runtime.kernels import Kernel
from teenyir.runtime.stages import Way
from teenyir.targets.cpu import Cpu

Array: TypeAlias = NDArray[Any]
Shapes: TypeAlias = tuple[tuple[int, ...], ...]

MOST_PLANS = 1024
"""Plans that are remembered; beyond that all are forgotten, and made again when needed."""

_AS_CODE_READS = 0x0101
"""numpy's flags of an array that is row-major (`NPY_ARRAY_C_CONTIGUOUS`) and aligned."""

_ARRAY = np.ndarray
_NO_ARENA = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Shown:
    """An output that is a part of an input."""

    output: int
    source: int
    part: slice
    """Which of its elements, in order."""
    shape: tuple[int, ...]

    def of(self, array: Array) -> Array:
        """The part of the input's array. It cannot be written: that would change the input."""
        part = array.reshape(-1)[self.part].reshape(self.shape)
        part.flags.writeable = False
        return part


@dataclass(frozen=True)
class Plan:
    """What a call needs to know that depends on the shapes of its inputs alone."""

    dims: bytes
    """The extents, as the code reads them."""
    outputs: Shapes
    arena: int
    """Bytes."""
    empty: Callable[[tuple[int, ...], Any], Array] = np.empty
    """What makes an output."""
    views: tuple[Shown, ...] = ()
    """The outputs that are parts of inputs, which nothing computes: of no element in `outputs`."""


class Sources(Mapping[str, str]):
    """The texts of native code by format, each made when it is asked for: `llvmir`, `asm`."""

    def __init__(self, llvmir: str, cpu: Cpu):
        self._makers: dict[str, Callable[[], str]] = {
            "llvmir": lambda: llvmir,
            "asm": lambda: assembly(llvmir, cpu),
        }

    def __getitem__(self, format: str) -> str:
        return self._makers[format]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Code(Protocol):
    """Machine code in this process, for as long as the object lives."""

    def address(self, symbol: str) -> int:
        """Where a function begins."""
        ...


class Program:
    """A program that can be called with arrays that fit; `Compiled` sees to that."""

    def __init__(self, signature: Signature, arena: Expr):
        """`arena` is the size of the memory for temporaries in bytes."""
        self.signature = signature
        self.arena = arena

    def plan(self, shapes: Sequence[tuple[int, ...]], given: Mapping[str, int] | None) -> Plan:
        """The plan for inputs of these shapes. Raises RunError where they do not fit."""
        dims = bind_dims(self.signature, shapes, given)
        values = [dims[dim.name] for dim in self.signature.dims]
        outputs = tuple(argument.shape(dims) for argument in self.signature.outputs)
        packed = struct.pack(f"={len(values)}q", *values)
        views = tuple(
            _shown(number, argument.view, shape, dims)
            for number, (argument, shape) in enumerate(
                zip(self.signature.outputs, outputs, strict=True)
            )
            if argument.view is not None
        )
        for view in views:
            outputs = (*outputs[: view.output], (0,), *outputs[view.output + 1 :])
        sizes = (
            math.prod(shape) * argument.dtype.numpy().itemsize
            for shape, argument in zip(outputs, self.signature.outputs, strict=True)
        )
        make = empty if any(size >= LARGE for size in sizes) else np.empty
        return Plan(packed, outputs, self.arena.evaluate(dims), make, views)

    def run(self, inputs: Sequence[Array], plan: Plan) -> list[Array]:
        """Run on the inputs, in the signature's order; the outputs."""
        raise NotImplementedError


def _shown(number: int, view: View, shape: tuple[int, ...], dims: Mapping[str, int]) -> Shown:
    start = view.offset.evaluate(dims)
    return Shown(number, view.source, slice(start, start + math.prod(shape)), shape)


class Entry(Program):
    """The native entry of a program: `void main(void **buffers, int64_t *dims, void *arena)`."""

    def __init__(self, library: Code, symbol: str, signature: Signature, arena: Expr):
        super().__init__(signature, arena)
        self.library = library
        self._enter = entrance(library.address(symbol))
        self._dtypes = [argument.dtype.numpy() for argument in signature.outputs]
        self._pool = ArenaPool()

    def run(
        self, inputs: Sequence[Array], plan: Plan, into: Sequence[Array] | None = None
    ) -> list[Array]:
        """Run on the inputs, in order; the outputs, new ones or those to write.

        What shows an input is a part of it, or copied where there is another place for it.
        """
        if into is not None:
            outputs = list(into)
        else:
            outputs = list(map(plan.empty, plan.outputs, self._dtypes))
            for view in plan.views:
                outputs[view.output] = view.of(inputs[view.source])
        if not plan.arena:
            self._enter(plan.dims, _NO_ARENA, *inputs, *outputs)
            return outputs
        arena = self._pool.take(plan.arena)
        try:
            self._enter(plan.dims, arena, *inputs, *outputs)
        finally:
            self._pool.give_back(arena)
        return outputs


class Compiled:
    """A program as code, or as an interpreter means it: numpy arrays in, numpy arrays out.

    Inputs are passed in the signature's order or by name, parameters are bound once. A program of
    one output gives the array, one of several a tuple.
    """

    def __init__(
        self,
        entry: Program,
        parameters: Mapping[str, Any] | None = None,
        asm: Mapping[str, str] | None = None,
        gather: Callable[[list[Any]], Any] | None = None,
        way: Way | None = None,
    ):
        """`parameters` are inputs whose values never change, by name; `asm` are texts of the code;
        `gather` makes what a call returns of the outputs; `way` tells of what is launched.

        Raises RunError for one that the program does not have or whose dtype is not right.
        """
        self.entry = entry
        self.signature = entry.signature
        self.asm = asm or {}
        self._way = way
        inputs = entry.signature.inputs
        self.parameters = self._bound(parameters or {})
        self.inputs = tuple(a for a in inputs if a.name not in self.parameters)
        self._names = tuple(argument.name for argument in self.inputs)
        self._dtypes = tuple(argument.dtype.numpy() for argument in self.inputs)
        self._plans: dict[Shapes, Plan] = {}
        self._gather: Callable[[list[Any]], Any] = gather or (
            _only if len(entry.signature.outputs) == 1 else tuple
        )
        # Where each input goes among all: its place, between the parameters.
        self._fixed: list[Any] = [self.parameters.get(argument.name) for argument in inputs]
        self._places = [i for i, a in enumerate(inputs) if a.name not in self.parameters]

    def __copy__(self) -> Compiled:
        return self

    def __deepcopy__(self, _: object) -> Compiled:
        return self

    def __reduce__(self) -> NoReturn:
        raise RunError("code in this process is not pickled; pickle what it is compiled of (lower)")

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """What a call launches, in order."""
        return self._way.notes.kernels if self._way is not None else ()

    def _bound(self, parameters: Mapping[str, Any]) -> dict[str, Array]:
        known = {argument.name: argument for argument in self.signature.inputs}
        for name in parameters:
            if name not in known:
                raise RunError(f"@{self.signature.entry} has no parameter named '{name}'")
        bound = {name: ready(np.asarray(value)) for name, value in parameters.items()}
        arguments = tuple(known[name] for name in bound)
        check_dtypes(_part(self.signature, arguments), list(bound.values()))
        return bound

    def __call__(
        self,
        *inputs: Any,
        dims: Mapping[str, int] | None = None,
        out: Array | Sequence[Array] | None = None,
        **named: Any,
    ) -> Any:
        """Run on the inputs, in order or by name; `dims` gives extents that no shape tells.

        The outputs are new arrays, or `out`, one array for each: row-major, of its shape and dtype,
        in memory that nothing else of the call lies in. Raises RunError naming the input or output,
        what was expected and what came.
        """
        if named or dims is not None or len(inputs) != len(self._dtypes):
            return self._slow(self._arranged(inputs, named), dims, out)
        # From here on every tenth of a microsecond counts: `strict` alone would cost one.
        shapes: list[tuple[int, ...]] = []
        for array, dtype in zip(inputs, self._dtypes, strict=False):
            if type(array) is not _ARRAY or array.dtype is not dtype:
                return self._slow(inputs, None, out)
            if array.flags.num & _AS_CODE_READS != _AS_CODE_READS:
                return self._slow(inputs, None, out)
            shapes.append(array.shape)
        plan = self._plans.get(tuple(shapes))
        if plan is None:
            return self._slow(inputs, None, out)
        if out is not None:
            return self._run_into(inputs, plan, out)
        return self._gather(self._run(inputs, plan))

    def cost_analysis(self, dims: Mapping[str, int] | None = None) -> dict[str, Any]:
        """What a call costs: `flops`, `bytes` (of each launch's buffers, moved once), `arena` bytes
        and `launches`.

        Sizes are expressions over the named extents, or numbers where `dims` gives these values;
        `flops` is None where a loop's bounds are not known before the program runs. Of a branch
        both sides count, of a loop around launches one iteration. What is interpreted above the
        uop floor has no launches yet: its `flops` and `bytes` are None.
        """
        kernels = self.kernels
        flops = [kernel.flops for kernel in kernels]
        known = [count for count in flops if count is not None]
        total = sum(known, Expr.of(0)) if flops and len(known) == len(flops) else None
        moved = sum((kernel.bytes for kernel in kernels), Expr.of(0)) if flops else None
        sizes = {"flops": total, "bytes": moved, "arena": self.entry.arena}
        values = stated_values(self.signature, dims)
        return {
            **{name: _with_values(size, values) for name, size in sizes.items()},
            "launches": len(kernels),
        }

    def _run(
        self, inputs: Sequence[Array], plan: Plan, into: Sequence[Array] | None = None
    ) -> list[Array]:
        """The outputs, new arrays or, where code can write into those, `into`."""
        every = inputs
        if self.parameters:
            every = self._fixed.copy()
            for place, array in zip(self._places, inputs, strict=True):
                every[place] = array
        entry = self.entry
        try:
            if isinstance(entry, Entry):
                return entry.run(every, plan, into)
            outputs = entry.run(every, plan)
        except (MemoryError, ValueError) as problem:  # of numpy, which has two words for it
            raise RunError(f"@{self.signature.entry} needs too much memory: {problem}") from None
        for view in plan.views:
            outputs[view.output] = view.of(self._input(inputs, view.source))
        return outputs

    def _run_into(self, inputs: Sequence[Array], plan: Plan, out: Array | Sequence[Array]) -> Any:
        if not isinstance(cast(object, out), np.ndarray | list | tuple):
            raise RunError(
                f"`out` is an array, or a sequence of one for each output, got {type(out).__name__}"
            )
        into: list[Array] = [out] if isinstance(out, np.ndarray) else list(out)
        self._check_outputs(into, plan, [*inputs, *self.parameters.values()])
        outputs = self._run(inputs, plan, into)
        for array, result in zip(into, outputs, strict=True):
            if array is not result:
                np.copyto(array, result)
        return self._gather(into)

    def _check_outputs(self, into: Sequence[Any], plan: Plan, read: Sequence[Array]) -> None:
        """Raises RunError for what results cannot be written into."""
        arguments = self.signature.outputs
        if len(into) != len(arguments):
            raise RunError(f"@{self.signature.entry} has {len(arguments)} outputs, got {len(into)}")
        shapes = list(plan.outputs)
        for view in plan.views:
            shapes[view.output] = view.shape
        for number, (argument, array, shape) in enumerate(
            zip(arguments, into, shapes, strict=True)
        ):
            others = [*read, *into[:number]]
            problem = _why_not_into(array, shape, argument.dtype.numpy(), others)
            if problem is not None:
                raise RunError(f"output '{argument.name}' cannot be written into `out`: {problem}")

    def _input(self, inputs: Sequence[Array], number: int) -> Array:
        """An input by its number among all, parameters included, as it was given."""
        if number in self._places:
            return inputs[self._places.index(number)]
        return self.parameters[self.signature.inputs[number].name]

    # --- the slow path ----------------------------------------------------------------------------

    def _arranged(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        own = _part(self.signature, self.inputs)
        if not named:
            return arrange(own, inputs)
        if len(inputs) > len(self._names):
            return arrange(own, inputs)  # says how many there should be
        for name in self._names[: len(inputs)]:
            if name in named:
                raise RunError(f"input '{name}' is given twice, by place and by name")
        return arrange(own, dict(zip(self._names, inputs, strict=False)) | dict(named))

    def _slow(
        self,
        inputs: Sequence[Any],
        dims: Mapping[str, int] | None,
        out: Array | Sequence[Array] | None = None,
    ) -> Any:
        arrays = [as_array(v, a) for v, a in zip(inputs, self.inputs, strict=True)]
        plan = self._plan(arrays, dims)
        own = [ready(array) for array in arrays]
        if out is None:
            return self._gather(self._run(own, plan))
        return self._run_into(own, plan, out)

    def _plan(self, arrays: Sequence[Any], dims: Mapping[str, int] | None) -> Plan:
        """The plan for inputs, which have a dtype and a shape. Raises RunError for what does not
        suit the program."""
        check_dtypes(_part(self.signature, self.inputs), arrays)
        shapes = tuple([array.shape for array in arrays])
        plan = self._plans.get(shapes) if not dims else None
        if plan is None:
            own = dict(zip(self._names, shapes, strict=True))
            every = [
                own[a.name] if a.name in own else self.parameters[a.name].shape
                for a in self.signature.inputs
            ]
            plan = self.entry.plan(every, dims)
            if not dims:
                if len(self._plans) >= MOST_PLANS:
                    self._plans.clear()
                self._plans[shapes] = plan
        return plan


def _why_not_into(
    array: Any, shape: tuple[int, ...], dtype: np.dtype[Any], others: Sequence[Array]
) -> str | None:
    """Why results of a shape and dtype cannot be written into an array; None if they can."""
    if not isinstance(array, np.ndarray):
        return f"it is no array, but {type(array).__name__}"
    found = cast(Array, array)
    if is_masked(found):
        return "it has a mask"
    if found.shape != shape:
        return f"it has the shape {found.shape}, not {shape}"
    if found.dtype != dtype:
        return f"it is of {found.dtype}, not {dtype}"
    if found.flags.num & _AS_CODE_READS != _AS_CODE_READS:
        return "it is not row-major and aligned"
    if not found.flags.writeable:
        return "it is read-only"
    if any(np.may_share_memory(found, other) for other in others):
        return "it shares memory with an input or another output"
    return None


def _with_values(size: Expr | None, values: Mapping[str, int]) -> Expr | int | None:
    if size is None:
        return None
    size = size.substitute(values)
    return size if size.constant is None else size.constant


def _only(outputs: list[Any]) -> Any:
    return outputs[0]


def _part(signature: Signature, inputs: tuple[Argument, ...]) -> Signature:
    return Signature(signature.function, signature.entry, inputs, signature.outputs, signature.dims)


def as_array(value: Any, argument: Argument) -> Array:
    """An array, in native byte order; Python's numbers, lists too, in the dtype asked for."""
    return array_of(value, argument.name, str(argument), argument.dtype.numpy())


def ready(array: Array) -> Array:
    """The array in row-major order, aligned: itself if it is that."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.array(array, order="C", copy=True, subok=False)
