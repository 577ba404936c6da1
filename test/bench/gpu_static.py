"""Our kernels for a GPU beside Triton's, without one: what ptxas and the emulator say of them.

    python test/bench/gpu_static.py [--triton PYTHON] [--capability 80]

PYTHON is an interpreter that has Triton (`pip install triton`; it compiles without a GPU); without
it only ours are shown. Each row is a kernel for one problem and, of the product, one tile:
bf16 product of 128 by 128 by 256, softmax and layer norm of 8 rows of 1024 f32, attention of one
head of 128 tokens of 64 features. Counts are of one launch of all blocks in the emulator, checked.

On sm_90 Triton multiplies by `wgmma`, which the emulator does not run: of those the static columns
alone are shown.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

import teenyir as ty
from teenyir import emulator
from teenyir.emulator import Statistics
from teenyir.runtime import cuda_tools
from teenyir.targets import cuda
from teenyir.targets.cuda import WARP

RANDOM = np.random.default_rng(0)
BF16 = ml_dtypes.bfloat16


def layer_norm(x):
    centred = x - ty.mean(x, axis=-1, keepdims=True)
    return centred * ty.rsqrt(ty.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def attention(q, k, v):
    scores = q.astype(ty.float32) @ ty.permute_dims(k, (1, 0)).astype(ty.float32) * 0.125
    return (ty.softmax(scores).astype(ty.bfloat16) @ v).astype(ty.bfloat16)


def bf16(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32).astype(BF16)


@dataclass(frozen=True)
class Problem:
    """One row of the table: what is computed, of what, and what Triton's kernel takes."""

    function: Callable[..., object]
    inputs: Sequence[np.ndarray]
    output: np.ndarray
    grid: int
    numbers: Sequence[int]
    steps: int = 0
    """How often a tile is multiplied, in all blocks together."""


ROWS = RANDOM.standard_normal((8, 1024)).astype(np.float32)
PROBLEMS = {
    "product": Problem(
        lambda a, b: a.astype(ty.float32) @ b.astype(ty.float32),
        (bf16(128, 256), bf16(256, 128)),
        np.zeros((128, 128), np.float32),
        1,
        (128, 128, 256),
        steps=8,
    ),
    "softmax": Problem(ty.softmax, (ROWS,), np.zeros_like(ROWS), 8, (1024,)),
    "layer norm": Problem(layer_norm, (ROWS,), np.zeros_like(ROWS), 8, (1024,)),
    "attention": Problem(
        attention, [bf16(128, 64) for _ in "qkv"], np.zeros((128, 64), BF16), 2, (128,), steps=4
    ),
}

COLUMNS = (
    *("registers", "spills", "shared", "MMA", "LDSM", "LDGSTS", "LDG", "STG", "BAR"),
    *("widest", "MMA/step", "bytes/step", "instructions", "conflicts", "sectors/ideal"),
)


def static(ptx: str, gpu: cuda.Cuda, shared: int) -> dict[str, str]:
    """What ptxas says, and how often each instruction stands in the code."""
    code = cuda_tools.assemble(ptx, gpu)
    sass = cuda_tools.disassemble(code.cubin)
    mix = sum((Counter(each) for each in cuda_tools.mix(sass).values()), Counter())
    used = list(code.resources.values())
    widths = [int(n) for n in re.findall(r"(?:LDG|LDGSTS)\S*\.(64|128)\b", sass)]
    found = {name: mix[name] for name in ("LDSM", "LDGSTS", "LDG", "STG", "BAR")}
    found |= {
        "registers": max(each.registers for each in used),
        "spills": sum(each.spill_stores + each.spill_loads for each in used),
        "shared": max(each.shared for each in used) + shared,
        "MMA": sum(n for name, n in mix.items() if name.endswith(("MMA", "GMMA"))),
        "widest": max(widths, default=32),
    }
    return {name: str(number) for name, number in found.items()}


SECTOR = 32
"""Bytes that global memory is read by."""


def counted(launches: Sequence[Statistics], ptx: str, steps: int) -> dict[str, str]:
    """What the emulator has counted; of a tile, matrix instructions of all its warps and the bytes
    read of global memory."""
    lines = ptx.splitlines()
    requests = [a for each in launches for a in each.accesses.values() if a.space == "global"]
    ideal, actual = sum(a.ideal for a in requests), sum(a.actual for a in requests)
    multiplied = sum(
        count
        for each in launches
        for name, count in each.instructions.items()
        if name.startswith("mma.")
    )
    read = SECTOR * sum(a.actual for a in requests if "st.global" not in lines[a.line - 1])
    of_tiles = {
        "MMA/step": f"{multiplied / WARP / max(steps, 1):g}",
        "bytes/step": f"{read / max(steps, 1):g}",
    }
    return {
        **(of_tiles if steps else {}),
        "instructions": str(sum(each.thread_instructions for each in launches)),
        "conflicts": str(sum(each.bank_conflicts for each in launches)),
        "sectors/ideal": f"{actual / max(ideal, 1):.2f}",
    }


def ours(problem: Problem, gpu: cuda.Cuda) -> tuple[dict[str, str], np.ndarray]:
    specs = [ty.Spec(a.shape, getattr(ty, a.dtype.name)) for a in problem.inputs]
    target = f"cuda-emulated{{capability={gpu.cpu}}}"
    compiled = ty.trace(problem.function, *specs).lower(target=target).compile(cache=False)
    result = compiled(*problem.inputs)
    launches = list(compiled.entry.statistics.values())
    ptx = compiled.asm["ptx"]
    return {**static(ptx, gpu, 0), **counted(launches, ptx, problem.steps)}, np.asarray(result)


def theirs(problem: Problem, kernel: dict[str, str | int], gpu: cuda.Cuda) -> dict[str, str]:
    ptx, shared, threads = str(kernel["ptx"]), int(kernel["shared"]), int(kernel["threads"])
    found = static(ptx, cuda.find(re.search(r"\.target (sm_\w+)", ptx)[1]), shared)
    module = emulator.load(ptx)
    if module.unsupported():
        return found
    (name,) = module.kernels
    arguments = [*problem.inputs, problem.output, *map(np.int32, problem.numbers)]
    rest = len(re.findall(r"\.param", ptx)) - len(arguments)
    launch = module.launch(
        name,
        grid=problem.grid,
        block=threads,
        args=[*arguments, *[np.uint64(0)] * max(0, min(rest, 2))],
        shared=shared,
    )
    return {**found, **counted([launch.statistics], ptx, problem.steps)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Our kernels beside Triton's, without a GPU.")
    parser.add_argument("--triton", help="a Python that has Triton")
    parser.add_argument("--capability", default="80")
    options = parser.parse_args()
    gpu = cuda.find(options.capability)
    kernels = {}
    if options.triton:
        script = Path(__file__).with_name("gpu_static_triton.py")
        command = [options.triton, str(script), str(gpu.number)]
        kernels = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    print(f"{gpu.cpu:24}" + " ".join(f"{name:>13}" for name in COLUMNS))
    for name, problem in PROBLEMS.items():
        found, result = ours(problem, gpu)
        lines = {"teenyir": found}
        if name in kernels:
            lines["triton"] = theirs(problem, kernels[name], gpu)
            if "instructions" in lines["triton"]:
                difference = np.abs(result.astype(np.float64) - problem.output.astype(np.float64))
                assert difference.max() < 2e-2, (name, difference.max())
        for who, line in lines.items():
            print(f"{name + ', ' + who:24}" + " ".join(f"{line.get(c, '-'):>13}" for c in COLUMNS))


if __name__ == "__main__":
    main()
