"""Whether passes hand locations on: operations that they made and that come from nowhere."""

from __future__ import annotations

from xdsl.ir import Operation

from teenyir.pipeline.instruments.base import Instrument, PassRun
from teenyir.rewriting.locations import is_known


class CountLostLocations(Instrument):
    """Counts, for each pass, the operations without a location that it left and was not given."""

    def __init__(self) -> None:
        self._before: set[Operation] = set()

    def before_pass(self, run: PassRun) -> None:
        self._before = _unlocated(run.op)

    def after_pass(self, run: PassRun) -> None:
        run.session.count("locations lost", len(_unlocated(run.op) - self._before))


def _unlocated(root: Operation) -> set[Operation]:
    return {op for op in root.walk() if not is_known(op.location)}
