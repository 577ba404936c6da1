"""What of a module goes to the GPU: the kernels, without the program that dispatches them."""

from __future__ import annotations

import re

from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from teenyir.diagnostics import CompileError
from teenyir.dialects import nvvm, program
from teenyir.targets import cuda


def device_code(module: ModuleOp) -> list[Operation]:
    """The ops of a module without its programs, as LLVM IR is printed of them."""
    return [op for op in module.body.block.ops if not isinstance(op, program.FuncOp)]


def gpu_of(module: ModuleOp) -> cuda.Cuda:
    """The GPU that the kernels of a module are for. Raises CompileError where there is none."""
    for op in module.body.block.ops:
        if isinstance(op, stock.FuncOp) and nvvm.KERNEL in op.attributes:
            cpu, features = nvvm.target_of(op)
            version = re.search(r"\+ptx([0-9]+)", ",".join(features))
            return cuda.find(cpu, int(version[1]) if version else 0)
    raise CompileError("there is no kernel for a GPU in this module: run uop-to-nvvm before")
