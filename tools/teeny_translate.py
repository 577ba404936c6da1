"""teeny-translate: leave the house, as LLVM IR, assembly, an object, or a text about the IR."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import ModuleOp

from teenyir.diagnostics import CompileError, did_you_mean
from teenyir.pipeline.build import build_target_pipeline
from teenyir.pipeline.instruments.reproducer import package_version
from teenyir.pipeline.ir import print_module
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.registry import FLOOR_ENDS
from teenyir.tools.command import (
    DIAGNOSED,
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

if TYPE_CHECKING:
    from teenyir.targets.cpu import Cpu

EXAMPLES = """\
examples:
  teeny-translate model.mlir --to=llvmir
  teeny-translate model.mlir --to=asm --cpu=x86-64-v3
  teeny-translate model.mlir --to=obj --triple=aarch64-unknown-linux-gnu -o model.o
  teeny-translate model.mlir --to=c -o model.c
  teeny-translate model.mlir --to=cuda-c --target=cuda-c{capability=sm_90}
  teeny-translate model.mlir --to=uops
  teeny-translate model.mlir --to=dot --compile-to=kernel | dot -Tsvg -o model.svg
  teeny-translate model.py:model --to=mlir
  teeny-translate model.mlir --to=ptx --capability=sm_90
  teeny-translate model.mlir --to=sass --stats=json
  teeny-translate model.onnx --to=mlir
"""


@dataclass
class Arguments(argparse.Namespace):
    """The parsed command line."""

    file: str = "-"
    to: str = ""
    output: str | None = None
    target: str | None = None
    capability: str | None = None
    ptx_version: str | None = None
    compile_to: str | None = None
    cpu: str = ""
    triple: str | None = None
    stats: str | None = None
    facts: dict[str, object] = field(default_factory=dict[str, object])
    """What a format tells with --stats, by kernel."""
    sources: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Format:
    """A way out of the house."""

    help: str
    render: Callable[[ModuleOp, Arguments], str | bytes]
    floor: str | None = None
    """The floor that it starts from; None for the one that the input stands on."""
    target: str = "cpu"
    """The target whose pipeline leads there, where --target names none."""


def _llvmir(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.render.llvm_text import llvm_text
    from teenyir.lowering.uop_to_nvvm.device import device_code

    return llvm_text(device_code(module))


def _cpu(arguments: Arguments) -> Cpu:
    from teenyir.targets.cpu import named

    return named(arguments.cpu, triple=arguments.triple)


def _asm(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.runtime.jit import assembly

    return assembly(_llvmir(module, arguments), _cpu(arguments))


def _obj(module: ModuleOp, arguments: Arguments) -> bytes:
    from teenyir.runtime.jit import compile_object

    if arguments.output in (None, "-") and sys.stdout.isatty():
        raise UsageError("an object is no text for a terminal: name a file with -o")
    return compile_object(_llvmir(module, arguments), _cpu(arguments))


def _c(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.render.c import c_text

    return c_text(module)


def _cuda_c(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.render.cuda_c import cuda_c_text

    return cuda_c_text(module)


def _ptx(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.uop_to_nvvm.device import gpu_of
    from teenyir.runtime.ptx import compile_ptx

    return compile_ptx(_llvmir(module, arguments), gpu_of(module))


def _cubin(module: ModuleOp, arguments: Arguments) -> bytes:
    if arguments.output in (None, "-") and sys.stdout.isatty() and not arguments.stats:
        raise UsageError("a cubin is no text for a terminal: name a file with -o")
    cubin = _assembled(module, arguments)
    if arguments.stats:
        _disassembled(cubin, arguments)
    return cubin


def _sass(module: ModuleOp, arguments: Arguments) -> str:
    return _disassembled(_assembled(module, arguments), arguments)


def _assembled(module: ModuleOp, arguments: Arguments) -> bytes:
    """The cubin; what ptxas tells of each kernel becomes facts."""
    from teenyir.lowering.uop_to_nvvm.device import gpu_of
    from teenyir.runtime.cuda_tools import assemble

    code = assemble(_ptx(module, arguments), gpu_of(module))
    arguments.facts |= {name: asdict(each) for name, each in code.resources.items()}
    return code.cubin


def _disassembled(cubin: bytes, arguments: Arguments) -> str:
    """The text of a cubin; how often each kernel has each instruction becomes a fact."""
    from teenyir.runtime.cuda_tools import disassemble, mix

    text = disassemble(cubin)
    for name, instructions in mix(text).items():
        facts = cast("dict[str, object]", arguments.facts.setdefault(name, {}))
        facts["instructions"] = instructions
    return text


def _uops(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.render.uops_text import uops_text

    return uops_text(module)


def _dot(module: ModuleOp, arguments: Arguments) -> str:
    from teenyir.lowering.render.dot_text import dot_text

    return dot_text(module)


def _mlir(module: ModuleOp, arguments: Arguments) -> str:
    return print_module(module)


def _mlir_generic(module: ModuleOp, arguments: Arguments) -> str:
    return print_module(module, generic=True)


FORMATS: dict[str, Format] = {
    "llvmir": Format("LLVM IR", _llvmir, "machine"),
    "asm": Format("assembly of the CPU, optimised", _asm, "machine"),
    "obj": Format("a relocatable object, optimised", _obj, "machine"),
    "c": Format("one file of C11, which needs libm alone", _c, "machine", "c"),
    "ptx": Format("PTX for NVIDIA's GPUs, by LLVM", _ptx, "machine", "cuda"),
    "cubin": Format("their machine code, by ptxas", _cubin, "machine", "cuda"),
    "sass": Format("that as text, by nvdisasm", _sass, "machine", "cuda"),
    "cuda-c": Format("one file of CUDA C, for NVRTC or nvcc", _cuda_c, "machine", "cuda-c"),
    "uops": Format("a flat, numbered listing of the uop floor", _uops, "uop"),
    "dot": Format("the ops as a graph, for Graphviz", _dot),
    "mlir": Format("IR, as it came in or on the floor of --compile-to", _mlir),
    "mlir-generic": Format("the same in MLIR's generic form", _mlir_generic),
}
"""The formats by name."""


def make_parser() -> ArgumentParser:
    """The parser of the command line."""
    formats = "".join(f"\n  {name:13} {format.help}" for name, format in FORMATS.items())
    version = f"teenyir {package_version('teenyir')}"
    parser = ArgumentParser(
        prog="teeny-translate",
        description=f"{__doc__}\n\nformats:{formats}",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="IR, .onnx, or module.py:callable"
    )
    parser.add_argument("--to", required=True, metavar="FORMAT", help="one of the formats above")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write; default stdout")
    parser.add_argument(
        "--target", metavar="T", help="the pipeline to go down by; each format has its own"
    )
    parser.add_argument("--capability", metavar="C", help="the GPU of the target: sm_80, sm-80, 80")
    parser.add_argument("--ptx-version", metavar="NN", help="the PTX version of the target: 80")
    parser.add_argument(
        "--compile-to", choices=list(FLOOR_ENDS), help="the floor to go to, for mlir and dot"
    )
    parser.add_argument("--cpu", metavar="NAME", help="LLVM's name of the CPU; default the host")
    parser.add_argument("--triple", metavar="TRIPLE", help="LLVM's target; default the host")
    parser.add_argument(
        "--stats", choices=["json"], help="print what cubin and sass tell of each kernel, as JSON"
    )
    parser.add_argument("--version", action="version", version=version)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run teeny-translate with the given arguments; returns the exit code."""
    return run_command("teeny-translate", lambda: _main(command_line(argv)))


def _main(argv: list[str]) -> int:
    arguments = Arguments()
    make_parser().parse_all(argv, arguments)
    format = FORMATS.get(arguments.to)
    if format is None:
        hint = did_you_mean(arguments.to, FORMATS) or f" (there is {', '.join(FORMATS)})"
        raise UsageError(f"unknown format '{arguments.to}'{hint}")
    if arguments.stats and arguments.to not in ("cubin", "sass"):
        raise UsageError("--stats is for --to=cubin and --to=sass")
    if arguments.compile_to and format.floor is not None:
        raise UsageError(f"--to={arguments.to} starts from the {format.floor} floor")
    try:
        module = read_program(arguments.file, arguments.sources).module
        if (floor := format.floor or arguments.compile_to) is not None:
            # The last floor is the whole pipeline: what follows its last named step belongs to it.
            end = None if floor == list(FLOOR_ENDS)[-1] else floor
            target = target_with(
                arguments.target or format.target,
                *(("capability", arguments.capability), ("ptx-version", arguments.ptx_version)),
            )
            PassManager(build_target_pipeline(target, end)).run(module)
        rendered = format.render(module, arguments)
    except CompileError as e:
        report(e.diagnostics, arguments.sources)
        return DIAGNOSED
    if arguments.stats:
        write_output(None, json.dumps(arguments.facts, indent=2) + "\n")
    if not arguments.stats or arguments.output is not None:
        write_output(arguments.output, rendered)
    return OK


if __name__ == "__main__":
    sys.exit(main())
