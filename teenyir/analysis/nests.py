"""The loop tree of a kernel, worked out once for the passes that leave it as it is."""

from __future__ import annotations

from teenyir.analysis.manager import Analysis
from teenyir.dialects import kernel

NEST = Analysis("nest", kernel.Nest)
"""The `kernel.Nest` of a `kernel.func`."""
