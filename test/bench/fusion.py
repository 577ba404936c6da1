"""Times programs as one kernel and as several, in one run: is what the cost rule chooses faster?

Each limit of `lowering/graph_to_kernel/costs.py` and `joining.py` is set, where it is used, to
nothing, which splits what it lets be merged, or to more than anything, which merges what it keeps
apart. A line says how much faster the merged program is, and marks the choice that the rule makes.

    python test/bench/fusion.py [WORD]      the lines that contain a word
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

import teenyir as ty
from teenyir.lowering.graph_to_kernel import columns, joining, partition
from teenyir.runtime.compiled import Compiled

ROWS = (partition, "MOST_STAGED_BYTES")
BLOCKS = (partition, "MOST_BLOCK_BYTES")
PRODUCTS = (partition, "MOST_BY_ROWS")
COLUMNS = (columns, "MOST_COLUMN_BYTES")
RUNS = (columns, "FEWEST_IN_RUN")
SIBLINGS = (joining, "MOST_OUTPUTS")
RUNNING = (partition, "may_run")
SPLIT: dict[str, Any] = {"MOST_OUTPUTS": 1, "may_run": lambda *asked: False}
MERGED: dict[str, Any] = {"may_run": partition.may_run}
ANYTHING = 1 << 40
SPLIT["FEWEST_IN_RUN"], MERGED["FEWEST_IN_RUN"] = ANYTHING, 0

Limit = tuple[ModuleType, str]
Shapes = tuple[tuple[int, ...], ...]


def attention(q: Any, k: Any, v: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v)


def normalized(x: Any, *axes: int) -> Any:
    centred = x - x.mean(axis=axes, keepdims=True)
    return centred * ty.rsqrt((centred * centred).mean(axis=axes, keepdims=True) + 1e-5)


def causal(q: Any, k: Any, v: Any) -> Any:
    return ty.scaled_dot_product_attention(q, k, v, is_causal=True)


CASES: tuple[tuple[str, Limit, Callable[..., Any], Shapes], ...] = (
    *(
        (f"softmax {m}x{n}", ROWS, lambda x: ty.softmax(x), ((m, n),))
        for m, n in ((64, 1024), (16, 16384), (4, 65536), (2, 262144))
    ),
    *(
        (f"layer norm {m}x{n}", ROWS, lambda x: ty.layer_norm(ty.exp(x)), ((m, n),))
        for m, n in ((64, 1024), (4, 65536))
    ),
    ("matmul + softmax", ROWS, lambda x, w: ty.softmax(x @ w), ((128, 256), (256, 512))),
    *(
        (f"attention {h}x{t}x{d}", BLOCKS, attention, ((1, h, t, d),) * 3)
        for h, t, d in ((8, 64, 32), (8, 128, 64), (8, 512, 64), (2, 1024, 64), (1, 4096, 64))
    ),
    ("causal 8x512x64", BLOCKS, causal, ((1, 8, 512, 64),) * 3),
    *(
        (f"running attention {h}x{t}x64", RUNNING, attention, ((1, h, t, 64),) * 3)
        for h, t in ((8, 128), (8, 256), (8, 512), (8, 2048), (8, 4096), (8, 8192))
    ),
    *(
        (f"running causal 8x{t}x64", RUNNING, causal, ((1, 8, t, 64),) * 3)
        for t in (256, 512, 2048, 4096)
    ),
    *(
        (f"running softmax {m}x{n}", RUNNING, lambda x: ty.softmax(x), ((m, n),))
        for m, n in ((64, 100_000), (8, 1_000_000))
    ),
    (
        "running logsumexp(x @ w)",
        RUNNING,
        lambda x, w: ty.logsumexp(x @ w, axis=-1),
        ((512, 64), (64, 32_000)),
    ),
    *(
        (f"running middle {m}x{n}x{c}", RUNNING, lambda x: ty.softmax(x, axis=1), ((m, n, c),))
        for m, n, c in ((4, 2048, 64), (4, 4096, 1024), (4, 20_000, 64))
    ),
    *(
        (f"columns softmax {m}x{n}", COLUMNS, lambda x: ty.softmax(x, axis=0), ((m, n),))
        for m, n in ((64, 64), (512, 64), (1024, 256), (4096, 512))
    ),
    *(
        (f"columns norm {m}x{n}", COLUMNS, lambda x: normalized(x, 0), ((m, n),))
        for m, n in ((64, 64), (512, 64), (1024, 256), (4096, 512))
    ),
    *(
        (f"channels {n}x{c}x{h}x{h}", RUNS, lambda x: normalized(x, 0, 2, 3), ((n, c, h, h),))
        for n, c, h in ((8, 16, 28), (32, 64, 28), (16, 512, 7))
    ),
    ("max(x @ w)", PRODUCTS, lambda x, w: (x @ w).max(axis=-1), ((128, 256), (256, 512))),
    (
        "softmax @ w",
        PRODUCTS,
        lambda x, w: ty.softmax(x) @ w,
        ((128, 256), (256, 128)),
    ),
    ("[a + b, a * b]", SIBLINGS, lambda a, b: (a + b, a * b), ((1024, 1024),) * 2),
    ("[min, max]", SIBLINGS, lambda x: (x.min(axis=-1), x.max(axis=-1)), ((1024, 1024),)),
    ("[exp, sum of it]", SIBLINGS, lambda x: (ty.exp(x), ty.exp(x).sum(axis=-1)), ((1024, 1024),)),
)


def main() -> None:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, limit, function, shapes in CASES:
        if word in name:
            measure(name, limit, function, shapes)


def measure(name: str, limit: Limit, function: Callable[..., Any], shapes: Shapes) -> None:
    """Print how long the program takes split and merged, and what the rule chooses."""
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(shape, np.float32) * 0.1 for shape in shapes]
    traced = ty.trace(function, *(ty.Spec(shape, ty.float32) for shape in shapes))
    compiled: list[Compiled] = []
    counts: list[int] = []
    texts: list[str] = []
    for value in (SPLIT.get(limit[1], 0), MERGED.get(limit[1], ANYTHING)):
        # blocks of whole rows against several kernels: rows in one pass are a case of their own
        runs = SPLIT["may_run"] if limit is BLOCKS else partition.may_run
        with changed(RUNNING, runs), changed(limit, value):
            lowered = traced.lower(target="cpu")
            counts.append(len(lowered.kernels))
            texts.append(lowered.as_text("kernel"))
            compiled.append(lowered.compile(cache=False))
    chosen = traced.lower(target="cpu").as_text("kernel")
    split, merged = counts
    seconds = [
        min(times) for times in zip(*(rounds(compiled, inputs) for _ in range(5)), strict=True)
    ]
    marks = ["*" if text == chosen else " " for text in texts]
    print(
        f"{name:24} {split} kernels{marks[0]} {seconds[0] * 1e3:9.3f} ms   "
        f"{merged} kernels{marks[1]} {seconds[1] * 1e3:9.3f} ms   {seconds[0] / seconds[1]:5.2f} x",
        flush=True,
    )


@contextmanager
def changed(limit: Limit, value: Any) -> Iterator[None]:
    """Another value of a limit, for a while."""
    module, name = limit
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def rounds(programs: list[Compiled], inputs: list[Any]) -> list[float]:
    """Seconds of one call of each, the programs in turn."""
    found: list[float] = []
    for program in programs:
        program(*inputs)
        start = perf_counter()
        program(*inputs)
        found.append(perf_counter() - start)
    return found


if __name__ == "__main__":
    main()
