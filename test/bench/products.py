"""Time products of matrices against numpy, with as many threads each.

    python test/bench/products.py [--threads 1] [--rounds 15] [--shapes SEED] [--json FILE]
                                  [SHAPE ...]

A shape is one of the table or any other, `MxKxN`; `--shapes` takes ten that are drawn. How they are
timed is in `rounds`. Results are checked against float64.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from rounds import Call, Refused, measure, row, use_cpus, work, write_json

SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...] | None]] = {
    "256^3": ((256, 256), (256, 256)),
    "512^3": ((512, 512), (512, 512)),
    "1024^3": ((1024, 1024), (1024, 1024)),
    "2048^3": ((2048, 2048), (2048, 2048)),
    "1000x333x700": ((1000, 333), (333, 700)),
    "16x(128x64)(64x128)": ((16, 128, 64), (16, 64, 128)),
    "64x(32x32)(32x32)": ((64, 32, 32), (64, 32, 32)),
    "256^2 square": ((256, 256), None),
    "1x512 by 512^2": ((1, 512), (512, 512)),
    "2x512 by 512^2": ((2, 512), (512, 512)),
    "4x512 by 512^2": ((4, 512), (512, 512)),
    "8x512 by 512^2": ((8, 512), (512, 512)),
    "1x2048 by 2048^2": ((1, 2048), (2048, 2048)),
    "8x2048 by 2048^2": ((8, 2048), (2048, 2048)),
    "512^2 by 512x1": ((512, 512), (512, 1)),
    "512^2 by 512x2": ((512, 512), (512, 2)),
    "512^2 by 512x8": ((512, 512), (512, 8)),
    "4096^2 vector": ((4096, 4096), (4096,)),
}
"""The factors of each product, f32; None for the first once more, the same array."""

DRAWN = (16, 1024)
"""The least and the greatest size of shapes that are drawn."""

TOLERANCE = 1e-5
"""The largest error, by the largest sum of absolute products."""


def drawn(seed: int, count: int = 10) -> list[str]:
    """Other shapes, their sizes even by their logarithms; every second one of multiples of 16."""
    rng = random.Random(f"products {seed}")
    least, most = map(math.log, DRAWN)
    shapes: list[str] = []
    for number in range(count):
        step = 1 if number % 2 else 16
        sizes = (round(math.exp(rng.uniform(least, most))) // step * step for _ in range(3))
        shapes.append("x".join(map(str, sizes)))
    return shapes


def factors(shape: str) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """The shapes of a product's factors. Raises ValueError for what names no product."""
    if shape in SHAPES:
        return SHAPES[shape]
    if not re.fullmatch(r"\d+x\d+x\d+", shape):
        raise ValueError(f"no shape {shape}; there are MxKxN, {', '.join(SHAPES)}")
    m, k, n = map(int, shape.split("x"))
    return (m, k), (k, n)


def flops(shape: str) -> int:
    left, right = factors(shape)
    right = right or left
    return 2 * int(np.prod(left)) * (right[-1] if len(right) > 1 else 1)


def teenyir_product(a: Any, b: Any) -> Call:
    import teenyir as ty

    left, right = (ty.Spec(each.shape, ty.float32) for each in (a, b))
    if a is b:
        squared = ty.trace(lambda x: x @ x, left).lower(target="cpu").compile()
        return lambda: squared(a)
    compiled = ty.trace(ty.matmul, left, right).lower(target="cpu").compile()
    return lambda: compiled(a, b)


def numpy_product(a: Any, b: Any) -> Call:
    out = np.matmul(a, b)
    return lambda: np.matmul(a, b, out=out)


MAKERS = {"teenyir": teenyir_product, "numpy": numpy_product}


def prepare(peer: str) -> Callable[[str], Call]:
    """What makes a product that gives the right result."""

    def prepared(shape: str) -> Call:
        rng = np.random.default_rng(1)
        left, right = factors(shape)
        a = rng.normal(size=left).astype(np.float32)
        b = a if right is None else rng.normal(size=right).astype(np.float32)
        call = MAKERS[peer](a, b)
        wide = a.astype(float), b.astype(float)
        error = np.abs(call() - wide[0] @ wide[1]).max()
        if error > TOLERANCE * (np.abs(wide[0]) @ np.abs(wide[1])).max():
            raise Refused(f"its result is off by {error}")
        return call

    return prepared


def main() -> None:
    parser = argparse.ArgumentParser(description="Time products of matrices.")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"MxKxN, {', '.join(SHAPES)}")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--shapes", dest="seed", type=int, metavar="SEED", help="others, drawn")
    parser.add_argument("--cpu", type=int, help="the CPU that all run on")
    parser.add_argument("--json", metavar="FILE", help="write the seconds of each round")
    parser.add_argument("--worker", choices=MAKERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(prepare(options.worker))
        return
    use_cpus(options.threads, options.cpu)
    shapes: list[str] = options.shapes or list(SHAPES)
    if options.seed is not None:
        shapes = options.shapes + drawn(options.seed)
    for shape in shapes:
        try:
            factors(shape)
        except ValueError as problem:
            parser.error(str(problem))
    results = measure(__file__, tuple(MAKERS), shapes, options.rounds, threads=options.threads)
    print(f"{'product':22}{'GFLOP/s':>10}{'numpy':>8}{'ratio':>8}{'of medians':>12}")
    for shape, found in results.items():
        compared = row(shape, found, "teenyir")
        if compared is None:
            print(f"{shape:22}{found}")
            continue
        rates = [flops(shape) / compared.seconds[peer] / 1e9 for peer in MAKERS]
        ratios = f"{compared.ratio:8.3f}{compared.of_medians:12.3f}"
        print(f"{shape:22}{rates[0]:10.1f}{rates[1]:8.1f}{ratios}")
    if options.json:
        write_json(options.json, results)


if __name__ == "__main__":
    main()
