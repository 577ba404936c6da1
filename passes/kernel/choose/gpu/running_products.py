"""Have two products with a softmax between them computed in one pass.

    for i in M                                  for block grid.x, thread in 128 thread.x
      m = max(q[i, d] k[j, d])                    qs = q[i(block, ..), ..]                   shared
      l = sum exp(q[i, d] k[j, d] - m)            for jo in ceildiv(N, 64)
      for c in C                        -->         ks, vs = k[j(jo, ..), ..], v[j(jo, ..), ..]
        y[i, c] = sum exp(..) / l v[j, c]           s = mma qs, ks
                                                    n = max(m, max s across 4 lanes)
                                                    p = exp(s - n); a = exp(m - n); m = n
                                                    l = l * a + sum p
                                                    o = o * a + mma p, vs
                                                  y[i(block, thread), c(thread)] = o / l

This is attention, however it is spelled, with masks, scales and whatever else is computed of single
scores. A block has 64 queries, 16 a warp, and goes through the keys 64 at a time: nothing that is
as long as the keys is ever in memory. Maxima, sums and results stay in registers, and so do the
weights between the two products. Which kernels are such is told in `running_matches`, what comes of
them in `running_blocks`, how matrix instructions compute the products in `running_matrices`, and
how threads do, of f32, in `running_threads`.

`graph-to-kernel` counts on it where it is told so (its option `matrices`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import attempt
from teenyir.passes.kernel.choose.gpu.running_blocks import Rewrite
from teenyir.passes.kernel.choose.gpu.running_matches import match
from teenyir.passes.kernel.choose.gpu.running_matrices import ByMatrices
from teenyir.passes.kernel.choose.gpu.running_threads import ByThreads
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cuda
from teenyir.targets.tensor_cores import products


@dataclass(frozen=True)
class RunningProducts(Pass):
    """Have two products with a softmax between them computed in one pass over blocks."""

    name = "running-products"
    anchor: ClassVar[str | None] = "kernel.func"

    capability: str = "sm_80"
    """The compute capability: `sm_80`, `sm-80` or `80`."""
    tf32: bool = False
    """Whether f32 may be multiplied as tf32, with 10 digits behind the point."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        rewrite = _rewrite(op, self.capability, tf32=self.tf32)
        if rewrite is None:
            session.preserve_all()
            return
        why = rewrite if isinstance(rewrite, str) else attempt(rewrite.run, op)
        if why is not None:
            session.remark("missed", op, f"two products are not computed in one pass: {why}")
            return
        assert isinstance(rewrite, Rewrite)
        tile = f"{rewrite.high} rows, {rewrite.keys} of what is reduced at a time"
        session.remark("passed", op, f"two products are computed in one pass: {tile}")
        session.count("kernels")


def _rewrite(func: kernel.FuncOp, capability: str, *, tf32: bool) -> Rewrite | str | None:
    """How a kernel is rewritten, or why not; None where nothing of it is alike."""
    if not any(isinstance(op, kernel.ReduceOp) for op in func.body.block.ops):
        return None
    nest, named = kernel.Nest(func), kernel_indices(func)
    found = match(nest, named.facts, products(cuda.find(capability).number, tf32=tf32))
    if found is None or isinstance(found, str):
        return found
    return (ByThreads if found.product is None else ByMatrices)(func, nest, named, found)


def is_one_pass(func: kernel.FuncOp, capability: str, *, tf32: bool) -> bool:
    """Whether a kernel becomes one pass over blocks."""
    trial = func.clone()
    rewrite = _rewrite(trial, capability, tf32=tf32)
    return isinstance(rewrite, Rewrite) and attempt(rewrite.run, trial) is None
