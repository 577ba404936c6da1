"""What a `func.func` carries on the graph floor: ranges of names, names of arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from teenyir.dialects.dim_ranges import DimRange, unsafe_divisor
from teenyir.dialects.graph.attributes import DimsAttr, SymbolsAttr, Tensor
from teenyir.dialects.naming import told_apart

SYMBOLS = "graph.symbols"
"""Attribute of a function: the ranges of the names in its types."""
NAME = "graph.name"
"""Attribute of an argument: what a caller calls it."""
PARAMETER = "graph.parameter"
"""Unit attribute of an argument that is a weight."""


def symbols(func: FuncOp) -> tuple[DimRange, ...]:
    """The ranges of the names in a function's types; none where it states none."""
    attr = func.attributes.get(SYMBOLS)
    return attr.data if isinstance(attr, SymbolsAttr) else ()


def argument_attributes(func: FuncOp) -> list[dict[str, Attribute]]:
    """The attributes of each argument."""
    if func.arg_attrs is None:
        return [{} for _ in func.function_type.inputs]
    return [dict(attrs.data) for attrs in func.arg_attrs]


def result_attributes(func: FuncOp) -> list[dict[str, Attribute]]:
    """The attributes of each result."""
    if func.res_attrs is None:
        return [{} for _ in func.function_type.outputs]
    return [dict(attrs.data) for attrs in func.res_attrs]


def argument_names(func: FuncOp) -> list[str]:
    """The name of each argument: its `graph.name`, otherwise its printed one, otherwise argN."""
    names: list[str] = []
    given = [attrs.get(NAME) for attrs in argument_attributes(func)]
    for index, stated in enumerate(given):
        hint = None if func.is_declaration else func.args[index].name_hint
        names.append(stated.data if isinstance(stated, StringAttr) else hint or f"arg{index}")
    return told_apart(names, [isinstance(stated, StringAttr) for stated in given])


def is_parameter(func: FuncOp) -> list[bool]:
    """For each argument whether it is a weight."""
    return [PARAMETER in attrs for attrs in argument_attributes(func)]


def name_arguments(func: FuncOp, names: Sequence[str], parameters: Sequence[bool]) -> None:
    """State a name for each argument, and which of them are weights."""
    func.arg_attrs = ArrayAttr(
        [
            DictionaryAttr(
                {NAME: StringAttr(name), **({PARAMETER: UnitAttr()} if parameter else {})}
            )
            for name, parameter in zip(names, parameters, strict=True)
        ]
    )


def result_names(func: FuncOp) -> list[str]:
    """The name of each result: its `graph.name`, otherwise `output`, numbered if there are more."""
    count = len(func.function_type.outputs)
    stated = [attrs.get(NAME) for attrs in result_attributes(func)]
    default = ["output"] if count == 1 else [f"output{index}" for index in range(count)]
    pairs = zip(stated, default, strict=True)
    return [name.data if isinstance(name, StringAttr) else other for name, other in pairs]


def name_results(func: FuncOp, names: Sequence[str]) -> None:
    """State a name for each result."""
    func.res_attrs = ArrayAttr([DictionaryAttr({NAME: StringAttr(name)}) for name in names])


def function_faults(func: FuncOp) -> Iterator[tuple[Operation, str]]:
    """What is wrong with a function on this floor: the op at fault, and the message.

    Every name in its types has a range, no extent divides by what may be 0, and arguments have
    names of their own. xDSL has no way to hook this into the verifier of `func.func`:
    `verify_module` asks for it.
    """
    stated = func.attributes.get(SYMBOLS)
    if stated is not None and not isinstance(stated, SymbolsAttr):
        yield func, f"{SYMBOLS} is to be #graph.symbols<[...]>, got {stated}"
        return
    known = {dim.name: dim for dim in symbols(func)}
    for type in (*func.function_type.inputs, *func.function_type.outputs):
        if message := _faulty_extents(func, known, type):
            yield func, message
    for op in func.body.walk():
        for attr in (*op.result_types, *op.properties.values()):
            if message := _faulty_extents(func, known, attr):
                yield op, message
                break
    names = [attrs[NAME] for attrs in argument_attributes(func) if NAME in attrs]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield func, f"two arguments are named {name}"


def _faulty_extents(func: FuncOp, known: Mapping[str, DimRange], attr: Attribute) -> str | None:
    dims = cast(Tensor, attr).encoding if isinstance(attr, TensorType) else attr
    if not isinstance(dims, DimsAttr):
        return None
    for name in sorted(frozenset[str]().union(*(expr.names for expr in dims.data)) - known.keys()):
        return (
            f"{name} in {attr} has no range; @{func.sym_name.data} is to state one: "
            f"{SYMBOLS} = #graph.symbols<[{name} in 1..]>"
        )
    for expr in dims.data:
        if (divisor := unsafe_divisor(expr, known)) is not None:
            return f"{attr} divides by {divisor}, which may be 0"
    return None
