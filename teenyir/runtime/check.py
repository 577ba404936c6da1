"""Whether native code means what the program it was made of meant: `--check-each` to the bottom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp

from teenyir.analysis.signature import entries
from teenyir.diagnostics import CompileError
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.check import Function, MeaningCheck
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.interpreter.program import Warn
from teenyir.lowering.uop_to_llvm.names import machine_name
from teenyir.pipeline.instruments.base import symbol_of
from teenyir.runtime.lowered import Lowered


@dataclass
class NativeCheck(MeaningCheck):
    """Interprets the upper floors, and compiles and runs a program on the machine floor.

    Native code that writes where it must not may end the process.
    """

    def call(
        self,
        module: ModuleOp,
        function: Function,
        inputs: list[Array],
        dims: dict[str, int],
        warn: Warn | None = None,
    ) -> list[Array]:
        if function.launcher is not None or function.entry in entries(module):
            return super().call(module, function, inputs, dims, warn)
        symbol = machine_name(function.entry)
        if not any(isinstance(op, FuncOp) and symbol_of(op) == symbol for op in module.ops):
            raise NoMeaning("it is on no floor that runs")
        try:
            compiled = Lowered(module.clone(), function.signature, {}).compile(cache=False)
            outputs = compiled(*map(np.ascontiguousarray, inputs), dims=dims)
        except CompileError as e:
            raise NoMeaning(*e.diagnostics) from e
        return [outputs] if len(function.signature.outputs) == 1 else list(outputs)
