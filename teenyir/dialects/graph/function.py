"""What a `func.func` carries on the graph floor: ranges of names, names of arguments."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, TensorType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import DimRange
from teenyir.dialects.graph.attributes import DimsAttr, SymbolsAttr

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


def argument_names(func: FuncOp) -> list[str]:
    """The name of each argument: its `graph.name`, otherwise its printed one, otherwise argN."""
    names: list[str] = []
    for index, attrs in enumerate(argument_attributes(func)):
        stated = attrs.get(NAME)
        hint = None if func.is_declaration else func.args[index].name_hint
        names.append(stated.data if isinstance(stated, StringAttr) else hint or f"arg{index}")
    return names


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


def verify_function(func: FuncOp) -> None:
    """Every name in a function's types has a range, and arguments have names of their own.

    xDSL has no way to hook this into the verifier of `func.func`: `verify_module` calls it.
    Raises VerifyException.
    """
    stated = func.attributes.get(SYMBOLS)
    if stated is not None and not isinstance(stated, SymbolsAttr):
        raise VerifyException(f"{SYMBOLS} is to be #graph.symbols<[...]>, got {stated}")
    known = {dim.name for dim in symbols(func)}
    for type in (*func.function_type.inputs, *func.function_type.outputs):
        _check_names(func, known, type)
    for block in func.body.blocks:
        _check_block(func, known, block)
    names = [attrs[NAME] for attrs in argument_attributes(func) if NAME in attrs]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise VerifyException(f"two arguments of @{func.sym_name.data} are named {name}")


def _check_block(func: FuncOp, known: set[str], block: Block) -> None:
    for op in block.walk():
        _check_op(func, known, op)


def _check_op(func: FuncOp, known: set[str], op: Operation) -> None:
    for type in op.result_types:
        _check_names(func, known, type)
    for attr in op.properties.values():
        _check_names(func, known, attr)


def _check_names(func: FuncOp, known: set[str], attr: Attribute) -> None:
    dims = attr.encoding if isinstance(attr, TensorType) else attr
    if isinstance(dims, DimsAttr):
        for expr in dims.data:
            for name in sorted(expr.names - known):
                raise VerifyException(
                    f"{name} in {attr} has no range; state one on @{func.sym_name.data}: "
                    f"attributes {{{SYMBOLS} = #graph.symbols<[{name} in 1..]>}}"
                )
