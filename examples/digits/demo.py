"""What `make demo` runs: a trained network walks down the tower and reads handwritten digits.

In: the network and its held-out images, beside this file. Out, on standard output: the program's
size on each floor, one kernel on every floor, some digits with what the network takes them for,
and the accuracy. Exit 1 if some floor, executed, takes an image for something else than the
others do. `paint.py` is how it looks.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import FusedLoc, ModuleOp, NameLoc, StringAttr
from xdsl.ir import Attribute, Operation

import teenyir as ty
from examples.digits import model
from examples.digits.paint import excerpt, heading, side_by_side, style
from teenyir.analysis.places import fused_members
from teenyir.interpreter import run
from teenyir.pipeline.ir import print_module

T = TypeVar("T")
Answers = NDArray[np.int64]

HERE = Path(__file__).parent
SHOWN = "dot_add"
"""The kernel that is shown on every floor."""
SHOWN_LAYERS = {"5", "6"}
"""The network's layers that are fused in it: Flatten and Linear."""

STEPS = {
    "graph": "optimize-graph",
    "kernel": "graph-to-kernel{blocks=true columns=true running=true twice=host},"
    "optimize-kernel-for-cpu",
    "uop": "kernel-to-uop,split-at-gates,optimize-uop,expand-sort,split-sums,legalize-floats,"
    "floats-to-bytes,track-zeros,expand-math{fuse=true scale=host lookup=host},cse,"
    "branch-on-masks{masks=host},keep-loops",
    "machine": "locals-to-arena,plan-arena,uop-to-llvm{extrema=host}",
}
"""The passes that lead to each floor; the pipeline `cpu` is all of them."""

QUESTIONS = {
    "graph": "what is computed, on tensors",
    "kernel": "which loops, over which buffers",
    "uop": "in which order, with which registers",
    "machine": "with which instructions",
}


@dataclass(frozen=True)
class Floor:
    """The program on one floor, and the seconds that the step to it took."""

    name: str
    module: ModuleOp
    seconds: float

    def operations(self) -> int:
        """Count the operations, those in regions too."""
        return sum(1 for _ in self.module.walk()) - 1

    def function(self, name: str) -> Operation:
        """Return the function called `name`."""
        for op in self.module.ops:
            symbol = op.properties.get("sym_name")
            if isinstance(symbol, StringAttr) and symbol.data == name:
                return op
        raise KeyError(name)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what `work` returns, and the seconds that it took."""
    start = perf_counter()
    result = work()
    return result, perf_counter() - start


def descend(program: ty.Traced) -> Iterator[Floor]:
    """Take a copy of the program down the tower; yield it on each floor."""
    module = program.module.clone()
    for name, passes in STEPS.items():
        manager = ty.PassManager.parse(passes)
        _, seconds = timed(lambda manager=manager: manager.run(module))
        yield Floor(name, module.clone(), seconds)


def show_sizes(traced: float, floors: list[Floor], assembly: str, compiled: float) -> None:
    """Print a row for the trace, each floor, and what LLVM makes of the last."""
    print(heading("the tower", "how big, and how long to get there"))
    print(style(f"  {'':10}{'operations':>12}{'lines':>9}{'ms':>9}", "dim"))
    print(f"  {'trace':10}{'':21}{traced * 1e3:9.1f}   {style('from Python', 'dim')}")
    for floor in floors:
        lines = print_module(floor.module).count("\n")
        print(
            f"  {floor.name:10}{floor.operations():12,}{lines:9,}{floor.seconds * 1e3:9.1f}"
            f"   {style(QUESTIONS[floor.name], 'dim')}"
        )
    print(f"  {'assembly':10}{'':12}{assembly.count(chr(10)):9,}{compiled * 1e3:9.1f}   by LLVM")


def names(location: Attribute) -> set[str]:
    """Return the names that a location holds; a fused one holds those of its parts."""
    if isinstance(location, FusedLoc):
        return {name for part in fused_members(location) for name in names(part)}
    return {location.desc.data} if isinstance(location, NameLoc) else set()


def lines_from(graph: Floor, layers: set[str]) -> str:
    """Return the lines of the program on the graph floor that came from these layers."""
    main = graph.function("main")
    _, *lines = print_module(main).splitlines()
    operations = main.regions[0].block.ops
    return "\n".join(
        line for line, op in zip(lines, operations, strict=False) if names(op.location) & layers
    )


def show_kernel(floors: list[Floor], assembly: str) -> None:
    """Print one kernel on every floor."""
    graph, kernel, uop, machine = floors
    print(heading(f"one kernel on every floor: @{SHOWN}", "layers 5 and 6, Flatten and Linear"))
    show_floor("graph", lines_from(graph, SHOWN_LAYERS))
    for floor in (kernel, uop, machine):
        show_floor(floor.name, print_module(floor.function(SHOWN)))
    show_floor("assembly", lines_of(assembly, SHOWN), longest=26)


def show_floor(name: str, text: str, longest: int = 60) -> None:
    """Print a piece of the program under the floor's name and question."""
    print(f"\n{style(name, 'bold')}  {style(QUESTIONS.get(name, 'what LLVM makes of it'), 'dim')}")
    print(excerpt(text, longest))


def lines_of(assembly: str, function: str) -> str:
    """Return the part of an assembly listing that is the function's."""
    _, label, rest = assembly.partition(f"\n{function}:\n")
    return label.lstrip() + rest.partition("\n.Lfunc_end")[0]


def show_digits(images: NDArray[np.uint8], labels: Answers, answers: Answers) -> None:
    """Draw the first of each digit, and up to five that the network got wrong."""
    first = [int(np.argmax(labels == digit)) for digit in range(10)]
    wrong = [int(place) for place in np.flatnonzero(answers != labels)[:5]]
    print(heading("digits it has not seen", "and what it takes them for"))
    for row in (first[:5], first[5:], wrong):
        captions = [
            f"{answers[i]}" if answers[i] == labels[i] else f"✗ {answers[i]}, is {labels[i]}"
            for i in row
        ]
        print("\n" + side_by_side([images[i] for i in row], captions))


def executed(
    program: ty.Traced, floors: list[Floor], compiled: ty.Compiled, images: NDArray[np.float32]
) -> Iterator[tuple[str, Answers, float]]:
    """Run every floor on the images; yield how, the answers and the seconds."""
    inputs: dict[str, Any] = {**program.parameters, "x": images}
    for floor in floors[:-1]:
        (logits,), seconds = timed(lambda floor=floor: run(floor.module, inputs))
        yield f"{floor.name}, interpreted", logits.argmax(axis=1), seconds
    logits, seconds = timed(lambda: compiled(images))
    yield "machine, compiled", logits.argmax(axis=1), seconds


def main() -> int:
    """Run the demonstration; return the exit code."""
    print(style("teenyir: a network walks down a tower of dialects", "bold"))
    print(heading("the network", os.path.relpath(inspect.getfile(model))))
    print(excerpt(inspect.getsource(model.network), 40))
    program, traced = timed(model.traced)
    floors = list(descend(program))
    lowered = program.lower(target="cpu")
    compiled, seconds = timed(lambda: lowered.compile(cache=False))
    show_sizes(traced, floors, compiled.asm["asm"], seconds)
    show_kernel(floors, compiled.asm["asm"])

    part = load_file(HERE / "heldout.safetensors")
    labels = part["labels"].astype(np.int64)
    images = part["images"].astype(np.float32) / np.float32(16)
    runs = list(executed(program, floors, compiled, images))
    show_digits(part["images"][:, 0], labels, runs[-1][1])
    return report(runs, labels)


def report(runs: list[tuple[str, Answers, float]], labels: Answers) -> int:
    """Print how each floor did; return 1 if two of them differ about an image."""
    print(heading(f"{len(labels)} held-out images on every floor", "right answers, and seconds"))
    for name, answers, seconds in runs:
        print(f"  {name:24}{np.count_nonzero(answers == labels):6}{seconds:12.4f}")
    compiled = runs[-1][1]
    differing = {name for name, answers, _ in runs if not np.array_equal(answers, compiled)}
    if differing:
        print(f"the compiled code answers otherwise than: {', '.join(differing)}", file=sys.stderr)
        return 1
    print("  every floor takes every image for the same digit\n")
    print(f"accuracy: {100 * (compiled == labels).mean():.1f} %")
    return 0


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
