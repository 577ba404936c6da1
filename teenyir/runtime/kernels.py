"""What a compiled program tells of its kernels: texts, costs, and where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import FusedLoc, ModuleOp, NameLoc, StringAttr
from xdsl.ir import Attribute

from teenyir.analysis.cost import launch_costs
from teenyir.analysis.places import fused_members, place_of
from teenyir.diagnostics import CompileError, Location, did_you_mean
from teenyir.dialects import kernel, uop
from teenyir.dialects.expr import ONE, Expr
from teenyir.pipeline.instruments.base import symbol_of
from teenyir.pipeline.ir import parse_module, print_module

GRAPH = "graph."
"""How the names of the graph floor's ops begin."""


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
    graph_ops: tuple[str, ...]
    """The kinds of the graph ops that it came from, as far as locations are kept, once for each
    line of the user's; none where the program began below the graph floor."""
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


def find_kernels(
    module: ModuleOp, texts: Mapping[str, str], origins: Mapping[str, tuple[str, ...]]
) -> tuple[Kernel, ...]:
    """The kernels that a module on the uop floor launches, in order; `origins` as below."""
    functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, uop.FuncOp)}
    found: list[Kernel] = []
    for cost in launch_costs(module):
        func = functions[cost.kernel]
        grid, block = func.launch or ((ONE,), (1,))
        ops = origins.get(cost.kernel, ())
        places = map(place_of, _parts(op.location for op in func.walk()))
        sources = tuple(dict.fromkeys(place for place in places if place is not None))
        found.append(Kernel(cost.kernel, cost.flops, cost.bytes, grid, block, ops, sources, texts))
    return tuple(found)


def name_origins(module: ModuleOp) -> None:
    """Have the location of each graph op say its kind, for what it is lowered to to tell."""
    for op in module.walk():
        if op.name.startswith(GRAPH):
            op.location = NameLoc(StringAttr(op.name), op.location)


_OF_LOADS = (kernel.LoadOp, kernel.IndexOp, arith.ConstantOp)


def origins_of_kernels(module: ModuleOp) -> dict[str, tuple[str, ...]]:
    """The kinds of the graph ops that each kernel of the kernel floor came from.

    A load is left out, and so are the index and the constant that a schedule guards it with: they
    say which op made the tensor that is loaded from.
    """
    return {
        func.sym_name.data: tuple(
            location.desc.data
            for location in _fused(
                op.location for op in func.body.walk() if not isinstance(op, _OF_LOADS)
            )
            if isinstance(location, NameLoc) and location.desc.data.startswith(GRAPH)
        )
        for func in module.body.ops
        if isinstance(func, kernel.FuncOp)
    }


def _fused(locations: Iterable[Attribute]) -> Iterator[Attribute]:
    """The distinct locations that are fused in others, in order."""
    found: dict[Attribute, None] = {}
    for location in dict.fromkeys(locations):
        members = _fused(fused_members(location)) if isinstance(location, FusedLoc) else [location]
        found |= dict.fromkeys(members)
    return iter(found)


def _parts(locations: Iterable[Attribute]) -> Iterator[Attribute]:
    """The same, and in place of the location of a graph op what that is made of."""
    for location in _fused(locations):
        if isinstance(location, NameLoc) and location.desc.data.startswith(GRAPH):
            yield from _fused([location.location])
        else:
            yield location
