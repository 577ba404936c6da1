"""Checking every access: bounds, alignment, life time, initialisation, races; and its cost.

Each site (an instruction that accesses memory) asks for its lanes' addresses; the common case, in
which all is well, is a handful of numpy calls. Races are found by stamps: for every granule of
shared and global memory the last write and the last two reads by different lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teenyir.emulator.checking.clocks import ATOMIC, LANE_MASK, SITE_MASK, SITE_SHIFT, Clocks
from teenyir.emulator.checking.statistics import AccessCount, global_sectors, shared_wavefronts
from teenyir.emulator.execution.machine import WARP, Machine
from teenyir.emulator.execution.memory import (
    ALLOCATED,
    HEAP_BASE,
    IN_FLIGHT,
    INITIALISED,
    READ_ONLY,
    SHARED_BASE,
    SHARED_SIZE,
)
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import Array, Mask


@dataclass(slots=True)
class Site:
    """An instruction that accesses memory. `action`: load, store, atomic or copy.

    `narrow`: a strong access of scope `.cta`.
    """

    instruction: Instruction
    space: str
    size: int
    action: str
    strong: bool = False
    release: bool = False
    acquire: bool = False
    narrow: bool = False
    number: int = 0

    @property
    def writes(self) -> bool:
        """Whether it changes memory."""
        return self.action != "load"

    @property
    def reads(self) -> bool:
        """Whether memory must be initialised."""
        return self.action in ("load", "atomic")


class Checker:
    """Checks the accesses of one launch. `granule` is the log2 of the bytes that share a stamp."""

    def __init__(self, machine: Machine, granule: int) -> None:
        self.machine = machine
        self.memory = machine.memory
        self.granule = granule
        self.clocks = Clocks(machine.lanes)
        self.sites: list[Site] = []
        count = self.memory.size >> granule
        self._writes = np.zeros(count, np.int64)
        self._reads = np.zeros(count, np.int64)
        self._others = np.zeros(count, np.int64)
        self._rows: dict[int, tuple[Array, Array, Array]] = {}
        machine.on_start.append(self._begin)

    def _begin(self) -> None:
        size = self.machine.shared_size
        self.memory.clear_shared(size, max(size, 1))
        window = slice(SHARED_BASE >> self.granule, (SHARED_BASE + size) >> self.granule)
        for stamps in (self._writes, self._reads, self._others):
            stamps[window] = 0
        self.clocks.begin()

    def register(self, site: Site) -> Site:
        """Give a site its number."""
        site.number = len(self.sites)
        self.sites.append(site)
        self.clocks.narrow_sites = np.append(self.clocks.narrow_sites, site.narrow)
        return site

    # Entry

    def access(self, site: Site, mask: Mask, addresses: Array, values: Array | None = None) -> Mask:
        """Check an access; the lanes that may go on (`False` for none).

        `values` of shape (lanes, n) is what a store writes.
        """
        lanes = self.machine.selected(mask)
        chosen = addresses if mask is True else addresses[lanes]
        allowed = self.validate(site, lanes, chosen)
        if allowed is not None:
            lanes, chosen = lanes[allowed], chosen[allowed]
            if not len(lanes):
                return False
            mask = np.zeros(self.machine.lanes, np.bool_)
            mask[lanes] = True
        if site.space in ("shared", "global", "generic"):
            self.race(site, lanes, chosen, values)
            self._count(site, mask, addresses)
        return mask

    # Bounds, alignment, life time, initialisation

    def validate(self, site: Site, lanes: Array, addresses: Array) -> Array | None:
        """Check addresses of shape (n,); which may be accessed, or None for all."""
        size = site.size
        low, high = int(addresses.min()), int(addresses.max())
        if self._outside(site.space, low, high, size) or (
            size > 1 and bool((addresses & (size - 1)).any())
        ):
            return self._slowly(site, lanes, addresses)
        rows = self.memory.shadow_rows(size)
        index = addresses // size
        shadow = rows[index]
        word = rows.dtype.type
        pattern = 0x0101010101010101 & ((1 << (8 * rows.dtype.itemsize)) - 1)
        bits = ALLOCATED | (INITIALISED if site.reads else 0)
        care = bits | IN_FLIGHT | (READ_ONLY if site.writes else 0)
        if ((shadow & word(pattern * care)) != word(pattern * bits)).any():
            return self._slowly(site, lanes, addresses)
        if site.writes:
            rows[index] = word(pattern * (ALLOCATED | INITIALISED))
        return None

    def _outside(self, space: str, low: int, high: int, size: int) -> bool:
        if space == "shared":
            return low < SHARED_BASE or high + size > SHARED_BASE + SHARED_SIZE
        first = SHARED_BASE if space == "generic" else HEAP_BASE
        return low < first or high + size > self.memory.size

    def _slowly(self, site: Site, lanes: Array, addresses: Array) -> Array:
        """Sort the lanes by what is wrong with them, report, and say which may go on."""
        size = site.size
        ok = np.ones(len(lanes), np.bool_)
        misaligned = (addresses & (size - 1)) != 0
        outside = np.array([self._outside(site.space, a, a, size) for a in addresses.tolist()])
        inside = np.where(outside, HEAP_BASE, addresses)
        span = inside[:, None] + np.arange(size)
        shadow = self.memory.shadow[np.minimum(span, self.memory.size - 1)]
        outside |= ((shadow & ALLOCATED) == 0).any(axis=1)
        freed = np.zeros(len(lanes), np.bool_)
        for lane in np.flatnonzero(outside & ~misaligned):
            allocation = self.memory.find(int(addresses[lane]))
            freed[lane] = allocation is not None and allocation.freed
        findings = [
            ("misaligned", misaligned, f"address is not a multiple of {size}", False),
            ("use-after-free", freed & ~misaligned, "access to freed memory", False),
            ("out-of-bounds", outside & ~freed & ~misaligned, self._bounds_message(site), False),
        ]
        wrong = misaligned | outside
        if site.writes:
            read_only = ((shadow & READ_ONLY) != 0).any(axis=1) & ~wrong
            findings.append(("read-only", read_only, "write to read-only memory", False))
        flying = ((shadow & IN_FLIGHT) != 0).any(axis=1) & ~wrong
        message = f"{site.action} of bytes of a cp.async that was not waited for"
        findings.append(("async-copy", flying, message, True))
        if site.reads:
            missing = ((shadow & (INITIALISED | IN_FLIGHT)) == 0).any(axis=1) & ~wrong
            findings.append(("uninitialised", missing, "read of memory nobody wrote", True))
        for kind, which, message, harmless in findings:
            if which.any():
                first = int(np.argmax(which))
                self._report(kind, site, message, lanes[first], addresses[first], which)
                if not harmless:
                    ok &= ~which
        if site.writes:
            self._mark_written(addresses[ok], size)
        return ok

    def _bounds_message(self, site: Site) -> str:
        what = {"load": "read", "store": "write", "copy": "write"}.get(site.action, "atomic access")
        space = "" if site.space == "generic" else f" in {site.space} memory"
        return f"{what} of {site.size} bytes out of bounds{space}"

    def _mark_written(self, addresses: Array, size: int) -> None:
        span = addresses[:, None] + np.arange(size)
        self.memory.shadow[span] |= INITIALISED

    def _report(
        self, kind: str, site: Site, message: str, lane: int, address: int, which: Array
    ) -> None:
        self.machine.reports.add(
            kind,
            site.instruction,
            message,
            thread=self.machine.geometry.thread(int(lane)),
            block=self.machine.block_index,
            allocation=self.memory.describe(int(address)),
            count=int(np.count_nonzero(which)),
        )

    # Races

    def _stamp_rows(self, size: int) -> tuple[Array, Array, Array]:
        width = max(1, size >> self.granule)
        rows = self._rows.get(width)
        if rows is None:
            usable = len(self._writes) // width * width
            writes, reads, others = (
                stamps[:usable].reshape(-1, width)
                for stamps in (self._writes, self._reads, self._others)
            )
            rows = self._rows[width] = (writes, reads, others)
        return rows

    def race(self, site: Site, lanes: Array, addresses: Array, values: Array | None = None) -> None:
        """Compare with the stamps of earlier accesses, then leave this one's."""
        writes, reads, others = self._stamp_rows(site.size)
        rows = addresses // max(site.size, 1 << self.granule)
        clocks = self.clocks
        self._against(site, lanes, addresses, writes[rows])
        low = site.number << SITE_SHIFT | (ATOMIC if site.strong else 0)
        stamps = (clocks.stamps[lanes] | low)[:, None]
        if site.writes:
            self._against(site, lanes, addresses, reads[rows])
            self._against(site, lanes, addresses, others[rows])
            writes[rows] = stamps
            if not site.strong:
                self._same_instruction(site, lanes, addresses, writes[rows][:, 0], values)
        else:
            self._record_read(rows, lanes, stamps, reads, others)
        if site.strong:
            self._synchronise(site, lanes, addresses)

    def _against(self, site: Site, lanes: Array, addresses: Array, stamps: Array) -> None:
        clocks = self.clocks
        highest = stamps.max()
        if highest == 0:
            return
        if highest <= clocks.floor_stamp and stamps.min() >= clocks.start_stamp:
            return
        racing = clocks.unordered(lanes, stamps, site.strong, site.narrow)
        if racing.any():
            first = int(np.argmax(racing.any(axis=1)))
            column = int(np.argmax(racing[first]))
            stamp = int(stamps[first, column])
            self._report_race(site, lanes[first], addresses[first], stamp, racing)

    def _report_race(
        self, site: Site, lane: int, address: int, stamp: int, racing: Array, more: str = ""
    ) -> None:
        geometry = self.machine.geometry
        other = self.sites[stamp >> SITE_SHIFT & SITE_MASK]
        space = "shared" if SHARED_BASE <= address < SHARED_BASE + SHARED_SIZE else "global"
        thread = geometry.thread(stamp & LANE_MASK)
        cta = self.clocks.cta_of(stamp)
        where = "" if cta == len(self.clocks.starts) - 1 else f" of block {self._block(cta)}"
        past = {"load": "read", "store": "written", "copy": "written"}
        verb = past.get(other.action, "updated")
        now = {"load": "reads", "store": "writes", "copy": "writes"}.get(site.action, "updates")
        self.machine.reports.add(
            f"{space}-race",
            site.instruction,
            f"{now} what thread {thread}{where} has {verb}, with nothing to order the two{more}",
            thread=geometry.thread(int(lane)),
            block=self.machine.block_index,
            allocation=self.memory.describe(int(address)),
            other=other.instruction,
            count=int(np.count_nonzero(racing.any(axis=1))),
        )

    def _block(self, cta: int) -> tuple[int, int, int]:
        x, y, _ = self.machine.geometry.grid
        return cta % x, cta // x % y, cta // (x * y)

    def _same_instruction(
        self,
        site: Site,
        lanes: Array,
        addresses: Array,
        stamps: Array,
        values: Array | None,
    ) -> None:
        """Lanes whose write was overwritten in the same instruction.

        Lanes of one warp may write one value to one address: one of them does, and it is all the
        same which. Different values, or different warps, race.
        """
        winners = stamps & LANE_MASK
        lost = winners != lanes
        if not lost.any():
            return
        lanes, winners, stamps = lanes[lost], winners[lost], stamps[lost]
        racing = lanes // WARP != winners // WARP
        differ = np.ones(len(lanes), np.bool_)
        if values is not None:
            differ = (values[lanes] != values[winners]).any(axis=1)
            racing |= differ
        if racing.any():
            first = int(np.argmax(racing))
            address, stamp = int(addresses[lost][first]), int(stamps[first])
            more = "" if differ[first] else "; both write the same value"
            self._report_race(site, lanes[first], address, stamp, racing[:, None], more)

    def _record_read(
        self, rows: Array, lanes: Array, stamps: Array, reads: Array, others: Array
    ) -> None:
        before = reads[rows]
        reads[rows] = stamps
        recent = (before > self.clocks.floor_stamp) & ((before & LANE_MASK) != lanes[:, None])
        if recent.any():
            keep = recent.any(axis=1)
            others[rows[keep]] = before[keep]
        lost = (reads[rows] != stamps).any(axis=1)
        if lost.any():
            others[rows[lost]] = stamps[lost]

    def _synchronise(self, site: Site, lanes: Array, addresses: Array) -> None:
        """Releases and acquires; nothing to do while nobody has fenced or released."""
        clocks = self.clocks
        if not (clocks.fenced or clocks.released or site.release or site.acquire):
            return
        for lane, address in zip(lanes.tolist(), addresses.tolist(), strict=True):
            if site.reads:
                clocks.strong_read(lane, address, acquire=site.acquire, narrow=site.narrow)
            if site.writes:
                clocks.strong_write(
                    lane,
                    address,
                    release=site.release,
                    update=site.action == "atomic",
                    narrow=site.narrow,
                )

    # Asynchronous copies

    def set_in_flight(self, addresses: Array, size: int, flying: bool) -> None:
        """Mark bytes as being copied to, or as arrived."""
        span = addresses[:, None] + np.arange(size)
        if flying:
            self.memory.shadow[span] |= IN_FLIGHT
        else:
            self.memory.shadow[span] &= 0xFF ^ IN_FLIGHT

    # Statistics

    def _count(self, site: Site, mask: Mask, addresses: Array) -> None:
        if site.size > 16 or site.action == "atomic":
            return
        space = site.space
        if space == "generic":
            first = int(addresses[int(np.argmax(self.machine.as_array(mask)))])
            space = "shared" if first < HEAP_BASE else "global"
        active = self.machine.as_array(mask).reshape(-1, WARP)
        count = shared_wavefronts if space == "shared" else global_sectors
        requests, ideal, actual = count(addresses.reshape(-1, WARP), active, site.size)
        line = site.instruction.line
        counted = self.machine.statistics.accesses
        access = counted.setdefault((line, space), AccessCount(line, space))
        access.requests += requests
        access.ideal += ideal
        access.actual += actual
