"""Down the tower and into native code, from Python.

lowered = lower(module, "cpu")        the passes of the target, floor by floor
lowered.as_text("kernel")             the IR as it left that floor
compiled = lowered.compile()          native code, called with arrays
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser

from teenyir.analysis.signature import Signature, find_signature
from teenyir.diagnostics import CompileError, did_you_mean
from teenyir.dialects.expr import Expr, parse_expr
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.entry import ARENA
from teenyir.lowering.uop_to_llvm.names import machine_name
from teenyir.pipeline.build import Nested, build_target_pipeline
from teenyir.pipeline.ir import print_module
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.registry import FLOOR_ENDS
from teenyir.runtime.kernels import Kernel, find_kernels
from teenyir.targets.cpu import Cpu, host

if TYPE_CHECKING:
    from teenyir.runtime.compiled import Compiled

FLOORS = tuple(FLOOR_ENDS)


@dataclass
class Lowered:
    """A program on the machine floor, with its text on every floor that it passed."""

    module: ModuleOp
    """The machine floor: `llvm` functions."""
    signature: Signature
    texts: dict[str, str]
    """The IR by floor, as it left each."""
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    """Values of inputs that never change, by name."""
    kernels: tuple[Kernel, ...] = ()
    """The kernels in the order in which they are launched."""
    gather: Callable[[list[Any]], Any] | None = None
    """Makes what a call returns of the outputs; by default one as it is, several as a tuple."""

    def as_text(self, floor: str = "machine") -> str:
        """The IR as it left a floor: `graph`, `kernel`, `uop` or `machine`."""
        if floor not in self.texts:
            hint = did_you_mean(floor, self.texts) or f" (there are {', '.join(self.texts)})"
            raise CompileError(f"there is no text of a floor '{floor}'{hint}")
        return self.texts[floor]

    @cached_property
    def llvmir(self) -> str:
        """The machine floor as LLVM IR."""
        return llvm_text(self.module)

    @property
    def symbol(self) -> str:
        """The name of the entry on the machine floor."""
        return machine_name(self.signature.entry)

    @property
    def arena(self) -> Expr:
        """Bytes of memory for temporaries. Raises CompileError if the program has no entry."""
        for op in self.module.body.block.ops:
            if isinstance(op, stock.FuncOp) and op.sym_name.data == self.symbol:
                size = op.attributes.get(ARENA)
                if isinstance(size, StringAttr):
                    return parse_expr(Parser(Context(), size.data))
        raise CompileError(f"@{self.signature.entry} has no entry: is it a program?")

    def compile(self, *, cpu: Cpu | None = None, cache: bool = True) -> Compiled:
        """Native code for this machine; `cache` keeps it on disk and looks there first."""
        from teenyir.runtime import jit
        from teenyir.runtime.compiled import Compiled, Entry, Sources
        from teenyir.runtime.object_cache import ObjectCache

        cpu = cpu or host()
        objects = ObjectCache() if cache else None
        code = jit.compile_object(self.llvmir, cpu, objects=objects)
        library = jit.load(code, [self.symbol])
        entry = Entry(library, self.symbol, self.signature, self.arena)
        return Compiled(
            entry, self.parameters, Sources(self.llvmir, cpu), self.gather, self.kernels
        )


def lower(
    module: ModuleOp,
    target: str = "cpu",
    parameters: Mapping[str, Any] | None = None,
    gather: Callable[[list[Any]], Any] | None = None,
) -> Lowered:
    """Run the passes of a target on a copy of a module, which may stand on any floor.

    Raises CompileError with its diagnostics.
    """
    signature = find_signature(module)
    module = module.clone()
    texts: dict[str, str] = {}
    kernels: tuple[Kernel, ...] = ()
    whole = build_target_pipeline(target)
    context, done = None, 0
    for floor in FLOORS:
        upto = len(build_target_pipeline(target, floor).elements)
        manager = PassManager(Nested(whole.anchor, whole.elements[done:upto]), context=context)
        manager.run(module)
        texts[floor] = print_module(module)
        if floor == "uop":
            kernels = find_kernels(module, texts)
        context, done = manager.context, upto
    return Lowered(module, signature, texts, dict(parameters or {}), kernels, gather)
