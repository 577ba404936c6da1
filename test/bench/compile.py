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
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from cold import Facts, Found, answer, measure, spread, timed, values, write_json

Arrays: TypeAlias = dict[str, np.ndarray]
Call: TypeAlias = Callable[[], np.ndarray]

ROWS, FEATURES, HEADS, HIDDEN = 256, 512, 8, 2048
"""Of the encoder block: tokens, their features, heads of attention, features inside."""

WEIGHTS = {
    **{name: (FEATURES, FEATURES) for name in ("query", "key", "value", "out")},
    "up": (FEATURES, HIDDEN),
    "down": (HIDDEN, FEATURES),
    "up_bias": (HIDDEN,),
    "down_bias": (FEATURES,),
    **{name: (FEATURES,) for name in ("scale1", "shift1", "scale2", "shift2")},
}

CASES: dict[str, dict[str, tuple[int, ...]]] = {
    "softmax 4096x1024": {"x": (4096, 1024)},
    "product 1024^3": {"x": (1024, 1024), "y": (1024, 1024)},
    "encoder block": {"x": (ROWS, FEATURES), **WEIGHTS},
}
"""The shapes of the arrays of each case, f32."""

MOST = {"tinygrad": 0.5, "torch.compile": 0.05}
"""What ours may take of a peer's time; of torch.compile's for what is no single product."""


def arrays_of(case: str) -> Arrays:
    rng = np.random.default_rng(1)
    return {
        name: (rng.normal(size=shape) / (shape[0] ** 0.5 if name in WEIGHTS else 1)).astype("f4")
        for name, shape in CASES[case].items()
    }


def encoder(op: Any, x: Any, w: Mapping[str, Any]) -> Any:
    """Attention and a network for each token, in the words that `op` has for a library's."""

    def heads(y: Any) -> Any:
        return op.swap(y.reshape((ROWS, HEADS, FEATURES // HEADS)))

    y = op.norm(x, w["scale1"], w["shift1"])
    mixed = op.attention(heads(y @ w["query"]), heads(y @ w["key"]), heads(y @ w["value"]))
    x = x + op.swap(mixed).reshape((ROWS, FEATURES)) @ w["out"]
    y = op.norm(x, w["scale2"], w["shift2"])
    return x + op.gelu(y @ w["up"] + w["up_bias"]) @ w["down"] + w["down_bias"]


def function(case: str, op: Any) -> Callable[..., Any]:
    """The case as a function of its arrays, in their order."""
    names = list(CASES[case])

    def called(*given: Any) -> Any:
        known = dict(zip(names, given, strict=True))
        x = known.pop("x")
        match case.split()[0]:
            case "softmax":
                return op.softmax(x)
            case "product":
                return x @ known["y"]
            case _:
                return encoder(op, x, known)

    return called


# --- libraries ------------------------------------------------------------------------------------


class Numpy:
    """The reference, in float64."""

    @staticmethod
    def softmax(x: Any) -> Any:
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    @staticmethod
    def swap(x: Any) -> Any:
        return x.transpose(1, 0, 2)

    @staticmethod
    def norm(x: Any, scale: Any, shift: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift

    @classmethod
    def attention(cls, q: Any, k: Any, v: Any) -> Any:
        return cls.softmax(q @ k.transpose(0, 2, 1) / q.shape[-1] ** 0.5) @ v

    @staticmethod
    def gelu(x: Any) -> Any:
        return x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


def teenyir_call(case: str, arrays: Arrays) -> Call:
    import teenyir as ty
    from teenyir.pipeline.build import build_target_pipeline
    from teenyir.runtime import compiled, jit, lowered

    class Words:
        softmax = staticmethod(ty.softmax)
        attention = staticmethod(ty.scaled_dot_product_attention)

        @staticmethod
        def swap(x: Any) -> Any:
            return x.permute_dims(1, 0, 2)

        @staticmethod
        def norm(x: Any, scale: Any, shift: Any) -> Any:
            return ty.layer_norm(x, -1, scale, shift)

        @staticmethod
        def gelu(x: Any) -> Any:
            return ty.gelu(x, approximate="tanh")

    # what is imported when it is used
    assert build_target_pipeline("cpu") and compiled and jit and lowered
    specs = [ty.Spec(each.shape, ty.float32) for each in arrays.values()]
    called = function(case, Words)
    trace, programs = ty.trace, list[Any]()

    def call() -> np.ndarray:
        if not programs:
            programs.append(trace(called, *specs).lower(target="cpu").compile())
        return programs[0](*arrays.values())

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

    tensors = [Tensor(each).realize() for each in arrays.values()]
    assert Device[Device.DEFAULT].renderer
    called = function(case, Words)
    return lambda: called(*tensors).numpy()


def torch_call(case: str, arrays: Arrays) -> Call:
    import torch
    import torch._inductor.compile_fx
    import torch.nn.functional as f

    class Words:
        softmax = staticmethod(lambda x: x.softmax(-1))
        swap = staticmethod(lambda x: x.transpose(0, 1))
        attention = staticmethod(f.scaled_dot_product_attention)
        norm = staticmethod(lambda x, scale, shift: f.layer_norm(x, (FEATURES,), scale, shift))
        gelu = staticmethod(lambda x: f.gelu(x, approximate="tanh"))

    torch.set_num_threads(1)
    tensors = [torch.from_numpy(each) for each in arrays.values()]
    compiled = torch.compile(function(case, Words), dynamic=False)

    def call() -> np.ndarray:
        with torch.inference_mode():
            return compiled(*tensors).numpy()

    return call


def jax_call(case: str, arrays: Arrays) -> Call:
    import jax

    class Words(Numpy):
        softmax = staticmethod(jax.nn.softmax)
        gelu = staticmethod(jax.nn.gelu)

        @staticmethod
        def norm(x: Any, scale: Any, shift: Any) -> Any:
            centred = x - x.mean(-1, keepdims=True)
            factor = jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
            return centred * factor * scale + shift

    given = [jax.numpy.asarray(each) for each in arrays.values()]
    compiled = jax.jit(function(case, Words))
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
    wide = [each.astype(float) for each in arrays.values()]
    expected = function(case, Numpy)(*wide)
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
