"""Choose streaming stores for results that do not fit into the last cache.

    for j in 0..1024:                  for blocks of 16 of j:
      y[i, j] = f(x[i, j])     -->       y[i, lanes of j] = f(x[i, lanes of j]), past the caches

A store into a cache reads the line before it writes a part of it. Where whole lines are written,
and have left the cache by the time that anybody reads them, that is half of the traffic for
nothing. Stores past the caches are of vectors at places that are multiples of their size, so the
loop that runs along memory is split into vectors.

Done for a kernel that writes, in its innermost loops, enough bytes along memory in rows of whole
vectors. What the other values of such a loop are loaded from runs along memory too or stays where
it is, is as wide, and has no gate. Whether the arrays of a call begin at such places is looked at
when it runs (`lowering/uop_to_llvm/streams.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.products import is_plain, moves_by_one
from teenyir.passes.kernel.schedule.primitive import Primitive, as_text
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.passes.kernel.schedule.stream_store import StreamStore
from teenyir.rewriting.base import Pass, Session
from teenyir.targets import cpu

_SCALARS = {*arith.Arith.operations, *math_dialect.Math.operations}
"""What computes lane by lane."""


@dataclass(frozen=True)
class Stream:
    """A store of a large result along memory."""

    store: kernel.StoreOp
    along: kernel.RangeOp
    """The innermost range, which moves it by one element."""
    bytes: int
    """Of the result."""


@dataclass(frozen=True)
class StreamResults(Pass):
    """Write results past the caches that do not fit into them."""

    name = "stream-results"
    anchor: ClassVar[str | None] = "kernel.func"

    vector_bits: int | None = None
    """Width of a vector register; the machine's if it is not given."""
    beyond: int | None = None
    """Bytes of a result from which on it is streamed; what this process has of the last cache if it
    is not given."""

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        beyond = cpu.host().last_cache if self.beyond is None else self.beyond
        vector = (self.vector_bits or cpu.host().vector_bits) // 8
        found = find_streams(op, session.analysis(NEST, op), beyond, vector)
        if not found:
            session.preserve_all()
            return
        total = sum(stream.bytes for stream in found)
        schedule = self.schedule(op, found, vector)
        if not apply(schedule, op, session):
            return
        session.count("results", len(found))
        if session.wants_remarks:
            text = f"{total} bytes of results, {beyond} of cache: {as_text(schedule)}"
            session.remark("passed", op, text)

    def schedule(
        self, func: kernel.FuncOp, found: Sequence[Stream], vector: int
    ) -> list[Primitive]:
        """The primitives that make vectors of the stores and stream them."""
        buffers = kernel.buffer_names(func)
        targets = dict.fromkeys(stream.store.buffer for stream in found)
        streams = (StreamStore(buffer=buffers[target]) for target in targets)
        return [*schedule_vectors(func, found, vector), *streams]


def schedule_vectors(func: kernel.FuncOp, found: Sequence[Stream], vector: int) -> list[Primitive]:
    """The primitives that make vectors of so many bytes of stores, and of what they need."""
    ranges = kernel.range_names(func)
    steps: list[Primitive] = []
    for along in dict.fromkeys(stream.along for stream in found):
        widths = {SCALAR_BYTES[s.store.value.type] for s in found if s.along is along}
        name, lanes = ranges[along], vector // max(widths)
        steps += [
            SplitRange(range=name, by=lanes, outer=f"{name}o", inner=f"{name}v"),
            SetKind(range=f"{name}v", kind="vector"),
        ]
    return steps


def find_streams(func: kernel.FuncOp, nest: kernel.Nest, beyond: int, vector: int) -> list[Stream]:
    """The stores of at least so many bytes along memory, in rows of whole vectors."""
    names = kernel.range_names(func)
    buffers = kernel.buffer_names(func)
    stores = [op for op in nest.ops if isinstance(op, kernel.StoreOp)]
    found = [
        stream
        for store in stores
        if store.buffer in buffers and (stream := _stream(store, nest, names)) is not None
    ]
    return [
        each
        for each in found
        if each.bytes >= beyond and _is_lanewise(each, nest) and _has_whole_vectors(each, vector)
    ]


def _stream(
    store: kernel.StoreOp, nest: kernel.Nest, names: dict[kernel.RangeOp, str]
) -> Stream | None:
    """A store without a gate, of a size that is known, whose innermost loop runs along memory."""
    extents = [extent.constant for extent in store.target.extents]
    place = nest.place(store)
    if None in extents or store.gate is not None or not place or not is_plain(place[-1], names):
        return None
    if place[-1].extent.constant is None or not moves_by_one(store, place[-1]):
        return None
    width = SCALAR_BYTES[store.value.type]
    return Stream(store, place[-1], math.prod(extent or 0 for extent in extents) * width)


def _has_whole_vectors(stream: Stream, vector: int) -> bool:
    """Whether each vector of a row lies at a multiple of its size."""
    lanes = vector // SCALAR_BYTES[stream.store.value.type]
    exprs, _ = kernel.written_out(stream.store.exprs, stream.store.index_values)
    row = stream.store.target.extents[-1].constant or 0
    whole = (stream.along.extent.constant or 0) % lanes == row % lanes == 0
    return exprs[-1].name is not None and whole


def _is_lanewise(stream: Stream, nest: kernel.Nest) -> bool:
    """Whether all in a loop is done to neighbours in memory alike."""
    along, width = stream.along, SCALAR_BYTES[stream.store.value.type]
    for op in nest.ops:
        if along not in nest.operand_dependences[op]:
            continue
        if isinstance(op, kernel.LoadOp | kernel.StoreOp):
            element = op.result.type if isinstance(op, kernel.LoadOp) else op.value.type
            if op.gate is not None or SCALAR_BYTES[element] != width or not moves_by_one(op, along):
                return False
        elif op.__class__ not in _SCALARS:
            return False
    return True
