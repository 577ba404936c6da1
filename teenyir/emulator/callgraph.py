"""Which functions a kernel reaches, and which of them recurse."""

from __future__ import annotations

from teenyir.emulator.program import Function, Operand, Symbol


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


def reachable(
    functions: dict[str, Function], kernel: Function, aliases: dict[str, str]
) -> list[Function]:
    """The kernel and every defined function whose name it mentions, or that they mention."""
    found = {kernel.name: kernel}
    pending = [kernel]
    while pending:
        for name in sorted(mentioned(pending.pop())):
            function = functions.get(aliases.get(name, name))
            if function is not None and function.defined and function.name not in found:
                found[function.name] = function
                pending.append(function)
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
