"""The pass `uop-to-nvvm`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import llvm as stock
from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, ModuleOp, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Block, Operation, Region

from teenyir.dialects import nvvm, program, uop
from teenyir.dialects.expr import ONE, Expr
from teenyir.dialects.inside import of_kind
from teenyir.lowering.uop_to_llvm.emitter import Emitter
from teenyir.lowering.uop_to_llvm.lower import RULES, kernel_body, kernel_function
from teenyir.lowering.uop_to_nvvm.addresses import GLOBAL, DeviceEmitter
from teenyir.lowering.uop_to_nvvm.threads import THREADS
from teenyir.rewriting.base import Pass, Session, fail
from teenyir.targets import cuda


@dataclass(frozen=True)
class UopToNVVM(Pass):
    """Lower linear kernels to functions that PTX is made of, and have the program dispatch them."""

    name = "uop-to-nvvm"
    anchor: ClassVar[str | None] = "builtin.module"

    capability: str = "sm_80"
    """The compute capability: `sm_80`, `sm-80` or `80`."""
    ptx_version: int = 0
    """The PTX version, 80 for 8.0; 0 for the usual one of the capability."""

    def __post_init__(self) -> None:
        cuda.find(self.capability, self.ptx_version)

    def run(self, op: Operation, session: Session) -> None:
        if not isinstance(op, ModuleOp):
            raise fail(op, f"{self.name} runs on a module, not on {op.name}")
        gpu = cuda.find(self.capability, self.ptx_version)
        block = op.body.block
        kernels = [inner for inner in block.ops if isinstance(inner, uop.FuncOp)]
        names = entry_names(func.sym_name.data for func in kernels)
        dispatch_launches(op, names)
        for func in kernels:
            block.insert_ops_before(_kernel(func, names[func.sym_name.data], gpu), func)
            func.detach()
            func.erase()


def launch_sizes(func: uop.FuncOp) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """The grid and the block of a kernel: one thread, where it says nothing."""
    return func.launch or ((ONE,), (1,))


def entry_names(symbols: Iterable[str]) -> dict[str, str]:
    """The name in PTX of each kernel: a letter, then letters, digits, `_` and `$`; each once."""
    names: dict[str, str] = {}
    for symbol in symbols:
        plain = re.sub(r"[^A-Za-z0-9_$]", "_", symbol)
        name = plain = plain if plain[:1].isalpha() else f"k{plain}"
        number = 0
        while name in names.values():
            number += 1
            name = f"{plain}_{number}"
        names[symbol] = name
    return names


def dispatch_launches(module: ModuleOp, names: Mapping[str, str]) -> None:
    """Have the programs of a module run machine code in the place of its uop functions, whose
    names there are given by their symbols. Raises PassError where a kernel is no uop function."""
    for launch in of_kind(module, program.LaunchOp):
        _dispatch(launch, names)


def _dispatch(launch: program.LaunchOp, names: Mapping[str, str]) -> None:
    """program.launch @f(%y, %x)  -->  program.dispatch @f(out %y, in %x) dims [..] grid .."""
    callee = launch.callee()
    if not isinstance(callee, uop.FuncOp):
        raise fail(launch, f"{launch.kernel} is on the kernel floor: run kernel-to-uop before")
    grid, block = launch_sizes(callee)
    name = names[callee.sym_name.data]
    dispatch = program.DispatchOp(name, launch.accesses(), callee.dims.names, grid, block)
    dispatch.location = launch.location
    parent = launch.parent_block()
    assert parent is not None  # a launch stands in a program
    parent.insert_op_before(dispatch, launch)
    launch.detach()
    launch.erase()


def _kernel(func: uop.FuncOp, name: str, gpu: cuda.Cuda) -> Sequence[Operation]:
    """The variables of a kernel and its function."""
    rules = {**RULES, **THREADS}

    # of what is multiplied in a loop LLVM makes sums, if it sees all of it
    kind = Emitter if any(isinstance(op, scf.ForOp) for op in func.body.walk()) else DeviceEmitter

    def make_emitter(region: Region, block: Block) -> Emitter:
        known = cuda.BUFFER_ALIGNMENT
        return kind(region, rules, {}, block, alignment=known, narrow_loads=True)

    emitter = kernel_body(func, make_emitter, name, pointer=GLOBAL)
    properties: dict[str, Attribute | None] = {
        "target_cpu": StringAttr(gpu.cpu),
        "target_features": stock.TargetFeaturesAttr(ArrayAttr([StringAttr(gpu.features)])),
    }
    kernel = kernel_function(func, emitter, name, "external", properties)
    _, block = launch_sizes(func)
    sizes = [*block, 1, 1][:3]
    kernel.attributes[nvvm.KERNEL] = UnitAttr()
    kernel.attributes[nvvm.BLOCK] = DenseArrayBase.from_list(i32, sizes)
    return [*emitter.globals, kernel]
