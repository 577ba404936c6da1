"""teeny-tune: search schedules for the kernels of a program, and remember the best."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from teenyir.diagnostics import CompileError
from teenyir.passes.kernel.choose.tuned import NONE, Database, find_database, usual_folder
from teenyir.pipeline.instruments.reproducer import package_version
from teenyir.tools.command import (
    DIAGNOSED,
    OK,
    ArgumentParser,
    UsageError,
    command_line,
    report,
    run_command,
    write_output,
)
from teenyir.tools.programs import read_program
from teenyir.tools.run_inputs import parse_dims
from teenyir.tools.tune_progress import progress
from teenyir.tuning.search import Found, Plan, Search

EXAMPLES = """\
examples:
  teeny-tune model.mlir --target=cpu{threads=1}
  teeny-tune model.py:model --dim N=512 --trials 64 --budget 300
  teeny-tune model.onnx --seed 3 --database tuned/ --stats=json
  TEENYIR_TUNED=tuned/ teeny-run model.onnx --repeat 20
"""

DAY = 24 * 60 * 60
"""Seconds that nobody waits longer than for a trial; clocks are no good for any number of them."""


@dataclass
class Arguments(argparse.Namespace):
    """The parsed command line."""

    file: str = "-"
    target: str = "cpu"
    dim: list[str] = field(default_factory=list[str])
    trials: int = Plan.trials
    budget: float | None = None
    limit: float = Plan.limit
    seed: int = Plan.seed
    database: str | None = None
    stats: str | None = None


def make_parser() -> ArgumentParser:
    """The parser of the command line."""
    parser = ArgumentParser(prog="teeny-tune", description=__doc__, epilog=EXAMPLES)
    add = parser.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="IR, module.py:callable, .onnx")
    add("--target", metavar="T", help="a target that replays schedules; default cpu")
    add("--dim", action="append", metavar="N=32", help="what a named extent is measured with")
    add("--trials", type=int, metavar="K", help="schedules to measure a kernel; default 32")
    add("--budget", type=float, metavar="SECONDS", help="how long the search may take")
    add("--limit", type=float, metavar="SECONDS", help="how long a trial may take; default 60")
    add("--seed", type=int, metavar="K", help="what is tried first among equals; default 0")
    add("--database", metavar="DIR", help="where to remember; default the user's cache folder")
    add("--stats", choices=["json"], help="print what was found as one JSON object")
    add("--version", action="version", version=f"teenyir {package_version('teenyir')}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run teeny-tune with the given arguments (default: the process's); returns the exit code."""
    return run_command("teeny-tune", lambda: _main(command_line(argv)))


def _main(argv: list[str]) -> int:
    arguments = Arguments()
    make_parser().parse_all(argv, arguments)
    if arguments.trials < 1:
        raise UsageError(f"--trials takes 1 or more, not {arguments.trials}")
    if arguments.seed < 0:
        raise UsageError(f"--seed takes 0 or more, not {arguments.seed}")
    if arguments.budget is not None and not arguments.budget > 0:
        raise UsageError(f"--budget takes seconds, more than 0, not {arguments.budget:g}")
    if not 0 < arguments.limit <= DAY:
        raise UsageError(f"--limit takes seconds, up to {DAY} (a day), not {arguments.limit:g}")
    database = _database(arguments.database)
    sources: dict[str, str] = {}
    try:
        return _tune(arguments, database, sources)
    except CompileError as e:
        report(e.diagnostics, sources)
        return DIAGNOSED


def _tune(arguments: Arguments, database: Database, sources: dict[str, str]) -> int:
    source = read_program(arguments.file, sources)
    plan = Plan(arguments.trials, arguments.budget, arguments.limit, arguments.seed)
    dims = parse_dims(arguments.dim)
    found: list[Found] = []
    try:
        with progress() as say:
            search = Search(source.module, arguments.target, database, plan, dims=dims, say=say)
            found = search.found
            search.run()
    finally:  # on Ctrl-C too: what was found until then is kept
        _write(found, arguments.stats)
    return OK


def _database(named: str | None) -> Database:
    """Where to remember. Raises UsageError for the name of no folder."""
    if named in ("", NONE):
        raise UsageError(f"--database takes a folder, not '{named}'")
    return find_database(named or "") or Database(usual_folder())


def _write(found: Sequence[Found], stats: str | None) -> None:
    if stats:
        kernels = [asdict(each) for each in found]
        write_output(None, json.dumps({"kernels": kernels}, indent=2) + "\n")
        return
    for each in found:
        write_output(None, _line(each))


def _line(found: Found) -> str:
    if not found.seconds:
        why = f": {found.lost[-1]}" if found.lost else ""
        return f"@{found.kernel}: nothing could be measured{why}\n"
    times = f"{found.untuned * 1e6:.1f} us untuned"
    if not found.schedule:
        return f"@{found.kernel}: {times}, and no schedule is faster\n"
    gain = found.untuned / found.seconds
    return (
        f"@{found.kernel}: {times}, {found.seconds * 1e6:.1f} us tuned, {gain:.2f} times as fast\n"
        f"  {found.schedule}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
