"""Write a buffer past the caches.

    kernel.store %v, %y[%i]   -->   kernel.store %v, %y[%i] streaming

A store into a cache reads the line first, which is half of what writing costs where the result does
not fit. Legal for every buffer that the kernel stores: what is computed does not depend on it. It
is done where vectors are stored whose places are known to be multiples of their size, by a target
that has instructions for it; elsewhere it is a store as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, find_buffer
from teenyir.rewriting.base import fail


@dataclass(frozen=True, kw_only=True)
class StreamStore(Primitive):
    """Write a buffer past the caches."""

    name = "stream-store"

    buffer: str
    """The name of the argument."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        buffer = find_buffer(func, self.buffer)
        users = (use.operation for use in buffer.uses)
        stores = [op for op in users if isinstance(op, kernel.StoreOp) and op.buffer is buffer]
        if not stores:
            raise fail(func, f"@{func.sym_name.data} does not store into %{self.buffer}")
        for store in stores:
            store.streaming = UnitAttr()
