"""Down the tower and into native code, from Python.

lowered = lower(module, "cpu")        the passes of the target, floor by floor
lowered.as_text("kernel")             the IR as it left that floor
compiled = lowered.compile()          native code, called with arrays
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.parser import Parser

from teenyir.analysis.signature import Signature, find_signature
from teenyir.diagnostics import CompileError, Diagnostic, PipelineError, did_you_mean, error, note
from teenyir.dialects import program
from teenyir.dialects.expr import Expr, parse_expr
from teenyir.lowering.render.c import c_text, named_functions
from teenyir.lowering.render.cuda_c import cuda_c_symbols, cuda_c_text
from teenyir.lowering.render.llvm_text import llvm_text
from teenyir.lowering.uop_to_llvm.entry import ARENA
from teenyir.lowering.uop_to_llvm.names import machine_name
from teenyir.lowering.uop_to_nvvm.device import device_code, gpu_of
from teenyir.lowering.uop_to_nvvm.lower import dispatch_launches
from teenyir.once import once
from teenyir.pipeline.build import build_target_pipeline, target_floors
from teenyir.pipeline.instruments.base import symbol_of
from teenyir.pipeline.limits import rare_collections
from teenyir.pipeline.text import parse_pipeline_text
from teenyir.runtime.kernels import Kernel
from teenyir.runtime.stages import Way, launched, parts_of
from teenyir.targets import cuda
from teenyir.targets.cpu import Cpu, host

if TYPE_CHECKING:
    from teenyir.runtime.compiled import Code, Compiled
    from teenyir.runtime.object_cache import ObjectCache


@dataclass
class Lowered:
    """A program on the machine floor, and what can be told of it on every floor that it passed."""

    module: ModuleOp
    """Where the target's pipeline ends: `llvm` functions for `cpu`, uop and program for `c`, the
    floor that is asked for for `interpret`."""
    signature: Signature
    way: Way | None = None
    """How it came here, where that is known."""
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    """Values of inputs that never change, by name."""
    launches: tuple[str, ...] = ()
    """The names of the kernels in the order in which they are launched."""
    target: str = "cpu"
    """The target's name, without options."""
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """The options of the target that were given, as they were written."""
    gather: Callable[[list[Any]], Any] | None = None
    """Makes what a call returns of the outputs; by default one as it is, several as a tuple."""

    @property
    def floors(self) -> tuple[str, ...]:
        """The floors that it passed, from the top: those that there is a text of."""
        return self.way.floors if self.way is not None else ()

    def as_text(self, floor: str = "machine") -> str:
        """The IR as it left a floor: `graph`, `kernel`, `uop` or `machine`."""
        if self.way is None or not isinstance(cast(object, floor), str) or floor not in self.floors:
            hint = did_you_mean(floor, self.floors) or f" (there are {', '.join(self.floors)})"
            raise CompileError(f"there is no text of a floor '{floor}'{hint}")
        return self.way.notes.texts[floor]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels in the order in which they are launched; none above the uop floor."""
        return self.way.notes.kernels if self.way is not None else ()

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """What the passes on the way did and did not do, and why, as `teeny-opt --remarks` says."""
        return self.way.remarks if self.way is not None else ()

    @once
    def llvmir(self) -> str:
        """The machine floor as LLVM IR."""
        return llvm_text(device_code(self.module))

    @once
    def c(self) -> str:
        """The program as a file of C, where `c` is the target."""
        return c_text(self.module)

    @property
    def arena(self) -> Expr:
        """Bytes of memory for temporaries. Raises CompileError if the program has no entry."""
        for op in self.module.body.block.ops:
            named = symbol_of(op) in (self.signature.entry, machine_name(self.signature.entry))
            if named and (size := _arena(op)) is not None:
                return size
        raise CompileError(f"@{self.signature.entry} has no entry: is it a program?")

    def compile(self, *, cpu: Cpu | None = None, cache: bool = True) -> Compiled:
        """Native code for this machine; `cache` keeps it on disk and looks there first.

        `cpu` is for the target `cpu` alone. Raises CompileError where a compiler that the target
        needs is not there.
        """
        from teenyir.runtime.compiled import Compiled, Entry
        from teenyir.runtime.object_cache import ObjectCache

        if cpu is not None and not isinstance(cast(object, cpu), Cpu):
            raise CompileError(f"cpu= is a teenyir.targets.cpu.Cpu, got {type(cpu).__name__}")
        if not isinstance(cast(object, cache), bool):
            raise CompileError(f"cache= is True or False, got {type(cache).__name__}")
        if self.target == INTERPRET:
            from teenyir.runtime.interpreted import Interpretation

            program = Interpretation(self.module, self.signature)
            return Compiled(program, self.parameters, {}, self.gather, self.way)
        if self.target in EMULATORS:
            return self._emulated(ObjectCache() if cache else None)
        if self.target == CUDA:
            return self._on_gpu(ObjectCache() if cache else None)
        if self.target not in COMPILERS:
            raise CompileError(
                error(
                    f"nothing here runs what the target '{self.target}' makes",
                    None,
                    note(f"the target '{self.target}-emulated' runs it without a GPU"),
                )
            )
        compiled = COMPILERS[self.target](self, cpu, ObjectCache() if cache else None)
        code, symbol, texts = compiled
        entry = Entry(code, symbol, self.signature, self.arena)
        return Compiled(entry, self.parameters, texts, self.gather, self.way)

    def _emulated(self, objects: ObjectCache | None) -> Compiled:
        """The program with its kernels in PTX, for the emulator."""
        from teenyir.runtime.compiled import Compiled
        from teenyir.runtime.cuda_emulated import Emulated

        module, texts = EMULATORS[self.target](self, objects)
        program = Emulated(module, self.signature, texts["ptx"])
        return Compiled(program, self.parameters, texts, self.gather, self.way)

    def _on_gpu(self, objects: ObjectCache | None) -> Compiled:
        """The program with its kernels in a GPU. Raises CompileError where there is none."""
        from teenyir.runtime.cuda.compiled import CompiledOnDevice
        from teenyir.runtime.cuda.driver import session
        from teenyir.runtime.cuda.program import OnDevice

        here = session()
        module, texts = _ptx_by_llvm(self, objects)
        gpu = gpu_of(module) if dispatches(module) else None
        program = OnDevice(module, self.signature, texts["ptx"], gpu, here)
        return CompiledOnDevice(program, self.parameters, texts, self.gather, self.way)


def dispatches(module: ModuleOp) -> bool:
    """Whether a program has the machine code of a GPU run."""
    return any(isinstance(op, program.DispatchOp) for op in module.walk())


def _arena(op: Operation) -> Expr | None:
    """The size that an entry states: of a program, or of what became of it on the machine."""
    if isinstance(op, program.FuncOp):
        return None if op.arena is None else op.arena.data
    size = op.attributes.get(ARENA)
    return parse_expr(Parser(Context(), size.data)) if isinstance(size, StringAttr) else None


# --- compilers ------------------------------------------------------------------------------------

Compilation: TypeAlias = "tuple[Code, str, Mapping[str, str]]"
"""Loaded code, the symbol of its entry, and its texts by format."""


def _by_llvm(lowered: Lowered, cpu: Cpu | None, objects: ObjectCache | None) -> Compilation:
    from teenyir.runtime import jit
    from teenyir.runtime.compiled import Sources

    cpu = cpu or host()
    code = jit.compile_object(lowered.llvmir, cpu, objects=objects)
    symbol = machine_name(lowered.signature.entry)
    return jit.load(code, [symbol]), symbol, Sources(lowered.llvmir, cpu)


def _by_c(lowered: Lowered, cpu: Cpu | None, objects: ObjectCache | None) -> Compilation:
    from teenyir.runtime import c

    code = c.compile_c(lowered.c, objects=objects)
    symbol = named_functions(lowered.module).symbols[lowered.signature.entry]
    return c.load_shared(code, [symbol]), symbol, {"c": lowered.c}


COMPILERS: dict[str, Callable[[Lowered, Cpu | None, ObjectCache | None], Compilation]] = {
    "cpu": _by_llvm,
    "c": _by_c,
}
"""By target, what makes code of the last module of its pipeline."""


def _ptx_by_llvm(
    lowered: Lowered, objects: ObjectCache | None
) -> tuple[ModuleOp, Mapping[str, str]]:
    from teenyir.runtime.ptx import compile_ptx

    module, ptx = lowered.module, ""
    if dispatches(module):
        ptx = compile_ptx(lowered.llvmir, gpu_of(module), objects)
    return module, {"llvmir": lowered.llvmir, "ptx": ptx}


def _ptx_by_nvrtc(
    lowered: Lowered, objects: ObjectCache | None
) -> tuple[ModuleOp, Mapping[str, str]]:
    from teenyir.runtime.nvrtc import compile_cuda_c

    text, module = cuda_c_text(lowered.module), lowered.module.clone()
    dispatch_launches(module, cuda_c_symbols(module))
    gpu = cuda.find(lowered.options.get("capability", "sm_80"))
    ptx = compile_cuda_c(text, gpu, objects) if dispatches(module) else ""
    return module, {"cuda-c": text, "ptx": ptx}


CUDA = "cuda"
"""The target that is PTX by LLVM, run by a GPU."""

EMULATED = "cuda-emulated"
"""The target that is PTX by LLVM, run by the emulator."""

EMULATORS: dict[
    str, Callable[[Lowered, ObjectCache | None], tuple[ModuleOp, Mapping[str, str]]]
] = {EMULATED: _ptx_by_llvm, "cuda-c-emulated": _ptx_by_nvrtc}
"""By target, what makes of the last module of its pipeline a program that dispatches kernels, and
its texts by format, with the kernels in `ptx`."""

INTERPRET = "interpret"
"""The target that is no code: `interpret{floor=F}` with F graph, kernel or uop."""


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
    name, pipeline, last = parse_target(target)
    if name == INTERPRET and last is None:
        last = target_floors(pipeline)[0]
    launches: tuple[str, ...] = ()
    with rare_collections():
        way = Way(module.clone(), parts_of(pipeline, last))
        for floor, lowered in way.go():
            module = lowered
            if floor == "uop":
                launches = launched(module)
                signature = _with_views(signature, module)
    options = {option.key: str(option.value) for option in parse_pipeline_text(target)[0].options}
    return Lowered(
        module, signature, way, dict(parameters or {}), launches, name, options, gather=gather
    )


def _with_views(signature: Signature, module: ModuleOp) -> Signature:
    """A signature that tells too which outputs show inputs, as the program in a module says."""
    lowered = find_signature(module, signature.entry).outputs
    outputs = (replace(a, view=b.view) for a, b in zip(signature.outputs, lowered, strict=True))
    return replace(signature, outputs=tuple(outputs))


def parse_target(text: str) -> tuple[str, str, str | None]:
    """A target's name, the target whose pipeline it goes down by, and the floor it is to stop at.

    Raises PipelineError, at its place, on what is no target or an option that it has not.
    """
    if not isinstance(cast(object, text), str):
        raise CompileError(f'a target is a text, such as "cpu", got {type(text).__name__}')
    first, *more = parse_pipeline_text(text) or (None,)
    if first is None or first.name != INTERPRET or first.nested is not None or more:
        build_target_pipeline(text)
        return parse_pipeline_text(text)[0].name, text, None
    floors = [floor for floor in target_floors("cpu") if floor != "machine"]
    last = None
    for option in first.options:
        if option.key != "floor":
            hint = did_you_mean(option.key, ["floor"]) or "; it has floor"
            message = f"'{INTERPRET}' has no option '{option.key}'{hint}"
            raise PipelineError(error(message, option.span.location))
        if option.value not in floors:
            hint = did_you_mean(str(option.value), floors) or f"; there is {', '.join(floors)}"
            message = f"no floor '{option.value}' can be interpreted{hint}"
            raise PipelineError(error(message, option.span.location))
        last = str(option.value)
    return INTERPRET, "cpu", last
