"""Time cold compilation: the first call in a new process with empty caches, less a warm call.

    python test/bench/compile.py [--rounds 5] [--json FILE] [CASE ...]

Importing the library, and what it imports once it is used, is timed apart. Seconds are those of the
CPU, compilers that a peer starts and waits for included. A peer that is not installed, or cannot
run a case, is named with the reason.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Any, TypeAlias

import blocks
import numpy as np
from cold import Facts, Found, answer, measure, spread, timed, values, write_json

Arrays: TypeAlias = list[np.ndarray]
Call: TypeAlias = Callable[[], np.ndarray]


def softmax(op: Any, x: Any) -> Any:
    return op.softmax(x)


def product(op: Any, x: Any, y: Any) -> Any:
    return x @ y


CASES: dict[str, tuple[Callable[..., Any], blocks.Shapes]] = {
    "softmax 4096x1024": (softmax, ((4096, 1024),)),
    "product 1024^3": (product, ((1024, 1024), (1024, 1024))),
    "encoder block": (blocks.encoder, blocks.encoder_shapes(256, 8)),
}
"""Each in words of a library, and the shapes of its arrays, f32."""

MOST = {"tinygrad": 0.5, "torch.compile": 0.05}
"""What ours may take of a peer's time; of torch.compile's for what is no single product."""


def arrays_of(case: str) -> Arrays:
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape, np.float32) for shape in CASES[case][1]]
    for array in arrays[1:]:
        array *= np.float32(len(array) ** -0.5)
    return arrays


def function(case: str, op: Any) -> Callable[..., Any]:
    """The case as a function of its arrays."""
    return partial(CASES[case][0], op)


# --- libraries ------------------------------------------------------------------------------------


def teenyir_call(case: str, arrays: Arrays) -> Call:
    import teenyir as ty
    from teenyir.pipeline.build import build_target_pipeline
    from teenyir.runtime import compiled, jit, lowered

    # what is imported when it is used
    assert build_target_pipeline("cpu") and compiled and jit and lowered
    specs = [ty.Spec(each.shape, ty.float32) for each in arrays]
    called = function(case, blocks.Teenyir(ty))
    trace, programs = ty.trace, list[Any]()

    def call() -> np.ndarray:
        if not programs:
            programs.append(trace(called, *specs).lower(target="cpu").compile())
        return programs[0](*arrays)

    return call


def tinygrad_call(case: str, arrays: Arrays) -> Call:
    os.environ.setdefault("DEV", "CPU")
    os.environ["PARALLEL"] = "0"  # processes of a pool would not be waited for
    from tinygrad import Tensor
    from tinygrad.device import Device

    class Words:
        softmax = staticmethod(lambda x: x.softmax())
        swap = staticmethod(lambda x: x.transpose(0, 1))
        attention = staticmethod(lambda q, k, v: q.scaled_dot_product_attention(k, v))
        norm = staticmethod(lambda x, scale, shift: x.layernorm() * scale + shift)
        gelu = staticmethod(lambda x: x.gelu())

    tensors = [Tensor(each).realize() for each in arrays]
    assert Device[Device.DEFAULT].renderer
    called = function(case, Words)
    return lambda: called(*tensors).numpy()


def torch_call(case: str, arrays: Arrays) -> Call:
    import torch
    import torch._inductor.compile_fx

    torch.set_num_threads(1)
    tensors = [torch.from_numpy(each) for each in arrays]
    compiled = torch.compile(function(case, blocks.Torch(torch)), dynamic=False)

    def call() -> np.ndarray:
        with torch.inference_mode():
            return compiled(*tensors).numpy()

    return call


def jax_call(case: str, arrays: Arrays) -> Call:
    import jax

    given = [jax.numpy.asarray(each) for each in arrays]
    compiled = jax.jit(function(case, blocks.Jax(jax)))
    return lambda: np.asarray(compiled(*given))


MAKERS = {
    "teenyir": teenyir_call,
    "tinygrad": tinygrad_call,
    "torch.compile": torch_call,
    "jax": jax_call,
}


def work(peer: str, case: str) -> None:
    """Measure one first call, check what it gives, and measure a warm one."""
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # its processes would not be waited for
    arrays = arrays_of(case)
    facts: Facts = {}
    calls: list[Call] = []
    results: list[np.ndarray] = []
    facts["import"] = timed(lambda: calls.append(MAKERS[peer](case, arrays)))
    first = timed(lambda: results.append(calls[0]()))
    wide = [each.astype(float) for each in arrays]
    expected = function(case, blocks.Numpy(np))(*wide)
    error = np.abs(results[0] - expected).max() / np.abs(expected).max()
    if not error < 1e-4:
        raise SystemExit(f"its result is off by {error}")
    facts["warm"] = min(timed(calls[0]) for _ in range(3))
    answer(facts | {"seconds": first - facts["warm"]})


def report(case: str, found: Mapping[str, Found]) -> None:
    print(case)
    ours = values(found["teenyir"], "seconds")
    for peer, samples in found.items():
        if isinstance(samples, str):
            print(f"  {peer:14} none: {samples}")
            continue
        times, imports = values(samples, "seconds"), median(values(samples, "import"))
        line = f"  {peer:14} {spread(times)}, imports {imports:.2f} s"
        if peer != "teenyir" and ours:
            line += f"; ours is {min(ours) / min(times):.3f} of it"
            line += f" (medians {median(ours) / median(times):.3f})"
            if peer in MOST and (peer == "tinygrad" or not case.startswith("product")):
                line += f", at most {MOST[peer]} is wanted"
        print(line)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time cold compilation.")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the samples")
    parser.add_argument("--peers", default=",".join(MAKERS), help="comma-separated")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*options.worker)
        return
    cases = [name for name in CASES if any(part in name for part in options.cases or [""])]
    if not cases:
        parser.error(f"there is {', '.join(CASES)}")
    found = measure(__file__, options.peers.split(","), cases, options.rounds)
    print("Compilation in a new process with empty caches; seconds of CPU")
    for case in cases:
        report(case, found[case])
    if options.json:
        write_json(options.json, found)


if __name__ == "__main__":
    main()
