"""The uop floor on numpy: the iterations of parallel loops are lanes, all else runs in order.

A loop marked `uop.parallel` becomes an axis of all arrays in it (in blocks, so that no array grows
beyond a limit); any other loop runs one iteration after the other, its carried values being arrays
over the lanes that are open. Where bounds or conditions differ between lanes, a mask switches lanes
off. A vector is one more axis at the end. Two lanes that write one element are a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Block, Operation, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.constants import integer_of
from teenyir.interpreter import memory
from teenyir.interpreter.arrays import Array, dtype_of, fault, vector_shape
from teenyir.interpreter.dispatch import functions_class, interpreter_of, require_known
from teenyir.interpreter.lanes import MOST_AXES, Axis, Lanes
from teenyir.interpreter.limits import count_iteration
from teenyir.interpreter.mathematics import MATHEMATICS
from teenyir.interpreter.matrix import load_matrices, multiply
from teenyir.interpreter.memory import Buffer, widened
from teenyir.interpreter.order import sorted_places
from teenyir.interpreter.scalars import SCALARS

MOST_ELEMENTS = 1 << 18
"""Lanes times the elements of a vector, at a time: what fits into a core's cache."""

ScalarFunctions = functions_class("ScalarFunctions", {**SCALARS, **MATHEMATICS})


def run_uop(
    module: ModuleOp,
    func: uop.FuncOp,
    buffers: Sequence[Buffer],
    dims: Mapping[str, int],
    *,
    most_elements: int = MOST_ELEMENTS,
    in_order: bool = False,
) -> None:
    """Run one kernel over buffers, in place; `dims` holds a value for each of its names.

    With `in_order`, parallel loops run one iteration after the other, as if they were not marked.
    """
    require_known(func, KNOWN)
    threads = 0 if func.launch is None else 2
    rank = threads + (0 if in_order else min(_most_parallel(func), MOST_AXES - threads))
    run = UopRun(Lanes(max(rank, 1)), most_elements, rank)
    interpreter = interpreter_of(
        module, ScalarFunctions(run.lanes), MemoryFunctions(run), ControlFunctions(run)
    )
    extents = [run.lanes.lifted(np.array(dims[name])) for name in func.dims.names]
    for _ in _launched(run, func, dims):
        interpreter.run_ssacfg_region(func.body, (*buffers, *extents))


BLOCKS, THREADS = 0, 1
"""The axes of the blocks of a grid and of the threads of a block."""


def _launched(run: UopRun, func: uop.FuncOp, dims: Mapping[str, int]) -> Iterator[None]:
    """Open the blocks of a grid and their threads as axes, so many blocks at a time as there is
    room for. The threads of a block are lanes, so that a barrier need not wait for any."""
    if func.launch is None:
        yield
        return
    grid, block = func.launch
    sizes = [size.evaluate(dims) for size in grid]
    count, threads = prod(sizes), prod(block)
    run.entries += 1
    at_once = max(1, min(count, run.room // threads))
    run.room = max(1, run.room // (at_once * threads))
    thread = run.lanes.along(THREADS, np.arange(threads))
    names = Block(arg_types=[uop.INDEX] * 2).args  # what a message calls them
    names[BLOCKS].name_hint, names[THREADS].name_hint = "block", "thread"
    for start in range(0, count, at_once):
        number = run.lanes.along(BLOCKS, np.arange(start, min(start + at_once, count)))
        run.ids = {**_ids("grid", number, sizes), **_ids("thread", thread, block)}
        if at_once < count:
            run.blocks = (run.entries << 32) + number * threads + thread + 1
        with (
            run.lanes.loop(BLOCKS, Axis(names[BLOCKS], number, number.size), None),
            run.lanes.loop(THREADS, Axis(names[THREADS], thread, threads), None),
        ):
            yield


def _ids(level: str, number: Array, sizes: Sequence[int]) -> dict[str, Array]:
    """The ids along each axis of what is counted through a grid or a block."""
    found: dict[str, Array] = {}
    for axis, size in zip(uop.AXES, sizes, strict=False):
        found[f"{level}.{axis}"] = number % size
        number = number // size
    return found


def _is_parallel(op: Operation) -> bool:
    return isinstance(op, scf.ForOp) and uop.PARALLEL in op.attributes


def _inner(op: Operation) -> list[Operation]:
    return [inner for region in op.regions for block in region.blocks for inner in block.ops]


def _most_parallel(op: Operation) -> int:
    """How many parallel loops nest at most."""
    return _is_parallel(op) + max(map(_most_parallel, _inner(op)), default=0)


@dataclass
class UopRun:
    """One run of one kernel."""

    lanes: Lanes
    room: int
    """How many elements a value may still have for each lane that is open."""
    most_open: int
    """The number of loops that may be open as lanes at once."""
    ids: dict[str, Array] = field(default_factory=dict[str, Array])
    """The ids of the threads of a launch, by axis: `grid.x`, `thread.x`, .."""
    entries: int = 0
    """How often an outermost parallel loop was entered."""
    blocks: Array | None = None
    """In a loop that runs in blocks: a number for each lane's iteration, in full rank."""
    counts: bool = False
    """Whether iterations of loops count for `limits`: elsewhere what bounds them is a size."""
    writers: dict[Buffer, Array] = field(default_factory=dict[Buffer, Array])
    """For each buffer that such loops write: which iteration wrote an element last."""


# --- memory ---------------------------------------------------------------------------------------


def _local(run: UopRun, op: uop.LocalOp) -> tuple[Buffer]:
    dtype = dtype_of(op.result.type.element)
    name = f"%{op.result.name_hint or 'local'}"
    lead = list(run.lanes.shape)
    if op.space == "shared":
        lead[THREADS] = 1
    return (Buffer.fresh(name, (op.count,), dtype, tuple(lead)),)


def _special(run: UopRun, op: uop.SpecialOp) -> Array:
    return run.ids[op.axis.data]


def _thread(run: UopRun, op: uop.ThreadOp, iteration: Array) -> Array:
    """Any number would do: neighbours have different ones, so that what they share shows."""
    assert op.threads is not None  # the verifier has seen to it
    return iteration % op.threads.most.data


def _barrier(run: UopRun, op: uop.BarrierOp) -> tuple[()]:
    run.lanes.require(op, np.asarray(run.lanes.mask is None), "not all threads of a block come")
    return ()


def _offsets(offset: Array, moved: SSAValue) -> Array:
    """The offset of each element that is moved: of a vector's, one after the other."""
    (width,) = vector_shape(moved.type) or (0,)
    return offset[..., None] + np.arange(width) if vector_shape(moved.type) else offset


def _load(
    run: UopRun,
    op: uop.LoadOp,
    buffer: Buffer,
    offset: Array,
    gate: Array | None = None,
    other: Array | None = None,
) -> Array:
    active = run.lanes.active(gate)
    places = memory.place(op, _flat(buffer), [_offsets(offset, op.result)], active, run.lanes)
    loaded = memory.load(op, buffer, places, active, run.lanes)
    if gate is None or other is None:
        return loaded
    return np.where(widened(gate, loaded.ndim), loaded, other)


def _store(
    run: UopRun,
    op: uop.StoreOp,
    value: Array,
    buffer: Buffer,
    offset: Array,
    gate: Array | None = None,
) -> tuple[()]:
    active, lanes = run.lanes.active(gate), run.lanes
    places = memory.place(op, _flat(buffer), [_offsets(offset, op.value)], active, lanes)
    _write(run, op, buffer, places, value, active)
    return ()


def _write(
    run: UopRun, op: Operation, buffer: Buffer, places: Array, value: Array, active: Array | None
) -> None:
    """Write values to places, where no two lanes and no two iterations write one element."""
    lanes = run.lanes
    shape = lanes.shape + value.shape[lanes.rank :]
    flat, values = memory.scattered(places, value, active, shape)
    clash = None if buffer.lead == lanes.shape else _clash(flat)
    if clash is not None:
        raise fault(
            op,
            f"writes {buffer.name}{buffer.index_text(clash)} in several iterations "
            "of a parallel loop",
        )
    if run.blocks is not None and not buffer.lead:
        numbers, _ = memory.scattered(widened(run.blocks, len(shape)), value, active, shape)
        _require_one_writer(run, op, buffer, flat, numbers)
    memory.store(buffer, flat, values)


def _sort(run: UopRun, op: uop.SortOp, *operands: Any) -> tuple[()]:
    count, first = cast(tuple[Array, Array], operands[-2:])
    run.lanes.require(op, (first >= 0) & (first <= count), "there are not so many elements")
    for size in np.unique(count):
        with run.lanes.where(count == size):
            if size:
                _sort_rows(run, op, operands[:-3], operands[-3], int(size), first)
    return ()


def _sort_rows(
    run: UopRun,
    op: uop.SortOp,
    buffers: Sequence[Buffer],
    offset: Array,
    size: int,
    first: Array,
) -> None:
    """Sort in the lanes that are active, all of which have `size` elements."""
    active = run.lanes.active(None)
    room = offset[..., None] + np.arange(2 * size)
    all_places = [memory.place(op, _flat(b), [room], active, run.lanes) for b in buffers]
    rows = np.broadcast_arrays(
        *(
            memory.load(op, buffer, places[..., :size], active, run.lanes)
            for buffer, places in zip(buffers, all_places, strict=True)
        )
    )
    order = sorted_places(rows, op.orders)
    behind = np.arange(2 * size) >= first[..., None]
    for buffer, places, row in zip(buffers, all_places, rows, strict=True):
        _write(run, op, buffer, places[..., :size], np.take_along_axis(row, order, -1), active)
        if buffer.written is not None:
            worked_in = behind if active is None else behind & widened(active, behind.ndim)
            pairs = np.broadcast_arrays(places, worked_in)
            buffer.written[pairs[0][pairs[1]]] = False


def _flat(buffer: Buffer) -> Buffer:
    """A buffer as the uop floor sees it: of one dimension."""
    if len(buffer.extents) == 1:
        return buffer
    return Buffer(buffer.name, (buffer.size,), buffer.data, buffer.written, buffer.lead)


def _clash(places: Array) -> int | None:
    """A place that occurs twice, or None."""
    if places.size < 2:
        return None
    ordered = np.sort(places)
    twice = ordered[1:] == ordered[:-1]
    return int(ordered[1:][twice][0]) if twice.any() else None


def _require_one_writer(
    run: UopRun, op: Operation, buffer: Buffer, places: Array, numbers: Array
) -> None:
    """No element is written by two iterations of one entry of a loop that runs in blocks."""
    writers = run.writers.setdefault(buffer, np.zeros(buffer.size, np.int64))
    before = writers[places]
    wrong = (before != numbers) & (before >> 32 == numbers >> 32)
    if wrong.any():
        element = buffer.index_text(int(places[wrong][0]))
        raise fault(op, f"writes {buffer.name}{element} in several iterations of a parallel loop")
    writers[places] = numbers


def _mma(run: UopRun, op: uop.MmaOp, *operands: Array) -> tuple[Array, ...]:
    run.lanes.require(op, np.asarray(run.lanes.mask is None), "not all threads of a warp come")
    shape, product = run.lanes.shape, op.product
    lists: list[Array] = []
    rest = iter(operands)
    for count in product.counts:
        each = [np.broadcast_to(next(rest), shape) for _ in range(count)]
        lists.append(np.moveaxis(np.stack(each, -1), THREADS, -2))
    a, b, c = lists
    total = np.moveaxis(multiply(product, a, b) + c, -2, THREADS).astype(c.dtype)
    return tuple(total[..., number] for number in range(total.shape[-1]))


def _load_matrix(
    run: UopRun, op: uop.LoadMatrixOp, buffer: Buffer, offset: Array
) -> tuple[Array, ...]:
    run.lanes.require(op, np.asarray(run.lanes.mask is None), "not all threads of a warp come")
    offset = np.broadcast_to(offset, run.lanes.shape)
    row = offset[..., None] + np.arange(4 * op.packed)
    places = memory.place(op, _flat(buffer), [row], None, run.lanes)
    rows = memory.load(op, buffer, places, None, run.lanes)
    count, transposed = len(op.outputs), op.transposed is not None
    got = load_matrices(np.moveaxis(rows, THREADS, -2), op.packed, count, transposed=transposed)
    got = np.moveaxis(got, -2, THREADS)
    return tuple(got[..., number] for number in range(count))


def _copy_async(
    run: UopRun,
    op: uop.CopyAsyncOp,
    source: Buffer,
    source_offset: Array,
    target: Buffer,
    target_offset: Array,
    gate: Array | None = None,
) -> tuple[()]:
    """At once: that nobody reads before the copy is waited for, the emulator checks."""
    lanes, steps = run.lanes, np.arange(op.elements)
    active = lanes.active(gate)
    places = memory.place(op, _flat(source), [source_offset[..., None] + steps], active, lanes)
    copied = memory.load(op, source, places, active, lanes)
    if gate is not None:
        copied = np.where(gate[..., None], copied, np.zeros((), copied.dtype))
    active = lanes.active(None)
    places = memory.place(op, _flat(target), [target_offset[..., None] + steps], active, lanes)
    _write(run, op, target, places, copied, active)
    return ()


def _nothing(run: UopRun, op: Operation) -> tuple[()]:
    return ()


def _shuffle(run: UopRun, op: uop.ShuffleOp, value: Array) -> Array:
    run.lanes.require(op, np.asarray(run.lanes.mask is None), "not all threads of a warp come")
    lane = np.arange(run.lanes.open[THREADS].size) ^ op.bits
    return np.broadcast_to(value, run.lanes.shape).take(lane, THREADS)


_MEMORY_ROWS: dict[type[Operation], Callable[..., Any]] = {
    uop.MmaOp: _mma,
    uop.LoadMatrixOp: _load_matrix,
    uop.CopyAsyncOp: _copy_async,
    uop.CommitCopiesOp: _nothing,
    uop.WaitCopiesOp: _nothing,
    uop.ShuffleOp: _shuffle,
    uop.LocalOp: _local,
    uop.LoadOp: _load,
    uop.StoreOp: _store,
    uop.SpecialOp: _special,
    uop.ThreadOp: _thread,
    uop.BarrierOp: _barrier,
    uop.SortOp: _sort,
}

MemoryFunctions = functions_class("MemoryFunctions", _MEMORY_ROWS)


# --- control flow ---------------------------------------------------------------------------------


@register_impls
class ControlFunctions(InterpreterFunctions):
    """`scf.for`, `scf.if`, `scf.while` and their terminators."""

    def __init__(self, run: UopRun) -> None:
        self.run = run
        self.lanes = run.lanes

    @impl_terminator(scf.YieldOp)
    def give_back(
        self, interpreter: Interpreter, op: scf.YieldOp, args: PythonValues
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(args), ()

    @impl(scf.ForOp)
    def for_loop(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        lower, upper, step = cast(tuple[Array, Array, Array], args[:3])
        self.lanes.require(op, step > 0, "the step of a loop is not positive")
        count = np.maximum((upper - lower + step - 1) // np.maximum(step, 1), 0)
        size = self._longest(count)
        if _is_parallel(op) and len(self.lanes.open) < self.run.most_open:
            self._in_lanes(interpreter, op, (lower, step, count), size)
            return ()
        uniform = self._is_uniform(count, size)
        carried = args[3:]
        for number in range(size):
            if self.run.counts:
                count_iteration(op)
            variable = lower + number * step
            if uniform:
                carried = interpreter.run_ssacfg_region(op.body, (variable, *carried))
                continue
            there = number < count
            with self.lanes.where(there):
                after = interpreter.run_ssacfg_region(op.body, (variable, *carried))
            carried = _merged(there, after, carried)
        return carried

    def _longest(self, count: Array) -> int:
        """The greatest number of iterations in an active lane."""
        mask = self.lanes.mask
        return int((count if mask is None else np.where(mask, count, 0)).max(initial=0))

    def _is_uniform(self, count: Array, size: int) -> bool:
        """Whether all active lanes have the same number of iterations."""
        mask = self.lanes.mask
        return bool(((count == size) if mask is None else (count == size) | ~mask).all())

    def _in_lanes(
        self,
        interpreter: Interpreter,
        op: scf.ForOp,
        bounds: tuple[Array, Array, Array],
        size: int,
    ) -> None:
        """Run a parallel loop in blocks of iterations, each an axis."""
        run, (lower, step, count) = self.run, bounds
        axis, room, blocks = len(self.lanes.open), run.room, run.blocks
        block = max(1, min(size, room // self._weight(interpreter, op)))
        run.entries += axis == 0
        for start in range(0, size, block):
            positions = self.lanes.along(axis, np.arange(start, min(start + block, size)))
            values, there = lower + positions * step, positions < count
            run.room = max(1, room // positions.size)
            if axis == 0 and block < size:
                run.blocks = (run.entries << 32) + positions + 1
            opened = Axis(op.body.block.args[0], values, positions.size)
            with self.lanes.loop(axis, opened, None if there.all() else there):
                interpreter.run_ssacfg_region(op.body, (values,))
        run.room, run.blocks = room, blocks

    def _weight(self, interpreter: Interpreter, op: Operation) -> int:
        """About how many elements one iteration takes at its widest."""
        weight = 1
        for inner in _inner(op):
            size = self._weight(interpreter, inner) if inner.regions else 1
            if _is_parallel(inner):
                size *= self._expected(interpreter, cast(scf.ForOp, inner))
            elif isinstance(inner, uop.LocalOp):
                size = inner.count
            for result in inner.results:
                size = max(size, *vector_shape(result.type), 1)
            weight = max(weight, size)
        return min(weight, self.run.room)

    def _expected(self, interpreter: Interpreter, op: scf.ForOp) -> int:
        """The number of iterations of a loop further in, as far as its bounds are known here."""
        bounds = [self._known(interpreter, value) for value in (op.lb, op.ub, op.step)]
        lower, upper, step = bounds
        if lower is None or upper is None or step is None:
            return 1
        return max(1, (upper - lower) // max(step, 1))

    def _known(self, interpreter: Interpreter, value: SSAValue) -> int | None:
        owner = value.owner
        if isinstance(owner, Operation):
            return integer_of(value)
        func = owner.parent_op()
        if not isinstance(func, uop.FuncOp):
            return None
        (array,) = interpreter.get_values([value])
        return int(cast(Array, array).max())

    @impl(scf.IfOp)
    def branch(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        condition: Array = args[0]
        mask = self.lanes.mask
        taken = condition if mask is None else condition & mask
        left = ~condition if mask is None else ~condition & mask
        if not left.any():
            return interpreter.run_ssacfg_region(op.true_region, ())
        if not taken.any():
            return interpreter.run_ssacfg_region(op.false_region, ())
        with self.lanes.where(condition):
            on_true = interpreter.run_ssacfg_region(op.true_region, ())
        with self.lanes.where(~condition):
            on_false = interpreter.run_ssacfg_region(op.false_region, ())
        return _merged(condition, on_true, on_false)

    @impl(scf.WhileOp)
    def while_loop(
        self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues
    ) -> PythonValues:
        results: PythonValues | None = None
        alive = np.ones(self.lanes.shape, np.bool_)
        alive = alive if self.lanes.mask is None else alive & self.lanes.mask
        while True:
            count_iteration(op)
            with self.lanes.where(alive):
                condition, *passed = interpreter.run_ssacfg_region(op.before_region, args)
            passed = tuple(passed)
            results = passed if results is None else _merged(alive, passed, results)
            alive = alive & condition
            if not alive.any():
                return results
            with self.lanes.where(alive):
                args = interpreter.run_ssacfg_region(op.after_region, passed)

    @impl_terminator(scf.ConditionOp)
    def condition(
        self, interpreter: Interpreter, op: scf.ConditionOp, args: PythonValues
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(args), ()


def _merged(condition: Array, on_true: PythonValues, on_false: PythonValues) -> PythonValues:
    """Values that lanes have got from one of two places."""
    pairs = cast("zip[tuple[Array, Array]]", zip(on_true, on_false, strict=True))
    return tuple(np.where(widened(condition, a.ndim), a, b) for a, b in pairs)


_CONTROL = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp)

KNOWN = frozenset({*SCALARS, *MATHEMATICS, *_MEMORY_ROWS, *_CONTROL})
"""The ops that a kernel may hold."""
