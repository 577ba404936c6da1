"""What a caller has to know of a program: names, element types and extents, on whatever floor.

signature = find_signature(module)          # @main, or the only function that can be called
dims = bind_dims(signature, shapes)         # see `binding`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import RunError, did_you_mean, error
from teenyir.dialects import dtypes, graph, kernel, program, uop
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.dialects.naming import told_apart

ENTRY = "main"
"""The function that runs where nobody names one."""


@dataclass(frozen=True)
class View:
    """The part of an input that an output shows, element by element."""

    source: int
    """The number of the input."""
    offset: Expr
    """Its element that is the first one of the output."""


@dataclass(frozen=True)
class Argument:
    """One array that goes in or comes out."""

    name: str
    dtype: DType
    """Below the graph floor integers are signless: an `i8` shows as int8, whatever it was."""
    extents: tuple[Expr, ...]
    parameter: bool = False
    """Whether it is a weight."""
    stated: bool = False
    """Whether the function states its name; otherwise it is what the text happens to call it."""
    view: View | None = None
    """Of an output that shows a part of an input: which."""

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.extents))}]"

    def shape(self, dims: dict[str, int]) -> tuple[int, ...]:
        """The extents for given values of the names."""
        return tuple(extent.evaluate(dims) for extent in self.extents)


@dataclass(frozen=True)
class Promise:
    """What has to hold of the names when a program is called: `expr == 0`, or `expr >= 0`."""

    expr: Expr
    is_zero: bool

    def refuse(self, dims: Mapping[str, int]) -> str | None:
        """Why these values do not keep it, or None where they do."""
        value = self.expr.evaluate(dims)
        if value == 0 if self.is_zero else value >= 0:
            return None
        return (
            f"{self.expr} {'has to be 0' if self.is_zero else 'may not be negative'}, got {value}"
        )


@dataclass(frozen=True)
class Signature:
    """The arrays that a function takes and gives, in its order, and the ranges of names."""

    function: Operation
    entry: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    dims: tuple[DimRange, ...]
    promises: tuple[Promise, ...] = ()
    """What the program was made for the names to keep, beyond their ranges."""


def find_signature(module: ModuleOp, entry: str | None = None) -> Signature:
    """The signature of the function `entry` of a module.

    Without a name it is that of `main`, or of the only function that can be called: a `func.func`
    on tensors, a `program.func`, or, where there is neither, a `kernel.func` by itself. Raises
    RunError where there is none, or several and no `main`.
    """
    return signature_of(_named(module, entry) if entry is not None else _only(module))


def signature_of(function: Operation) -> Signature:
    """The signature of a function. Raises RunError where no arrays are what it takes and gives."""
    try:
        return _READERS[type(function)](function)
    except VerifyException as e:
        name = symbol_of(function)
        raise RunError(error(f"@{name} cannot be called: {e}", place_of_op(function))) from e


def entries(module: ModuleOp) -> list[str]:
    """The functions of a module that can be called: programs or, without these, kernels."""
    return list(_callable(module))


def _of_graph(op: Operation) -> Signature:
    func = cast(FuncOp, op)
    if func.is_declaration:
        raise VerifyException("it has no body")
    types = func.function_type
    given = graph.argument_attributes(func)
    inputs = tuple(
        _tensor_argument(name, type, attrs)
        for name, type, attrs in zip(
            graph.argument_names(func), types.inputs.data, given, strict=True
        )
    )
    outputs = tuple(
        _tensor_argument(name, type, attrs)
        for name, type, attrs in zip(
            graph.result_names(func), types.outputs.data, graph.result_attributes(func), strict=True
        )
    )
    return Signature(func, func.sym_name.data, inputs, outputs, graph.symbols(func))


def _tensor_argument(name: str, type: Attribute, attributes: Mapping[str, Attribute]) -> Argument:
    if not isinstance(type, TensorType):
        raise VerifyException(f"{name} is {type}, not a tensor")
    tensor = cast(graph.Tensor, type)
    return Argument(
        name,
        graph.dtype_of(tensor.element_type),
        graph.extents(tensor),
        graph.PARAMETER in attributes,
        graph.NAME in attributes,
    )


def _of_program(op: Operation) -> Signature:
    func = cast(program.FuncOp, op)
    names: list[str | None] = [None] * len(func.modes)
    stated = func.attributes.get(program.NAMES)
    if isinstance(stated, ArrayAttr):
        members = cast(ArrayAttr[Attribute], stated).data
        if len(members) == len(names):
            names = [name.data if isinstance(name, StringAttr) else None for name in members]
    found = _of_buffers(func, func.sym_name.data, func.buffers, names, func.dims.data)
    inputs: list[SSAValue] = [argument for mode, argument in func.buffers if mode == "in"]
    shown = {
        op.target: View(inputs.index(op.source), op.offset.data)
        for op in func.body.block.ops
        if isinstance(op, program.ViewOp)
    }
    if not shown:
        return found
    outputs = (argument for mode, argument in func.buffers if mode == "out")
    viewed = (replace(a, view=shown.get(b)) for a, b in zip(found.outputs, outputs, strict=True))
    return replace(found, outputs=tuple(viewed))


def _of_kernel(op: Operation) -> Signature:
    func = cast(kernel.FuncOp, op)
    names: list[str | None] = [None] * len(func.modes)
    return _of_buffers(func, func.sym_name.data, func.buffers, names, func.dims.data)


def _of_buffers(
    function: Operation,
    entry: str,
    buffers: Sequence[tuple[str, SSAValue]],
    names: Sequence[str | None],
    dims: tuple[DimRange, ...],
) -> Signature:
    inputs: list[Argument] = []
    outputs: list[Argument] = []
    for (mode, value), stated in zip(buffers, names, strict=True):
        if mode == "scratch":
            continue
        side = outputs if mode == "out" else inputs
        name = stated or value.name_hint or f"{'output' if mode == 'out' else 'arg'}{len(side)}"
        if not isinstance(value.type, kernel.BufferType):
            raise VerifyException(f"{name} is {value.type}, not a buffer")
        dtype = dtypes.of_element(value.type.element)
        if dtype is None:
            raise VerifyException(f"{name} holds {value.type.element}, which no array does")
        side.append(Argument(name, dtype, value.type.extents, stated=stated is not None))
        if mode == "inout":
            outputs.append(side[-1])
    return Signature(function, entry, _told_apart(inputs), _told_apart(outputs), dims)


def _told_apart(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    names = told_apart([a.name for a in arguments], [a.stated for a in arguments])
    return tuple(replace(a, name=name) for a, name in zip(arguments, names, strict=True))


_READERS: dict[type[Operation], Callable[[Operation], Signature]] = {
    FuncOp: _of_graph,
    program.FuncOp: _of_program,
    kernel.FuncOp: _of_kernel,
}


def symbol_of(op: Operation) -> str:
    """The name of a function, or of whatever has one; empty for what has none."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def _functions(module: ModuleOp, *kinds: type[Operation]) -> dict[str, Operation]:
    return {symbol_of(op): op for op in module.body.ops if isinstance(op, kinds)}


def _named(module: ModuleOp, entry: str) -> Operation:
    found = _functions(module, *_READERS)
    if (launched := _functions(module, uop.FuncOp).get(entry)) is not None:
        message = f"@{entry} has buffers without extents: only a program can launch it"
        raise RunError(error(message, place_of_op(launched)))
    if entry not in found:
        raise RunError(f"there is no function @{entry} to call{_choice(entry, found)}")
    return found[entry]


def _choice(entry: str, found: dict[str, Operation]) -> str:
    if guess := did_you_mean(entry, found):
        return guess
    return f" (there are {', '.join(f'@{name}' for name in found)})" if found else ""


def _callable(module: ModuleOp) -> dict[str, Operation]:
    return _functions(module, FuncOp, program.FuncOp) or _functions(module, kernel.FuncOp)


def _only(module: ModuleOp) -> Operation:
    found = _callable(module)
    if ENTRY in found:
        return found[ENTRY]
    if len(found) == 1:
        return next(iter(found.values()))
    names = ", ".join(f"@{name}" for name in found)
    what = f"several functions can be called ({names})" if found else "no function can be called"
    raise RunError(f"{what}, and none is named @{ENTRY}")
