"""teeny-run: compile a program and run it on inputs; or run PTX in the emulator."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from teenyir.analysis.signature import find_signature
from teenyir.diagnostics import CompileError, Diagnostic, did_you_mean, error
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.compare import difference
from teenyir.pipeline.instruments.reproducer import package_version
from teenyir.pipeline.text import parse_pipeline_text
from teenyir.runtime.lowered import parse_target
from teenyir.tools import run_ptx
from teenyir.tools.command import (
    DIAGNOSED,
    DIFFERS,
    OK,
    ArgumentParser,
    UsageError,
    command_line,
    report,
    run_command,
    target_with,
    write_output,
)
from teenyir.tools.programs import read_program
from teenyir.tools.run_inputs import make_inputs, parse_dims, parse_pairs
from teenyir.tools.run_outputs import archive, summary, values
from teenyir.tools.run_targets import FLOORS, TARGETS, Call, Task, interpreted

EXAMPLES = """\
examples:
  teeny-run model.mlir --input x=images.npy --output out.npz
  teeny-run model.mlir --target=interpret --floor=kernel --dim N=8 --print
  teeny-run model.onnx --dim batch=1 --output out.npz
  teeny-run model.py:model --input x=random:3 --dim N=32 --compare=interpret
  teeny-run model.mlir --dim N=1024 --repeat=20 --stats=json
  teeny-run kernel.ptx --launch grid=4:block=128 --arg range:f32:512 --arg out.npy --print
  teeny-run kernel.ptx --check
"""

NOT_FOR_PTX = (
    *("target", "capability", "floor", "entry", "input", "dim"),
    *("compare", "rtol", "atol", "repeat"),
)


@dataclass
class Arguments(argparse.Namespace):
    """The parsed command line."""

    file: str = "-"
    target: str = "cpu"
    capability: str | None = None
    floor: str | None = None
    entry: str | None = None
    input: list[str] = field(default_factory=list[str])
    dim: list[str] = field(default_factory=list[str])
    output: str | None = None
    print: bool = False
    compare: str | None = None
    rtol: float | None = None
    atol: float | None = None
    repeat: int = 1
    stats: str | None = None
    kernel: str | None = None
    launch: str | None = None
    arg: list[str] = field(default_factory=list[str])
    check: bool = False
    unchecked: bool = False
    stop: int | None = None
    register: list[str] = field(default_factory=list[str])
    lane: int = 0


def make_parser() -> ArgumentParser:
    """The parser of the command line."""
    parser = ArgumentParser(prog="teeny-run", description=__doc__, epilog=EXAMPLES)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="IR, module.py:callable, .onnx, .ptx")
    add("--target", metavar="T", help=f"{' or '.join(TARGETS)}; default cpu")
    add("--capability", metavar="C", help="the GPU of the target: sm_80, sm-80, 80")
    add("--floor", choices=FLOORS, help="with interpret: the floor to go down to")
    add("--entry", metavar="NAME", help="the function to run; default main, or the only one")
    add(
        "--input",
        action="append",
        metavar="NAME=FILE.npy|FILE.npz|random[:SEED]|zeros|range",
        help="an input; one that is not named is random:0",
    )
    add("--dim", action="append", metavar="N=32", help="the value of a named extent")
    add("-o", "--output", metavar="FILE.npz", help="where to write the outputs, by name")
    add("--print", action="store_true", help="print the values of the outputs")
    add("--compare", choices=["interpret"], help="compare with the interpreter; 3 if it differs")
    add("--rtol", type=float, metavar="X", help="relative tolerance; default by element type")
    add("--atol", type=float, metavar="X", help="absolute tolerance; default by element type")
    add("--repeat", type=int, metavar="K", help="run K times, and say how long a run takes")
    add("--stats", choices=["json"], help="print counts and times as one JSON object")
    run_ptx.add_arguments(parser)
    add("--version", action="version", version=f"teenyir {package_version('teenyir')}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run teeny-run with the given arguments (default: the process's); returns the exit code."""
    return run_command("teeny-run", lambda: _main(command_line(argv)))


def _main(argv: list[str]) -> int:
    arguments = Arguments()
    parser = make_parser()
    parser.parse_all(argv, arguments)
    is_ptx = arguments.file.lower().endswith(".ptx")
    if arguments.file == "-":
        is_ptx = arguments.check or arguments.launch is not None
    _refuse(parser, arguments, NOT_FOR_PTX if is_ptx else run_ptx.FLAGS, is_ptx)
    if is_ptx:
        return run_ptx.run_ptx(arguments)
    if arguments.repeat < 1:
        raise UsageError(f"--repeat takes 1 or more, not {arguments.repeat}")
    for flag, value in (("--rtol", arguments.rtol), ("--atol", arguments.atol)):
        if value is not None and not value >= 0:
            raise UsageError(f"{flag} takes 0 or more, not {value:g}")
    sources: dict[str, str] = {}
    try:
        return _run(arguments, sources)
    except CompileError as e:
        report(e.diagnostics, sources)
        return DIAGNOSED


def _refuse(
    parser: ArgumentParser, arguments: Arguments, names: Sequence[str], is_ptx: bool
) -> None:
    """Refuse the flags kept under `names`, which are for the other kind of file."""
    usual = Arguments()
    for name in names:
        if getattr(arguments, name) != getattr(usual, name):
            flag = parser.flag_of(name)
            raise UsageError(f"{flag} is {'not ' if is_ptx else ''}for PTX files (.ptx)")


def _run(arguments: Arguments, sources: dict[str, str]) -> int:
    arguments.target = target_with(arguments.target, ("capability", arguments.capability))
    make = TARGETS[_target(arguments)]
    stated = parse_pairs("--input", arguments.input, "NAME=FILE.npy, NAME=random, ...")
    dims = parse_dims(arguments.dim)
    start = time.perf_counter()
    source = read_program(arguments.file, sources, stated, dims)
    for name in source.decided:
        del stated[name]
        message = f"compiled for this value of the input '{name}', which decides extents"
        report([Diagnostic("remark", message)], sources)
    for name in source.settled:
        message = f"compiled for {name} = {dims.pop(name)} alone: no program serves all"
        report([Diagnostic("remark", message)], sources)
    signature = find_signature(source.module, arguments.entry)
    signature = replace(signature, promises=source.promises)
    inputs = make_inputs(signature, stated, dims, source.parameters)

    def warn(diagnostic: Diagnostic) -> None:
        report([diagnostic], sources)

    task = Task(
        *(source.module, signature, inputs.arrays, inputs.dims),
        *(arguments.target, arguments.floor, warn),
    )
    task.seconds["read"] = time.perf_counter() - start
    call = make(task)
    with task.stage("run"):
        outputs = call()
    named = dict(zip((each.name for each in signature.outputs), outputs, strict=True))
    differences = _differences(arguments, task, named) if arguments.compare else []
    if arguments.repeat > 1:
        _repeat(arguments.repeat, call, task)
    _write(arguments, named, task)
    report(differences, sources)
    return DIFFERS if differences else OK


def _target(arguments: Arguments) -> str:
    """The name of the target; `interpret{floor=kernel}` sets the floor."""
    (element, *more) = parse_pipeline_text(arguments.target) or (None,)
    if element is None or more or element.nested is not None:
        raise UsageError(f"'{arguments.target}' is not a target")
    if element.name not in TARGETS:
        hint = did_you_mean(element.name, TARGETS) or f" (there is {', '.join(TARGETS)})"
        raise UsageError(f"unknown target '{element.name}'{hint}")
    name, _, floor = parse_target(arguments.target)
    arguments.floor = floor or arguments.floor
    return name


def _differences(arguments: Arguments, task: Task, outputs: dict[str, Array]) -> list[Diagnostic]:
    """What differs from the interpreter's result on the floor that the program came in on."""
    reference = interpreted(Task(task.module, task.signature, task.inputs, task.dims))()
    found: list[Diagnostic] = []
    for (name, got), expected in zip(outputs.items(), reference, strict=True):
        worst = difference(got, expected, arguments.rtol, arguments.atol)
        if worst is not None:
            found.append(error(f"output '{name}' is not what the interpreter gives: {worst}"))
    return found


def _repeat(count: int, call: Call, task: Task) -> None:
    """Time further runs, and say so."""
    times: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    best, median = min(times), statistics.median(times)
    task.seconds["run"] = median
    sys.stderr.write(f"{count} runs: best {best * 1e3:.3f} ms, median {median * 1e3:.3f} ms\n")


def _write(arguments: Arguments, outputs: dict[str, Array], task: Task) -> None:
    if arguments.output is not None:
        write_output(arguments.output, archive(outputs))
    if arguments.stats:
        facts = {**task.facts, "seconds": task.seconds}
        write_output(None, json.dumps(facts, indent=2) + "\n")
    if arguments.print:
        write_output(None, "".join(values(name, array) for name, array in outputs.items()))
    elif not arguments.stats and arguments.output is None:
        write_output(None, "".join(summary(name, array) for name, array in outputs.items()))


if __name__ == "__main__":
    sys.exit(main())
