"""NVIDIA's assembler and disassembler, from their wheels or from an installed CUDA: no GPU needed.

code = assemble(ptx, gpu)             a cubin and what ptxas says of each kernel
text = disassemble(code.cubin)        SASS, the machine code of the GPU
mix(text)                             how often each instruction occurs, by kernel
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from teenyir.diagnostics import CompileError, InternalError, error, note
from teenyir.targets.cuda import Cuda

WHEELS = {"ptxas": "nvidia-cuda-nvcc", "nvdisasm": "nvidia-cuda-nvdisasm"}
"""Which package on PyPI has a tool; the extra `ptx` asks for both."""

MOST_LINES = 12
"""Lines of what a tool says that an error repeats."""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes of a GPU, as ptxas says."""

    registers: int
    """Of 32 bits, of each thread."""
    shared: int
    """Bytes of static shared memory of each block."""
    stack: int
    """Bytes of local memory of each thread."""
    spill_stores: int
    """Bytes that are stored where the registers do not suffice."""
    spill_loads: int


@dataclass(frozen=True)
class Assembled:
    """Machine code of a GPU."""

    cubin: bytes
    resources: Mapping[str, Resources]
    """By kernel."""


def find_tool(name: str) -> str:
    """The path of `ptxas` or `nvdisasm`. Raises CompileError, with what to install."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for path in sorted(Path(folder).glob(f"*/bin/{name}"), reverse=True):
            return str(path)
    if (installed := shutil.which(name)) is not None:
        return installed
    raise CompileError(
        error(
            f"{name} is not installed",
            None,
            note(f"pip install 'teenyir[ptx]', or {WHEELS[name]} alone"),
        )
    )


def _run(command: Sequence[str], what: str) -> str:
    """What a tool says. Raises InternalError where it refuses what it is given."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = "\n".join((done.stderr + done.stdout).splitlines()[:MOST_LINES])
        raise InternalError(error(f"{Path(command[0]).name} refuses {what}\n{said}"))
    return done.stdout + done.stderr


_NAMES = re.compile(r"'(sm_\d+[af]?)'")


def architectures(tool: str) -> list[str]:
    """The GPUs that a ptxas makes code for, as it tells: `sm_80`."""
    names = set(_NAMES.findall(_run([tool, "--help"], "to help")))
    return sorted(names, key=lambda name: (len(name.rstrip("af")), name))


def assemble(ptx: str, gpu: Cuda) -> Assembled:
    """The cubin of PTX text. Raises CompileError where ptxas is not installed, or makes no code
    for the GPU."""
    tool = find_tool("ptxas")
    with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
        source, cubin = Path(folder, "program.ptx"), Path(folder, "program.cubin")
        source.write_text(ptx, encoding="utf-8")
        command = [tool, "-v", f"-arch={gpu.cpu}", str(source), "-o", str(cubin)]
        try:
            said = _run(command, "the PTX")
        except InternalError:
            if gpu.cpu in (known := architectures(tool)):
                raise
            there = note(f"it does for {', '.join(known)}")
            message = f"the ptxas here makes no code for {gpu.cpu}"
            raise CompileError(error(message, None, there)) from None
        return Assembled(cubin.read_bytes(), _resources(said))


_NUMBERS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "shared": re.compile(r"(\d+) bytes smem"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "spill_stores": re.compile(r"(\d+) bytes spill stores"),
    "spill_loads": re.compile(r"(\d+) bytes spill loads"),
}


def _resources(said: str) -> dict[str, Resources]:
    """What `ptxas -v` says of each entry."""
    found: dict[str, Resources] = {}
    for part in re.split(r"(?=Compiling entry function)", said)[1:]:
        name = re.match(r"Compiling entry function '([^']+)'", part)
        assert name is not None  # the split is there
        numbers = {
            field: int(match[1]) if (match := pattern.search(part)) else 0
            for field, pattern in _NUMBERS.items()
        }
        found[name[1]] = Resources(**numbers)
    return found


def disassemble(cubin: bytes) -> str:
    """The SASS of a cubin. Raises CompileError where nvdisasm is not installed."""
    tool = find_tool("nvdisasm")
    with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
        file = Path(folder, "program.cubin")
        file.write_bytes(cubin)
        return _run([tool, "-c", str(file)], "the cubin")


def mix(sass: str) -> dict[str, dict[str, int]]:
    """How many of each instruction the code of each kernel has, without their modifiers."""
    counts: dict[str, Counter[str]] = {}
    current: Counter[str] = Counter()
    for line in sass.splitlines():
        if match := re.match(r"\.text\.([\w$]+):", line.strip()):
            current = counts.setdefault(match[1], Counter())
        elif match := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9]*)", line):
            current[match[1]] += 1
    return {kernel: dict(sorted(count.items())) for kernel, count in counts.items()}
