"""Happens-before between the lanes of a launch, by vector clocks.

Every lane has a clock; a synchronisation hands clocks on and then advances them. An access is
stamped with its lane's clock, and it happens before what lane L does now if L has learned of that
clock. After a barrier of the whole CTA every lane knows the same, so no vectors are kept (`floor`);
they are made at the first synchronisation of fewer lanes.

Between CTAs, and between lanes without a barrier, order comes as in PTX's memory model: a release
(a fence followed by a strong write, or a `.release` operation) at an address, seen by an acquire (a
strong read followed by a fence, or an `.acquire` operation) at that address.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from teenyir.emulator.types import Array

LANE_BITS, SITE_BITS = 10, 17
ATOMIC = 1 << LANE_BITS
SITE_SHIFT = LANE_BITS + 1
CLOCK_SHIFT = SITE_SHIFT + SITE_BITS
LANE_MASK = (1 << LANE_BITS) - 1
SITE_MASK = (1 << SITE_BITS) - 1


class Knowledge:
    """What a lane knows: its own CTA's clocks, and those of earlier CTAs by CTA number."""

    __slots__ = ("foreign", "own")

    def __init__(self, own: Array, foreign: dict[int, Array]) -> None:
        self.own, self.foreign = own, foreign

    def join(self, other: Knowledge) -> None:
        """Learn all that another knows."""
        np.maximum(self.own, other.own, out=self.own)
        for cta, clocks in other.foreign.items():
            known = self.foreign.get(cta)
            self.foreign[cta] = clocks.copy() if known is None else np.maximum(known, clocks)


@dataclass(frozen=True, slots=True)
class Released:
    """What a strong write at an address released; `narrow`: to its own CTA alone."""

    cta: int
    lane: int
    what: Knowledge
    narrow: bool


class Clocks:
    """The clocks of the CTA that runs, and what earlier ones released."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.ids = np.arange(lanes, dtype=np.int64)
        self.clock = np.zeros(lanes, np.int64)
        self.stamps = np.zeros(lanes, np.int64)
        self.starts: list[int] = []
        self.floor = 0
        self.vectors: Array | None = None
        self.foreign: dict[int, dict[int, Array]] = {}
        self.released: dict[int, Released] = {}
        self.fenced: dict[int, tuple[Knowledge, bool]] = {}
        self.observed: dict[int, list[Released]] = {}
        self.narrow_sites: Array = np.zeros(0, np.bool_)

    def begin(self) -> None:
        """Start the next CTA: it knows nothing of what others did."""
        start = int(self.clock.max()) + 1
        self.starts.append(start)
        self.floor = start
        self.clock[:] = start + 1
        self.vectors = None
        self.foreign.clear()
        self.fenced.clear()
        self.observed.clear()
        self._restamp()

    def _restamp(self) -> None:
        self.stamps = (self.clock << CLOCK_SHIFT) | self.ids
        self.start_stamp = self.starts[-1] << CLOCK_SHIFT
        self.floor_stamp = ((self.floor + 1) << CLOCK_SHIFT) - 1

    # Order

    def unordered(self, lanes: Array, stamps: Array, strong: bool, narrow: bool) -> Array:
        """Which earlier accesses (stamps of shape (n, k)) do not happen before lanes (n,) now.

        A `strong` access does not conflict with strong ones, if the scopes of both hold both
        lanes: a `narrow` one, of scope `.cta`, holds those of its own CTA.
        """
        clock = stamps >> CLOCK_SHIFT
        previous = stamps & LANE_MASK
        here = stamps >= self.start_stamp
        ordered = (stamps == 0) | (here & ((previous == lanes[:, None]) | (clock <= self.floor)))
        if strong:
            wide = here | (~self.narrow_sites[stamps >> SITE_SHIFT & SITE_MASK] & (not narrow))
            ordered |= ((stamps & ATOMIC) != 0) & wide
        if self.vectors is not None:
            ordered |= here & (self.vectors[lanes[:, None], previous] >= clock)
        if self.foreign:
            for row, column in np.argwhere(~ordered & ~here):
                known = self.foreign.get(int(lanes[row]), {})
                vector = known.get(self.cta_of(int(stamps[row, column])))
                if vector is not None and vector[previous[row, column]] >= clock[row, column]:
                    ordered[row, column] = True
        return ~ordered

    def cta_of(self, stamp: int) -> int:
        """The number of the CTA that made a stamp."""
        return bisect_right(self.starts, stamp >> CLOCK_SHIFT) - 1

    # Synchronisation

    def barrier_all(self) -> None:
        """A barrier of every lane."""
        self.floor = int(self.clock.max())
        self.clock[:] = self.floor + 1
        self.vectors = None
        if self.foreign:
            joined: dict[int, Array] = {}
            for known in self.foreign.values():
                for cta, vector in known.items():
                    seen = joined.get(cta)
                    joined[cta] = vector if seen is None else np.maximum(seen, vector)
            self.foreign = {int(lane): dict(joined) for lane in self.ids}
        self._restamp()

    def _matrix(self) -> Array:
        if self.vectors is None:
            self.vectors = np.full((self.lanes, self.lanes), self.floor, np.int64)
            self.vectors[self.ids, self.ids] = self.clock
        return self.vectors

    def barrier(self, arrivers: Array, waiters: Array) -> None:
        """A barrier of some lanes (index arrays): waiters learn what all arrivers know."""
        matrix = self._matrix()
        joined = matrix[arrivers].max(axis=0)
        matrix[waiters] = np.maximum(matrix[waiters], joined)
        if self.foreign:
            total = Knowledge(joined, {})
            for lane in arrivers.tolist():
                total.join(Knowledge(joined, self.foreign.get(lane, {})))
            for lane in waiters.tolist():
                self.foreign[lane] = dict(total.foreign)
        self._advance(np.union1d(arrivers, waiters))

    def warp_barrier(self, groups: list[Array]) -> None:
        """`bar.warp.sync`: the lanes of each group synchronise."""
        matrix = self._matrix()
        for members in groups:
            matrix[members] = matrix[members].max(axis=0)
        self._advance(np.concatenate(groups))

    def _advance(self, lanes: Array) -> None:
        self.clock[lanes] += 1
        self._matrix()[lanes, lanes] = self.clock[lanes]
        self._restamp()

    # Release and acquire

    def knowledge(self, lane: int) -> Knowledge:
        """A copy of what a lane knows now."""
        own = self._matrix()[lane].copy()
        foreign = {cta: vector.copy() for cta, vector in self.foreign.get(lane, {}).items()}
        return Knowledge(own, foreign)

    def _learn(self, lane: int, cta: int, what: Knowledge) -> None:
        current = len(self.starts) - 1
        known = Knowledge(self._matrix()[lane], self.foreign.setdefault(lane, {}))
        if cta == current:
            known.join(what)
            return
        foreign = dict(what.foreign)
        foreign[cta] = what.own
        known.join(Knowledge(known.own, foreign))

    def fence(self, lanes: Array, narrow: bool) -> None:
        """A fence: releases later strong writes, and completes acquires of earlier reads."""
        current = len(self.starts) - 1
        for lane in lanes.tolist():
            for found in self.observed.pop(lane, []):
                if found.cta == current or not narrow:
                    self._learn(lane, found.cta, found.what)
            self.fenced[lane] = (self.knowledge(lane), narrow)
        self._advance(lanes)

    def strong_write(
        self, lane: int, address: int, *, release: bool, update: bool, narrow: bool
    ) -> None:
        """A strong write, or the write of an atomic operation (`update`)."""
        current = len(self.starts) - 1
        known = self.released.get(address)
        fenced = (self.knowledge(lane), narrow) if release else self.fenced.get(lane)
        if fenced is None:
            # Whoever reads this write learns nothing, unless the writer released here before.
            if known is not None and not update and (known.cta, known.lane) != (current, lane):
                del self.released[address]
            return
        what, narrow = fenced[0], fenced[1] or narrow
        if known is not None and update:
            total = Knowledge(what.own.copy(), dict(what.foreign))
            if known.cta == current:
                total.join(known.what)
            else:
                foreign = {**known.what.foreign, known.cta: known.what.own}
                total.join(Knowledge(total.own, foreign))
            what, narrow = total, narrow and known.narrow
        self.released[address] = Released(current, lane, what, narrow)
        if release:
            self._advance(np.array([lane]))

    def strong_read(self, lane: int, address: int, *, acquire: bool, narrow: bool) -> None:
        """A strong read or the read of an atomic operation."""
        found = self.released.get(address)
        if found is None or (found.cta != len(self.starts) - 1 and (found.narrow or narrow)):
            return
        if acquire:
            self._learn(lane, found.cta, found.what)
        else:
            seen = self.observed.setdefault(lane, [])
            if not seen or seen[-1] is not found:  # a lane that spins sees the same many times
                seen.append(found)
