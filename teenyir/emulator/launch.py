"""The way in from Python: load PTX, launch kernels on numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from teenyir.diagnostics import Diagnostic, error
from teenyir.emulator.blocks import BlockBuilder
from teenyir.emulator.checking.checker import Checker
from teenyir.emulator.checking.reports import Report, Reports
from teenyir.emulator.checking.statistics import Statistics
from teenyir.emulator.debugger import Stop, breakpoint_hook
from teenyir.emulator.errors import LaunchError, ParseError, place
from teenyir.emulator.execution.callgraph import reachable
from teenyir.emulator.execution.image import Image
from teenyir.emulator.execution.linker import Linker
from teenyir.emulator.execution.machine import WARP, Geometry, Machine
from teenyir.emulator.execution.memory import SHARED_SIZE, Allocation, Memory
from teenyir.emulator.execution.textures import Handles, Surface, Texture
from teenyir.emulator.syntax.parser import parse
from teenyir.emulator.syntax.program import Function, Program, Variable
from teenyir.emulator.types import TYPES, Array

MOST_THREADS = 1024
LARGEST_BLOCK = (1024, 1024, 64)
LARGEST_GRID = ((1 << 31) - 1, 65535, 65535)
STEP_LIMIT = 50_000_000
DEVICE_HEAP = 8 << 20

Breakpoints: TypeAlias = Mapping[int, Callable[[Stop], None]]


@dataclass(frozen=True, slots=True)
class Uninitialised:
    """An array argument whose contents do not count: reading an element before writing it is
    reported. The array is written back as any other."""

    array: Array


class Buffer:
    """Device memory that outlives a launch; freed, its address is caught if it is used again."""

    def __init__(self, memory: Memory, allocation: Allocation) -> None:
        self._memory, self._allocation = memory, allocation

    @property
    def address(self) -> int:
        """What a kernel sees."""
        return self._allocation.base

    @property
    def size(self) -> int:
        """Bytes."""
        return self._allocation.size

    def read(self, dtype: Any = np.uint8) -> Array:
        """A copy of the contents as a flat array of a dtype, which must fit the size."""
        if self.size % np.dtype(dtype).itemsize:
            raise LaunchError(f"{self.size} bytes are no whole number of {np.dtype(dtype)}")
        return self._memory.read(self.address, self.size).view(dtype).copy()

    def free(self) -> None:
        """Give the memory up."""
        self._memory.free(self._allocation)


Argument: TypeAlias = (
    "Array | np.generic | int | float | bytes | Buffer | Uninitialised | Texture | Surface"
)


@dataclass(slots=True)
class Launch:
    """What a launch left besides the arrays it wrote."""

    reports: list[Report]
    statistics: Statistics
    output: str
    """What `printf` printed."""


_Key: TypeAlias = tuple[int, int, tuple[int, ...]]
"""What makes two array arguments one: address, size, and strides unless contiguous."""


@dataclass(slots=True)
class _Bound:
    """Array arguments in device memory, to be copied back."""

    arrays: list[tuple[Array, Allocation]] = field(default_factory=list["tuple[Array, Allocation]"])
    shared: list[tuple[str, Allocation, bytes]] = field(
        default_factory=list["tuple[str, Allocation, bytes]"]
    )
    """Arrays that overlap others, with their contents before the launch."""
    handles: Handles = field(default_factory=Handles)
    known: dict[_Key, Allocation] = field(default_factory=dict["_Key", Allocation])


class Module:
    """A loaded PTX module, with its variables in device memory."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.memory = Memory()
        self._linker = Linker(program, self.memory)
        self.addresses = self._linker.place_variables()

    @property
    def kernels(self) -> list[str]:
        """Names of the entries."""
        return self.program.entries

    def unsupported(self, kernel: str | None = None) -> list[Diagnostic]:
        """A diagnostic for each instruction of the kernels (or of one) that would be refused."""
        found: dict[tuple[int, int], Diagnostic] = {}
        for name in self.kernels if kernel is None else [kernel]:
            for diagnostic in self._refused(self._kernel(name)):
                place = diagnostic.location
                found.setdefault((place.line, place.col) if place else (0, 0), diagnostic)
        return list(found.values())

    def _refused(self, function: Function) -> list[Diagnostic]:
        """Bind a kernel as for a launch of one warp; what could not be bound."""
        geometry = Geometry((1, 1, 1), (WARP, 1, 1))
        mark = self.memory.top
        try:
            parameters = {
                p.name: self.memory.allocate(p.name, "param", max(p.bytes, p.type.bytes)).base
                for p in function.parameters
            }
            reports, statistics = Reports(self.program), Statistics()
            machine = Machine(self.program, self.memory, geometry, reports, statistics, 1)
            image = self._image(machine, function, parameters, 0, Handles())
            builder = BlockBuilder(image)
            builder.build()
            return builder.refused
        finally:
            self.memory.release(mark)

    def _image(
        self,
        machine: Machine,
        function: Function,
        parameters: dict[str, int],
        shared: int,
        handles: Handles,
    ) -> Image:
        """Place shared memory and stacks; the kernel, ready to be bound."""
        functions = reachable(self.program, function)
        addresses = dict(self.addresses)
        machine.dynamic_shared = shared
        machine.shared_size = self._linker.place_shared(functions, shared, addresses)
        if machine.shared_size > SHARED_SIZE:
            raise LaunchError(f"{machine.shared_size} bytes of shared memory are too many")
        image = Image(machine, function, addresses, parameters, handles)
        self._place_stacks(machine, image)
        return image

    def buffer(self, contents: Array | int, name: str = "buffer") -> Buffer:
        """Device memory with an array's contents, or of so many uninitialised bytes."""
        if isinstance(contents, int):
            if contents < 0:
                raise LaunchError(f"a buffer of {contents} bytes")
            made = self.memory.allocate(name, "global", contents, initialised=False)
        else:
            raw = np.ascontiguousarray(contents).reshape(-1).view(np.uint8)
            made = self.memory.allocate(name, "global", raw.size)
            self.memory.write(made.base, raw)
        return Buffer(self.memory, made)

    def variable(self, name: str, dtype: Any = np.uint8) -> Array:
        """A view of a `.global` or `.const` variable; writing to it sets the variable."""
        variable = self.program.variables.get(name)
        if variable is None or name not in self.addresses:
            raise LaunchError(f"no variable '{name}' in {self.program.filename}")
        return self.memory.read(self.addresses[name], variable.bytes).view(dtype)

    def launch(
        self,
        kernel: str,
        *,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[Argument] = (),
        shared: int = 0,
        check: bool = True,
        strict: bool = True,
        breakpoints: Breakpoints | None = None,
        step_limit: int = STEP_LIMIT,
    ) -> Launch:
        """Run a kernel for every CTA of the grid; arrays among `args` are written in place.

        `grid` and `block` are up to three sizes, `shared` the bytes of dynamic shared memory.
        With `check` every access is checked; `strict` raises `CheckError` after the launch if
        something was found, otherwise the reports are only returned. `breakpoints` maps PTX lines
        to functions called before the line's instructions with a `Stop`. `step_limit` bounds the
        basic blocks that one CTA may run. Raises `LaunchError` for sizes and arguments that do
        not fit, `ExecutionError` for traps and deadlocks, `UnsupportedError` for instructions
        that the emulator does not have.
        """
        function = self._kernel(kernel)
        geometry = _geometry(_sizes("grid", grid), _sizes("block", block))
        self._check_sizes(function, geometry, shared)
        mark = self.memory.top
        try:
            return self._run(
                function, geometry, args, shared, check, strict, breakpoints, step_limit
            )
        finally:
            self.memory.release(mark)

    def _run(
        self,
        function: Function,
        geometry: Geometry,
        args: Sequence[Argument],
        shared: int,
        check: bool,
        strict: bool,
        breakpoints: Breakpoints | None,
        step_limit: int,
    ) -> Launch:
        bound = _Bound()
        self.memory.reserve(_needed(args))
        parameters = self._arguments(function, args, bound)
        reports, statistics = Reports(self.program), Statistics()
        machine = Machine(self.program, self.memory, geometry, reports, statistics, step_limit)
        image = self._image(machine, function, parameters, shared, bound.handles)
        if check:
            machine.checker = Checker(machine, _granule(image.functions))
        hook = breakpoint_hook(breakpoints, image.functions) if breakpoints else None
        start = BlockBuilder(image, hook).build()
        statistics.ctas = geometry.grid[0] * geometry.grid[1] * geometry.grid[2]
        try:
            self._run_grid(machine, start)
        finally:
            for array, allocation in bound.arrays:
                raw = self.memory.read(allocation.base, allocation.size)
                native = array.dtype.newbyteorder("=")
                array[...] = raw.view(native).reshape(array.shape)
            _tally(machine, statistics)
        for name, allocation, before in bound.shared:
            if self._bytes(allocation) != before:
                raise LaunchError(
                    f"the array for '{name}' overlaps another argument without being the same, "
                    "and one of them was written: each is copied, so the other has not seen it"
                )
        if strict:
            reports.raise_if_any()
        return Launch(reports.all(), statistics, "".join(machine.output))

    def _run_grid(self, machine: Machine, start: int) -> None:
        x, y, z = machine.geometry.grid
        with np.errstate(all="ignore"):
            for index in range(x * y * z):
                cta = (index % x, index // x % y, index // (x * y))
                try:
                    machine.run_cta(cta, start)
                except IndexError as caught:
                    raise LaunchError(
                        f"an access in block {cta} lies outside all memory ({caught}); "
                        "launch with check=True to see which"
                    ) from caught

    def _kernel(self, name: str) -> Function:
        function = self.program.functions.get(name)
        if function is None or not function.entry:
            known = ", ".join(self.kernels) or "none"
            raise LaunchError(f"no kernel '{name}' in {self.program.filename}; kernels: {known}")
        return function

    def _check_sizes(self, function: Function, geometry: Geometry, shared: int) -> None:
        if not hasattr(shared, "__index__"):
            raise LaunchError(f"{shared} is no size of dynamic shared memory")
        if shared < 0:
            raise LaunchError("a negative size of dynamic shared memory")
        required = function.directives.get("reqntid")
        if required is not None:
            sizes = (*required, 1, 1)[:3]
            if sizes != geometry.block:
                raise LaunchError(
                    error(
                        f"'{function.name}' requires blocks of {sizes}, not {geometry.block}",
                        place(self.program, function.line, 1),
                    )
                )
        most = function.directives.get("maxntid")
        if most is not None and geometry.threads > int(np.prod(most)):
            raise LaunchError(
                error(
                    f"'{function.name}' allows {int(np.prod(most))} threads a block, "
                    f"not {geometry.threads}",
                    place(self.program, function.line, 1),
                )
            )

    def _place_stacks(self, machine: Machine, image: Image) -> None:
        size = image.stack_bytes
        stacks = self.memory.allocate("stack", "local", size * machine.lanes)
        machine.stack_base = stacks.base + np.arange(machine.lanes, dtype=np.int64) * size
        machine.stack_size = size
        if "malloc" in self.program.functions:
            self.memory.reserve(DEVICE_HEAP)
        self.memory.reserve(4096)

    def _bytes(self, allocation: Allocation) -> bytes:
        return self.memory.read(allocation.base, allocation.size).tobytes()

    # Arguments

    def _arguments(
        self, function: Function, args: Sequence[Argument], bound: _Bound
    ) -> dict[str, int]:
        """Lay the parameters out; name -> address."""
        if len(args) != len(function.parameters):
            raise LaunchError(
                error(
                    f"'{function.name}' takes {len(function.parameters)} arguments, "
                    f"{len(args)} were given",
                    place(self.program, function.line, 1),
                )
            )
        addresses: dict[str, int] = {}
        for parameter, argument in zip(function.parameters, args, strict=True):
            data = self._argument_bytes(parameter, argument, bound)
            size = max(parameter.bytes, parameter.type.bytes)
            made = self.memory.allocate(
                parameter.name, "param", size, align=parameter.align, read_only=True
            )
            self.memory.write(made.base, data)
            addresses[parameter.name] = made.base
        return addresses

    def _argument_bytes(self, parameter: Variable, argument: Argument, bound: _Bound) -> bytes:
        size = max(parameter.bytes, parameter.type.bytes)
        self._check_pointer(parameter, argument, size)
        if isinstance(argument, Texture | Surface):
            return bound.handles.add(argument).to_bytes(size, "little")
        if isinstance(argument, Buffer):
            return argument.address.to_bytes(size, "little")
        if isinstance(argument, Uninitialised):
            made = self._array(parameter.name, argument.array, bound, initialised=False)
            return made.base.to_bytes(size, "little")
        if isinstance(argument, np.ndarray) and not _is_struct(parameter, argument):
            made = self._array(parameter.name, argument, bound, initialised=True)
            return made.base.to_bytes(size, "little")
        data = _scalar_bytes(parameter, argument)
        if len(data) != size:
            raise LaunchError(
                f"parameter '{parameter.name}' has {size} bytes, its argument {len(data)}"
            )
        return data

    def _check_pointer(self, parameter: Variable, argument: Argument, size: int) -> None:
        """Refuse an array for a parameter that cannot hold its address."""
        is_array = isinstance(argument, np.ndarray) and not _is_struct(parameter, argument)
        if not is_array and not isinstance(argument, Buffer | Uninitialised | Texture | Surface):
            return
        if size != self.program.address_size // 8 or parameter.type.is_float:
            raise LaunchError(
                f"parameter '{parameter.name}' is .{parameter.type.name}, which cannot hold "
                f"the address of its argument, a {type(argument).__name__}"
            )

    def _array(self, name: str, array: Array, bound: _Bound, *, initialised: bool) -> Allocation:
        strides = () if array.flags.c_contiguous else array.strides
        key = (array.__array_interface__["data"][0], array.nbytes, strides)
        known = bound.known.get(key)
        if known is not None:
            return known
        if array.dtype.hasobject or array.dtype.kind in "USmM":
            raise LaunchError(f"parameter '{name}' cannot take an array of {array.dtype}")
        writable = bool(array.flags.writeable)
        made = self.memory.allocate(
            name, "global", array.nbytes, initialised=initialised, read_only=not writable
        )
        native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        self.memory.write(made.base, native.reshape(-1).view(np.uint8))
        for other, allocation in bound.arrays:
            if _overlap(array, other):
                bound.shared += [(name, a, self._bytes(a)) for a in (made, allocation)]
        bound.known[key] = made
        if writable:
            bound.arrays.append((array, made))
        return made


def _overlap(first: Array, second: Array) -> bool:
    return np.may_share_memory(first, second) and np.shares_memory(first, second)


def _is_struct(parameter: Variable, argument: Array) -> bool:
    return parameter.type.bits == 8 and argument.nbytes == parameter.bytes


def _scalar_bytes(parameter: Variable, argument: object) -> bytes:
    if isinstance(argument, bytes):
        return argument
    if isinstance(argument, np.ndarray | np.generic):
        return argument.tobytes()
    kind = parameter.type
    if isinstance(argument, int | float):
        if kind.is_float:
            return np.array(argument, kind.dtype).tobytes()
        if isinstance(argument, int):
            size = max(parameter.bytes, kind.bytes)
            if not -(1 << (8 * size - 1)) <= argument < 1 << (8 * size):
                raise LaunchError(f"parameter '{parameter.name}' is .{kind.name}: {argument}")
            return (argument % (1 << (8 * size))).to_bytes(size, "little")
        raise LaunchError(
            f"parameter '{parameter.name}' is .{kind.name}; give numpy.float32 or float64"
        )
    raise LaunchError(f"parameter '{parameter.name}' cannot take a {type(argument).__name__}")


def _needed(args: Sequence[Argument]) -> int:
    arrays = [a.array if isinstance(a, Uninitialised) else a for a in args]
    sizes = [a.nbytes for a in arrays if isinstance(a, np.ndarray)]
    return sum(sizes) + 1024 * (len(args) + 8)


def _geometry(grid: tuple[int, int, int], block: tuple[int, int, int]) -> Geometry:
    threads = prod(block)
    if threads > MOST_THREADS:
        raise LaunchError(f"{threads} threads a block; at most {MOST_THREADS}")
    for what, sizes, most in (("grid", grid, LARGEST_GRID), ("block", block, LARGEST_BLOCK)):
        if any(size > limit for size, limit in zip(sizes, most, strict=True)):
            raise LaunchError(f"a {what} is at most {most}, not {sizes}")
    return Geometry(grid, block)


def _sizes(what: str, sizes: int | Sequence[int]) -> tuple[int, int, int]:
    given = tuple(sizes) if isinstance(sizes, Sequence | np.ndarray) else (sizes,)
    whole = all(hasattr(size, "__index__") for size in given)
    if not 1 <= len(given) <= 3 or not whole or any(size < 1 for size in given):
        raise LaunchError(f"{what} must be one to three positive sizes, not {given}")
    padded = (*given, 1, 1)
    return int(padded[0]), int(padded[1]), int(padded[2])


_NARROW = {"ld", "ldu", "st", "atom", "red"}


def _granule(functions: Sequence[Function]) -> int:
    """log2 of the smallest element that the code accesses, at most 4 bytes."""
    smallest = 4
    for function in functions:
        for i in function.instructions:
            names = [m for m in i.modifiers if m in TYPES]
            if i.opcode in _NARROW and "param" not in i.modifiers and names:
                smallest = min(smallest, TYPES[names[-1]].bytes)
    return smallest.bit_length() - 1


def _tally(machine: Machine, statistics: Statistics) -> None:
    for block in machine.blocks:
        statistics.blocks_run += block.runs
        if block.lanes:
            for i in block.instructions:
                statistics.instructions[i.name] += block.lanes
                statistics.lines[i.line] += block.lanes


def load(ptx: str | Path, filename: str | None = None) -> Module:
    """Load PTX text, or a file if given a `Path`; raises `ParseError`."""
    if isinstance(ptx, Path):
        filename = filename or str(ptx)
        try:
            ptx = ptx.read_text(encoding="utf-8")
        except UnicodeDecodeError as caught:
            raise ParseError(f"{filename} is not PTX text: {caught.reason}") from None
    return Module(parse(ptx, filename or "<ptx>"))
