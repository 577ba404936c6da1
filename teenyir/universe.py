"""teenyir for `xdsl-opt`: our dialects and passes, by the `xdsl.universe` entry point.

Under `xdsl-opt` a pass of ours gets an empty session: no remarks, no statistics, no target. A
name that xDSL has as well is left to xDSL, since `xdsl-opt` refuses two of one name: its `llvm`
lacks our operations there, and its `canonicalize` is not ours. `teeny-opt` has ours for both.
"""

from __future__ import annotations

from xdsl.dialects import get_all_dialects
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe

from teenyir.pipeline.registry import DIALECTS, PASSES, dialect_thunks, pass_thunks

TEENYIR_UNIVERSE = Universe(
    all_dialects={
        name: thunk
        for name, thunk in dialect_thunks().items()
        if name in DIALECTS and name not in get_all_dialects()
    },
    all_passes={
        name: thunk
        for name, thunk in pass_thunks().items()
        if name in PASSES and name not in get_all_passes()
    },
)
