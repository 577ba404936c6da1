"""From tables of rows to xDSL's interpreter functions.

A row is `op class -> function(context, op, *values)`, which answers the op's result, or a tuple of
them; the context is whatever the floor needs at hand. xDSL's `Interpreter` finds the row by the
op's class.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import RunError, error

Row: TypeAlias = Callable[..., Any]
Rows: TypeAlias = Mapping[type[Operation], Row]


class NoMeaning(RunError):
    """A program that the interpreters cannot run, right or wrong: an op that they do not know."""


def require_known(function: Operation, known: Collection[type[Operation]]) -> None:
    """Raise NoMeaning, at the op, where a function holds one that its floor has no row for."""
    for region in function.regions:
        for op in region.walk():
            if type(op) not in known:
                name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
                message = f"the interpreter of this floor does not know '{name}'"
                raise NoMeaning(error(message, place_of_op(op)))


class RowFunctions(InterpreterFunctions):
    """The base of all classes of rows: keeps the context."""

    def __init__(self, context: object) -> None:
        self.context = context


def functions_class(name: str, rows: Rows) -> type[RowFunctions]:
    """A class of interpreter functions with one implementation a row."""
    members = {
        f"run {op_type.name}": impl(op_type)(_implementation(row)) for op_type, row in rows.items()
    }
    return register_impls(type(name, (RowFunctions,), members))


def _implementation(row: Row) -> Callable[..., PythonValues]:
    def run(
        self: RowFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        result = row(self.context, op, *args)
        return cast(PythonValues, result) if isinstance(result, tuple) else (np.asarray(result),)

    return run


def interpreter_of(module: ModuleOp, *functions: InterpreterFunctions) -> Interpreter:
    """xDSL's interpreter of a module with these functions."""
    interpreter = Interpreter(module)
    for each in functions:
        interpreter.register_implementations(each)
    return interpreter
