"""Special registers."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from teenyir.emulator.execution.machine import WARP, Machine
from teenyir.emulator.types import Array, Mask


def static_specials(machine: Machine) -> dict[str, Array]:
    """Registers that stay the same while a CTA runs; those of the CTA's index are refilled."""
    geometry, lanes = machine.geometry, machine.lanes

    def fill(value: int) -> Array:
        return np.full(lanes, value, np.uint32)

    lane = (geometry.ids % WARP).astype(np.uint32)
    bit = np.left_shift(np.uint32(1), lane)
    table: dict[str, Array] = {
        "%laneid": lane,
        "%warpid": (geometry.ids // WARP).astype(np.uint32),
        "%nwarpid": fill(geometry.warps),
        "%lanemask_eq": bit,
        "%lanemask_lt": bit - np.uint32(1),
        "%lanemask_le": bit | (bit - np.uint32(1)),
        "%lanemask_gt": ~(bit | (bit - np.uint32(1))),
        "%lanemask_ge": ~(bit - np.uint32(1)),
        "%smid": fill(0),
        "%nsmid": fill(1),
        "%gridid": np.full(lanes, 1, np.uint64),
        "WARP_SZ": fill(WARP),
        "%is_explicit_cluster": np.zeros(lanes, np.bool_),
        "%cluster_ctarank": fill(0),
        "%cluster_nctarank": fill(1),
        "%total_smem_size": fill(machine.shared_size),
        "%aggr_smem_size": fill(machine.shared_size),
        "%dynamic_smem_size": fill(machine.dynamic_shared),
    }
    for index in range(32):
        table[f"%envreg{index}"] = fill(0)
    counters = [fill(0) for _ in range(3)]
    for axis, name in enumerate("xyz"):
        table[f"%tid.{name}"] = geometry.tid[axis].astype(np.uint32)
        table[f"%ntid.{name}"] = fill(geometry.block[axis])
        table[f"%ctaid.{name}"] = counters[axis]
        table[f"%nctaid.{name}"] = fill(geometry.grid[axis])
        table[f"%clusterid.{name}"] = counters[axis]
        table[f"%nclusterid.{name}"] = fill(geometry.grid[axis])
        table[f"%cluster_ctaid.{name}"] = fill(0)
        table[f"%cluster_nctaid.{name}"] = fill(1)

    def begin() -> None:
        for counter, value in zip(counters, machine.block_index, strict=True):
            counter.fill(value)

    machine.on_start.append(begin)
    return table


def dynamic_specials(machine: Machine) -> dict[str, Callable[[Mask], Array]]:
    """Registers read anew each time: clocks count executed basic blocks."""

    def clock(shift: int) -> Callable[[Mask], Array]:
        return lambda mask: np.full(machine.lanes, (machine.steps * 32) >> shift, np.uint64)

    def timer(shift: int) -> Callable[[Mask], Array]:
        return lambda mask: np.full(machine.lanes, time.perf_counter_ns() >> shift, np.uint64)

    table = {
        "%clock": clock(0),
        "%clock_hi": clock(32),
        "%clock64": clock(0),
        "%globaltimer": timer(0),
        "%globaltimer_lo": timer(0),
        "%globaltimer_hi": timer(32),
    }
    for index in range(8):
        table[f"%pm{index}"] = clock(0)
        table[f"%pm{index}_64"] = clock(0)
    return table
