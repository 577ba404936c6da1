"""The schedules that were found by measuring, in a folder: a file of JSON for each kernel.

A file is named after what its schedule is for: the kernel, whatever its values and it itself are
called, and the machine. It is written whole or not at all, so that any number of processes may
read at once; those that write take turns, and the better schedule stays.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.printer import Printer

from teenyir.dialects import kernel
from teenyir.files import cache_folder, put_in_cache
from teenyir.passes.cse import EliminateCommonSubexpressions
from teenyir.rewriting.base import Session
from teenyir.targets import cpu

FORMAT = 1
"""What a file has to say of itself."""

VARIABLE = "TEENYIR_TUNED"
"""Names the folder where a pipeline does not."""

NONE = "none"
"""The name of no folder at all."""

TURN = 30.0
"""Seconds to wait for others that write: they take milliseconds each."""


class Damaged(Exception):
    """A file that holds no schedule; the message says why."""


@dataclass(frozen=True)
class Tuned:
    """The best schedule that was found for a kernel."""

    kernel: str
    """The name of the kernel that it was found for."""
    machine: str
    """The machine that it was measured on."""
    schedule: str
    """The primitives; empty where what is chosen without measuring is best."""
    ranges: tuple[str, ...]
    """The names of the kernel's ranges, in order, that the schedule speaks of."""
    buffers: tuple[str, ...]
    """The names of its buffers, in order."""
    seconds: float
    """What a run takes."""
    untuned: float
    """What a run takes with what is chosen without measuring, in seconds."""

    @property
    def gain(self) -> float:
        """How many times as fast it is as what is chosen without measuring."""
        return self.untuned / self.seconds if self.schedule and self.seconds > 0 else 1.0


@dataclass(frozen=True)
class Database:
    """A folder of schedules."""

    folder: Path

    def path(self, key: str) -> Path:
        """Where the schedule of a key is or would be."""
        return self.folder / f"{key}.json"

    def get(self, key: str) -> Tuned | None:
        """What is stored under a key, or None. Raises Damaged where that cannot be read."""
        path = self.path(key)
        try:
            found: Any = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise Damaged(f"{path.name} cannot be read: {problem.strerror}") from None
        except (ValueError, RecursionError):
            raise Damaged(f"{path.name} is damaged: it is not JSON") from None
        if not isinstance(found, dict) or cast(dict[str, Any], found).pop("format", 0) != FORMAT:
            raise Damaged(f"{path.name} is damaged: it is not of format {FORMAT}")
        return _tuned(path.name, cast(dict[str, Any], found))

    def put(self, key: str, tuned: Tuned) -> None:
        """Store a schedule. Raises OSError where the folder cannot be written."""
        text = json.dumps({"format": FORMAT, **asdict(tuned)}, indent=1)
        put_in_cache(self.path(key), text.encode() + b"\n")

    def offer(self, key: str, tuned: Tuned, seen: Tuned | None) -> Tuned:
        """Store a schedule, unless somebody else has stored a better one since `seen` was there.

        The one that is stored then. Raises OSError where the folder cannot be written.
        """
        with self.turn():
            now = self.readable(key)
            if now is not None and now != seen and now.gain > tuned.gain:
                return now
            self.put(key, tuned)
            return tuned

    def readable(self, key: str) -> Tuned | None:
        """What is stored under a key, or None where nothing is that can be read."""
        try:
            return self.get(key)
        except Damaged:
            return None

    @contextmanager
    def turn(self) -> Generator[None]:
        """Be the only process that writes. Raises OSError where the folder cannot be written."""
        from filelock import FileLock  # only those who write need it

        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self.folder / ".lock", timeout=TURN):
            yield


def _tuned(name: str, found: dict[str, Any]) -> Tuned:
    lists = [found.get(key) for key in ("ranges", "buffers")]
    if (
        all(isinstance(found.get(key), str) for key in ("kernel", "machine", "schedule"))
        and all(isinstance(found.get(key), int | float) for key in ("seconds", "untuned"))
        and all(isinstance(each, list) for each in lists)
        and all(isinstance(each, str) for names in lists for each in cast(list[Any], names))
    ):
        ranges, buffers = (tuple(cast(list[str], names)) for names in lists)
        texts: tuple[str, str, str] = (found["kernel"], found["machine"], found["schedule"])
        return Tuned(*texts, ranges, buffers, found["seconds"], found["untuned"])
    raise Damaged(f"{name} is damaged: what it should say is missing")


def find_database(named: str = "") -> Database | None:
    """The folder that is named, by `$TEENYIR_TUNED` or else the user's own if there is one.

    None for the name `none`, and where there is none.
    """
    chosen = named or os.environ.get(VARIABLE, "")
    if chosen:
        return None if chosen == NONE else Database(Path(chosen))
    folder = usual_folder()
    return Database(folder) if folder.is_dir() else None


def usual_folder() -> Path:
    """The user's own database, whether it is there or not."""
    return cache_folder() / "tuned"


def machine(threads: int = 0) -> str:
    """What a measured time depends on but for the kernel; `threads` 0 are those of this process."""
    from importlib.metadata import PackageNotFoundError, version  # costs 15 ms

    try:
        own = version("teenyir")
    except PackageNotFoundError:
        own = "unknown"
    facts = cpu.host()
    caches = f"{facts.l1}/{facts.l2}/{facts.l3}"
    vectors = f"{facts.vector_registers}x{facts.vector_bits}"
    features = hashlib.sha256(facts.features.encode()).hexdigest()[:8]
    return (
        f"teenyir {own}, {facts.triple}, {facts.cpu} {features}, {vectors}, caches {caches}, "
        f"{cpu.usable_threads(threads)} threads"
    )


def key_of(func: kernel.FuncOp, machine: str) -> str:
    """The name of what a schedule is for: equal for kernels that are the same but for names, and
    for what is computed twice."""
    alone = func.clone()
    EliminateCommonSubexpressions().run(alone, Session())
    alone.properties["sym_name"] = StringAttr("kernel")
    values = [*alone.body.block.args, *(v for op in alone.walk() for v in op.results)]
    for value in values:
        value.name_hint = None
    stream = StringIO()
    Printer(stream).print_op(alone)
    text = f"{machine}\n{stream.getvalue()}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def names_of(func: kernel.FuncOp) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of a kernel's ranges and of its buffers, each in order; empty for those without."""
    ranges = [op for op in func.body.block.ops if isinstance(op, kernel.RangeOp)]
    return (
        tuple(op.result.name_hint or "" for op in ranges),
        tuple(argument.name_hint or "" for _, argument in func.buffers),
    )


def rename(func: kernel.FuncOp, ranges: tuple[str, ...], buffers: tuple[str, ...]) -> None:
    """Give the ranges and the buffers of a kernel names. Raises ValueError where some are none."""
    own = [op.result for op in func.body.block.ops if isinstance(op, kernel.RangeOp)]
    arguments = [argument for _, argument in func.buffers]
    for value, name in (
        *zip(own, ranges, strict=True),
        *zip(arguments, buffers, strict=True),
    ):
        value.name_hint = name or None
