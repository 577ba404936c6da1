"""How fast the PTX emulator runs: thread-instructions a second, and a product with mma.sync.

`make bench` runs it. Seconds are of CPU time, so that other work on the machine does not count.
What is asked of one core: 10 million thread-instructions a second for a 256-thread CTA without
checking, 4 million with it; a 512³ product in bf16 with mma.sync in under 30 s, checked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from teenyir import emulator

FIXTURES = Path(__file__).parent.parent / "emulator" / "fixtures"

Run = Callable[[bool], emulator.Launch]


def tiled_product(module: emulator.Module) -> Run:
    """float32, 16 by 16 tiles in shared memory, 256 threads."""
    n = 128
    a, b = np.random.default_rng(0).random((2, n, n), np.float32)
    out = np.zeros((n, n), np.float32)
    return lambda check: module.launch(
        "tiled_product", grid=(8, 8), block=(16, 16), args=[a, b, out, n], check=check
    )


def histogram(module: emulator.Module) -> Run:
    """Atomics in shared memory, 256 threads."""
    data = np.random.default_rng(0).integers(0, 256, 20_000).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    return lambda check: module.launch(
        "histogram", grid=4, block=256, args=[data, bins, data.size], check=check
    )


def mma_product(module: emulator.Module) -> Run:
    """bf16, 512 by 512 by 512: cp.async, ldmatrix, mma.sync; 128 threads."""
    n = 512
    a, b = (
        np.random.default_rng(k).standard_normal((n, n)).astype(np.dtype("bfloat16"))
        for k in range(2)
    )
    out = np.zeros((n, n), np.float32)

    def run(check: bool) -> emulator.Launch:
        launch = module.launch(
            "mma_product", grid=(8, 8), block=128, args=[a, b, out, n, n], check=check
        )
        want = a.astype(np.float64) @ b.astype(np.float64).T
        np.testing.assert_allclose(out, want, atol=1e-3)
        return launch

    return run


def main() -> None:
    """Print the table."""
    module = emulator.load(FIXTURES / "kernels.ptx")
    print(f"{'kernel':<16} {'checking':<9} {'seconds':>8} {'M thread-instructions/s':>24}")
    for make in (tiled_product, histogram, mma_product):
        run = make(module)
        for check in (False, True):
            start = time.process_time()
            launch = run(check)
            seconds = time.process_time() - start
            rate = launch.statistics.thread_instructions / seconds / 1e6
            print(f"{make.__name__:<16} {'on' if check else 'off':<9} {seconds:8.2f} {rate:24.1f}")


if __name__ == "__main__":
    main()
