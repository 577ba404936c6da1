"""What a block has of a factor of a product, in memory that its threads share: a panel.

    for t in T thread.x                        the threads of the block move 16 bytes each, so that
      as[place(..)] = a[i, k]           -->    neighbours have neighbouring elements, and each warp
    a[p] = as[place(lane, p)]                  then takes from it what its instructions multiply

A panel is as long as the tile of the block is wide, and as deep as what is summed at a time. It
lies as the factor lies in memory: its rows are along the axis whose elements are neighbours there.
A row is of chunks of 16 bytes, and chunks are rotated from row to row,

    chunk c of row i stands at (c + i floordiv s) mod C,   s = max(1, 8 floordiv C),

so that the 8 chunks that are moved at once, of one row or of 8 rows, are in 8 different groups of
banks. Where C is no power of two, those of each group of the greatest one that divides it, up to 8,
are rotated among themselves: rows that start in the same bank then differ in that. Warps take them
by `kernel.load_matrix`. It transposes elements of 16 bits. Of 8 bits, two columns are transposed as
one, each of which is of one of two instructions side by side. A lane has four rows in a register,
the first two from one matrix and the others from the next one, and the rows of a matrix stand
beside each other:

    row 16 a + 4 t + 2 b + c stands at 16 a + 8 b + 2 t + c,   t < 4, b < 2, c < 2

Other elements that would have to be transposed are taken one by one. Of 8 bits, a register has
those of four rows, and lanes beside each other have the next four: rows stand in an order in which
every fourth row is beside the one before,

    row d of D stands at d floordiv 4 + d mod 4 * (D floordiv 4)

and so these are in different banks as chunks of neighbouring rows are. Of 32 bits, lanes beside
each other have 8 elements of neighbouring rows: those of each 16 of a row are rotated by half of
them where a row is an odd multiple of 16, other rows are 8 longer where they need to be. Where
lanes beside each other have two rows each that are neighbours, as those of a sum are,

    row 8 a + 2 t + b stands at 8 a + 4 b + t,   t < 4, b < 2

Where all that a warp takes at once is of one row, rows follow each other as they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xdsl.ir import Operation, SSAValue

from teenyir.analysis.indices import KernelIndices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.dialects.expr import ZERO, Expr
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.choose.gpu.runs import run_of
from teenyir.passes.kernel.choose.places import used
from teenyir.passes.kernel.schedule.primitive import cone
from teenyir.targets.cuda import WARP

PANEL_BYTES = 64
"""The bytes of a row or column of a factor that a block has at a time."""

CHUNK = 16
"""Bytes that a thread moves at once."""

PADDING = 8
"""Elements behind each row that is not rotated, or none: so that four rows of 8 elements of 32 bits
are in different banks, a row has an odd multiple of them."""


Order: TypeAlias = Literal["", "twos", "side", "deep"]
"""How lanes take elements of a panel that lies along its side: two neighbouring rows each (`twos`);
or 16 bytes of one row (`side`), as they take those of one that lies along its depth (`deep`)."""


@dataclass(frozen=True)
class Factor:
    """A factor of a product, and the ranges that count its rows, or columns, and its depth."""

    value: SSAValue
    ranges: tuple[kernel.RangeOp, ...]
    depth: tuple[kernel.RangeOp, ...]
    size: Expr
    """Of all ranges."""
    deep: Expr
    """Of all ranges of the depth."""


@dataclass(frozen=True)
class Panel:
    """How a part of a factor goes into shared memory."""

    factor: Factor
    side: int
    """Rows, or columns, of the factor."""
    deep: int
    threads: int
    prefix: str
    """Of the names of its ranges."""
    lies_along_side: bool
    """Whether neighbours in memory are neighbouring rows, or columns, and not along the depth."""
    width: int
    """Elements that a thread moves at once."""
    pairs: bool = False
    """Whether two elements of 8 bits beside each other can be of two instructions."""
    order: Order = ""
    """How lanes take its elements, where it is not by the fragments of an instruction."""

    @staticmethod
    def of(
        factor: Factor,
        sizes: tuple[int, int, int],
        nest: kernel.Nest,
        named: KernelIndices,
        *,
        prefix: str,
        pairs: bool = False,
        order: Order = "",
    ) -> Panel:
        """The panel of a factor; `sizes` are its side, its depth and the threads of a block. One of
        an order lies as that wants it, whatever lies so in memory."""
        side, deep, threads = sizes
        runs = {across: _run(factor, nest, named, across=across) for across in (False, True)}
        across = order in ("twos", "side") if order else runs[True] > runs[False]
        most = CHUNK // SCALAR_BYTES[factor.value.type]
        width = math.gcd(most, runs[across]) if runs[across] else 1
        while side * deep // width % threads or (side if across else deep) % width:
            width //= 2
        return Panel(factor, side, deep, threads, prefix, across, width, pairs, order)

    @property
    def names(self) -> tuple[str, str, str]:
        """Of its ranges: threads, how often each moves something, the elements that it moves."""
        return f"{self.prefix}t", f"{self.prefix}l", f"{self.prefix}e"

    @property
    def chunk(self) -> int:
        """The elements of 16 bytes."""
        return CHUNK // self._bytes

    @property
    def bytes(self) -> int:
        """Of the memory that it takes."""
        row = self._chunks * self.chunk if self.is_rotated else self._row + self._padding
        return self._rows * row * self._bytes

    @property
    def _padding(self) -> int:
        return 0 if self._is_plain or self._row // PADDING % 2 else PADDING

    @property
    def _row(self) -> int:
        """The elements of a row of the panel."""
        return self.side if self.lies_along_side else self.deep

    @property
    def _rows(self) -> int:
        return self.deep if self.lies_along_side else self.side

    @property
    def _bytes(self) -> int:
        return SCALAR_BYTES[self.factor.value.type]

    @property
    def _chunks(self) -> int:
        return -(-self._row // self.chunk)

    @property
    def is_rotated(self) -> bool:
        """Whether it is of chunks that are rotated."""
        is_rotated = self.is_of_matrices or self._has_fours or self._has_halves
        return is_rotated and not self._is_plain

    @property
    def _is_plain(self) -> bool:
        """Whether rows follow each other as they are."""
        return self.order in ("side", "deep")

    @property
    def is_of_matrices(self) -> bool:
        """Whether `kernel.load_matrix` takes its chunks."""
        is_matrix = (not self.lies_along_side or self._bytes == 2) and not self._is_plain
        return self.is_of_pairs or (is_matrix and self._row % self.chunk == 0)

    @property
    def is_of_pairs(self) -> bool:
        """Whether two elements of 8 bits are transposed as one."""
        is_matrix = self.lies_along_side and self._bytes == 1 and self._row % self.chunk == 0
        return self.pairs and is_matrix

    @property
    def _has_fours(self) -> bool:
        """Whether every fourth row is beside the one before."""
        return self.lies_along_side and self._bytes == 1 and not self.is_of_pairs

    @property
    def _has_halves(self) -> bool:
        """Whether each four chunks of a row are rotated by two."""
        is_odd = self._row % (4 * PADDING) == 2 * PADDING
        return self.lies_along_side and self._bytes == 4 and is_odd

    def ranges(self) -> dict[str, kernel.RangeOp]:
        """Its ranges, by name."""
        thread, times, element = self.names
        count = self.side * self.deep // (self.threads * self.width)
        return {
            thread: kernel.RangeOp(0, self.threads, (), "thread.x"),
            times: kernel.RangeOp(0, count, (), "unroll"),
            element: kernel.RangeOp(0, self.width, (), "vector" if self.width > 1 else "unroll"),
        }

    def _moved(self) -> tuple[Expr, Expr]:
        """Which row of the panel, and which group of elements of it, a thread moves."""
        thread, times, _ = (Expr.of(name) for name in self.names)
        groups = self._row // self.width
        if self.threads % groups == 0:
            return times * (self.threads // groups) + thread // groups, thread % groups
        if groups % self.threads == 0:
            turns = groups // self.threads
            return times // turns, times % turns * self.threads + thread
        at = times * self.threads + thread
        return at // groups, at % groups

    def place_in_tile(self) -> tuple[Expr, Expr]:
        """The row, or column, and the depth of what a thread moves."""
        row, group = self._moved()
        if self._has_fours:
            quarter = self._rows // 4
            row = row % quarter * 4 + row // quarter
        elif self.is_of_pairs:
            row = row // 16 * 16 + row % 8 // 2 * 4 + row % 16 // 8 * 2 + row % 2
        elif self.order == "twos":
            row = row // 8 * 8 + row % 4 * 2 + row % 8 // 4
        along = group * self.width + self.names[2]
        return (along, row) if self.lies_along_side else (row, along)

    def rotated(self, row: Expr, chunk: Expr) -> Expr:
        """Where a chunk of a row stands in it."""
        count = self._chunks
        some = count if count.bit_count() == 1 else math.gcd(count, 8)
        turns = row // max(1, 8 // some)
        place = (chunk + turns * (2 if self._has_halves else 1)) % some
        return place if some == count else place + chunk // some * some

    def staged(self, value: SSAValue, ids: Mapping[str, SSAValue]) -> kernel.StageOp:
        """The stage of a value that all threads move."""
        row, group = self._moved()
        element = Expr.of(self.names[2])
        extents = [self._rows, self._row + self._padding]
        exprs = [row, group * self.width + element]
        if self.is_rotated:
            extents = [self._rows, self._chunks, min(self._row, self.chunk)]
            each = self.chunk // self.width
            chunk, within = group // each, group % each * self.width + element
            exprs = [row, self.rotated(row, chunk), within]
        buffer = kernel.BufferType(extents, value.type, "shared")
        own = {name: ids[name] for name in self.names}
        exprs, values = _over(exprs, own)
        return kernel.StageOp(value, exprs, values, list(own.values()), buffer)

    def element(
        self, stage: SSAValue, side: Expr, depth: Expr, ids: Mapping[str, SSAValue]
    ) -> kernel.LoadOp:
        """The element of a row, or column, and a depth, of what has been staged."""
        row, along = (depth, side) if self.lies_along_side else (side, depth)
        if self._has_fours:
            row = row // 4 + row % 4 * (self._rows // 4)
        exprs = [row, along]
        if self.is_rotated:
            exprs = [row, self.rotated(row, along // self.chunk), along % self.chunk]
        exprs, values = _over(exprs, ids)
        return kernel.LoadOp(stage, exprs, values)


@dataclass(frozen=True)
class Fragment:
    """What a warp takes of a panel for an instruction, or for two that stand side by side."""

    panel: Panel
    first: tuple[Expr, Expr]
    """The row, or column, and the depth of its first element."""
    place: tuple[Expr, Expr]
    """Those of the element of a lane."""
    halves: tuple[Expr, Expr]
    """Of the matrix that a lane has a row of: how many come before it along the side, and how many
    along the depth."""
    opened: tuple[str, ...]
    """The ranges that count the elements of a lane."""

    def load(self, stage: SSAValue, ids: Mapping[str, SSAValue]) -> Operation:
        """The elements of a lane."""
        panel = self.panel
        side, depth = self.place
        if not panel.is_of_matrices:
            return panel.element(stage, side, depth, ids)
        lane = Expr.of("thread") % WARP
        beside, behind = self.halves
        side, depth = self.first
        if panel.lies_along_side:
            row, chunk = depth + behind * 8 + lane % 8, side // panel.chunk + beside
        else:
            row, chunk = side + beside * 8 + lane % 8, depth // panel.chunk + behind
        exprs = [row, panel.rotated(row, chunk), ZERO]
        exprs, values = _over(exprs, {k: v for k, v in ids.items() if k not in self.opened})
        elements = [ids[name] for name in self.opened]
        return kernel.LoadMatrixOp(stage, exprs, values, elements, transposed=panel.lies_along_side)


def _over(
    exprs: Sequence[Expr], ids: Mapping[str, SSAValue]
) -> tuple[list[Expr], tuple[SSAValue, ...]]:
    """Expressions over names as an op has them, and their values."""
    values = tuple(ids.values())
    local = {name: placeholder(number) for number, name in enumerate(ids)}
    return used([expr.substitute(local) for expr in exprs], values)


def _run(factor: Factor, nest: kernel.Nest, named: KernelIndices, *, across: bool) -> int:
    """How many neighbours along the side, or along the depth, can be moved at once: 0 where none
    are neighbours in memory, 1 where they are but nothing more is known."""
    counted = (
        (factor.ranges, "side", factor.size),
        (factor.depth, "along", factor.deep),
    )
    moved, name, size = counted[0 if across else 1]
    found = 0
    for op in cone([factor.value], [*factor.ranges, *factor.depth], nest):
        if not isinstance(op, kernel.LoadOp) or nest.operand_dependences[op].isdisjoint(moved):
            continue
        run = run_of(op, counted, named, name)
        if op.gate is not None and not nest.dependences[op.gate].isdisjoint(moved):
            run = min(run, 1)
        if not run:
            return 0
        found = math.gcd(found, run, CHUNK // SCALAR_BYTES[op.result.type])
    return math.gcd(found, named.facts.divisor(size)) if found else 0
