"""The target `interpret{floor=F}`: a program as the interpreter of a floor means it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.signature import Signature
from teenyir.dialects.expr import Expr
from teenyir.interpreter import run
from teenyir.pipeline.limits import deep_recursion
from teenyir.runtime.compiled import Array, Plan, Program


class Interpretation(Program):
    """A program on a floor above the machine, called as native code is."""

    def __init__(self, module: ModuleOp, signature: Signature):
        super().__init__(signature, Expr.of(0))
        self.module = module

    def run(self, inputs: Sequence[Array], plan: Plan) -> list[Array]:
        """The outputs, each in memory of its own: to the interpreter they may be parts of inputs.
        Raises RunError where the program does what has no meaning."""
        names = [dim.name for dim in self.signature.dims]
        dims = dict(zip(names, struct.unpack(f"={len(names)}q", plan.dims), strict=True))
        with deep_recursion():
            outputs = run(self.module, inputs, entry=self.signature.entry, dims=dims)
        return [np.array(output, order="C") for output in outputs]
