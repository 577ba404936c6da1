"""NVIDIA's GPUs: which compute capabilities there are, and which PTX versions know them.

Sources: PTX ISA 9.0, "Release Notes" (the version that introduced each target), CUDA C++
Programming Guide 13.0, "Compute Capabilities" (limits), and LLVM 22's NVPTX target (what it
generates code for).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from teenyir.diagnostics import CompileError, did_you_mean, error, note

TRIPLE = "nvptx64-nvidia-cuda"
"""LLVM's target triple."""

WARP = 32
"""Threads that run together."""

BUFFER_ALIGNMENT = 16
"""Bytes that the address of each buffer of a launch is a multiple of: the widest access's size."""

MOST_THREADS = 1024
"""Threads of a block."""

FIRST_PTX: dict[str, int] = {
    **{"75": 63, "80": 70, "86": 71, "87": 74, "88": 90, "89": 78, "90": 78, "90a": 80},
    **{"100": 86, "100a": 86, "100f": 88, "101": 86, "101a": 86, "101f": 88},
    **{"103": 88, "103a": 88, "103f": 88, "110": 90, "110a": 90, "110f": 90},
    **{"120": 87, "120a": 87, "120f": 88, "121": 88, "121a": 88, "121f": 88},
}
"""By capability the PTX version that introduced it, as an integer: 80 is 8.0."""

PTX_VERSIONS = (
    *(63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78),
    *(80, 81, 82, 83, 84, 85, 86, 87, 88, 90),
)
"""The PTX versions that LLVM 22 writes."""

USUAL_PTX: dict[int, int] = {75: 80, 80: 80, 86: 80, 87: 80, 89: 84, 90: 84}
"""By capability the PTX version where none is asked for: that of CUDA 12.0, or of CUDA 12.4 where
that brought matrix instructions. For others it is the version that introduced them."""

STATIC_SHARED = 48 * 1024
"""Bytes of shared memory that a kernel may have without asking for more when it is launched."""


@dataclass(frozen=True)
class Cuda:
    """One kind of GPU, and the PTX version to write for it."""

    capability: str
    """`80`, or with a suffix for what only this architecture has: `90a`."""
    ptx: int
    """The PTX version as an integer: 80 is 8.0."""

    @property
    def cpu(self) -> str:
        """LLVM's and ptxas's name: `sm_80`."""
        return f"sm_{self.capability}"

    @property
    def features(self) -> str:
        """LLVM's features, which say the PTX version."""
        return f"+ptx{self.ptx}"

    @property
    def number(self) -> int:
        """The capability without its suffix."""
        return int(self.capability.rstrip("af"))


def find(capability: str = "sm_80", ptx_version: int = 0) -> Cuda:
    """The GPU of a capability, spelled `sm_80`, `sm-80` or `80`; `ptx_version` 0 is the usual one.

    Raises CompileError, saying what there is, for a capability or a pair that there is not.
    """
    match = re.fullmatch(r"(?:sm[_-]?)?(\d+[af]?)", capability.strip().lower())
    name = match[1] if match else capability
    if name not in FIRST_PTX:
        known = ", ".join(f"sm_{each}" for each in FIRST_PTX)
        hint = did_you_mean(f"sm_{name}", [f"sm_{each}" for each in FIRST_PTX])
        raise CompileError(
            error(f"no compute capability '{capability}'{hint}", None, note(f"there is {known}"))
        )
    possible = [version for version in PTX_VERSIONS if version >= FIRST_PTX[name]]
    if not ptx_version:
        return Cuda(name, USUAL_PTX.get(int(name.rstrip("af")), possible[0]))
    if ptx_version not in possible:
        why = "LLVM does not write it"
        if ptx_version in PTX_VERSIONS:
            why = f"sm_{name} came with PTX {FIRST_PTX[name]}"
        listed = ", ".join(map(str, possible))
        raise CompileError(
            error(
                f"no PTX version {ptx_version} for sm_{name}: {why}",
                None,
                note(f"for sm_{name} there is ptx-version={listed}"),
            )
        )
    return Cuda(name, ptx_version)
