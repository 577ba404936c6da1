"""Which functions a kernel reaches, and which of them recurse."""

from __future__ import annotations

from teenyir.emulator.syntax.program import Function, Operand, Program, Symbol


def mentioned(function: Function) -> set[str]:
    """Every symbol that a function names."""
    names: set[str] = set()

    def visit(operand: Operand) -> None:
        if isinstance(operand, Symbol):
            names.add(operand.name)

    for i in function.instructions:
        for operand in i.operands:
            visit(operand)
    for table in function.tables.values():
        names.update(table)
    return names


FUNCTION_ADDRESS = 0x1000
"""Addresses of functions begin here, below every allocation, 16 apart."""


def function_addresses(program: Program) -> dict[str, int]:
    """The address of each function of a module."""
    return {name: FUNCTION_ADDRESS + 16 * k for k, name in enumerate(program.functions)}


def reachable(program: Program, kernel: Function) -> list[Function]:
    """The kernel, every defined function that it or they name, and those that variables name."""
    tables = {
        element.symbol
        for variable in program.variables.values()
        for element in variable.initial
        if element.symbol is not None
    }
    found = {kernel.name: kernel}
    names = sorted(mentioned(kernel) | tables)
    while names:
        further: set[str] = set()
        for name in names:
            function = program.functions.get(program.aliases.get(name, name))
            if function is not None and function.defined and function.name not in found:
                found[function.name] = function
                further |= mentioned(function)
        names = sorted(further)
    return list(found.values())


def is_recursive(functions: dict[str, Function], function: Function) -> bool:
    """Whether a function can reach itself through calls."""
    seen: set[str] = set()
    pending = [function]
    while pending:
        for name in mentioned(pending.pop()):
            callee = functions.get(name)
            if callee is None:
                continue
            if callee is function:
                return True
            if name not in seen:
                seen.add(name)
                pending.append(callee)
    return False
