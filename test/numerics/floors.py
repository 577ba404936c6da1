"""One program on every floor: the interpreters of graph, kernel and uop, and native code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compare import differences
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from teenyir.interpreter import run
from teenyir.pipeline.ir import verify_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.lowered import lower

Array = NDArray[Any]


def on_every_floor(
    module: ModuleOp,
    inputs: Mapping[str, Array] | Sequence[Array],
    *,
    exact: bool = True,
    dims: Mapping[str, int] | None = None,
) -> list[Array]:
    """The outputs of a function on the graph floor, once every floor below has given the same.

    `exact` says to the bit; otherwise within what another order of summation makes.
    """
    verify_module(module)
    outputs = native(module, inputs, dims)
    expected = run(module, inputs, dims=dims)
    settled = [exact] * len(expected)
    assert not (problem := differences(expected, outputs, settled)), f"cpu: {problem}"
    for step in ("graph-to-kernel", "kernel-to-uop"):
        PassManager.parse(step).run(module)
        verify_module(module)
        found = run(module, inputs, dims=dims)
        assert not (problem := differences(expected, found, settled)), f"{step}: {problem}"
    return expected


def native(
    module: ModuleOp,
    inputs: Mapping[str, Array] | Sequence[Array],
    dims: Mapping[str, int] | None = None,
) -> list[Array]:
    """The outputs of a module compiled for this machine."""
    compiled = lower(module, "cpu").compile(cache=False)
    named = isinstance(inputs, Mapping)
    outputs = compiled(*(() if named else inputs), dims=dims, **(inputs if named else {}))
    return list(outputs) if isinstance(outputs, tuple) else [outputs]
