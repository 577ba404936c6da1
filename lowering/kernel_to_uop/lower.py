"""The pass `kernel-to-uop`: the loop tree of a kernel written out as linear code.

Loops are written in the tree's order. What depends on a range of kind `unroll` is written once for
each of its iterations, and what depends on one of kind `vector` on vectors. Such copies are not
written where they stand in the text but when they are asked for, by the store or combination that
they end in, one copy after the other: so few of them live at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import LocationAttr, UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices
from teenyir.dialects import kernel, uop
from teenyir.dialects.building import made
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.dialects.inside import of_kind
from teenyir.dialects.kernel.combiners import FUSED
from teenyir.dialects.lanes import lanes
from teenyir.lowering.kernel_to_uop.barriers import place_barriers
from teenyir.lowering.kernel_to_uop.copies import Copies
from teenyir.lowering.kernel_to_uop.launch import Launch
from teenyir.lowering.kernel_to_uop.places import Copy
from teenyir.lowering.kernel_to_uop.widening import across, combined, extract, same_op
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import fuse_locations


@dataclass(frozen=True)
class KernelToUop(Pass):
    """Write each kernel out as loops, in the order and with the registers its ranges imply."""

    name = "kernel-to-uop"
    anchor = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        for source in of_kind(op, kernel.FuncOp):
            indices = session.analysis(KERNEL_INDICES, source)
            linear = Linearizer(source, indices).build()
            block = source.parent_block()
            assert block is not None  # a kernel stands in a module
            block.insert_op_before(linear, source)
            source.detach()
            source.erase()


Running: TypeAlias = kernel.ReduceOp | kernel.FoldOp | kernel.ScanOp | kernel.MmaOp
"""What is carried from iteration to iteration in registers."""

Values: TypeAlias = list[SSAValue]
"""A value for each result of what is running."""

WHOLE: Copy = {}
"""The only copy of what depends on no range of kind `unroll`."""


@dataclass
class Linearizer:
    """Turns one `kernel.func` into one `uop.func`."""

    source: kernel.FuncOp
    named: KernelIndices
    running: dict[Running, dict[tuple[int, ...], Values]] = field(
        default_factory=dict["Running", dict[tuple[int, ...], "Values"]]
    )
    """The values so far of what has started and not ended, copy by copy."""
    ids: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The ids of a GPU's launch that were asked for."""
    in_threads: bool = False
    """Whether a loop is open whose iterations threads share: one in it runs in one thread."""

    def build(self) -> uop.FuncOp:
        """The `uop.func`, not inserted anywhere."""
        source = self.source
        pointers = [uop.PtrType(_buffer(argument).element) for _, argument in source.buffers]
        modes = [mode for mode, _ in source.buffers]
        result = uop.FuncOp(source.sym_name.data, modes, pointers, source.dims)
        result.location = source.location
        result.attributes |= source.attributes
        self.nest = kernel.Nest(source)
        self.copies = Copies(self.nest, self.named, result)
        self.launch = Launch(source, self.named.facts)
        result.properties |= self.launch.properties()
        arguments = result.body.block.args
        for (_, old), new in zip(source.buffers, arguments, strict=False):
            new.name_hint = old.name_hint
            self.copies.define(old, WHOLE, new)
        for name, extent in result.extents.items():
            extent.name_hint = name
        ops = source.body.block.ops
        self.accumulated = frozenset[kernel.RangeOp]().union(*map(kernel.accumulated_by, ops))
        self._emit_body(self.nest.root)
        place_barriers(result)
        return result

    # --- where ops go -------------------------------------------------------------------------

    @property
    def location(self) -> LocationAttr:
        return self.copies.location

    @location.setter
    def location(self, location: LocationAttr) -> None:
        self.copies.location = location

    def _insert(self, op: Operation) -> Operation:
        """Put an op at the end of the innermost open loop."""
        self.copies.blocks[-1].add_op(op)
        op.location = self.location
        return op

    def _value(self, op: Operation) -> SSAValue:
        return self._insert(op).results[0]

    # --- the loop tree ------------------------------------------------------------------------

    def _emit_body(self, loop: kernel.Loop) -> None:
        for item in loop.body:
            if isinstance(item, kernel.Loop):
                self._emit_loop(item)
            elif isinstance(item, kernel.Update):
                self.location = item.closer.location
                if not kernel.only_loops(kernel.closed_by(item.closer)):
                    self._start(item.closer)
                self._emit_update(item.closer)
            else:
                self.location = item.location
                self._emit_op(item)

    def _emit_loop(self, loop: kernel.Loop) -> None:
        assert loop.range is not None  # only the root has none
        range_ = loop.range
        for opened in loop.opens:
            self._start(opened)
        if kernel.is_of_launch(range_):
            self._emit_threads(loop, range_)
            return
        self.location = range_.location
        lower, upper = (self.copies.index(expr, range_, WHOLE) for expr in range_.exprs)
        step = self.copies.indices.value(ONE, {})
        carried = [op for op in self.running if range_ in _carrying(op)]
        initial = self._carried_values(carried)
        types = [value.type for value in initial]
        block = Block(arg_types=[uop.INDEX, *types])
        block.args[0].name_hint = range_.result.name_hint
        self.copies.define(range_.result, WHOLE, block.args[0])
        self._rename(carried, block.args[1:])
        shared = range_.how == "parallel" and not self.in_threads
        self.in_threads |= shared
        with self.copies.inside(range_, block):
            self._emit_body(loop)
            self.location = fuse_locations([range_.location, *(op.location for op in carried)])
            self._insert(made(scf.YieldOp, self._carried_values(carried)))
        bounds = (lower, upper, step)
        op = made(scf.ForOp, [*bounds, *initial], types, regions=[Region(block)])
        if not carried and range_ not in self.accumulated and not _writes_in_order(loop):
            op.attributes[uop.PARALLEL] = UnitAttr()
        if shared:
            self.in_threads = False
            grain = ONE if range_.grain is None else range_.grain.data
            op.attributes[uop.THREADS] = uop.ThreadsAttr(grain=grain)
        self._insert(op)
        self._rename(carried, op.results)
        for scan in [op for op in carried if isinstance(op, kernel.ScanOp)]:
            del self.running[scan]

    def _emit_threads(self, loop: kernel.Loop, range_: kernel.RangeOp) -> None:
        """What is in a range of the launch: no loop, but what the thread has as its id."""
        self.location = range_.location
        indices = self.copies.indices
        id = self._id(range_.how)
        value = indices.value(range_.lower.data + "id", {"id": id})
        self.copies.define(range_.result, WHOLE, value)
        if not self.launch.is_partial(range_):
            self.copies.opened[range_] = len(self.copies.blocks) - 1
            self._emit_body(loop)
            return
        inside = self._value(arith.CmpiOp(id, indices.value(range_.extent, {}), "slt"))
        block = Block()
        with self.copies.inside(range_, block):
            self._emit_body(loop)
            self._insert(scf.YieldOp())
        self._insert(scf.IfOp(inside, [], Region(block)))

    def _id(self, axis: str) -> SSAValue:
        """An id of the thread, from the start of the function."""
        if axis not in self.ids:
            self.ids[axis] = self.copies.insert_at(uop.SpecialOp(axis), 0)
            self.ids[axis].name_hint = axis.split(".")[0]
        return self.ids[axis]

    def _carried_values(self, carried: Sequence[Running]) -> Values:
        return [v for op in carried for values in self.running[op].values() for v in values]

    def _rename(self, carried: Sequence[Running], values: Sequence[SSAValue]) -> None:
        """From here on these are the values of what is carried."""
        rest = iter(values)
        for op in carried:
            for copy in self.running[op]:
                self.running[op][copy] = [next(rest) for _ in op.results]
                for result, value in zip(op.results, self.running[op][copy], strict=True):
                    value.name_hint = result.name_hint

    # --- closers ------------------------------------------------------------------------------

    def _start(self, opened: kernel.Closer | kernel.ScanOp) -> None:
        self.location = opened.location
        width = self.copies.width(opened)
        match opened:
            case kernel.StageOp():
                self._start_stage(opened)
                return
            case kernel.SortOp():
                for result, buffer in zip(opened.outputs, opened.scratch, strict=True):
                    self.copies.define(result, WHOLE, self.copies.of(buffer, WHOLE))
                return
            case kernel.FoldOp():
                start = [self.copies.of(v, WHOLE) for v in opened.initial]
                start = [self.copies.as_wide(value, width) for value in start]
            case kernel.MmaOp():
                start = [self.copies.constant(0, opened.result.type, None)]
            case kernel.ReduceOp() if not kernel.only_loops(kernel.closed_by(opened)):
                start = []  # the first value will do
            case _:
                type = opened.result.type
                start = [self.copies.constant(opened.combiner.identity(type), type, width)]
        copies = self.copies.each(opened.results[0])
        self.running[opened] = {tuple(copy.values()): start for copy in copies}

    def _start_stage(self, stage: kernel.StageOp) -> None:
        size = stage.target.size.constant
        assert size is not None  # the verifier has seen to it
        space: uop.Space = "shared" if stage.target.space.data == "shared" else "local"
        pointer = self._value(uop.LocalOp(max(size, 1), stage.target.element, space))
        pointer.name_hint = stage.result.name_hint
        self.copies.define(stage.result, WHOLE, pointer)
        if stage.combiner is not None:
            identity = stage.combiner.identity(stage.value.type)
            self._fill(pointer, size, self.copies.constant(identity, stage.value.type, None))

    def _fill(self, pointer: SSAValue, count: int, filler: SSAValue) -> None:
        """Store one value into all elements of local memory."""
        lower, upper, step = (self.copies.indices.value(Expr.of(n), {}) for n in (0, count, 1))
        block = Block(arg_types=[uop.INDEX])
        loop = scf.ForOp(lower, upper, step, [], block)
        loop.attributes[uop.PARALLEL] = UnitAttr()
        self._insert(loop)
        for op in (uop.StoreOp(filler, pointer, block.args[0]), scf.YieldOp()):
            op.location = self.location
            block.add_op(op)

    def _emit_update(self, closer: kernel.Closer) -> None:
        if isinstance(closer, kernel.StageOp):
            for copy in self.copies.each_of(closer):
                self._update_stage(closer, copy)
            return
        if isinstance(closer, kernel.SortOp):
            self._update_sort(closer)
            return
        if isinstance(closer, kernel.MmaOp):
            self._multiply(closer)
            return
        inner = self.copies.closed(closer)
        for outer in self.copies.each_by_scalars(closer):
            key = tuple(outer.values())
            for more in inner:
                self.running[closer][key] = self._taken_in(closer, key, {**outer, **more})

    def _taken_in(
        self, closer: kernel.ReduceOp | kernel.FoldOp, key: tuple[int, ...], copy: Copy
    ) -> Values:
        """What is running with the values of a copy."""
        so_far, width = self.running[closer][key], self.copies.width(closer)
        if isinstance(closer, kernel.FoldOp):
            inputs = [self.copies.wide(value, copy, width) for value in closer.inputs]
            return self._inlined(closer, [*so_far, *inputs])
        value = self.copies.wide(closer.value, copy, width)
        if not so_far:
            return [value]
        return [self._value(combined(closer.combiner, so_far[0], value, reordered=True))]

    def _inlined(self, fold: kernel.FoldOp, taken: Sequence[SSAValue]) -> Values:
        """A copy of a fold's region on the values so far and those of an iteration."""
        known: dict[SSAValue, SSAValue] = dict(zip(fold.body.block.args, taken, strict=True))
        width = lanes(taken[0].type)
        for inner in fold.body.block.ops:
            operands = [self.copies.as_wide(known[value], width) for value in inner.operands]
            if isinstance(inner, kernel.YieldOp):
                return operands
            # a constant is one number for all lanes, until it is used
            copy = self._insert(same_op(inner, operands, width if operands else None))
            copy.location = fuse_locations([fold.location, inner.location])
            known.update(zip(inner.results, copy.results, strict=True))
        raise AssertionError("a fold without a yield")  # the verifier has seen to it

    def _multiply(self, mma: kernel.MmaOp) -> None:
        """One matrix instruction for each copy of the sum: all elements of a lane at once."""
        owners = (v.owner for v in (mma.a_elements, mma.b_elements, mma.elements))
        a, b, c = (cast(kernel.RangeOp, owner) for owner in owners)
        counts = mma.product.counts
        running = self.running[mma]
        steps = [step for step in self.copies.closed(mma) if step[a] == 0 and step[b] == 0]
        for step, of_sum in itertools.product(steps, self.copies.each(mma.result)):
            if of_sum[c] != 0:
                continue  # computed with the first
            copy = {**of_sum, **step}
            copies = [{**of_sum, c: n} for n in range(counts[2])]
            keys = [tuple(each.values()) for each in copies]
            factors = [
                [self.copies.of(value, {**copy, r: n}) for n in range(count)]
                for value, r, count in ((mma.a, a, counts[0]), (mma.b, b, counts[1]))
            ]
            so_far = [running[key][0] for key in keys]
            product = (mma.shape.data, mma.type.data)
            op = self._insert(uop.MmaOp(product, factors[0], factors[1], so_far))
            for key, value in zip(keys, op.results, strict=True):
                running[key] = [value]

    def _update_stage(self, stage: kernel.StageOp, copy: Copy) -> None:
        access = self.copies.access(stage, copy)
        value = self.copies.wide(stage.value, copy, access.width)
        if stage.combiner is None:
            access.store(value, None)
            return
        summed = [r for r in kernel.accumulated_by(stage) if r.how == "vector"]
        if summed:  # all lanes go to one element
            value = self._value(across(stage.kind.data if stage.kind else "", value))
            access = self.copies.access(stage, copy, None, summed[0])
        so_far = access.load(stage.value.type, None, None)
        if stage.scale is not None:
            scale = self.copies.wide(stage.scale, copy, access.width)
            so_far = self.copies.as_wide(so_far, access.width)
            so_far = self._value(arith.MulfOp(so_far, scale, FUSED))
        total = self._value(combined(stage.combiner, so_far, value, reordered=True))
        access.store(total, None)

    def _update_sort(self, sort: kernel.SortOp) -> None:
        """What an iteration has goes where the row has room for it."""
        position = self.named.names[sort.over[0]]
        row = self.copies.expressions.of(sort.row, sort)
        offset = self.copies.number(row + position, WHOLE)
        for value, result in zip(sort.inputs, sort.outputs, strict=True):
            pointer = self.copies.of(result, WHOLE)
            self._insert(uop.StoreOp(self.copies.of(value, WHOLE), pointer, offset))

    def _emit_sort(self, sort: kernel.SortOp) -> None:
        pointers = [self.copies.of(result, WHOLE) for result in sort.outputs]
        row, count, first = (
            self.copies.index(expr, sort, WHOLE) for expr in (sort.row, sort.extent, sort.first)
        )
        self._insert(uop.SortOp(pointers, row, count, first, sort.orders))

    def _finish(self, op: kernel.ReduceOp | kernel.FoldOp | kernel.MmaOp) -> None:
        """A reduction or fold is complete; lanes that it closes are combined."""
        closes_lanes = any(range_.how == "vector" for range_ in kernel.closed_by(op))
        running = self.running.pop(op)
        for copy in self.copies.each(op.results[0]):
            values = running[tuple(copy.values())]
            if closes_lanes and not isinstance(op, kernel.MmaOp):
                values = self._across(op, values)
            for result, value in zip(op.results, values, strict=True):
                self.copies.define(result, copy, value)

    def _across(self, op: kernel.ReduceOp | kernel.FoldOp, values: Values) -> Values:
        if isinstance(op, kernel.ReduceOp):
            return [self._value(across(op.kind.data, value)) for value in values]
        so_far, *rest = [
            [extract(self._value, value, lane) for value in values]
            for lane in range(lanes(values[0].type) or 0)
        ]
        for more in rest:
            so_far = self._inlined(op, [*so_far, *more])
        return so_far

    # --- ops ----------------------------------------------------------------------------------

    def _emit_op(self, op: Operation) -> None:
        match op:
            case kernel.ReduceOp() | kernel.FoldOp() | kernel.MmaOp():
                self._finish(op)
            case kernel.ScanOp():
                for copy in self.copies.each_of(op):
                    self._emit_scan(op, copy)
            case kernel.ScatterOp():
                self._emit_scatter(op)
            case kernel.SortOp():
                self._emit_sort(op)
            case kernel.StageOp():
                pass  # its memory is there since it started
            case kernel.StoreOp():
                for copy in self.copies.each_of(op):
                    access = self.copies.access(op, copy)
                    value = self.copies.wide(op.value, copy, access.width)
                    access.store(value, self._gate_of_write(op, copy), op.streaming)
            case _:
                if not kernel.only_unrolled(self.nest.operand_dependences[op]):
                    self.copies.compute(op, WHOLE)

    def _emit_scan(self, op: kernel.ScanOp, copy: Copy) -> None:
        key = tuple(copy.values())
        before = self.running[op][key]
        value = self.copies.wide(op.value, copy, self.copies.width(op))
        after = self._value(combined(op.combiner, before[0], value, reordered=False))
        self.running[op][key] = [after]
        self.copies.define(op.result, copy, after if op.exclusive is None else before[0])

    def _gate_of_write(self, op: kernel.StoreOp | kernel.ScatterOp, copy: Copy) -> SSAValue | None:
        """The gate of a store; of those threads that would store the same, the first one does."""
        gate = None if op.gate is None else self.copies.of(op.gate, copy)
        around = [r for r in self.nest.place(op) if r not in self.nest.repeated(op)]
        for axis in self.launch.idle_axes(around):
            zero = self.copies.indices.value(ZERO, {})
            first = self._value(arith.CmpiOp(self._id(axis), zero, "eq"))
            if gate is not None:
                first = self._value(
                    arith.AndIOp(gate, self.copies.as_wide(first, lanes(gate.type)))
                )
            gate = first
        return gate

    def _emit_scatter(self, op: kernel.ScatterOp) -> None:
        for copy in self.copies.each_of(op):
            self._scatter_copy(op, copy)

    def _scatter_copy(self, op: kernel.ScatterOp, copy: Copy) -> None:
        access, gate = self.copies.access(op, copy), self._gate_of_write(op, copy)
        value = self.copies.of(op.value, copy)
        if op.combiner is not None:
            # where the gate does not hold nothing is written, so any value will do
            so_far = access.load(value.type, gate, None if gate is None else value)
            value = self._value(combined(op.combiner, so_far, value, reordered=False))
        access.store(value, gate)


def _carrying(op: Running) -> frozenset[kernel.RangeOp]:
    """The loops that hand on the values of a reduction, fold or scan."""
    return kernel.scanned_by(op) if isinstance(op, kernel.ScanOp) else kernel.closed_by(op)


def _writes_in_order(loop: kernel.Loop) -> bool:
    """Whether the order of iterations shows in memory: a scatter may write one element twice."""
    return any(
        _writes_in_order(item)
        if isinstance(item, kernel.Loop)
        else isinstance(item, kernel.ScatterOp)
        for item in loop.body
    )


def _buffer(argument: BlockArgument) -> kernel.BufferType:
    assert isinstance(argument.type, kernel.BufferType)
    return argument.type
