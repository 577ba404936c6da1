"""Random graphs by their seeds, as many as there is time for, in as many processes as one likes.

    python test/numerics/many_graphs.py 0 50

runs those with the seeds 0 to 49 before and after every pass of the pipeline for the CPU. One that
fails is kept in `failing/SEED`, from which it is run again (see `failures`), and the others go on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from failures import FOLDER, kept_if_it_fails
from random_graphs import Sample, random_sample

MOST_OPS = 25


def run_slice(
    seeds: Sequence[int], check: Callable[[Sample], None], folder: Path = FOLDER
) -> list[int]:
    """Check the graphs of some seeds; the seeds of those that fail, said as they do."""
    failed: list[int] = []
    for seed in seeds:
        sample = random_sample(Random(seed), MOST_OPS)
        try:
            with kept_if_it_fails(sample, folder / str(seed)):
                check(sample)
        except Exception as problem:
            failed.append(seed)
            print(f"seed {seed}: {type(problem).__name__}: {problem}", flush=True)
    print(f"{len(seeds) - len(failed)} of {len(seeds)} graphs keep their meaning", flush=True)
    return failed


if __name__ == "__main__":
    from test_floors import require_every_pass_keeps

    start, many = int(sys.argv[1]), int(sys.argv[2])
    sys.exit(bool(run_slice(range(start, start + many), require_every_pass_keeps)))
