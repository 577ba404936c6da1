"""How `teeny-tune` shows what it is at: lines, or a bar with the best so far on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec

from teenyir.tuning.search import Found, Say, say_nothing


def say_plainly(text: str, found: Found | None) -> None:
    """A line of standard error."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def progress() -> Generator[Say]:
    """What hears of progress: a bar where standard error is a terminal and rich is there."""
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  # closed
        yield say_nothing
    elif not sys.stderr.isatty() or find_spec("rich") is None:
        yield say_plainly
    else:
        with _bars() as say:
            yield say


@contextmanager
def _bars() -> Generator[Say]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(stderr=True, highlight=False, markup=False)
    shown = (
        TextColumn("@{task.fields[kernel]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[best]}", markup=False),
        TimeElapsedColumn(),
    )
    now: list[tuple[Found, TaskID]] = []
    with Progress(*shown, console=console) as bars:

        def say(text: str, found: Found | None) -> None:
            if found is None:
                bars.console.print(text)
                return
            if not now or now[0][0] is not found:
                for before, task in now:  # a terminal has no room for the bars of many kernels
                    bars.remove_task(task)
                    bars.console.print(f"@{before.kernel}: {best_so_far(before)}")
                task = bars.add_task("", total=found.trials, kernel=found.kernel, best="")
                now[:] = [(found, task)]
            bars.update(now[0][1], completed=found.tried, best=best_so_far(found))

        yield say


def best_so_far(found: Found) -> str:
    """The best of a kernel in a few words."""
    lost = f", {len(found.lost)} lost" if found.lost else ""
    if not found.seconds:
        return f"nothing measured{lost}"
    return f"best {found.seconds * 1e6:.1f} us, {found.gain:.2f} times as fast{lost}"
