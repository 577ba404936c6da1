"""Placing a module's variables: global and constant ones at load, shared ones at launch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teenyir.diagnostics import error
from teenyir.emulator.errors import ParseError, place
from teenyir.emulator.execution.callgraph import function_addresses
from teenyir.emulator.execution.memory import Memory
from teenyir.emulator.syntax.program import Function, Initialiser, Program, Variable
from teenyir.emulator.types import unsigned


class Linker:
    """Gives variables addresses, and writes their initial values."""

    def __init__(self, program: Program, memory: Memory) -> None:
        self.program, self.memory = program, memory
        self._functions = function_addresses(program)

    def place_variables(self) -> dict[str, int]:
        """Place global and constant variables; unique name -> address."""
        placed: list[tuple[str, Variable]] = []
        for name, variable in self._all():
            if variable.space in ("global", "const"):
                placed.append((name, variable))
        self.memory.reserve(sum(v.bytes + 1024 for _, v in placed))
        addresses: dict[str, int] = {}
        for name, variable in placed:
            made = self.memory.allocate(
                variable.name,
                variable.space,
                max(variable.bytes, variable.type.bytes),
                align=variable.align,
                read_only=variable.space == "const",
            )
            addresses[name] = made.base
        for name, variable in placed:
            self._initialise(variable, addresses[name], addresses)
        return addresses

    def _all(self) -> list[tuple[str, Variable]]:
        found = list(self.program.variables.items())
        for function in self.program.functions.values():
            found += [(f"{function.name}::{n}", v) for n, v in function.variables.items()]
        return found

    def _initialise(self, variable: Variable, base: int, addresses: dict[str, int]) -> None:
        size = variable.type.bytes
        for index, element in enumerate(variable.initial):
            data = self._bytes(variable, element, addresses)
            self.memory.write(base + index * size, data)

    def _bytes(self, variable: Variable, element: Initialiser, addresses: dict[str, int]) -> bytes:
        kind = variable.type
        if element.symbol is not None:
            found = addresses.get(element.symbol, self._functions.get(element.symbol))
            if found is None:
                raise ParseError(
                    error(
                        f"'{variable.name}' is initialised with the unknown '{element.symbol}'",
                        place(self.program, variable.line, 1),
                    )
                )
            return (found + element.offset).to_bytes(kind.bytes, "little")
        value = element.value or 0
        if kind.is_float or isinstance(value, float):
            return np.array(value, kind.dtype).tobytes()
        mask = (1 << kind.bits) - 1
        return np.array(value & mask, unsigned(kind.bits)).tobytes()

    def place_shared(
        self, functions: Sequence[Function], dynamic: int, addresses: dict[str, int]
    ) -> int:
        """Place shared variables, static ones first; the bytes of shared memory in all."""
        names: list[tuple[str, Variable]] = [
            (name, v) for name, v in self.program.variables.items() if v.space == "shared"
        ]
        for function in functions:
            names += [
                (f"{function.name}::{name}", v)
                for name, v in function.variables.items()
                if v.space == "shared"
            ]
        top = 0
        for name, variable in names:
            if variable.count is not None and not (variable.extern and not variable.bytes):
                top = -(-top // variable.align) * variable.align
                addresses[name] = top
                self.memory.place_shared(variable.name, top, variable.bytes)
                top += variable.bytes
        open_ended = [(n, v) for n, v in names if n not in addresses]
        align = max([16, *(v.align for _, v in open_ended)])
        start = -(-top // align) * align if open_ended else top
        for name, variable in open_ended:
            addresses[name] = start
            self.memory.place_shared(variable.name, start, dynamic)
        return start + dynamic
