"""The kernel of a sort: one launch that sorts every line along an axis, in scratch.

    %s = graph.sort(%x) keys 1 axis 0   -->   %j = kernel.range 0 to N
                                              %v = kernel.load %x[%j]
                                              %o = kernel.sort(%v) by [slt] over(%j) in(%scratch)[]
                                              %k = kernel.range 0 to N
                                              %e = kernel.load %o[%k]
                                              kernel.store %e, %out[%k]

Floats have integers for keys, of the same order, and go along with them: an integer is compared in
a cycle, and what NaN and the zeros are among the others is settled once for each element.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from teenyir.dialects import graph, kernel
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import ONE, Expr
from teenyir.lowering.graph_to_kernel.builder import KernelBuilder, dtype_of, extents_of
from teenyir.lowering.graph_to_kernel.scalars import Scalars

ORDERS = {"float": ("slt", "sgt"), "int": ("slt", "sgt")}
"""The kernel floor's words for ascending and descending, by the kind of the elements."""
UNSIGNED_ORDERS = ("ult", "ugt")


@dataclass(frozen=True)
class Sort:
    """What is kept in scratch while the kernel of a sort runs: a row for each key, then others."""

    op: graph.SortOp
    rows: dict[SSAValue, int]
    """For each result that is wanted, the number of its row."""
    carried: Sequence[SSAValue]
    """The inputs that have rows though they are no keys, or floats that have integers for keys."""

    @staticmethod
    def of(op: graph.SortOp, wanted: Container[SSAValue]) -> Sort:
        """A sort of which these results are asked for."""
        rows: dict[SSAValue, int] = {}
        carried: list[SSAValue] = []
        for number, (source, result) in enumerate(zip(op.inputs, op.outputs, strict=True)):
            if result not in wanted:
                continue
            if number < op.keys and dtype_of(source).kind != "float":
                rows[result] = number
            else:
                rows[result] = op.keys + len(carried)
                carried.append(source)
        return Sort(op, rows, carried)

    @property
    def keys(self) -> Sequence[SSAValue]:
        """The inputs that decide the order."""
        return self.op.inputs[: self.op.keys]

    @property
    def inputs(self) -> list[SSAValue]:
        """Every input that is asked for."""
        return [*self.keys, *self.carried]

    @property
    def scratch(self) -> list[kernel.BufferType]:
        """The buffers that it works in: two of each element. A line of one is in order already."""
        before = list(extents_of(self.op.inputs[0]))
        extent = before.pop(self.op.axis)
        if extent == ONE:
            return []
        types = [_key_type(dtype_of(key)) for key in self.keys]
        types += [dtype_of(source).below for source in self.carried]
        return [kernel.BufferType([*before, 2, extent], type) for type in types]

    def build(
        self, b: KernelBuilder, scratch: Sequence[SSAValue], targets: Sequence[SSAValue]
    ) -> None:
        """Build the kernel, which writes the results that are wanted to the targets."""
        axis, op = self.op.axis, self.op
        b.builder.at(op)
        index = b.index_over(extents_of(op.inputs[0]), (axis,))
        b.root_loops = tuple(b.loops)
        values = [b.element(source, index) for source in self.inputs]
        b.builder.at(op)
        at = index[axis]
        if scratch:
            rows = self._sort(b, index, values, scratch)
            _, at = b.open_range(extents_of(op.outputs[0])[axis])
            exprs, operands = b.operands([at])
            values = [b.scalars.op(kernel.LoadOp(row, exprs, operands)) for row in rows]
        exprs, operands = b.operands([*index[:axis], at, *index[axis + 1 :]])
        for row, target in zip(self.rows.values(), targets, strict=True):
            b.builder.insert(kernel.StoreOp(values[row], target, exprs, operands))

    def _sort(
        self,
        b: KernelBuilder,
        index: Sequence[Expr],
        values: Sequence[SSAValue],
        scratch: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        """Sort along the range of the index; the buffers that hold the rows."""
        op = self.op
        over = b.range_of(index[op.axis])
        assert over is not None  # an extent other than 1
        dtypes = [dtype_of(key) for key in self.keys]
        orders = [ORDERS.get(dtype.kind, UNSIGNED_ORDERS)[op.descending] for dtype in dtypes]
        keys = [_key(b.scalars, v, t) for v, t in zip(values, dtypes, strict=False)]
        exprs, operands = b.operands([e for k, e in enumerate(index) if k != op.axis])
        rows = [*keys, *values[op.keys :]]
        sort = kernel.SortOp(rows, orders, over, scratch, exprs, operands, op.first)
        b.builder.insert(sort)
        for result in sort.outputs:
            result.name_hint = "sorted"
        return sort.outputs


def _key_type(dtype: DType) -> Attribute:
    return IntegerType(dtype.bits) if dtype.kind == "float" else dtype.below


def _key(s: Scalars, value: SSAValue, dtype: DType) -> SSAValue:
    """An integer that compares with others, read as signed ones, as the element does.

    The bits of a float are its magnitude behind its sign: those of negative ones are turned round.
    """
    if dtype.kind != "float":
        return value
    type = _key_type(dtype)
    bits = s.op(arith.BitcastOp(value, type))
    greatest = s.constant((1 << dtype.bits - 1) - 1, type)
    zero = s.constant(0, type)
    turned = s.select(s.compare("slt", bits, zero), s.op(arith.XOrIOp(bits, greatest)), bits)
    without_sign = s.select(s.compare("oeq", value, s.constant(0, value.type)), zero, turned)
    return s.select(s.compare("uno", value, value), greatest, without_sign)
