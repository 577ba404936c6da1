"""Time kernels other than products of matrices against numpy, torch and jax.

    python test/bench/rows.py [--rounds 9] [--threads 1] [--json FILE] [--table FILE] [WORKLOAD ...]

A workload is named by any part of its name. `rounds` says how peers are timed, `workloads` what.
A peer that is not installed, or cannot run a workload, is named with the reason below the table.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from rounds import (
    THREADS,
    Call,
    Refusal,
    Refused,
    Results,
    Row,
    measure,
    row,
    use_cpus,
    work,
    write_json,
)
from workloads import WORKLOADS, Workload

Spelled = Callable[..., Any]
"""A workload in a library's words: called with the library, and arrays."""

PEERS = ("teenyir", "numpy", "torch", "torch.compile", "jax")


# --- workers --------------------------------------------------------------------------------------


def teenyir_call(workload: Workload, arrays: list[Any]) -> Call:
    import teenyir as ty

    specs = [ty.Spec(each.shape, getattr(ty, each.dtype.name)) for each in arrays]
    compiled = ty.trace(partial(workload.teenyir, ty), *specs).lower(target="cpu").compile()
    return lambda: compiled(*arrays)


def numpy_call(workload: Workload, arrays: list[Any]) -> Call:
    function: Spelled | None = workload.numpy
    if function is None:
        raise Refused("it has no function for this")
    return lambda: function(np, *arrays)


def torch_call(workload: Workload, arrays: list[Any], *, compiled: bool = False) -> Call:
    torch: Any = import_module("torch")
    torch.set_num_threads(int(os.environ[THREADS]))
    torch.compiler.reset()  # of the workload before
    tensors = [torch.from_numpy(each) for each in arrays]
    spelled: Spelled = workload.torch

    def function(*tensors: Any) -> Any:
        return spelled(torch, *tensors)

    called = torch.compile(function, dynamic=False) if compiled else function

    def call() -> Any:
        with torch.inference_mode():
            return called(*tensors)

    return call


def jax_call(workload: Workload, arrays: list[Any]) -> Call:
    jax: Any = import_module("jax")
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    spelled: Spelled = workload.jax
    placed = [jax.device_put(each) for each in arrays]
    function = jax.jit(partial(spelled, jax))
    return lambda: function(*placed).block_until_ready()


MAKERS: dict[str, Callable[[Workload, list[Any]], Call]] = {
    "teenyir": teenyir_call,
    "numpy": numpy_call,
    "torch": torch_call,
    "torch.compile": lambda workload, arrays: torch_call(workload, arrays, compiled=True),
    "jax": jax_call,
}


def prepare(peer: str) -> Callable[[str], Call]:
    """What makes the call of a workload, checked against float64."""

    def prepared(name: str) -> Call:
        workload = WORKLOADS[name]
        package = peer.split(".")[0]
        if find_spec(package) is None:
            raise Refused(f"{package} is not installed: `make bench` does it")
        arrays = workload.arrays()
        try:
            call = MAKERS[peer](workload, arrays)
            result = np.asarray(call())
        except Refused:
            raise
        except Exception as problem:  # whatever a peer raises, the others go on
            raise Refused(f"{type(problem).__name__}: {problem}".splitlines()[0]) from problem
        check(workload, arrays, result)
        return call

    return prepared


def check(workload: Workload, arrays: list[Any], result: Any) -> None:
    """Raises Refused for a result that is not that of float64."""
    oracle: Spelled | None = workload.oracle or workload.numpy
    assert oracle is not None
    wide = [each.astype(float) if each.dtype == np.float32 else each for each in arrays]
    expected = oracle(np, *wide)
    if result.shape != np.shape(expected):
        raise Refused(f"its result has the shape {result.shape}, not {np.shape(expected)}")
    error = np.abs(result - expected).max()
    if not error <= workload.tolerance * np.abs(expected).max():
        raise Refused(f"its result is off by {error}")


# --- the table ------------------------------------------------------------------------------------


def table(rows: list[Row]) -> str:
    """Milliseconds, and the ratio of the best peer to teenyir, as a table of Markdown."""
    head = ["workload", *PEERS, "best peer", "ratio", "aim", "of medians"]
    lines = [head, ["---", *["---:"] * len(PEERS), "---", "---:", "---:", "---:"]]
    for each in rows:
        times = [f"{each.seconds[p] * 1e3:.3g}" if p in each.seconds else "–" for p in PEERS]
        numbers = [each.ratio, WORKLOADS[each.case].target, each.of_medians]
        lines.append([each.case, *times, each.best, *(f"{number:.2f}" for number in numbers)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def refusals(results: Results) -> list[str]:
    """Which peers have no times, and why; those without any once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for case, found in results.items():
        for peer, samples in found.items():
            if isinstance(samples, Refusal):
                reasons.setdefault((peer, samples.reason), []).append(case)
    return [
        f"{peer}: {reason} ({'all workloads' if len(cases) == len(results) else ', '.join(cases)})"
        for (peer, reason), cases in reasons.items()
    ]


def chosen(parts: list[str]) -> list[str]:
    """The workloads whose names have one of these parts; all if there is none."""
    for part in parts:
        if not any(part in name for name in WORKLOADS):
            raise SystemExit(f"no workload '{part}'; there are {', '.join(WORKLOADS)}")
    return [name for name in WORKLOADS if not parts or any(part in name for part in parts)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time kernels that are no products of matrices.")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="a part of its name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpu", type=int, help="the CPU that all run on, if in one thread")
    parser.add_argument("--threads", type=int, default=1, help="of each; numpy has one")
    parser.add_argument("--peers", nargs="+", choices=PEERS[1:], default=PEERS[1:])
    parser.add_argument("--peers-python", metavar="PROGRAM", help="the Python that has torch, jax")
    parser.add_argument("--json", metavar="FILE", help="write the seconds of each round")
    parser.add_argument("--table", metavar="FILE", help="write the table")
    parser.add_argument("--worker", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(prepare(options.worker))
        return
    use_cpus(options.threads, options.cpu)
    names = chosen(options.workloads)
    peers = ("teenyir", *options.peers)
    python: Mapping[str, str] = {}
    if options.peers_python:
        python = {peer: options.peers_python for peer in peers if peer not in PEERS[:2]}
    results = measure(__file__, peers, names, options.rounds, python, options.threads)
    found = [row(name, results[name], "teenyir") for name in names]
    text = table([each for each in found if each is not None])
    print(text)
    for line in refusals(results):
        print(line)
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    if options.json:
        write_json(options.json, results)


if __name__ == "__main__":
    main()
