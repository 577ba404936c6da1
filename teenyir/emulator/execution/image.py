"""A kernel made ready to be bound: its functions, and where their symbols lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from teenyir.emulator.execution.barriers import Barriers
from teenyir.emulator.execution.callgraph import function_addresses, is_recursive, reachable
from teenyir.emulator.execution.calls import CallSite
from teenyir.emulator.execution.copies import AsyncCopies
from teenyir.emulator.execution.frame import DYNAMIC_BYTES, Frame, layout_of
from teenyir.emulator.execution.machine import Machine
from teenyir.emulator.execution.memory import SHARED_BASE
from teenyir.emulator.execution.special import dynamic_specials, static_specials
from teenyir.emulator.execution.textures import Handles
from teenyir.emulator.syntax.program import Function, Symbol
from teenyir.emulator.types import Array, Mask


class Image:
    """Everything that the binder asks about the program."""

    def __init__(
        self,
        machine: Machine,
        kernel: Function,
        addresses: dict[str, int],
        parameters: dict[str, int],
        handles: Handles,
    ) -> None:
        self.machine, self.kernel = machine, kernel
        self.program = machine.program
        self.addresses, self.parameters = addresses, parameters
        self.wide = self.program.address_size == 64
        self.barriers = Barriers(machine)
        self.copies = AsyncCopies(machine)
        self.handles = handles
        self.sites: list[CallSite] = []
        self.functions = reachable(self.program, kernel)
        self.layouts = {f.name: layout_of(f) for f in self.functions}
        self.entries: dict[str, int] = {}
        self.function_addresses = function_addresses(self.program)
        self._frames = {f.name: Frame(f, machine.lanes) for f in self.functions}
        self._static = static_specials(machine)
        self._dynamic = dynamic_specials(machine)
        self._constants = [
            (addresses[v.name], addresses[v.name] + v.bytes)
            for v in self.program.variables.values()
            if v.space == "const" and v.name in addresses
        ]
        machine.on_start.append(self._clear_registers)

    def _clear_registers(self) -> None:
        for frame in self._frames.values():
            for array in frame.arrays.values():
                array.fill(0)

    # Symbols

    def frame(self, name: str) -> Frame:
        """The registers of a function."""
        return self._frames[name]

    def address(self, function: Function, symbol: Symbol) -> int:
        """The address of a symbol in its own space (shared: an offset in the window)."""
        found = self.addresses.get(f"{function.name}::{symbol.name}")
        if found is None and function.entry:
            found = self.parameters.get(symbol.name)
        if found is None:
            name = self.program.aliases.get(symbol.name, symbol.name)
            found = self.addresses.get(name, self.function_addresses.get(name))
        if found is None:
            raise KeyError(symbol.name)
        return found + symbol.offset

    def frame_offset(self, function: Function, symbol: Symbol) -> int | None:
        """The offset in the frame of a local variable or a device function's parameter."""
        offset = self.layouts[function.name].offsets.get(symbol.name)
        return None if offset is None else offset + symbol.offset

    def space_base(self, space: str) -> int | None:
        """What `cvta` adds to an address of a space; None for nothing."""
        return SHARED_BASE if space == "shared" else None

    def special(self, name: str) -> Array:
        """A special register that does not change while a CTA runs."""
        return self._static[name]

    def dynamic_special(self, name: str) -> Callable[[Mask], Array] | None:
        """A special register that is read anew each time."""
        return self._dynamic.get(name)

    def is_constant(self, addresses: Array) -> Array:
        """Which addresses lie in constant variables."""
        inside = np.zeros(addresses.shape, np.bool_)
        for low, high in self._constants:
            inside |= (addresses >= low) & (addresses < high)
        return inside

    @property
    def stack_bytes(self) -> int:
        """Bytes of local memory a lane needs: every frame once, more where calls recurse."""
        total = sum(layout.size for layout in self.layouts.values())
        recursive = any(is_recursive(self.program.functions, f) for f in self.functions)
        dynamic = any(i.opcode == "alloca" for f in self.functions for i in f.instructions)
        static = -(-max(total * (64 if recursive else 1), 16) // 16) * 16
        return static + (DYNAMIC_BYTES if dynamic else 0)
