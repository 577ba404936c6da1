"""Which blocks of threads there are."""

from __future__ import annotations

from xdsl.ir import Operation

from teenyir.rewriting.base import fail
from teenyir.targets.cuda import MOST_THREADS, WARP


def require_block(op: Operation, threads: int) -> None:
    """Raises PassError, of an op, where no block has so many threads."""
    if not 0 < threads <= MOST_THREADS or threads % WARP:
        sizes = f"{WARP}, {2 * WARP}, .. {MOST_THREADS}"
        raise fail(op, f"a block has {sizes} threads, not {threads}")
