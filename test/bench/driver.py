"""Time canonicalize and cse against xDSL's, by size, and start-up against xdsl-opt's.

`make bench` runs it; `--quick` leaves the largest size out. Ratios are of one run on one machine:
how many times faster ours is (in CPU time), or for start-up how many times slower. The modules are
functions of a hundred operations, a quarter of which fold, a quarter of which repeat, and the rest
of which stay.
"""

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from teenyir.passes.canonicalize import Canonicalize
from teenyir.passes.cse import EliminateCommonSubexpressions
from teenyir.pipeline.ir import make_context, parse_module, print_module
from teenyir.rewriting.base import Session

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 10_000, 100_000)
FUNCTION = 100
"""Operations in a function."""
STARTS = 7
EMPTY = b"builtin.module {\n}\n"

CONTEXT = make_context()


def function(number: int) -> str:
    """A function of `FUNCTION` operations."""
    lines = ["%zero = arith.constant 0 : i32", "%v0 = arith.addi %a, %b : i32"]
    for k in range(1, FUNCTION - 2):
        match k % 4:
            case 0:
                lines.append(f"%v{k} = arith.addi %v{k - 1}, %zero : i32")
            case 1:
                lines.append(f"%v{k} = arith.muli %v{k - 1}, %a : i32")
            case 2:
                lines.append(f"%v{k} = arith.muli %v{k - 2}, %a : i32")
            case _:
                lines.append(f"%v{k} = arith.addi %v{k - 1}, %v{k - 2} : i32")
    body = "\n  ".join(lines)
    return (
        f"func.func @f{number}(%a: i32, %b: i32) -> i32 {{\n  {body}\n"
        f"  func.return %v{FUNCTION - 3} : i32\n}}\n"
    )


def module(size: int) -> ModuleOp:
    """A module of about `size` operations."""
    return parse_module("".join(map(function, range(size // FUNCTION))), "bench", CONTEXT)


def seconds(work: Callable[[ModuleOp], object], subject: ModuleOp) -> float:
    """The CPU time of work on a copy of a module: the least of some runs for small ones."""
    times: list[float] = []
    for _ in range(3 if len(list(subject.ops)) <= 100 else 1):
        copy = subject.clone()
        gc.collect()
        gc.disable()
        start = process_time()
        work(copy)
        times.append(process_time() - start)
        gc.enable()
    return min(times)


PAIRS: tuple[tuple[str, Callable[[ModuleOp], object], Callable[[ModuleOp], object]], ...] = (
    (
        "canonicalize",
        lambda m: Canonicalize().run(m, Session(CONTEXT)),
        lambda m: CanonicalizePass().apply(CONTEXT, m),
    ),
    (
        "cse",
        lambda m: EliminateCommonSubexpressions().run(m, Session(CONTEXT)),
        lambda m: CommonSubexpressionElimination().apply(CONTEXT, m),
    ),
)


def compare_passes(sizes: tuple[int, ...]) -> None:
    """Print a row for each pass and size."""
    print(f"{'pass':14}{'ops':>8}{'us/op':>9}{'xDSL us/op':>12}{'faster':>9}")
    for size in sizes:
        subject = module(size)
        count = len(list(subject.walk()))
        for name, ours, theirs in PAIRS:
            mine, other = seconds(ours, subject), seconds(theirs, subject)
            row = f"{name:14}{count:8}{mine / count * 1e6:9.2f}{other / count * 1e6:12.2f}"
            print(f"{row}{other / mine:8.1f}x", flush=True)
        if size == sizes[0]:
            check_form(subject)


def check_form(subject: ModuleOp) -> None:
    """Check that both of each pair come to the same form."""
    for name, ours, theirs in PAIRS:
        mine, other = subject.clone(), subject.clone()
        ours(mine)
        theirs(other)
        assert print_module(mine) == print_module(other), name


def start_up() -> None:
    """Print how long an empty module takes through both commands: the least of some runs each."""
    commands = {
        "xdsl-opt": "from xdsl.tools.xdsl_opt import main; main()",
        "teeny-opt": "from teenyir.tools.teeny_opt import main; main([])",
    }
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(STARTS):
        for name, code in commands.items():
            start = perf_counter()
            command = [sys.executable, "-c", code]
            subprocess.run(command, input=EMPTY, cwd=ROOT, check=True, capture_output=True)
            best[name] = min(best[name], perf_counter() - start)
    print()
    for name, time in best.items():
        ratio = time / best["xdsl-opt"]
        print(f"{name:14}{time * 1e3:8.0f} ms to start{ratio:8.2f}x")


if __name__ == "__main__":
    compare_passes(SIZES[:-1] if "--quick" in sys.argv else SIZES)
    start_up()
