"""Time the digits network: each step down the tower, then runs of what comes out.

`make bench` runs it. The times are the best of several, in milliseconds; numpy is the forward pass
of the training script, on the same machine and threads.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from safetensors.numpy import load_file

sys.path.insert(0, str(Path(__file__).parents[2]))

from examples.digits import train
from examples.digits.demo import descend
from examples.digits.model import traced

BATCHES = (1, 32, 359, 1024)
REPEATS = 5


def best(work: Callable[[], object]) -> float:
    """Return the shortest of `REPEATS` runs, in milliseconds."""
    times: list[float] = []
    for _ in range(REPEATS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times) * 1e3


def main() -> None:
    """Print two tables: the compile by steps, the runs by batch."""
    program = traced()
    print(f"{'trace':12}{best(traced):10.1f} ms")
    descents = [descend(program) for _ in range(REPEATS)]
    for steps in zip(*descents, strict=True):
        print(f"{steps[0].name:12}{min(step.seconds for step in steps) * 1e3:10.1f} ms")
    lowered = program.lower(target="cpu")
    print(f"{'compile':12}{best(lambda: lowered.compile(cache=False)):10.1f} ms")

    compiled = lowered.compile()
    weights = load_file(train.HERE / "weights.safetensors")
    random = np.random.default_rng(0)
    print(f"\n{'images':12}{'teenyir':>10}{'numpy':>10}   ms a run")
    for batch in BATCHES:
        images = random.random((batch, 1, 8, 8), np.float32)
        ours = best(lambda images=images: compiled(images))
        numpy = best(lambda images=images: train.forward(weights, images))
        print(f"{batch:<12}{ours:10.2f}{numpy:10.2f}")


if __name__ == "__main__":
    main()
