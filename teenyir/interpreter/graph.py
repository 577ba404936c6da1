"""The graph floor on numpy: a value is an array, an op one function of arrays.

Narrow floats are computed in wider ones and rounded once (see `functions`). After each op the
shape of its result is compared with what its type says for the given values of the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func
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
from xdsl.ir import Operation, SSAValue

from teenyir.analysis.binding import bind_dims
from teenyir.analysis.signature import find_signature
from teenyir.dialects import graph
from teenyir.interpreter import combine, contraction, functions, indexing
from teenyir.interpreter.arrays import Array, dense_array, dtype_of, fault
from teenyir.interpreter.convert import convert
from teenyir.interpreter.custom_call import call_kernel
from teenyir.interpreter.dispatch import functions_class, interpreter_of, require_known
from teenyir.interpreter.functions import through_float32, through_float64
from teenyir.interpreter.limits import count_iteration
from teenyir.interpreter.order import ranks, stable_order

Shape: TypeAlias = tuple[int, ...]


@dataclass
class Names:
    """The values of the named extents of the function that runs."""

    values: dict[str, int] = field(default_factory=dict[str, int])

    def all(self, extents: graph.Extents) -> Shape:
        """Expressions as integers."""
        return tuple(extent.evaluate(self.values) for extent in extents)

    def shape(self, op: graph.GraphOp) -> Shape:
        """The extents of an op's result."""
        return self.all(graph.extents(op.result.type))


# --- elementwise ----------------------------------------------------------------------------------

ELEMENTWISE: dict[type[graph.GraphOp], Callable[..., Array]] = {
    graph.AddOp: through_float32(np.add),
    graph.SubOp: through_float32(np.subtract),
    graph.MulOp: through_float32(np.multiply),
    graph.DivOp: through_float32(np.divide),
    graph.FloorDivOp: through_float32(functions.divide_floor),
    graph.ModOp: through_float32(functions.remainder),
    graph.PowOp: through_float64(np.power),
    graph.MaxOp: functions.maximum,
    graph.MinOp: functions.minimum,
    graph.Atan2Op: through_float64(np.arctan2),
    graph.AndOp: np.bitwise_and,
    graph.OrOp: np.bitwise_or,
    graph.XorOp: np.bitwise_xor,
    graph.ShlOp: functions.shift_left,
    graph.ShrOp: functions.shift_right,
    graph.NegOp: np.negative,
    graph.AbsOp: np.abs,
    graph.SignOp: functions.sign,
    graph.ExpOp: through_float64(np.exp),
    graph.Exp2Op: through_float64(np.exp2),
    graph.LogOp: through_float64(np.log),
    graph.Log2Op: through_float64(np.log2),
    graph.SqrtOp: through_float32(np.sqrt),
    graph.RsqrtOp: through_float64(functions.rsqrt),
    graph.SinOp: through_float64(np.sin),
    graph.CosOp: through_float64(np.cos),
    graph.TanhOp: through_float64(np.tanh),
    graph.ErfOp: through_float64(functions.erf),
    graph.FloorOp: through_float32(np.floor),
    graph.CeilOp: through_float32(np.ceil),
    graph.RoundOp: through_float32(np.rint),
    graph.TruncOp: through_float32(np.trunc),
    graph.NotOp: np.invert,
    graph.SelectOp: np.where,
}
"""Ops that are one function of their operands."""

PREDICATES: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compare(names: Names, op: graph.CompareOp, lhs: Array, rhs: Array) -> Array:
    return PREDICATES[op.predicate](lhs, rhs)


def _cast(names: Names, op: graph.CastOp, operand: Array) -> Array:
    return convert(operand, dtype_of(op.result.type.element_type))


def _bitcast(names: Names, op: graph.BitcastOp, operand: Array) -> Array:
    target = graph.dtype_of(op.result.type.element_type)
    if 1 < target.bits < 8:
        operand = operand.view(np.uint8) & np.uint8((1 << target.bits) - 1)
    return operand.view(dtype_of(target.element))


# --- creation -------------------------------------------------------------------------------------


def _constant(names: Names, op: graph.ConstantOp) -> Array:
    return dense_array(op.value)


def _iota(names: Names, op: graph.IotaOp) -> Array:
    shape = names.shape(op)
    column = [1] * len(shape)
    column[op.axis] = shape[op.axis]
    counted = convert(np.arange(shape[op.axis]), dtype_of(op.result.type.element_type))
    return np.broadcast_to(counted.reshape(column), shape)


# --- contraction ----------------------------------------------------------------------------------


def _reduce(names: Names, op: graph.ReduceOp, operand: Array) -> Array:
    wide = contraction.accumulated(operand)
    result = combine.within(op.kind, combine.reduce(op.kind, wide, op.axes), operand.dtype)
    return contraction.rounded(result, operand.dtype)


def _dot(names: Names, op: graph.DotOp, lhs: Array, rhs: Array) -> Array:
    contract = (op.lhs_contract, op.rhs_contract)
    return contraction.dot(lhs, rhs, contract, (op.lhs_batch, op.rhs_batch))


def _conv(names: Names, op: graph.ConvOp, x: Array, w: Array) -> Array:
    spread = contraction.spread(x, op.input_dilation)
    return contraction.conv(spread, w, op.stride, op.pad, op.dilation, op.groups)


# --- movement -------------------------------------------------------------------------------------


def _reshape(names: Names, op: graph.ReshapeOp, operand: Array) -> Array:
    return operand.reshape(names.shape(op))


def _permute(names: Names, op: graph.PermuteOp, operand: Array) -> Array:
    return operand.transpose(op.permutation)


def _broadcast(names: Names, op: graph.BroadcastOp, operand: Array) -> Array:
    shape = names.shape(op)
    column = [1] * len(shape)
    for axis, extent in zip(op.axes, operand.shape, strict=True):
        column[axis] = extent
    return np.broadcast_to(operand.reshape(column), shape)


def _pad(names: Names, op: graph.PadOp, operand: Array, value: Array) -> Array:
    low, high = names.all(op.low), names.all(op.high)
    if min((*low, *high), default=0) < 0:
        raise fault(op, f"padding of {list(low)} and {list(high)} is negative")
    pairs = zip(low, operand.shape, high, strict=True)
    result = np.full([a + n + b for a, n, b in pairs], value, operand.dtype)
    inside = (slice(a, a + n) for a, n in zip(low, operand.shape, strict=True))
    result[tuple(inside)] = operand
    return result


def _slice(names: Names, op: graph.SliceOp, operand: Array) -> Array:
    starts, stops = names.all(op.starts), names.all(op.stops)
    for axis, bounds in enumerate(zip(starts, stops, operand.shape, strict=True)):
        start, stop, extent = bounds
        if not 0 <= start <= stop <= extent:
            raise fault(op, f"{start}:{stop} is outside axis {axis}, which has {extent} elements")
    return operand[tuple(map(slice, starts, stops, op.steps))]


def _flip(names: Names, op: graph.FlipOp, operand: Array) -> Array:
    return np.flip(operand, op.axes)


def _concat(names: Names, op: graph.ConcatOp, *parts: Array) -> Array:
    return np.concatenate(parts, op.axis)


def _window(names: Names, op: graph.WindowOp, operand: Array) -> Array:
    return contraction.windows(operand, op.axes, op.size, op.stride, op.dilation)


# --- indices that are data ------------------------------------------------------------------------


def _gather(names: Names, op: graph.GatherOp, operand: Array, indices: Array) -> Array:
    return indexing.gather(operand, indices, op.axes)


def _scatter(
    names: Names, op: graph.ScatterOp, operand: Array, indices: Array, updates: Array
) -> Array:
    return indexing.scatter(op.kind, operand, indices, updates, op.axes)


def _dynamic_slice(names: Names, op: graph.DynamicSliceOp, operand: Array, starts: Array) -> Array:
    return indexing.dynamic_slice(operand, starts, names.all(op.sizes))


def _dynamic_update(
    names: Names, op: graph.DynamicUpdateOp, operand: Array, update: Array, starts: Array
) -> Array:
    return indexing.dynamic_update(operand, update, starts)


# --- along an axis --------------------------------------------------------------------------------


def _scan(names: Names, op: graph.ScanOp, operand: Array) -> Array:
    values = np.flip(operand, op.axis) if op.reverse else operand
    wide = contraction.accumulated(values)
    result = combine.accumulate(op.kind, wide, op.axis)
    if op.exclusive and result.shape[op.axis]:
        first = combine.identity(op.kind, wide.dtype)
        shape = [1 if k == op.axis else n for k, n in enumerate(result.shape)]
        before = [slice(0, -1) if k == op.axis else slice(None) for k in range(result.ndim)]
        result = np.concatenate([np.full(shape, first), result[tuple(before)]], op.axis)
    result = combine.within(op.kind, result, operand.dtype)
    result = contraction.rounded(result, operand.dtype)
    return np.flip(result, op.axis) if op.reverse else result


def _fold(names: Names, op: graph.FoldOp, *operands: Array) -> tuple[Array, ...]:
    inputs, initial = operands[: len(op.inputs)], operands[len(op.inputs) :]

    def step(taken: Sequence[Array]) -> list[Array]:
        return _fold_step(names, op, taken)

    parts = [combine.as_last_axis(values, op.axes) for values in inputs]
    shape = parts[0].shape[:-1]
    folded = combine.fold(parts, step)
    results = initial if folded is None else step([*initial, *folded])
    return tuple(np.broadcast_to(result, shape) for result in results)


def _fold_step(names: Names, op: graph.FoldOp, taken: Sequence[Array]) -> list[Array]:
    """The region of a fold, its rank-0 tensors standing for arrays of any extents."""
    values: dict[SSAValue, Array] = dict(zip(op.body.block.args, taken, strict=True))
    for inner in op.body.block.ops:
        operands = [values[operand] for operand in inner.operands]
        if not isinstance(inner, graph.GraphOp):  # the yield
            return operands
        values[inner.result] = np.asarray(_ROWS[type(inner)](names, inner, *operands))
    raise fault(op, "its region yields nothing")


def _sort(names: Names, op: graph.SortOp, *inputs: Array) -> tuple[Array, ...]:
    keys = [ranks(key, descending=op.descending) for key in inputs[: op.keys]]
    order = stable_order(keys, op.axis)
    if op.first is not None:
        (count,), extent = names.all((op.first,)), order.shape[op.axis]
        if not 0 <= count <= extent:
            raise fault(op, f"the first {count} of {extent} elements")
        order = np.take(order, np.arange(count), op.axis)
    return tuple(np.take_along_axis(values, order, op.axis) for values in inputs)


_OTHERS: dict[type[graph.GraphOp], Callable[..., Array]] = {
    graph.CompareOp: _compare,
    graph.CastOp: _cast,
    graph.BitcastOp: _bitcast,
    graph.ConstantOp: _constant,
    graph.IotaOp: _iota,
    graph.ReduceOp: _reduce,
    graph.DotOp: _dot,
    graph.ConvOp: _conv,
    graph.ReshapeOp: _reshape,
    graph.PermuteOp: _permute,
    graph.BroadcastOp: _broadcast,
    graph.PadOp: _pad,
    graph.SliceOp: _slice,
    graph.FlipOp: _flip,
    graph.ConcatOp: _concat,
    graph.WindowOp: _window,
    graph.GatherOp: _gather,
    graph.ScatterOp: _scatter,
    graph.DynamicSliceOp: _dynamic_slice,
    graph.DynamicUpdateOp: _dynamic_update,
    graph.ScanOp: _scan,
}


def _without_names(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(names: Names, op: graph.GraphOp, *operands: Array) -> Array:
        return function(*operands)

    return run


def _checked(row: Callable[..., Array]) -> Callable[..., Array]:
    """A row whose result has the shape that the op's type states."""

    def run(names: Names, op: graph.GraphOp, *operands: Array) -> Array:
        stated = names.shape(op)
        if min(stated, default=0) < 0:
            raise fault(op, f"the result {op.result.type} would have the extents {list(stated)}")
        result = np.asarray(row(names, op, *operands))
        if result.shape != stated:
            raise fault(op, f"gave the extents {list(result.shape)}, not {list(stated)}")
        return result

    return run


_SEVERAL: dict[type[Operation], Callable[..., tuple[Array, ...]]] = {
    graph.FoldOp: _fold,
    graph.SortOp: _sort,
}
"""Ops with several results."""

_ROWS = {op: _without_names(function) for op, function in ELEMENTWISE.items()} | _OTHERS

GraphFunctions = functions_class(
    "GraphFunctions",
    {**{op: _checked(row) for op, row in _ROWS.items()}, **_SEVERAL},
)


KNOWN = frozenset(
    {
        *(*_ROWS, *_SEVERAL, func.CallOp, func.ReturnOp),
        *(*graph.CONTROL_OPS, graph.CustomCallOp, graph.YieldOp),
    }
)
"""The ops that a function may hold."""


@register_impls
class CallFunctions(InterpreterFunctions):
    """`func.call` and `func.return`."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @impl(func.CallOp)
    def call(self, interpreter: Interpreter, op: func.CallOp, args: PythonValues) -> PythonValues:
        signature = find_signature(interpreter.module, op.callee.string_value())
        require_known(signature.function, KNOWN)
        before = self.names.values
        self.names.values = bind_dims(signature, [array.shape for array in args])
        results = interpreter.run_ssacfg_region(signature.function.regions[0], args)
        self.names.values = before
        return results

    @impl_terminator(func.ReturnOp)
    def give_back(
        self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(args), ()


@register_impls
class ControlFunctions(InterpreterFunctions):
    """Branches, loops, and kernels that are called."""

    def __init__(self, names: Names) -> None:
        self.names = names

    @impl(graph.IfOp)
    def branch(self, interpreter: Interpreter, op: graph.IfOp, args: PythonValues) -> PythonValues:
        taken = op.then if args[0] else op.otherwise
        return interpreter.run_ssacfg_region(taken, ())

    @impl(graph.WhileOp)
    def loop(self, interpreter: Interpreter, op: graph.WhileOp, args: PythonValues) -> PythonValues:
        carried = args
        while interpreter.run_ssacfg_region(op.cond, carried)[0]:
            count_iteration(op)
            carried = interpreter.run_ssacfg_region(op.body, carried)
        return carried

    @impl(graph.CustomCallOp)
    def custom_call(
        self, interpreter: Interpreter, op: graph.CustomCallOp, args: PythonValues
    ) -> PythonValues:
        return call_kernel(interpreter.module, op, args, self.names.values)

    @impl_terminator(graph.YieldOp)
    def give(
        self, interpreter: Interpreter, op: graph.YieldOp, args: PythonValues
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(args), ()


def run_graph(
    module: ModuleOp, function: func.FuncOp, inputs: Sequence[Array], dims: Mapping[str, int]
) -> list[Array]:
    """The results of a function on tensors; the inputs have been checked against its signature."""
    require_known(function, KNOWN)
    names = Names(dict(dims))
    interpreter = interpreter_of(
        module, GraphFunctions(names), CallFunctions(names), ControlFunctions(names)
    )
    results: tuple[Any, ...] = interpreter.run_ssacfg_region(function.body, tuple(inputs))
    return [np.ascontiguousarray(result).reshape(np.shape(result)) for result in results]
