"""The pass `uop-to-llvm`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region

from teenyir.dialects import program, uop
from teenyir.dialects.inside import of_kind
from teenyir.dialects.llvm import POINTER
from teenyir.lowering.uop_to_llvm.ahead import AHEAD
from teenyir.lowering.uop_to_llvm.arithmetic import ARITHMETIC
from teenyir.lowering.uop_to_llvm.control import CONTROL
from teenyir.lowering.uop_to_llvm.emitter import Emitter, MakeEmitter, Rule
from teenyir.lowering.uop_to_llvm.entry import entry_function
from teenyir.lowering.uop_to_llvm.extrema import COMPARED, EXTREMA
from teenyir.lowering.uop_to_llvm.masked_parts import in_parts
from teenyir.lowering.uop_to_llvm.mathematics import MATHEMATICS
from teenyir.lowering.uop_to_llvm.names import machine_name, pointer_attributes
from teenyir.lowering.uop_to_llvm.streams import STREAMS, dispatch, streamed, streaming_name
from teenyir.lowering.uop_to_llvm.threads import THREADS, uses_threads
from teenyir.lowering.uop_to_llvm.types import machine_type
from teenyir.lowering.uop_to_llvm.vectors import VECTORS
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.targets import cpu

RULES: dict[type[Operation], Rule] = {**ARITHMETIC, **MATHEMATICS, **VECTORS, **CONTROL}
"""The rules of what every machine has."""

OF_CPU: dict[type[Operation], Rule] = {**RULES, **EXTREMA, **AHEAD, **THREADS}
"""The rules of a CPU."""


@dataclass(frozen=True)
class UopToLLVM(Pass):
    """Lower linear kernels, and the program that launches them, to llvm functions."""

    name = "uop-to-llvm"
    anchor: ClassVar[str | None] = "builtin.module"

    extrema: Literal["compare", "instruction", "host"] = "compare"
    """What gives the maximum of two floats of which either may be NaN; `host` asks the machine."""
    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""

    def run(self, op: Operation, session: Session) -> None:
        if not isinstance(op, ModuleOp):
            raise fail(op, f"{self.name} runs on a module, not on {op.name}")
        has_extrema = self.extrema == "host" and cpu.host().extrema
        is_instruction = self.extrema == "instruction" or has_extrema
        bits = self.vector_bits or cpu.host().vector_bits
        loads = {uop.LoadOp: in_parts(OF_CPU[uop.LoadOp], bits)}
        lower_module(op, {**OF_CPU, **({} if is_instruction else COMPARED), **loads})


def lower_module(module: ModuleOp, rules: dict[type[Operation], Rule]) -> None:
    """Replace each `uop.func` and `program.func` of a module by its `llvm` functions, by these
    rules."""
    library: dict[str, stock.FuncOp] = {}

    def make_emitter(region: Region, block: Block) -> Emitter:
        return Emitter(region, rules, library, block)

    def make_streaming(region: Region, block: Block) -> Emitter:
        return Emitter(region, {**rules, **STREAMS}, library, block)

    launched = {launch.kernel.string_value() for launch in of_kind(module, program.LaunchOp)}
    top = module.body.block
    replacements: list[tuple[Operation, list[Operation]]] = []
    for op in top.ops:
        match op:
            case uop.FuncOp():
                private = op.sym_name.data in launched
                new = _kernel(op, make_emitter, private)
                if streamed(op):
                    new = [*_kernel(op, make_streaming, True, streams=True), *new]
                replacements.append((op, new))
            case program.FuncOp():
                replacements.append((op, entry_function(op, make_emitter)))
            case _:
                pass
    for old, new in replacements:
        top.insert_ops_before(new, old)
        old.detach()  # as a whole: nothing in it uses, or is used by, what stays
    _declare(module, library)


def _kernel(
    func: uop.FuncOp, make_emitter: MakeEmitter, private: bool, *, streams: bool = False
) -> list[Operation]:
    """The function of a kernel, and before it those that its threads run; `streams` says that it
    is the copy that streams."""
    if func.launch is not None:
        raise fail(func, "has a grid and a block: a CPU runs one thread (see uop-to-nvvm)")
    properties: dict[str, Attribute | None] = {}
    if private:
        # Kept apart, so that each kernel can be seen and timed in the machine code.
        properties["no_inline"] = UnitAttr()
    name = streaming_name(func) if streams else machine_name(func.sym_name.data)
    dispatches = not streams and bool(streamed(func))
    emitter = kernel_body(func, make_emitter, name, dispatches=dispatches)
    linkage = "internal" if private else "external"
    return [*emitter.globals, kernel_function(func, emitter, name, linkage, properties)]


def kernel_body(
    func: uop.FuncOp,
    make_emitter: MakeEmitter,
    name: str,
    *,
    dispatches: bool = False,
    pointer: stock.LLVMPointerType = POINTER,
) -> Emitter:
    """The body of a kernel on the machine floor: the region that the emitter was given.

    `dispatches`: its copy that streams runs instead, where that is possible. `pointer` is the type
    of its buffers.
    """
    arguments = func.body.block.args
    types = [
        pointer if isinstance(a.type, uop.PtrType) else machine_type(a.type) for a in arguments
    ]
    block = Block(arg_types=types)
    emitter = make_emitter(Region(block), block)
    emitter.symbol = name
    for old, new in zip(arguments, block.args, strict=True):
        new.name_hint = old.name_hint
        emitter.values[old] = new
    emitter.location = func.location
    if dispatches:
        dispatch(emitter, func)
    emitter.lower_all(list(func.body.block.ops))
    emitter.location = func.location
    emitter.emit(stock.ReturnOp())
    return emitter


def kernel_function(
    func: uop.FuncOp,
    emitter: Emitter,
    name: str,
    linkage: str,
    properties: Mapping[str, Attribute | None],
) -> stock.FuncOp:
    """A kernel on the machine floor, with the body that an emitter has filled."""
    kernel = stock.FuncOp(
        name,
        stock.LLVMFunctionType([a.type for a in emitter.region.blocks[0].args]),
        stock.LinkageAttr(linkage),
        body=emitter.region,
        other_props={"arg_attrs": _parameters(func, uses_threads(func)), **properties},
    )
    kernel.location = func.location
    return kernel


def _parameters(func: uop.FuncOp, kept: bool) -> ArrayAttr[DictionaryAttr]:
    """Buffers never overlap one that is written: the verifier of `program` and the planner see to
    that, and it is the caller's promise for kernels called on their own."""
    buffers = [pointer_attributes(mode, kept=kept) for mode, _ in func.buffers]
    return ArrayAttr([*buffers, *(DictionaryAttr({}) for _ in func.dims.data)])


def _declare(module: ModuleOp, library: dict[str, stock.FuncOp]) -> None:
    """Declare libm's functions at the module's start, by name."""
    top = module.body.block
    first = top.first_op
    for _, declaration in sorted(library.items()):
        if first is None:
            top.add_op(declaration)
        else:
            top.insert_op_before(declaration, first)
