"""One program from a function on tensors: which buffers there are, which kernels are launched."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyDenseElement,
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.intervals import Facts
from teenyir.dialects import graph, kernel, program
from teenyir.dialects.dim_ranges import DimRange
from teenyir.lowering.graph_to_kernel.builder import (
    Index,
    KernelBuilder,
    dtype_of,
    extents_of,
    is_empty,
)
from teenyir.lowering.graph_to_kernel.names import kernel_name
from teenyir.lowering.graph_to_kernel.partition import Partition
from teenyir.lowering.graph_to_kernel.requests import Root
from teenyir.lowering.graph_to_kernel.rules import rule_of
from teenyir.lowering.graph_to_kernel.rules.contraction import combiner_kind
from teenyir.lowering.graph_to_kernel.rules.indexing import scattered
from teenyir.lowering.graph_to_kernel.rules.movement import reshaped
from teenyir.lowering.graph_to_kernel.scalars import is_table
from teenyir.lowering.graph_to_kernel.sort import Sort
from teenyir.lowering.graph_to_kernel.start import behind_reshapes, join_loops, open_loops
from teenyir.rewriting.locations import LocatedBuilder, fuse_locations


def buffer_type(tensor: SSAValue) -> kernel.BufferType:
    """The type of a buffer that holds a tensor."""
    return kernel.BufferType(extents_of(tensor), dtype_of(tensor).below)


class ProgramBuilder:
    """Builds the program and the kernels of one function."""

    def __init__(
        self,
        module: ModuleOp,
        func: FuncOp,
        statements: Mapping[type[Operation], Callable[[ProgramBuilder, Any], None]],
        decide: Callable[[FuncOp], Partition] = Partition.of,
    ):
        """`statements` build what is no part of a kernel; `decide` says what the kernels are."""
        self.module = module
        self.func = func
        self.statements = statements
        self.dims = graph.symbols(func)
        self.partition = decide(func)
        returned = func.body.block.last_op
        assert isinstance(returned, ReturnOp)
        self.results = list(returned.operands)
        self.program = self._declare()
        self.top = LocatedBuilder(InsertPoint.at_end(self.program.body.block))
        """Where allocations and constants go."""
        self.builder = self.top
        """Where statements go."""
        self.buffers: dict[SSAValue, SSAValue] = dict(
            zip(func.args, self.program.body.block.args, strict=False)
        )
        self.launched: dict[Root, str] = {}
        """The kernels that have been built, each with its name; those of several launches without.
        """
        self.copies: dict[kernel.BufferType, str] = {}
        """The kernels that copy tensors, by what they copy."""
        self.position = {op: k for k, op in enumerate(func.body.walk())}
        symbols = (op.get_attr_or_prop("sym_name") for op in module.body.block.ops)
        self.names = {name.data for name in symbols if isinstance(name, StringAttr)}

    def _declare(self) -> program.FuncOp:
        inputs = list(self.func.args)
        types = [buffer_type(tensor) for tensor in (*inputs, *self.results)]
        modes = ["in"] * len(inputs) + ["out"] * len(self.results)
        result = program.FuncOp(self.func.sym_name.data, modes, types, kernel.DimsAttr(self.dims))
        result.location = self.func.location
        names = [*graph.argument_names(self.func), *self._output_names()]
        result.attributes[program.NAMES] = ArrayAttr(map(StringAttr, names))
        hints = [*(a.name_hint or n for a, n in zip(inputs, names, strict=False))]
        hints += names[len(inputs) :]
        for argument, hint in zip(result.body.block.args, hints, strict=True):
            argument.name_hint = _identifier(hint)
        return result

    def _output_names(self) -> list[str]:
        """The names of the results; primed where an input has the name already."""
        taken = set(graph.argument_names(self.func))
        names = graph.result_names(self.func)
        for position, name in enumerate(names):
            while name in taken:
                name += "_"
            names[position] = name
            taken.add(name)
        return names

    def build(self) -> None:
        """Insert the kernels and the program into the module, before the function."""
        outputs = self.program.body.block.args[len(self.func.args) :]
        computed: dict[SSAValue, SSAValue] = {}
        for result, output in zip(self.results, outputs, strict=True):
            if (view := self.partition.views.get(result)) is None:
                computed[output] = result
                continue
            self.top.at(result.owner if isinstance(result.owner, Operation) else self.func)
            self.top.insert(program.ViewOp(output, self.buffers[view.source], view.offset))
        self.lower_block(self.func.body.block, list(computed.values()), list(computed))
        self.module.body.block.insert_op_before(self.program, self.func)

    def lower_block(
        self, block: Block, results: Sequence[SSAValue] = (), targets: Sequence[SSAValue] = ()
    ) -> None:
        """Build the statements of a block, and what leaves its results in the targets."""
        copies: list[tuple[SSAValue, SSAValue]] = []
        for result, target in zip(results, targets, strict=True):
            # from outside of the block, a constant, or a result before
            if result in self.buffers or self._constant_in_memory(result):
                copies.append((result, target))
            else:
                self.buffers[result] = target
        for op in block.ops:
            if (statement := self.statements.get(type(op))) is not None:
                statement(self, op)
                continue
            for result in op.results:
                if result in self.partition.written and not self._constant_in_memory(result):
                    self._write(result)
        for tensor, target in copies:
            assert block.last_op is not None  # what hands the block's results on
            self.builder.at(block.last_op)
            self.compute(tensor, target)

    def region(self, build: Callable[[], None]) -> Region:
        """A region with the statements that `build` builds."""
        around, region = self.builder, Region(Block())
        self.builder = LocatedBuilder(InsertPoint.at_end(region.block))
        build()
        self.builder = around
        return region

    def memory(self, tensor: SSAValue) -> SSAValue:
        """The buffer of a tensor, a new one where it has none yet."""
        if tensor not in self.buffers and not self._constant_in_memory(tensor):
            self.buffers[tensor] = self.allocate(tensor)
        return self.buffers[tensor]

    # --- kernels ------------------------------------------------------------------------------

    def _write(self, tensor: SSAValue) -> None:
        """Launch the kernel that writes a tensor, and before it those whose results it reads."""
        waiting = [self.partition.kernels.writing[tensor]]
        while waiting:
            root = waiting[-1]
            before = [] if root in self.launched else self._needed_by(root)
            if before:
                waiting += before
                continue
            waiting.pop()
            if root not in self.launched:
                self.launched[root] = ""
                self._launch(root)

    def _needed_by(self, root: Root) -> list[Root]:
        """The kernels not launched yet that write what a kernel reads."""
        writing = self.partition.kernels.writing
        (first, *_) = root.outputs
        if isinstance(op := first.owner, graph.ScatterOp | graph.SortOp):
            sources, _ = self._cone(op.operands, root.outputs)
        else:
            sources, _ = self._cone_of(root.outputs)
        needed = (writing[source] for source in sources[::-1] if source in writing)
        return [other for other in needed if other not in self.launched and other is not root]

    def _launch(self, root: Root) -> None:
        (first, *_) = root.outputs
        assert isinstance(first.owner, Operation)  # arguments are in memory
        self.builder.at(first.owner)
        targets = {tensor: self.memory(tensor) for tensor in root.outputs}
        if isinstance(first.owner, graph.ScatterOp):
            self.compute(first.owner.operand, targets[first])
            self._scatter(first.owner)
        elif isinstance(first.owner, graph.SortOp):
            self._sort(first.owner, targets)
        else:
            self.launched[root] = self._launch_over(root.outputs, targets, root.innermost)

    def compute(self, tensor: SSAValue, target: SSAValue) -> None:
        """Build and launch the kernel that computes a tensor, or copies it from elsewhere."""
        if is_empty(tensor):
            return
        known = self.buffers.get(tensor)
        if known is None or known is target:
            in_memory = self.partition.written.keys() | self.buffers.keys()
            computed = behind_reshapes(tensor, in_memory - {tensor}, Facts.of(self.dims))
            self._launch_over({tensor: computed}, {tensor: target})
            return
        type = buffer_type(tensor)
        if type not in self.copies:
            self.copies[type] = self._build_kernel("copy", {tensor: tensor}, [tensor])
        self.builder.insert(program.LaunchOp(self.copies[type], [target, known]))

    def _launch_over(
        self,
        outputs: Mapping[SSAValue, SSAValue | None],
        targets: Mapping[SSAValue, SSAValue],
        innermost: Sequence[int] = (),
    ) -> str:
        """Build and launch the kernel that computes some tensors (see `Root`) into buffers; its
        name."""
        sources, ops = self._cone_of(outputs)
        name = self._build_kernel(kernel_name(ops), outputs, sources, innermost)
        written = (targets[tensor] for tensor in sorted(outputs, key=self._place))
        buffers = [*written, *(self.buffers[source] for source in sources)]
        self.builder.insert(program.LaunchOp(name, buffers))
        return name

    def _build_kernel(
        self,
        name: str,
        outputs: Mapping[SSAValue, SSAValue | None],
        sources: Sequence[SSAValue],
        innermost: Sequence[int] = (),
    ) -> str:
        """Build the kernel that computes some tensors from others in memory; its name."""
        arguments = sorted(outputs, key=self._place)
        func, builder = self._begin(name, "out", arguments, sources)
        elements: dict[SSAValue, tuple[SSAValue, Index]] = {}
        for tensor, computed in outputs.items():
            self._at(builder, tensor)
            elements[tensor] = _element(builder, tensor, computed, innermost, opens=not elements)
        for tensor, out in zip(arguments, func.body.block.args, strict=False):
            value, index = elements[tensor]
            exprs, values = builder.operands(index)
            self._at(builder, tensor)
            builder.builder.insert(kernel.StoreOp(value, out, exprs, values))
        self._end(func, builder)
        return func.sym_name.data

    def _at(self, builder: KernelBuilder, tensor: SSAValue) -> None:
        """What is built from here on is built for a tensor."""
        if isinstance(tensor.owner, Operation):
            builder.at(tensor.owner)
        else:  # an argument, or what a loop carries: the copy is that of the current statement
            builder.builder.at(self.builder.location)

    def _place(self, tensor: SSAValue) -> tuple[int, int]:
        """The place of a tensor in the text."""
        if isinstance(owner := tensor.owner, Operation):
            return self.position[owner], tensor.index if isinstance(tensor, OpResult) else 0
        return -1, 0

    def _scatter(self, op: graph.ScatterOp) -> None:
        """Build and launch the kernel that combines the updates into a copy of the operand."""
        if is_empty(op.updates):
            return
        sources, ops = self._cone([op.indices, op.updates])
        func, builder = self._begin(kernel_name([*ops, op]), "inout", [op.result], sources)
        builder.at(op)
        index = builder.index_over(extents_of(op.updates))
        value, target, gate = builder.run(scattered(builder, op, index))
        exprs, values = builder.operands(target)
        _, over = builder.operands(index)
        kind = op.kind if op.kind == "set" else combiner_kind(op.kind, dtype_of(op.result))
        held = None if gate is None else gate.value
        out = func.body.block.args[0]
        builder.at(op)
        builder.builder.insert(kernel.ScatterOp(kind, value, out, exprs, values, held, over))
        self._end(func, builder)
        buffers = [self.buffers[tensor] for tensor in (op.result, *sources)]
        self.builder.insert(program.LaunchOp(func.sym_name.data, buffers))

    def _sort(self, op: graph.SortOp, targets: Mapping[SSAValue, SSAValue]) -> None:
        """Build and launch the kernel that sorts, and writes the results that are asked for."""
        sort = Sort.of(op, targets)
        sources, ops = self._cone(sort.inputs)
        name = kernel_name([*ops, op])
        func, builder = self._begin(name, "out", list(sort.rows), sources, sort.scratch)
        outs, scratch = (
            [argument for mode, argument in func.buffers if mode == wanted]
            for wanted in ("out", "scratch")
        )
        sort.build(builder, scratch, outs)
        self._end(func, builder)
        buffers = [targets[result] for result in sort.rows]
        buffers += [self.buffers[source] for source in sources]
        buffers += [self.scratch(op, type) for type in sort.scratch]
        self.builder.insert(program.LaunchOp(func.sym_name.data, buffers))

    def _begin(
        self,
        name: str,
        mode: str,
        targets: Sequence[SSAValue],
        sources: Sequence[SSAValue],
        scratch: Sequence[kernel.BufferType] = (),
    ) -> tuple[kernel.FuncOp, KernelBuilder]:
        """A kernel over these buffers without a body, and the builder of its body."""
        types = [*map(buffer_type, (*targets, *sources)), *scratch]
        modes = [mode] * len(targets) + ["in"] * len(sources) + ["scratch"] * len(scratch)
        func = kernel.FuncOp(self._unique(name), modes, types, kernel.DimsAttr(()))
        arguments = func.body.block.args
        hints = ["out"] * len(targets)
        hints += [_identifier(self.buffers[source].name_hint or "in") for source in sources]
        for argument, hint in zip(arguments, [*hints, *("scratch" for _ in scratch)], strict=True):
            argument.name_hint = hint
        held = dict(zip(sources, arguments[len(targets) :], strict=False))
        staged = self.partition.staged
        return func, KernelBuilder(func, held, self.dims, rule_of, staged)

    def _end(self, func: kernel.FuncOp, builder: KernelBuilder) -> None:
        """Put a kernel into the module."""
        builder.sweep()
        func.properties["dims"] = kernel.DimsAttr(_used_dims(func, self.dims))
        func.location = fuse_locations(op.location for op in func.body.block.ops)
        self.module.body.block.insert_op_before(func, self.func)

    def _cone_of(
        self, outputs: Mapping[SSAValue, SSAValue | None]
    ) -> tuple[list[SSAValue], list[Operation]]:
        """What a kernel that writes some tensors (see `Root`) is made of."""
        asked: list[SSAValue] = []
        moving: list[Operation] = []
        for tensor, computed in outputs.items():
            while computed is not None and tensor is not computed:
                assert isinstance(tensor.owner, graph.ReshapeOp)
                moving.append(tensor.owner)
                tensor = tensor.owner.operand
            asked.append(tensor)
        sources, ops = self._cone(asked, outputs)
        return sources, sorted({*ops, *moving}, key=self.position.__getitem__)

    def _cone(
        self, tensors: Iterable[SSAValue], written: Container[SSAValue] = ()
    ) -> tuple[list[SSAValue], list[Operation]]:
        """What a kernel that asks for `tensors` and writes `written` is made of.

        The tensors in memory that it reads, in the order in which it asks for them, and the ops
        that it computes, in the order of the graph.
        """
        sources: list[SSAValue] = []
        ops: list[Operation] = []
        seen: set[SSAValue] = set()
        waiting = list(tensors)[::-1]
        while waiting:
            asked = waiting.pop()
            if asked in seen:
                continue
            seen.add(asked)
            op = asked.owner
            if is_empty(asked):
                continue
            if isinstance(op, Operation) and (asked in written or not self._in_memory(asked)):
                ops.append(op)
                waiting += op.operands[::-1]
            else:
                sources.append(asked)
        return sources, sorted(ops, key=self.position.__getitem__)

    def _in_memory(self, tensor: SSAValue) -> bool:
        written = tensor in self.partition.written or tensor in self.buffers
        return written or self._constant_in_memory(tensor)

    def _constant_in_memory(self, tensor: SSAValue) -> bool:
        if isinstance(op := tensor.owner, graph.ConstantOp) and is_table(op):
            if tensor not in self.buffers:
                self.buffers[tensor] = self._constant(op)
            return True
        return False

    def allocate(self, tensor: SSAValue) -> SSAValue:
        """A new buffer for a tensor."""
        if isinstance(tensor.owner, Operation):
            self.top.at(tensor.owner)
        result = self.top.insert(program.AllocOp(buffer_type(tensor))).result
        result.name_hint = tensor.name_hint or "t"
        return result

    def scratch(self, op: Operation, type: kernel.BufferType) -> SSAValue:
        """A new buffer that one launch works in."""
        result = self.top.at(op).insert(program.AllocOp(type)).result
        result.name_hint = "scratch"
        return result

    def _constant(self, op: graph.ConstantOp) -> SSAValue:
        element = cast(AnyDenseElement, dtype_of(op.result).below)
        dtype, data = dtype_of(op.result), op.value.data
        if dtype.is_packed:
            data = BytesAttr(bytes(byte & ((1 << dtype.bits) - 1) for byte in data.data))
        data = DenseIntOrFPElementsAttr(TensorType(element, op.value.type.get_shape()), data)
        result = self.top.at(op).insert(program.ConstantOp(data)).result
        result.name_hint = op.result.name_hint or "c"
        return result

    # --- names --------------------------------------------------------------------------------

    def _unique(self, name: str) -> str:
        candidate, count = name, 0
        while candidate in self.names:
            count += 1
            candidate = f"{name}_{count}"
        self.names.add(candidate)
        return candidate


def _identifier(name: str) -> str:
    """A name as an SSA value may have it."""
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return word if word[:1].isalpha() else f"p{word}"


def _used_dims(func: kernel.FuncOp, dims: Sequence[DimRange]) -> tuple[DimRange, ...]:
    """The extents that a kernel's types and expressions name, with their ranges."""
    names: set[str] = set()
    for argument in func.body.block.args:
        assert isinstance(argument.type, kernel.BufferType)
        names.update(*(extent.names for extent in argument.type.extents))
    for op in func.body.block.ops:
        if isinstance(op, kernel.IndexedOp):
            names.update(*(expr.names for expr in op.exprs))
    return tuple(dim for dim in dims if dim.name in names)


def _element(
    builder: KernelBuilder,
    tensor: SSAValue,
    computed: SSAValue | None,
    innermost: Sequence[int],
    opens: bool,
) -> tuple[SSAValue, Index]:
    """The element of a tensor that a kernel is to store, and its index (see `Root.outputs`).

    `opens` says to open the loops over it first.
    """
    if computed is None:
        return builder.passing(tensor)
    joined = None if opens else join_loops(builder, builder.root_loops, computed, innermost)
    assert opens or joined is not None  # the partition has seen to it
    index = open_loops(builder, computed, innermost) if joined is None else joined[0]
    value = builder.element(computed, index)
    return value, reshaped(builder.facts, index, extents_of(computed), extents_of(tensor))
