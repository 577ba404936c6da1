"""Facts of CPUs as data: what code generation and schedules need to know of the machine.

`host()` asks the machine once; every fact can be overridden with `dataclasses.replace`, and `named`
makes one for another CPU or triple, so that a schedule for a machine can be looked at on any other.
Cache sizes come from Linux's `/sys/devices/system/cpu`; where it is silent the fallbacks below are
those of a small x86 core.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from teenyir.diagnostics import CompileError

FALLBACK_CACHES = {1: 32 * 1024, 2: 512 * 1024, 3: 4 * 1024 * 1024}
"""Bytes of data cache by level, where the machine does not tell."""

FALLBACK_WAYS = 8
"""Ways of the first level's data cache, where the machine does not tell."""

VECTOR_BITS: tuple[tuple[str, int], ...] = (
    ("+avx512f", 512),
    ("+avx", 256),
    ("+sse2", 128),
    ("+neon", 128),
)
"""The widest register that a feature brings, widest first (LLVM's feature names)."""

VECTOR_REGISTERS: tuple[tuple[str, int], ...] = (("+avx512f", 32), ("+neon", 32))
"""The number of vector registers that a feature brings; 16 without."""

SHARE_OF_LAST_CACHE = 8 * 1024 * 1024
"""Bytes of the last cache for each core, at most: a virtual machine is shown all of a cache that it
shares with others."""

MOST_THREADS = 64
"""The most threads that work on one kernel."""

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"": 1, "K": 1024, "M": 1024 * 1024, "G": 1024 * 1024 * 1024}


@dataclass(frozen=True)
class Cpu:
    """One kind of CPU."""

    triple: str
    """LLVM's target triple."""
    cpu: str
    """LLVM's name of the CPU; `generic` or empty for the least one of its architecture."""
    features: str
    """LLVM's features, `+avx2,-avx512f,...`."""
    vector_bits: int
    """Width of the widest vector register."""
    vector_registers: int
    l1: int
    """Bytes of the first level's data cache, of one core."""
    l2: int
    """Bytes of the second level, of one core."""
    l3: int
    """Bytes of the last level, shared."""
    line: int = 64
    """Bytes of a cache line."""
    cores: int = 1
    """Cores that this process may run on."""
    l1_ways: int = FALLBACK_WAYS
    """Lines of the first level's data cache for each place in a way of it."""

    def has(self, feature: str) -> bool:
        """Whether LLVM's feature `feature` is on."""
        return f"+{feature}" in self.features.split(",")

    @property
    def last_cache(self) -> int:
        """Bytes of the last level that this process may count on."""
        return min(self.l3, self.cores * SHARE_OF_LAST_CACHE)

    @property
    def masks(self) -> bool:
        """Whether some lanes of a vector are stored about as fast as all of them."""
        return self.has("avx512f")

    @property
    def extrema(self) -> bool:
        """Whether one instruction gives the maximum of two floats of which either may be NaN."""
        return self.has("neon")

    @property
    def scales(self) -> bool:
        """Whether one instruction multiplies floats of any width with powers of two."""
        return self.has("avx512f")

    @property
    def lookup_lanes(self) -> int:
        """Lanes of the longest vector whose f32 one instruction finds in a table of as many; 0 if
        there is none."""
        return 16 if self.has("avx512f") else 8 if self.has("avx2") else 0


def _fact(table: tuple[tuple[str, int], ...], features: str, default: int) -> int:
    enabled = set(features.split(","))
    return next((value for feature, value in table if feature in enabled), default)


def parse_size(text: str) -> int | None:
    """Bytes of a size as sysfs prints it, such as `1024K`; None for what is no size."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip())
    return int(match[1]) * _UNITS[match[2]] if match else None


def cache_sizes(folder: Path = _CACHES) -> dict[int, int]:
    """Bytes of data or unified cache by level, as far as the machine tells."""
    sizes: dict[int, int] = {}
    for index in sorted(folder.glob("index*")):
        try:
            kind = (index / "type").read_text().strip()
            level = int((index / "level").read_text())
            size = parse_size((index / "size").read_text())
        except (OSError, ValueError):
            continue
        if kind in ("Data", "Unified") and size:
            sizes[level] = size
    return sizes


def first_cache_fact(name: str, default: int, folder: Path = _CACHES) -> int:
    """A number that the machine tells of its first level's data cache, if it is above 0."""
    for index in sorted(folder.glob("index*")):
        try:
            is_data = (index / "type").read_text().strip() in ("Data", "Unified")
            if is_data and int((index / "level").read_text()) == 1:
                return int((index / name).read_text()) or default
        except (OSError, ValueError):
            continue
    return default


def _usable_cores() -> int:
    """Those that the process may run on: its first thread; others may be bound to some of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(os.getpid()))
    return os.cpu_count() or 1


def usable_threads(asked: int = 0) -> int:
    """How many threads a kernel may run in: as many as are asked for or, where that is 0,
    `$TEENYIR_NUM_THREADS`, or the cores of this process.

    Raises CompileError where less are asked for, or the variable is set to what is no positive
    number.
    """
    if asked < 0:
        raise CompileError(f"threads is a number of threads, or 0 for the machine's, got {asked}")
    if asked:
        return asked
    chosen = os.environ.get("TEENYIR_NUM_THREADS", "").strip()
    if not chosen:
        return min(_usable_cores(), MOST_THREADS)
    if not chosen.isdecimal() or int(chosen) < 1:
        raise CompileError(f"TEENYIR_NUM_THREADS is a number of threads, not '{chosen}'")
    return min(int(chosen), MOST_THREADS)


def llvmlite_binding() -> Any:
    """llvmlite's binding of LLVM, which has no types to check against; imported when asked for."""
    return import_module("llvmlite.binding")


def _as_wide_as_there_is(features: str) -> str:
    """Features that have LLVM's vectoriser take the widest registers, as schedules here do; for
    some CPUs it would take half of one."""
    return f"{features},-prefer-256-bit" if "+avx512f" in features.split(",") else features


@cache
def host() -> Cpu:
    """The machine that this process runs on."""
    binding = llvmlite_binding()
    features = _as_wide_as_there_is(binding.get_host_cpu_features().flatten())
    sizes = FALLBACK_CACHES | cache_sizes()
    return Cpu(
        triple=binding.get_process_triple(),
        cpu=binding.get_host_cpu_name(),
        features=features,
        vector_bits=_fact(VECTOR_BITS, features, 128),
        vector_registers=_fact(VECTOR_REGISTERS, features, 16),
        l1=sizes[1],
        l2=sizes[2],
        l3=max(sizes.values()),
        line=first_cache_fact("coherency_line_size", 64),
        cores=_usable_cores(),
        l1_ways=first_cache_fact("ways_of_associativity", FALLBACK_WAYS),
    )


def named(cpu: str = "", *, triple: str | None = None, features: str = "") -> Cpu:
    """Another CPU by LLVM's name; caches are the fallbacks, its vectors those of `features`.

    `cpu` empty and no triple: the host. Names are checked where code is generated for them.
    """
    if not cpu and triple is None and not features:
        return host()
    binding = llvmlite_binding()
    return Cpu(
        triple=triple or binding.get_process_triple(),
        cpu=cpu,
        features=features,
        vector_bits=_fact(VECTOR_BITS, features, 128),
        vector_registers=_fact(VECTOR_REGISTERS, features, 16),
        l1=FALLBACK_CACHES[1],
        l2=FALLBACK_CACHES[2],
        l3=FALLBACK_CACHES[3],
    )
