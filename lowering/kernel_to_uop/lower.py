"""The pass `kernel-to-uop`: the loop tree of a kernel written out as linear code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from teenyir.analysis.indices import KERNEL_INDICES, KernelIndices
from teenyir.dialects import kernel, uop
from teenyir.dialects.constants import constant
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.lowering.kernel_to_uop.indices import IndexBuilder
from teenyir.lowering.kernel_to_uop.launch import Launch
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import fuse_locations


@dataclass(frozen=True)
class KernelToUop(Pass):
    """Write each kernel out as loops, in the order and with the registers its ranges imply."""

    name = "kernel-to-uop"
    anchor = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        for source in [inner for inner in op.walk() if isinstance(inner, kernel.FuncOp)]:
            indices = session.analysis(KERNEL_INDICES, source)
            linear = Linearizer(source, indices).build()
            block = source.parent_block()
            assert block is not None  # a kernel stands in a module
            block.insert_op_before(linear, source)
            source.detach()
            source.erase()


Running: TypeAlias = kernel.ReduceOp | kernel.FoldOp | kernel.ScanOp
"""What is carried from iteration to iteration in registers."""


@dataclass
class Frame:
    """A block that is being filled: the function's or that of a loop around the current point."""

    block: Block
    loop: kernel.RangeOp | None


@dataclass
class Linearizer:
    """Turns one `kernel.func` into one `uop.func`."""

    source: kernel.FuncOp
    named: KernelIndices
    frames: list[Frame] = field(default_factory=list[Frame])
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The uop value of each kernel value that is there already."""
    ids: dict[str, SSAValue] = field(default_factory=dict[str, SSAValue])
    """The ids of a GPU's launch that were asked for."""
    running: dict[Running, list[SSAValue]] = field(default_factory=dict["Running", list[SSAValue]])
    """The values so far of each reduction, fold and scan that has started and not ended."""

    def build(self) -> uop.FuncOp:
        """The `uop.func`, not inserted anywhere."""
        source = self.source
        pointers = [uop.PtrType(_buffer(argument).element) for _, argument in source.buffers]
        modes = [mode for mode, _ in source.buffers]
        result = uop.FuncOp(source.sym_name.data, modes, pointers, source.dims)
        result.location = source.location
        result.attributes |= source.attributes
        arguments = result.body.block.args
        for (_, old), new in zip(source.buffers, arguments, strict=False):
            new.name_hint = old.name_hint
            self.values[old] = new
        for name, extent in result.extents.items():
            extent.name_hint = name
        self.frames = [Frame(result.body.block, None)]
        self.nest = kernel.Nest(source)
        facts = self.named.facts
        self.launch = Launch(source, facts)
        result.properties |= self.launch.properties()
        self.indices = IndexBuilder(facts, result.extents, self._insert_at_depth, self._depth)
        ops = source.body.block.ops
        self.accumulated = frozenset[kernel.RangeOp]().union(*map(kernel.accumulated_by, ops))
        self._emit_body(self.nest.root)
        return result

    # --- where ops go -------------------------------------------------------------------------

    def _depth(self, value: SSAValue) -> int:
        """The innermost open loop that a uop value is computed in, 0 for none."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
        for depth, frame in enumerate(self.frames):
            if frame.block is block:
                return depth
        raise AssertionError("a value of a loop that is closed")  # the nest orders them

    def _insert_at_depth(self, op: Operation, depth: int) -> SSAValue:
        self.frames[depth].block.add_op(op)
        op.location = self.location
        return op.results[0]

    def _insert(self, op: Operation) -> Operation:
        self.frames[-1].block.add_op(op)
        op.location = self.location
        return op

    def _index(self, expr: Expr, op: kernel.IndexedOp) -> SSAValue:
        """An op's expression as a value."""
        named = self.named.globally(expr, op)
        values = {self.named.names[v]: self.values[v] for v in op.index_values}
        return self.indices.value(named, values)

    def _offset(self, op: kernel.AccessOp) -> SSAValue:
        """The flat element offset that an op addresses, row-major."""
        flat = ZERO
        for expr, extent in zip(op.exprs, op.target.extents, strict=True):
            flat = flat * extent + expr
        return self._index(flat, op)

    # --- the loop tree ------------------------------------------------------------------------

    def _emit_body(self, loop: kernel.Loop) -> None:
        for item in loop.body:
            if isinstance(item, kernel.Loop):
                self._emit_loop(item)
            elif isinstance(item, kernel.Update):
                self.location = item.closer.location
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
        lower, upper = (self._index(expr, range_) for expr in range_.exprs)
        step = self.indices.value(ONE, {})
        carried = [op for op in self.running if range_ in _carrying(op)]
        initial = [value for op in carried for value in self.running[op]]
        block = Block(arg_types=[uop.INDEX, *(value.type for value in initial)])
        block.args[0].name_hint = range_.result.name_hint
        self.values[range_.result] = block.args[0]
        self._rename(carried, block.args[1:])
        self.frames.append(Frame(block, range_))
        self._emit_body(loop)
        self.location = fuse_locations([range_.location, *(op.location for op in carried)])
        self._insert(scf.YieldOp(*(value for op in carried for value in self.running[op])))
        self.frames.pop()
        self.indices.forget(len(self.frames))
        op = scf.ForOp(lower, upper, step, initial, block)
        if not carried and range_ not in self.accumulated and not _writes_in_order(loop):
            op.attributes[uop.PARALLEL] = UnitAttr()
        self._insert(op)
        self._rename(carried, op.results)
        for scan in [op for op in carried if isinstance(op, kernel.ScanOp)]:
            del self.running[scan]

    def _emit_threads(self, loop: kernel.Loop, range_: kernel.RangeOp) -> None:
        """What is in a range of the launch: no loop, but what the thread has as its id."""
        self.location = range_.location
        id = self._id(range_.how)
        named = {"id": id}
        self.values[range_.result] = self.indices.value(range_.lower.data + "id", named)
        if not self.launch.is_partial(range_):
            self._emit_body(loop)
            return
        extent = self.indices.value(range_.extent, {})
        inside = self._insert(arith.CmpiOp(id, extent, "slt")).results[0]
        block = Block()
        self.frames.append(Frame(block, None))
        self._emit_body(loop)
        self._insert(scf.YieldOp())
        self.frames.pop()
        self.indices.forget(len(self.frames))
        self._insert(scf.IfOp(inside, [], Region(block)))

    def _id(self, axis: str) -> SSAValue:
        """An id of the thread, from the start of the function."""
        if axis not in self.ids:
            self.ids[axis] = self._insert_at_depth(uop.SpecialOp(axis), 0)
            self.ids[axis].name_hint = axis.split(".")[0]
        return self.ids[axis]

    def _rename(self, carried: Sequence[Running], values: Sequence[SSAValue]) -> None:
        """From here on these are the values of what is carried."""
        rest = iter(values)
        for op in carried:
            self.running[op] = [next(rest) for _ in op.results]
            for result, value in zip(op.results, self.running[op], strict=True):
                value.name_hint = result.name_hint

    def _start(self, opened: kernel.Closer | kernel.ScanOp) -> None:
        self.location = opened.location
        match opened:
            case kernel.StageOp():
                size = opened.target.size.constant
                assert size is not None  # the verifier has seen to it
                local = self._insert(uop.LocalOp(max(size, 1), opened.target.element))
                local.results[0].name_hint = opened.result.name_hint
                self.values[opened.result] = local.results[0]
                if opened.combiner is not None:
                    identity = opened.combiner.identity(opened.value.type)
                    self._fill(local.results[0], size, constant(identity, opened.value.type))
            case kernel.FoldOp():
                self.running[opened] = [self.values[value] for value in opened.initial]
            case _:
                type = opened.result.type
                identity = constant(opened.combiner.identity(type), type)
                self.running[opened] = [self._insert_at_depth(identity, len(self.frames) - 1)]

    def _fill(self, pointer: SSAValue, count: int, value: arith.ConstantOp) -> None:
        """Store one value into all elements of local memory."""
        filler = self._insert_at_depth(value, len(self.frames) - 1)
        lower, upper, step = (self.indices.value(Expr.of(n), {}) for n in (0, count, 1))
        block = Block(arg_types=[uop.INDEX])
        loop = scf.ForOp(lower, upper, step, [], block)
        loop.attributes[uop.PARALLEL] = UnitAttr()
        self._insert(loop)
        for op in (uop.StoreOp(filler, pointer, block.args[0]), scf.YieldOp()):
            op.location = self.location
            block.add_op(op)

    def _emit_update(self, closer: kernel.Closer) -> None:
        match closer:
            case kernel.StageOp():
                value, pointer = self.values[closer.value], self.values[closer.result]
                offset = self._offset(closer)
                if closer.combiner is not None:
                    combine = closer.combiner.op(value.type, reordered=True)
                    assert combine is not None  # the verifier has seen to it
                    so_far = self._insert(uop.LoadOp(pointer, offset)).results[0]
                    value = self._insert(combine(so_far, value)).results[0]
                self._insert(uop.StoreOp(value, pointer, offset))
            case kernel.FoldOp():
                self.running[closer] = self._inline(closer)
            case kernel.ReduceOp():
                self.running[closer] = [self._combine(closer, *self.running[closer])]

    def _combine(self, op: kernel.ReduceOp | kernel.ScanOp, so_far: SSAValue) -> SSAValue:
        combine = op.combiner.op(op.result.type, reordered=isinstance(op, kernel.ReduceOp))
        assert combine is not None  # the verifier has seen to it
        return self._insert(combine(so_far, self.values[op.value])).results[0]

    def _inline(self, fold: kernel.FoldOp) -> list[SSAValue]:
        """A copy of a fold's region on the values so far and those of this iteration."""
        taken = [*self.running[fold], *(self.values[value] for value in fold.inputs)]
        copies: dict[SSAValue, SSAValue] = dict(zip(fold.body.block.args, taken, strict=True))
        for inner in fold.body.block.ops:
            if isinstance(inner, kernel.YieldOp):
                return [copies[value] for value in inner.values]
            copy = self._insert(inner.clone(copies))
            copies.update(zip(inner.results, copy.results, strict=True))
        raise AssertionError("a fold without a yield")  # the verifier has seen to it

    # --- ops ----------------------------------------------------------------------------------

    def _emit_op(self, op: Operation) -> None:
        match op:
            case kernel.ReduceOp() | kernel.FoldOp():
                self.values.update(zip(op.results, self.running.pop(op), strict=True))
            case kernel.ScanOp():
                before = self.running[op]
                self.running[op] = [self._combine(op, *before)]
                now = before if op.exclusive is not None else self.running[op]
                self.values[op.result] = now[0]
            case kernel.ScatterOp():
                self._emit_scatter(op)
            case kernel.StageOp():
                pass  # its memory is there since it started
            case kernel.IndexOp():
                self.values[op.result] = self._index(op.expr.data, op)
            case kernel.LoadOp():
                self._emit_load(op)
            case kernel.StoreOp():
                gate = self._gate_of_write(op)
                value, pointer = self.values[op.value], self.values[op.buffer]
                self._insert(uop.StoreOp(value, pointer, self._offset(op), gate))
            case _:
                copy = op.clone(self.values)
                self._insert(copy)
                for old, new in zip(op.results, copy.results, strict=True):
                    self.values[old] = new

    def _emit_load(self, op: kernel.LoadOp) -> None:
        gate = None if op.gate is None else self.values[op.gate]
        other = None if op.other is None else self.values[op.other]
        pointer = self.values[op.buffer]
        load = uop.LoadOp(pointer, self._offset(op), op.result.type, gate, other)
        self._insert(load)
        load.result.name_hint = op.result.name_hint
        self.values[op.result] = load.result

    def _gate_of_write(self, op: kernel.StoreOp | kernel.ScatterOp) -> SSAValue | None:
        """The gate of a store; of those threads that would store the same, the first one does."""
        gate = None if op.gate is None else self.values[op.gate]
        for axis in self.launch.idle_axes(self.nest.place(op)):
            zero = self.indices.value(ZERO, {})
            first = self._insert(arith.CmpiOp(self._id(axis), zero, "eq")).results[0]
            gate = first if gate is None else self._insert(arith.AndIOp(gate, first)).results[0]
        return gate

    def _emit_scatter(self, op: kernel.ScatterOp) -> None:
        gate = self._gate_of_write(op)
        value, pointer, offset = self.values[op.value], self.values[op.buffer], self._offset(op)
        if op.combiner is not None:
            combine = op.combiner.op(value.type)
            assert combine is not None  # the verifier has seen to it
            # where the gate does not hold nothing is written, so any value will do
            load = uop.LoadOp(pointer, offset, value.type, gate, None if gate is None else value)
            value = self._insert(combine(self._insert(load).results[0], value)).results[0]
        self._insert(uop.StoreOp(value, pointer, offset, gate))


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
