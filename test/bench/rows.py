"""Time kernels and blocks of networks against numpy, torch, jax and onnxruntime.

    python test/bench/rows.py [--rounds 9] [--threads 1 2] [--shapes SEED] [--table FILE]
                              [--json FILE] [CASE ...]

A case is named by any part of its name, and one that is not in the table in full: its workload and
any sizes, `"conv 3x3 1x32x40x40x64"`. `--shapes` takes ten of each workload that are not in the
table; nine tenths of what is aimed at are wanted of each.

`rounds` says how peers are timed, `workloads` what, `blocks` how networks are spelled. A peer that
is not installed, or cannot run a case, is named with the reason below the table.
"""

from __future__ import annotations

import argparse
import io
import os
import warnings
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
from workloads import Workload, cases, named

Spelled = Callable[..., Any]
"""A workload in a library's words: called with the library, and arrays."""

PEERS = ("teenyir", "numpy", "torch", "torch.compile", "jax", "onnxruntime")

OF_OTHERS = 0.9
"""What is wanted of cases that are not in the table, of the ratio that is aimed at there."""


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


def onnxruntime_call(workload: Workload, arrays: list[Any]) -> Call:
    """What torch exports of its words; weights are inputs, as they are everywhere here."""
    torch: Any = import_module("torch")
    onnxruntime: Any = import_module("onnxruntime")
    spelled: Spelled = workload.torch

    class Module(torch.nn.Module):
        def forward(self, *tensors: Any) -> Any:
            return spelled(torch, *tensors)

    model, names = io.BytesIO(), [f"input{number}" for number in range(len(arrays))]
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # of the exporter, about itself
        tensors = tuple(torch.from_numpy(each) for each in arrays)
        torch.onnx.export(Module(), tensors, model, input_names=names, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ[THREADS])
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.getvalue(), options)
    given = dict(zip(names, arrays, strict=True))
    return lambda: session.run(None, given)[0]


MAKERS: dict[str, Callable[[Workload, list[Any]], Call]] = {
    "teenyir": teenyir_call,
    "numpy": numpy_call,
    "torch": torch_call,
    "torch.compile": lambda workload, arrays: torch_call(workload, arrays, compiled=True),
    "jax": jax_call,
    "onnxruntime": onnxruntime_call,
}


def prepare(peer: str) -> Callable[[str], Call]:
    """What makes the call of a workload, checked against float64."""

    def prepared(case: str) -> Call:
        workload, sizes = named(case)
        package = peer.split(".")[0]
        if find_spec(package) is None:
            raise Refused(f"{package} is not installed: `make bench` does it")
        arrays = workload.arrays(*sizes)
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


def table(found: Mapping[int, list[Row]], share: float = 1.0) -> str:
    """Milliseconds, and the ratio of the best peer to teenyir, as a table of Markdown.

    It has a row a case, and columns for each number of threads. What falls short of this share of
    what is aimed at is bold.
    """
    head, rule, lines = ["case"], ["---"], dict[str, list[str]]()
    for threads, rows in found.items():
        of = "" if threads == 1 else f", {threads} threads"
        head += [f"ms{of}", "best peer", "ratio", "of medians", "of rounds", "aim"]
        rule += ["---:"] * 6
        for each in rows:
            workload, _ = named(each.case)
            ours, aim = each.seconds["teenyir"], workload.aim(threads) * share
            enough = each.ratio >= aim if workload.most is None else ours <= workload.most
            lines.setdefault(each.case, [each.case]).extend(
                (
                    f"{ours * 1e3:.3g}",
                    f"{each.seconds[each.best] * 1e3:.3g} ({each.best})",
                    f"{each.ratio:.2f}" if enough else f"**{each.ratio:.2f}**",
                    f"{each.of_medians:.2f}",
                    "–".join(f"{ratio:.2f}" for ratio in each.spread),
                    f"{aim:.2f}" if workload.most is None else f"{workload.most * 1e3:.3g} ms",
                )
            )
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines.values()))


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


def chosen(parts: list[str], seed: int | None) -> list[str]:
    """The cases whose names have one of these parts, all if there is none; what is no part of any
    is the name of one."""
    every = cases(seed)
    if not parts:
        return every
    found = [name for name in every if any(part in name for part in parts)]
    for part in parts:
        if not any(part in name for name in every):
            try:
                named(part)
            except ValueError as problem:
                raise SystemExit(str(problem)) from None
            found.append(part)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Time kernels and blocks of networks.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="a part of its name")
    parser.add_argument("--shapes", type=int, metavar="SEED", help="others than in the table")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpu", type=int, help="the CPU that all run on, if in one thread")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="numpy has one")
    parser.add_argument("--peers", nargs="+", choices=PEERS[1:], default=PEERS[1:])
    parser.add_argument("--peers-python", metavar="PROGRAM", help="the Python that has torch, jax")
    parser.add_argument("--json", metavar="FILE", help="write the seconds of each round")
    parser.add_argument("--table", metavar="FILE", help="write the table")
    parser.add_argument("--worker", choices=PEERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(prepare(options.worker))
        return
    names = chosen(options.cases, options.shapes)
    peers = ("teenyir", *options.peers)
    python: Mapping[str, str] = {}
    if options.peers_python:
        python = {peer: options.peers_python for peer in peers if peer not in PEERS[:2]}
    found: dict[int, list[Row]] = {}
    every: dict[str, Any] = {}
    for threads in options.threads:
        use_cpus(threads, options.cpu)
        results = measure(__file__, peers, names, options.rounds, python, threads)
        rows = [row(name, results[name], "teenyir", named(name)[0].against) for name in names]
        found[threads] = [each for each in rows if each is not None]
        every |= {f"{name}, threads: {threads}": results[name] for name in names}
        for line in refusals(results):
            print(line)
    text = table(found, 1.0 if options.shapes is None else OF_OTHERS)
    print(text)
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    if options.json:
        write_json(options.json, every)


if __name__ == "__main__":
    main()
