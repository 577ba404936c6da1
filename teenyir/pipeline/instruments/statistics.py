"""What passes say while they run: counters, remarks, rewrites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from teenyir.analysis.places import place_of_op
from teenyir.diagnostics import Diagnostic
from teenyir.pipeline.instruments.base import Instrument
from teenyir.rewriting.base import Remark, Rewrite, Session

_Said = TypeVar("_Said")


class Statistics(Instrument):
    """Collects the counters of the passes, those of rewrite rows in full: tries and time too."""

    def __init__(self) -> None:
        self._counters: list[Counter[tuple[str, str]]] = []

    def prepare(self, session: Session) -> None:
        session.profile_rows = True
        self._counters.append(session.statistics)

    @property
    def counters(self) -> Counter[tuple[str, str]]:
        """The counters so far, by the name of the pass and of the counter."""
        return sum(self._counters, Counter[tuple[str, str]]())

    def report(self) -> str:
        """The counters as a table."""
        return statistics_report(self.counters)


def remark_report(remark: Remark) -> Diagnostic:
    """A remark as it is shown, at its place while the op is there."""
    text = f"{remark.message} [{remark.pass_name}, {remark.kind}]"
    return Diagnostic("remark", text, place_of_op(remark.op))


class Remarks(Instrument):
    """Collects the remarks of the passes in `found`."""

    def __init__(self) -> None:
        self.found: list[Remark] = []

    def prepare(self, session: Session) -> None:
        session.on_remark = _both(session.on_remark, self.found.append)


class Rewrites(Instrument):
    """Collects the applications of rewrite rows in `found`."""

    def __init__(self) -> None:
        self.found: list[Rewrite] = []

    def prepare(self, session: Session) -> None:
        session.on_rewrite = _both(session.on_rewrite, self.found.append)


def _both(
    first: Callable[[_Said], None] | None, second: Callable[[_Said], None]
) -> Callable[[_Said], None]:
    if first is None:
        return second

    def hear(said: _Said) -> None:
        first(said)
        second(said)

    return hear


def statistics_report(statistics: Counter[tuple[str, str]]) -> str:
    """The counters by pass and name, sorted by pass, with a final newline."""
    rule = f"===-{'-' * 73}-==="
    lines = [rule, f"{'... Pass statistics report ...':^81}".rstrip(), rule]
    passes = sorted({name for name, _ in statistics})
    for pass_name in passes:
        lines.append(pass_name)
        counters = sorted((c, n) for (name, c), n in statistics.items() if name == pass_name)
        lines += [f"  {number:8} {counter}" for counter, number in counters]
    return "\n".join(lines) + "\n"
