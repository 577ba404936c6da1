"""What a compiled program tells of its kernels: texts, costs, and where they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import FusedLoc, ModuleOp
from xdsl.ir import Attribute, Operation

from teenyir.analysis.cost import launch_costs
from teenyir.analysis.places import fused_members, place_of
from teenyir.diagnostics import CompileError, Location, did_you_mean
from teenyir.dialects import uop
from teenyir.dialects.expr import ONE, Expr
from teenyir.pipeline.instruments.base import symbol_of
from teenyir.pipeline.ir import parse_module, print_module


@dataclass(frozen=True)
class Kernel:
    """One launch of a kernel."""

    name: str
    flops: Expr | None
    """Floating-point operations over the named extents; None where they are not known."""
    bytes: Expr
    """Bytes of the buffers that it is given."""
    grid: tuple[Expr, ...]
    """Blocks of the launch along each axis, over the named extents; one on a CPU."""
    block: tuple[int, ...]
    """Threads of a block along each axis; one on a CPU."""
    sources: tuple[Location, ...]
    """The lines of the user's that it came from, as far as locations are kept."""
    texts: Mapping[str, str] = field(repr=False)
    """The whole program by floor."""

    def as_text(self, floor: str = "kernel") -> str:
        """The kernel on a floor: `kernel`, `uop` or `machine`. Raises CompileError on another."""
        if floor in self.texts:
            module = parse_module(self.texts[floor], f"<{floor}>")
            for op in module.body.ops:
                if symbol_of(op) == self.name:
                    return print_module(op)
        floors = [name for name in self.texts if name != "graph"]
        hint = did_you_mean(floor, floors) or f" (it is on {', '.join(floors)})"
        raise CompileError(f"kernel @{self.name} is not on a floor '{floor}'{hint}")


def find_kernels(module: ModuleOp, texts: Mapping[str, str]) -> tuple[Kernel, ...]:
    """The kernels that a module on the uop floor launches, in order."""
    functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, uop.FuncOp)}
    found: list[Kernel] = []
    for cost in launch_costs(module):
        func = functions[cost.kernel]
        grid, block = func.launch or ((ONE,), (1,))
        sources = _sources(func)
        found.append(Kernel(cost.kernel, cost.flops, cost.bytes, grid, block, sources, texts))
    return tuple(found)


def _sources(func: Operation) -> tuple[Location, ...]:
    """The distinct places that the ops of a function came from, in order."""
    locations = dict.fromkeys(op.location for op in func.walk())
    places = (place_of(part) for location in locations for part in _parts(location))
    return tuple(dict.fromkeys(place for place in places if place is not None))


def _parts(location: Attribute) -> Iterator[Attribute]:
    if isinstance(location, FusedLoc):
        for part in fused_members(location):
            yield from _parts(part)
    else:
        yield location
