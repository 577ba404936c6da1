"""The kernel floor on numpy: a range is an axis.

A value is an array with one axis for each loop of its kernel's tree (`kernel.Nest`), at the depth
of the loop, and one for each range that is no loop, behind those; of extent 1 where the value does
not depend on the range. The tree is walked once: a
reduction folds axes, a stage fills memory, a store writes it. So that no array exceeds a limit,
a loop may run in blocks, from the outside in; that is the only way in which order shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.syntax import placeholder
from teenyir.interpreter import combine, memory
from teenyir.interpreter.arrays import Array, dtype_of, fault
from teenyir.interpreter.dispatch import functions_class, interpreter_of, require_known
from teenyir.interpreter.indices import Value, evaluate
from teenyir.interpreter.lanes import MOST_AXES, Axis, Lanes
from teenyir.interpreter.mathematics import MATHEMATICS
from teenyir.interpreter.matrix import load_matrices, multiply
from teenyir.interpreter.memory import Buffer
from teenyir.interpreter.order import sorted_places
from teenyir.interpreter.scalars import SCALARS

MOST_ELEMENTS = 1 << 22
"""The elements of an intermediate array at a time, unless one iteration alone needs more."""

ScalarFunctions = functions_class("ScalarFunctions", {**SCALARS, **MATHEMATICS})
"""Scalar arithmetic in all lanes; the context is the `Lanes`."""

Running = list[Array]
"""What a reduction, fold or scan has so far."""


def run_kernel(
    module: ModuleOp,
    func: kernel.FuncOp,
    buffers: Sequence[Buffer],
    dims: Mapping[str, int],
    most_elements: int = MOST_ELEMENTS,
) -> None:
    """Run one kernel over buffers, in place; `dims` holds a value for each of its names."""
    require_known(func, KNOWN)
    run = KernelRun(module, func, dict(dims), most_elements)
    for (mode, argument), buffer in zip(func.buffers, buffers, strict=True):
        run.values[argument] = buffer
        if mode in ("out", "inout"):
            run.claims[buffer] = memory.Claims(buffer)
    run.loop(run.nest.root, max(1, most_elements // run.copies()))


@dataclass
class KernelRun:
    """One run of one kernel."""

    module: ModuleOp
    func: kernel.FuncOp
    dims: dict[str, int]
    most_elements: int
    values: dict[SSAValue, Any] = field(default_factory=dict[SSAValue, Any])
    """Arrays, and buffers."""
    running: dict[Operation, Running] = field(default_factory=dict[Operation, Running])
    claims: dict[Buffer, memory.Claims] = field(default_factory=dict[Buffer, memory.Claims])
    """Which elements of each output have been written."""

    def __post_init__(self) -> None:
        self.nest = kernel.Nest(self.func)
        depth = {range_: len(outside) for range_, outside in self.nest.outside.items()}
        inner = 1 + max(depth.values(), default=0)
        unrolled = [
            op for op in self.nest.ops if isinstance(op, kernel.RangeOp) and kernel.is_unrolled(op)
        ]
        self.depth: dict[kernel.RangeOp, int] = depth | {
            range_: inner + number for number, range_ in enumerate(unrolled)
        }
        """The axis of each range."""
        self.lanes = Lanes(inner + len(unrolled))
        for range_ in unrolled:
            self._open_unrolled(range_)
        if self.lanes.rank > MOST_AXES:
            raise fault(self.func, f"nests more than {MOST_AXES} loops")
        self.interpreter = interpreter_of(
            self.module, ScalarFunctions(self.lanes), KernelFunctions(self)
        )
        self.weights: dict[kernel.Loop, int] = {}

    def _open_unrolled(self, range_: kernel.RangeOp) -> None:
        """Lay the iterations of a range that is no loop along its axis, for the whole run."""
        first, end = (expr.evaluate({}) for expr in range_.exprs)
        values = self.lanes.along(self.depth[range_], np.arange(first, end))
        self.values[range_.result] = values
        self.lanes.open[self.depth[range_]] = Axis(range_.result, values, end - first)

    # --- loops --------------------------------------------------------------------------------

    def loop(self, loop: kernel.Loop, room: int) -> None:
        """Run a loop in blocks such that what is in it takes about `room` elements at a time."""
        self._start(loop.opens)
        if loop.range is None:
            self._body(loop, room)
            return
        range_, axis = loop.range, self.depth[loop.range]
        lower = self.full(self.index(range_, range_.lower.data))
        count = self.full(self.index(range_, range_.upper.data)) - lower
        size = self._longest(count)
        in_order = _writes_in_order(loop, self.nest.ops)
        block = 1 if in_order else max(1, min(size, room // self.weight(loop)))
        if range_.how == "thread.x":
            block = size  # a matrix instruction is one of all threads of a warp
        for start in range(0, size, block):
            positions = self.lanes.along(axis, np.arange(start, min(start + block, size)))
            values, n = lower + positions, positions.size
            self.values[range_.result] = values
            there = positions < count
            opened = Axis(range_.result, values, n)
            with self.lanes.loop(axis, opened, None if there.all() else there):
                self._body(loop, room // n)

    def _longest(self, count: Array) -> int:
        """The greatest number of iterations in an active lane."""
        mask = self.lanes.mask
        counts = count if mask is None else np.where(mask, count, 0)
        return max(int(counts.max(initial=0)), 0)

    def _body(self, loop: kernel.Loop, room: int) -> None:
        for item in loop.body:
            if isinstance(item, kernel.Loop):
                self.loop(item, room)
            elif isinstance(item, kernel.Update):
                if not kernel.only_loops(kernel.closed_by(item.closer)):
                    self._start([item.closer])
                UPDATES[type(item.closer)](self, item.closer)
            else:
                self._run(item)

    def _run(self, op: Operation) -> None:
        # what a closer takes in is not there if its loop had no iteration
        results = self.interpreter.run_op(op, tuple(map(self.values.get, op.operands)))
        self.values.update(zip(op.results, results, strict=True))

    def copies(self) -> int:
        """The most iterations that stand side by side, of ranges that are no loops."""
        ranges = map(kernel.only_unrolled, self.nest.operand_dependences.values())
        return max((math.prod(r.extent.evaluate({}) for r in each) for each in ranges), default=1)

    def weight(self, loop: kernel.Loop) -> int:
        """About how many elements one iteration of a loop takes at its widest."""
        if loop not in self.weights:
            inner = [item for item in loop.body if isinstance(item, kernel.Loop)]
            sizes = [self._expected(item.range) * self.weight(item) for item in inner if item.range]
            stages = [
                op.target.size.evaluate(self.dims)
                for item in inner
                for op in item.opens
                if isinstance(op, kernel.StageOp)
            ]
            self.weights[loop] = min(max([1, *sizes, *stages]), self.most_elements)
        return self.weights[loop]

    def _expected(self, range_: kernel.RangeOp) -> int:
        """The extent of a range at the last or first iterations of those that it depends on."""
        return max(1, *(self._bound(range_, range_.extent, end) for end in (True, False)))

    def _bound(self, op: kernel.IndexedOp, expr: Expr, last: bool) -> int:
        values: dict[str, int] = dict(self.dims)
        for position, value in enumerate(op.index_values):
            owner, found = value.owner, 0
            if isinstance(owner, kernel.RangeOp):
                edge = owner.upper.data - 1 if last else owner.lower.data
                found = self._bound(owner, edge, last)
            elif isinstance(owner, kernel.IndexOp):
                found = self._bound(owner, owner.expr.data, last)
            values[placeholder(position)] = found
        return expr.evaluate(values)

    # --- values -------------------------------------------------------------------------------

    def index(self, op: kernel.IndexedOp, expr: Expr) -> Value:
        """An index expression of an op in all lanes."""
        values: dict[str, Value] = dict(self.dims)
        for position, value in enumerate(op.index_values):
            values[placeholder(position)] = self.values[value]
        return evaluate(expr, values)

    def full(self, value: Value) -> Array:
        """An index in full rank."""
        array = np.asarray(value, np.int64)
        return self.lanes.lifted(array) if array.ndim == 0 else array

    def gate(self, op: kernel.LoadOp | kernel.StoreOp | kernel.ScatterOp) -> Array | None:
        """Where the gate of an access holds; None where it has none."""
        return None if op.gate is None else self.values[op.gate]

    def indices(self, op: kernel.AccessOp) -> list[Array]:
        """The index of an access along each axis of its buffer."""
        return [self.full(self.index(op, expr)) for expr in op.exprs]

    def _start(self, opens: Sequence[kernel.Closer | kernel.ScanOp]) -> None:
        for op in opens:
            if isinstance(op, kernel.StageOp):
                self.values[op.result] = self._fresh_stage(op)
            elif isinstance(op, kernel.SortOp):
                self.running[op] = []
            elif isinstance(op, kernel.MmaOp):
                zero = np.zeros((), dtype_of(op.result.type))
                self.running[op] = [self.lanes.lifted(zero)]
            elif isinstance(op, kernel.FoldOp):
                self.running[op] = [self.values[value] for value in op.initial]
            else:
                start = combine.identity(op.kind.data, dtype_of(op.result.type))
                self.running[op] = [self.lanes.lifted(start)]

    def _fresh_stage(self, op: kernel.StageOp) -> Buffer:
        around = {self.depth[range_] for range_ in self.nest.dependences[op.result]}
        lead = tuple(n if axis in around else 1 for axis, n in enumerate(self.lanes.shape))
        extents = tuple(extent.evaluate(self.dims) for extent in op.target.extents)
        name = f"%{op.result.name_hint or 'stage'}"
        buffer = Buffer.fresh(name, extents, dtype_of(op.target.element), lead)
        if op.kind is not None:
            buffer.data[...] = combine.identity(op.kind.data, buffer.data.dtype)
            buffer.written = None
        return buffer

    # --- closers ------------------------------------------------------------------------------

    def closed_axes(self, op: Operation) -> tuple[int, ...]:
        """The axes of the ranges that an op closes, outermost first."""
        return tuple(sorted(self.depth[range_] for range_ in kernel.closed_by(op)))

    def gathered(self, op: Operation, values: Array, axes: Sequence[int], neutral: Array) -> Array:
        """Values with every iteration of axes there, and a neutral one where a lane is not."""
        mask = self.lanes.mask
        if mask is not None:
            # the bounds of a range may depend on more than the values in it do
            axes = [self.depth[range_] for range_ in self.nest.operand_dependences[op]]
        shape = list(values.shape)
        for axis in axes:
            shape[axis] = self.lanes.open[axis].size
        values = np.broadcast_to(values, shape)
        if mask is None:
            return values
        # where lanes are switched off around all of them, any value will do
        idle = tuple(k for k, n in enumerate(shape) if n == 1 and mask.shape[k] > 1)
        return np.where(mask.any(axis=idle, keepdims=True), values, neutral)


# --- updates: where a closer takes its operand in -------------------------------------------------


def _update_reduce(run: KernelRun, op: kernel.ReduceOp) -> None:
    kind, axes = op.kind.data, run.closed_axes(op)
    value: Array = run.values[op.value]
    value = run.gathered(op, value, axes, combine.identity(kind, value.dtype))
    part = np.expand_dims(combine.reduce(kind, value, axes), axes)
    run.running[op] = [combine.combine(kind, run.running[op][0], part)]


def _update_fold(run: KernelRun, op: kernel.FoldOp) -> None:
    axes = run.closed_axes(op)
    parts: list[Array] = []
    for value, initial in zip(op.inputs, op.initial, strict=True):
        gathered = run.gathered(op, run.values[value], axes, run.values[initial])
        parts.append(_last_axis(gathered, axes))
    folded = combine.fold(parts, lambda taken: _fold_step(run, op, taken))
    if folded is not None:
        run.running[op] = _fold_step(run, op, [*run.running[op], *folded])


def _last_axis(values: Array, axes: Sequence[int]) -> Array:
    """Values with some axes put together as one more at the end; in their place extents of 1."""
    kept = [n if k not in axes else 1 for k, n in enumerate(values.shape)]
    order = [k for k in range(values.ndim) if k not in axes] + list(axes)
    return values.transpose(order).reshape(*kept, -1)


def _fold_step(run: KernelRun, op: kernel.FoldOp, taken: Sequence[Array]) -> list[Array]:
    """The region of a fold on the values so far, then those to take in."""
    values: dict[SSAValue, Array] = dict(zip(op.body.block.args, taken, strict=True))
    for inner in op.body.block.ops:
        operands = tuple(values[operand] for operand in inner.operands)
        if isinstance(inner, kernel.YieldOp):
            shape = np.broadcast_shapes(*(value.shape for value in operands))
            return [np.broadcast_to(value, shape) for value in operands]
        values.update(zip(inner.results, run.interpreter.run_op(inner, operands), strict=True))
    raise fault(op, "its region yields nothing")


def _update_stage(run: KernelRun, op: kernel.StageOp) -> None:
    buffer: Buffer = run.values[op.result]
    active = run.lanes.active(None)
    places = memory.place(op, buffer, run.indices(op), active, run.lanes)
    value: Array = run.values[op.value]
    if op.kind is not None:
        axes = tuple(sorted(run.depth[range_] for range_ in kernel.accumulated_by(op)))
        value = run.gathered(op, value, axes, combine.identity(op.kind.data, value.dtype))
        value = np.expand_dims(combine.reduce(op.kind.data, value, axes), axes)
    shape = np.broadcast_shapes(places.shape, value.shape)
    flat, value = memory.scattered(places, value, active, shape)
    if op.kind is None:
        memory.store(buffer, flat, value)
        return
    if op.scale is not None:  # the loop runs one iteration at a time
        _, scale = memory.scattered(places, run.values[op.scale], active, shape)
        buffer.data[flat] *= scale
    combine.combine_at(op.kind.data, buffer.data, flat, value)


def _update_sort(run: KernelRun, op: kernel.SortOp) -> None:
    for value in op.inputs:
        array: Array = run.values[value]
        neutral = np.zeros((), array.dtype)
        run.running[op].append(run.gathered(op, array, run.closed_axes(op), neutral))


def _update_mma(run: KernelRun, op: kernel.MmaOp) -> None:
    owners = [v.owner for v in (op.a_elements, op.b_elements, op.elements)]
    p, q, r = (run.depth[owner] for owner in owners if isinstance(owner, kernel.RangeOp))
    threads = [x for x in run.nest.operand_dependences[op] if x.how == "thread.x"]
    ends = (run.depth[threads[0]], p, q, r)
    loops = tuple(sorted(run.depth[x] for x in kernel.closed_by(op) if run.depth[x] not in ends))
    taken: list[Array] = []
    for value, elements in ((op.a, p), (op.b, q)):
        array: Array = run.values[value]
        shape = list(array.shape)
        for axis in (ends[0], elements, *loops):
            shape[axis] = run.lanes.open[axis].size
        if run.lanes.mask is not None:
            array = np.where(run.lanes.mask, array, np.zeros((), array.dtype))
            shape = list(np.broadcast_shapes(shape, array.shape))
        last = np.moveaxis(np.broadcast_to(array, shape), ends, (-4, -3, -2, -1))
        taken.append(last)
    a, b = taken[0][..., 0, 0], taken[1][..., 0, :, 0]
    product = multiply(op.product, a, b)[..., None, None, :]
    part = np.moveaxis(product, (-4, -3, -2, -1), ends).sum(axis=loops, keepdims=True)
    so_far = run.running[op][0]
    run.running[op] = [(so_far + part).astype(so_far.dtype)]


UPDATES: dict[type[Operation], Callable[[KernelRun, Any], None]] = {
    kernel.ReduceOp: _update_reduce,
    kernel.FoldOp: _update_fold,
    kernel.StageOp: _update_stage,
    kernel.SortOp: _update_sort,
    kernel.MmaOp: _update_mma,
}


# --- ops ------------------------------------------------------------------------------------------


def _finished(run: KernelRun, op: Operation, *operands: Any) -> tuple[Any, ...]:
    """A reduction or fold is complete where it stands."""
    return tuple(run.running.pop(op))


def _stage(run: KernelRun, op: kernel.StageOp, *operands: Any) -> tuple[Any, ...]:
    buffer: Buffer = run.values[op.result]
    buffer.settle()
    return (buffer,)


def _sort(run: KernelRun, op: kernel.SortOp, *operands: Any) -> tuple[Any, ...]:
    parts, (axis,) = run.running.pop(op), run.closed_axes(op)
    count = op.first.evaluate(run.dims)
    around = {run.depth[range_] for range_ in run.nest.open_around(op)}
    lead = tuple(n if k in around else 1 for k, n in enumerate(run.lanes.shape))
    rows: list[Array] = []
    for number, value in enumerate(op.inputs):
        shape = [*lead, op.extent.evaluate(run.dims)]
        taken = parts[number :: len(op.inputs)]
        pieces = [np.swapaxes(np.expand_dims(part, -1), axis, -1) for part in taken]
        empty = np.zeros([1] * len(shape), dtype_of(value.type))[..., :0]
        rows.append(np.broadcast_to(np.concatenate(pieces or [empty], -1), shape))
    order = sorted_places(rows, op.orders)[..., :count]
    results: list[Buffer] = []
    for row, result in zip(rows, op.outputs, strict=True):
        name, ordered = f"%{result.name_hint or 'sorted'}", np.take_along_axis(row, order, -1)
        results.append(Buffer(name, (count,), ordered.reshape(-1), None, lead))
    return tuple(results)


def _index(run: KernelRun, op: kernel.IndexOp, *operands: Array) -> Array:
    return run.full(run.index(op, op.expr.data))


def _load(run: KernelRun, op: kernel.LoadOp, buffer: Buffer, *operands: Array) -> Array:
    gate = run.gate(op)
    active = run.lanes.active(gate)
    places = memory.place(op, buffer, run.indices(op), active, run.lanes)
    loaded = memory.load(op, buffer, places, active, run.lanes)
    if gate is None or op.other is None:
        return loaded
    other: Array = run.values[op.other]
    return np.where(gate, loaded, other)


def _all_reduce(run: KernelRun, op: kernel.AllReduceOp, value: Array, *rest: Array) -> Array:
    axes = (run.depth[op.across],)
    value = run.gathered(op, value, axes, combine.identity(op.kind.data, value.dtype))
    if op.lanes is None:
        return np.expand_dims(combine.reduce(op.kind.data, value, axes), axes)
    (axis,) = axes
    groups = (*value.shape[:axis], -1, op.group, *value.shape[axis + 1 :])
    return combine.reduce(op.kind.data, value.reshape(groups), (axis + 1,)).repeat(op.group, axis)


def _load_matrix(
    run: KernelRun, op: kernel.LoadMatrixOp, buffer: Buffer, *operands: Array
) -> Array:
    """Each lane's row of 16 bytes, and then what each gets of those of its warp."""
    (thread,) = (r for r in run.nest.operand_dependences[op] if r.how == "thread.x")
    axis, lanes = run.depth[thread], run.lanes
    active = lanes.active(None)
    starts = memory.place(op, buffer, run.indices(op), active, lanes)
    shape = list(starts.shape)
    shape[axis] = lanes.open[axis].size
    packed = 4 // buffer.data.itemsize
    places = np.broadcast_to(starts, shape)[..., None] + np.arange(4 * packed)
    rows = memory.load(op, buffer, places, active, lanes)
    transposed = op.transposed is not None
    got = load_matrices(np.moveaxis(rows, axis, -2), packed, op.count, transposed=transposed)
    got = np.moveaxis(got, -2, axis)
    sizes = [range_.extent.evaluate({}) for range_ in op.opened]
    got = got.reshape(*got.shape[:-1], *sizes)
    for range_ in op.opened:
        # the axis of an opened range is of extent 1 so far: its elements take its place
        got = np.moveaxis(got, lanes.rank, run.depth[range_])
        got = got.squeeze(run.depth[range_] + 1)
    return got


def _store(
    run: KernelRun, op: kernel.StoreOp, value: Array, buffer: Buffer, *rest: Array
) -> tuple[()]:
    places, values = _written(run, op, value, buffer)
    # in a loop that it does not depend on, a store rightly does the same again and again
    if frozenset(run.nest.place(op)) == kernel.only_loops(run.nest.operand_dependences[op]):
        clash = run.claims[buffer].clash(places, values)
        if clash is not None:
            text = f"{buffer.name}{buffer.index_text(clash)}"
            raise fault(op, f"writes {text} a second time, and something else")
    memory.store(buffer, places, values)
    return ()


def _written(
    run: KernelRun, op: kernel.StoreOp | kernel.ScatterOp, value: Array, buffer: Buffer
) -> tuple[Array, Array]:
    """The flat places that an op writes, in order, and the values for them."""
    active = run.lanes.active(run.gate(op))
    places = memory.place(op, buffer, run.indices(op), active, run.lanes)
    shape = list(np.broadcast_shapes(places.shape, value.shape))
    for range_ in run.nest.operand_dependences[op] - run.nest.repeated(op):
        axis = run.depth[range_]
        shape[axis] = run.lanes.open[axis].size
    return memory.scattered(places, value, active, tuple(shape))


def _scatter(
    run: KernelRun, op: kernel.ScatterOp, value: Array, buffer: Buffer, *rest: Array
) -> tuple[()]:
    places, values = _written(run, op, value, buffer)
    if op.kind.data == "set":
        memory.store(buffer, places, values)
    else:
        combine.combine_at(op.kind.data, buffer.data, places, values)
    return ()


def _scan(run: KernelRun, op: kernel.ScanOp, value: Array, along: Array) -> Array:
    kind = op.kind.data
    (axis,) = (run.depth[range_] for range_ in kernel.scanned_by(op))
    neutral = combine.identity(kind, value.dtype)
    so_far = run.running[op][0]
    running = combine.accumulate(kind, run.gathered(op, value, (axis,), neutral), axis)
    inclusive = combine.combine(kind, so_far, running)
    run.running[op] = [np.take(inclusive, [-1], axis)]
    if op.exclusive is None:
        return inclusive
    start = np.broadcast_to(so_far, run.running[op][0].shape)
    return np.concatenate([start, np.delete(inclusive, -1, axis)], axis)


_ROWS: dict[type[Operation], Callable[..., Any]] = {
    kernel.IndexOp: _index,
    kernel.LoadOp: _load,
    kernel.LoadMatrixOp: _load_matrix,
    kernel.AllReduceOp: _all_reduce,
    kernel.StoreOp: _store,
    kernel.ScatterOp: _scatter,
    kernel.ReduceOp: _finished,
    kernel.FoldOp: _finished,
    kernel.MmaOp: _finished,
    kernel.StageOp: _stage,
    kernel.SortOp: _sort,
    kernel.ScanOp: _scan,
}

KernelFunctions = functions_class("KernelFunctions", _ROWS)

KNOWN = frozenset({*SCALARS, *MATHEMATICS, *_ROWS, kernel.RangeOp, kernel.YieldOp})
"""The ops that a kernel may hold."""


def _writes_in_order(loop: kernel.Loop, ops: Sequence[Operation]) -> bool:
    """Whether a loop must run one iteration at a time: two scatters in it may meet, or each
    iteration scales what those before it have summed."""
    scaled = [op for op in ops if isinstance(op, kernel.StageOp) and op.scale is not None]
    return _scatters(loop) > 1 or any(loop.range in kernel.accumulated_by(op) for op in scaled)


def _scatters(loop: kernel.Loop) -> int:
    return sum(
        _scatters(item) if isinstance(item, kernel.Loop) else isinstance(item, kernel.ScatterOp)
        for item in loop.body
    )
