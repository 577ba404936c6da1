"""Where the time goes: a row for each pass, the verifier, parsing and printing.

Times are of the wall clock, in seconds. The Chrome format is that of `chrome://tracing` and
Perfetto ("Trace Event Format", complete events, in microseconds).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from teenyir.pipeline.instruments.base import Instrument, PassRun

FORMATS = ("text", "json", "chrome")


@dataclass
class Row:
    """Time spent under one name, and under the names inside it."""

    name: str
    seconds: float = 0.0
    calls: int = 0
    rows: dict[str, Row] = field(default_factory=dict[str, "Row"])

    def row(self, name: str) -> Row:
        """The row inside this one with a name; made if it is not there."""
        return self.rows.setdefault(name, Row(name))


@dataclass
class Event:
    """One stretch of time, for the Chrome trace."""

    name: str
    start: float
    seconds: float


class Timing(Instrument):
    """Times each pass, the instruments that have a phase, and whatever runs inside `scope`.

    It wraps what the pass manager calls instead of being called by it, and is handed to that by
    itself.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._start = clock()
        self._stack = [Row("total")]
        self._pass_start = 0.0
        self.events: list[Event] = []

    @property
    def total(self) -> Row:
        """The outermost row, with what was timed so far."""
        self._stack[0].seconds = self._clock() - self._start
        return self._stack[0]

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Count the time of a `with` block under a name, inside the scope around it."""
        row = self._stack[-1].row(name)
        self._stack.append(row)
        start = self._clock()
        try:
            yield
        finally:
            self._stack.pop()
            self._add(row, start)

    def timed(self, name: str, hook: Callable[[PassRun], None]) -> Callable[[PassRun], None]:
        """The hook of another instrument, with its time counted under a name."""

        def run(run: PassRun) -> None:
            with self.scope(name):
                hook(run)

        return run

    def timed_pass(self, run_pass: Callable[[PassRun], None]) -> Callable[[PassRun], None]:
        """What runs a pass, with its time counted by the kind of operation and then the pass."""

        def timed(run: PassRun) -> None:
            if run.op.parent is None:
                with self.scope(run.name):
                    run_pass(run)
            else:
                with self.scope(f"'{run.op.name}' pipeline"), self.scope(run.name):
                    run_pass(run)

        return timed

    def _add(self, row: Row, start: float) -> None:
        seconds = self._clock() - start
        row.seconds += seconds
        row.calls += 1
        self.events.append(Event(row.name, start - self._start, seconds))

    def report(self, format: str = "text") -> str:
        """The times so far as `text`, `json` or `chrome`, with a final newline."""
        return {"text": self._text, "json": self._json, "chrome": self._chrome}[format]()

    def _text(self) -> str:
        total = self.total
        rule = f"===-{'-' * 73}-==="
        lines = [rule, f"{'... Execution time report ...':^81}".rstrip(), rule]
        lines += [f"  Total Execution Time: {total.seconds:.4f} seconds", ""]
        lines += ["  ----Wall Time----  ----Name----"]
        for depth, row in _flat(total):
            share = 100 * row.seconds / total.seconds if total.seconds else 0.0
            calls = f" ({row.calls} runs)" if row.calls > 1 else ""
            lines.append(f"  {row.seconds:8.4f} ({share:5.1f}%)  {'  ' * depth}{row.name}{calls}")
        lines.append(f"  {total.seconds:8.4f} (100.0%)  Total")
        return "\n".join(lines) + "\n"

    def _json(self) -> str:
        import json

        return json.dumps(_as_json(self.total), indent=2) + "\n"

    def _chrome(self) -> str:
        import json

        events = [
            {
                "name": event.name,
                "ph": "X",
                "ts": round(event.start * 1e6, 3),
                "dur": round(event.seconds * 1e6, 3),
                "pid": 1,
                "tid": 1,
            }
            for event in sorted(self.events, key=lambda e: e.start)
        ]
        return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, indent=1) + "\n"


def _flat(row: Row, depth: int = 0) -> Iterator[tuple[int, Row]]:
    for inner in row.rows.values():
        yield depth, inner
        yield from _flat(inner, depth + 1)


def _as_json(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "wall": row.seconds,
        "runs": row.calls,
        "rows": [_as_json(inner) for inner in row.rows.values()],
    }
