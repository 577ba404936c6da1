"""Whether native code means what the program it was made of meant: `--check-each` to the bottom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.llvm import FuncOp

from teenyir.diagnostics import CompileError, Diagnostic
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.check import MeaningCheck
from teenyir.interpreter.checked import Called, Function, Outcome
from teenyir.interpreter.dispatch import NoMeaning
from teenyir.lowering.uop_to_llvm.names import machine_name
from teenyir.pipeline.instruments.base import symbol_of
from teenyir.runtime.lowered import EMULATED, Lowered, dispatches


def _target(module: ModuleOp, function: Function) -> str | None:
    """The target of a function that has become machine code; None where it is not that far."""
    if function.found(module) is not None:
        return EMULATED if dispatches(module) else None
    symbol = machine_name(function.entry)
    is_there = any(isinstance(op, FuncOp) and symbol_of(op) == symbol for op in module.ops)
    return "cpu" if is_there else None


@dataclass
class NativeCheck(MeaningCheck):
    """Interprets the upper floors, and compiles and runs a program on the machine floor: on this
    machine, or in the emulator where it dispatches kernels to a GPU.

    Native code that writes where it must not may end the process.
    """

    _native: dict[str, Callable[..., Any]] = field(default_factory=dict[str, Callable[..., Any]])
    """The functions of the module that is being looked at, once they are compiled."""

    def start(self, module: ModuleOp) -> list[Diagnostic]:
        self._native.clear()
        return super().start(module)

    def compare(self, module: ModuleOp) -> tuple[list[Diagnostic], list[Diagnostic]]:
        self._native.clear()
        return super().compare(module)

    def call(
        self, module: ModuleOp, function: Function, inputs: list[Array], dims: dict[str, int]
    ) -> Outcome:
        target = _target(module, function)
        if target is None or not isinstance(function, Called):
            return super().call(module, function, inputs, dims)
        if function.entry not in self._native:
            lowered = Lowered(module.clone(), function.signature, target=target)
            try:
                self._native[function.entry] = lowered.compile(cache=False)
            except CompileError as e:
                raise NoMeaning(*e.diagnostics) from e
        compiled = self._native[function.entry]
        # (numpy's ascontiguousarray makes a vector of a number)
        outputs = compiled(*(np.asarray(array, order="C") for array in inputs), dims=dims)
        several = [outputs] if len(function.signature.outputs) == 1 else list(outputs)
        return Outcome(several, [None for _ in several])
