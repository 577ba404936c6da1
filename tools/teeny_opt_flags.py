"""The flags of teeny-opt: its own, mlir-opt's spellings of them, and one for each pass."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from teenyir.diagnostics import did_you_mean
from teenyir.pipeline.build import Registry
from teenyir.pipeline.instruments.timing import FORMATS
from teenyir.pipeline.plugins import load_plugin
from teenyir.pipeline.registry import FLOOR_ENDS
from teenyir.rewriting.counters import DebugCounter
from teenyir.tools.command import ArgumentParser, UsageError

REMARK_KINDS = ("passed", "missed", "analysis")

EXAMPLES = """\
examples:
  teeny-opt gelu.mlir -p canonicalize,cse
  teeny-opt gelu.mlir -p 'builtin.module(func.func(canonicalize,cse))' -o out.mlir
  teeny-opt gelu.mlir --canonicalize --cse --print-ir-diff
  teeny-opt gelu.mlir --compile-to=uop --target=cpu --timing
  teeny-opt broken.mlir --split-input-file --verify-diagnostics
"""

ALIASES = {
    "--passes": "--pass-pipeline",
    "--mlir-pass-pipeline-crash-reproducer": "--crash-reproducer",
    "--mlir-elide-elementsattrs-if-larger": "--elide-constants-larger-than",
    "--load-pass-plugin": "--load-plugin",
    "--load-dialect-plugin": "--load-plugin",
    "--mlir-timing": "--timing",
    "--mlir-pass-statistics": "--pass-statistics",
    "--mlir-print-debuginfo": "--print-debuginfo",
    "--mlir-print-op-generic": "--print-op-generic",
    "--mlir-print-ir-before": "--print-ir-before",
    "--mlir-print-ir-after": "--print-ir-after",
    "--mlir-print-ir-before-all": "--print-ir-before-all",
    "--mlir-print-ir-after-all": "--print-ir-after-all",
    "--mlir-print-ir-after-change": "--print-ir-after-change",
    "--mlir-print-ir-after-failure": "--print-ir-after-failure",
    "--mlir-print-ir-tree-dir": "--print-ir-tree-dir",
}
"""mlir-opt's and xdsl-opt's spellings of our flags."""


@dataclass
class Arguments(argparse.Namespace):
    """The parsed command line."""

    file: str = "-"
    output: str | None = None
    pass_pipeline: str | None = None
    compile_to: str | None = None
    target: str | None = None
    split_input_file: bool = False
    verify_diagnostics: bool = False
    verify_each: bool = True
    verify_roundtrip: bool = False
    check_each: bool = False
    print_ir_before: list[str] = field(default_factory=list[str])
    print_ir_after: list[str] = field(default_factory=list[str])
    print_ir_before_all: bool = False
    print_ir_after_all: bool = False
    print_ir_after_change: bool = False
    print_ir_after_failure: bool = False
    print_ir_diff: bool = False
    print_ir_filter: str | None = None
    print_ir_tree_dir: str | None = None
    timing: bool = False
    timing_format: str | None = None
    pass_statistics: bool = False
    remarks: str | None = None
    remarks_filter: re.Pattern[str] | None = None
    why_not: tuple[str, str] | None = None
    trace_rewrites: str | None = None
    bisect_limit: int | None = None
    bisect: str | None = None
    debug_counter: dict[str, DebugCounter] = field(default_factory=dict[str, DebugCounter])
    crash_reproducer: str | None = None
    run_reproducer: bool = False
    disable_pass: list[str] = field(default_factory=list[str])
    load_plugin: list[str] = field(default_factory=list[str])
    allow_unregistered_dialect: bool = False
    print_debuginfo: bool = False
    print_op_generic: bool = False
    print_kernel_nest: bool = False
    elide_constants_larger_than: int | None = None
    list_passes: bool = False
    show_dialects: bool = False
    dump_pass_pipeline: bool = False
    version: bool = False


def parse_arguments(argv: Sequence[str], registry: Registry) -> Arguments:
    """The command line as `Arguments`. Raises `UsageError` for a wrong one."""
    parser = make_parser()
    flags = {flag for action in parser._actions for flag in action.option_strings}  # pyright: ignore[reportPrivateUsage]
    rest, passes = _take_pass_flags([_canonical(a) for a in argv], flags, registry)
    arguments = Arguments()
    parser.parse_all(rest, arguments, [f"--{name}" for name in registry.names()])
    if passes:
        if arguments.pass_pipeline is not None:
            raise UsageError("give passes with -p or as flags, not both")
        arguments.pass_pipeline = ",".join(passes)
    _check(arguments, registry)
    return arguments


def load_plugins(argv: Sequence[str], registry: Registry) -> None:
    """Load the plug-ins that a command line names: the passes in them may be flags of it."""
    canonical = [_canonical(argument) for argument in argv]
    for index, argument in enumerate(canonical):
        flag, equals, value = argument.partition("=")
        if flag != "--load-plugin":
            continue
        names = value if equals else "".join(canonical[index + 1 : index + 2])
        for name in names.split(","):
            load_plugin(name, registry)


def _check(arguments: Arguments, registry: Registry) -> None:
    """What argparse does not check by itself."""
    chosen = [
        flag
        for flag, given in (
            ("--pass-pipeline", arguments.pass_pipeline is not None),
            ("--compile-to/--target", bool(arguments.compile_to or arguments.target)),
            ("--run-reproducer", arguments.run_reproducer),
        )
        if given
    ]
    if len(chosen) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
    for flag in ("print_ir_before", "print_ir_after", "disable_pass"):
        for name in getattr(arguments, flag):
            if name not in registry.passes:
                hint = did_you_mean(name, registry.passes)
                raise UsageError(f"--{flag.replace('_', '-')}: unknown pass '{name}'{hint}")
    if arguments.remarks_filter is not None and arguments.remarks is None:
        raise UsageError("--remarks-filter chooses among remarks: give --remarks too")
    if arguments.target == "":
        raise UsageError("--target: the name of the target is empty")
    for kind in arguments.remarks.split(",") if arguments.remarks is not None else ():
        if kind not in REMARK_KINDS:
            hint = did_you_mean(kind, REMARK_KINDS)
            raise UsageError(f"--remarks: unknown kind '{kind}'{hint}")


def _canonical(argument: str) -> str:
    flag, equals, value = argument.partition("=")
    return f"{ALIASES.get(flag, flag)}{equals}{value}" if flag in ALIASES else argument


def _take_pass_flags(
    argv: list[str], flags: set[str], registry: Registry
) -> tuple[list[str], list[str]]:
    """The arguments that are no passes, and the passes; `--tile=size=4` is `tile{size=4}`."""
    rest: list[str] = []
    passes: list[str] = []
    known = set(registry.names())
    for argument in argv:
        flag, equals, options = argument.partition("=")
        name = flag.removeprefix("--")
        if flag.startswith("--") and flag not in flags and name in known:
            passes.append(f"{name}{{{options}}}" if equals else name)
        else:
            rest.append(argument)
    return rest, passes


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "1"):
        return True
    if text.lower() in ("false", "0"):
        return False
    raise argparse.ArgumentTypeError(f"expected true or false, not '{text}'")


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as e:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {e}") from None


def _pair(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(re.fullmatch(r"%[\w$.-]+", name) for name in names):
        raise argparse.ArgumentTypeError(f"'{text}' is no pair of values: %a,%b")
    return names[0], names[1]


def _size(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected a number, 0 or more, not '{text}'")
    return value


class _Names(argparse.Action):
    """Collects names from several uses of a flag and from lists with commas."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        getattr(namespace, self.dest).extend(str(values).split(","))


class _Counters(argparse.Action):
    """Collects debug counters by the name of their row, which may hold spaces and colons."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        row, _, limits = str(values).rpartition(":")
        if not row:
            raise UsageError("--debug-counter: expected ROW:skip=N,count=M")
        counter = namespace.debug_counter.setdefault(row, DebugCounter())
        seen: set[str] = set()
        for limit in limits.split(","):
            key, _, number = limit.partition("=")
            if key in seen:
                raise UsageError(f"--debug-counter: '{key}' is given twice in '{limits}'")
            seen.add(key)
            if key not in ("skip", "count") or not number.isdecimal():
                raise UsageError(f"--debug-counter: expected skip=N or count=M, not '{limit}'")
            setattr(counter, key, int(number))


def make_parser() -> ArgumentParser:
    """The parser of teeny-opt's own flags."""
    parser = ArgumentParser(
        prog="teeny-opt",
        description="Run a pipeline over IR and print the IR.",
        epilog=EXAMPLES,
        argument_default=argparse.SUPPRESS,
    )
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="IR in MLIR's syntax; - is standard input")
    add("-o", dest="output", metavar="FILE", help="write the IR here, whole or not at all")
    _add_pipeline_flags(parser)
    _add_check_flags(parser)
    _add_dump_flags(parser)
    _add_report_flags(parser)
    _add_form_flags(parser)
    return parser


def _add_pipeline_flags(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("what to run (or name passes as flags: --canonicalize)")
    group.add_argument(
        "-p", "--pass-pipeline", metavar="PIPELINE", help="a,b{x=1},kernel.func(c), or @FILE"
    )
    group.add_argument("--compile-to", choices=list(FLOOR_ENDS), help="go down to this floor")
    group.add_argument("--target", metavar="T", help="what to compile for; default cpu")
    group.add_argument(
        "--disable-pass", action=_Names, metavar="NAME", help="leave a pass out of the pipeline"
    )
    group.add_argument(
        "--bisect",
        metavar="CMD",
        help="find the pass and the rewrite that make CMD fail, which gets a file of IR; "
        "with --check-each for CMD, those that change the meaning",
    )
    group.add_argument(
        "--bisect-limit", type=_size, metavar="N", help="apply no rewrite row after the Nth"
    )
    group.add_argument(
        "--debug-counter",
        action=_Counters,
        metavar="ROW:skip=N,count=M",
        help="leave out the first N applications of a rewrite row, and those after M more",
    )
    group.add_argument(
        "--load-plugin",
        action=_Names,
        metavar="FILE.py|MODULE",
        help="load passes, dialects and named pipelines",
    )
    group.add_argument(
        "--run-reproducer", action="store_true", help="run the pipeline that FILE's head names"
    )


def _add_check_flags(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("checks")
    group.add_argument(
        "--verify-each", type=_boolean, nargs="?", const=True, metavar="BOOL", help="default true"
    )
    group.add_argument(
        "--verify-roundtrip", action="store_true", help="print, parse and compare after each pass"
    )
    group.add_argument(
        "--check-each",
        action="store_true",
        help="run the program on random inputs before and after each pass; 3 if one changes it",
    )
    group.add_argument(
        "--split-input-file", action="store_true", help="parts between '// -----' are files"
    )
    group.add_argument(
        "--verify-diagnostics", action="store_true", help="check expected-error {{...}} comments"
    )
    group.add_argument(
        "--crash-reproducer", metavar="FILE", help="what to leave where a pass fails"
    )


def _add_dump_flags(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("dumps, to standard error")
    group.add_argument("--print-ir-before", action=_Names, metavar="PASS")
    group.add_argument("--print-ir-after", action=_Names, metavar="PASS")
    for flag, text in (
        ("--print-ir-before-all", "the IR before each pass"),
        ("--print-ir-after-all", "the IR after each pass"),
        ("--print-ir-after-change", "the IR after each pass that changed it"),
        ("--print-ir-after-failure", "the IR that a failing pass left"),
        ("--print-ir-diff", "what each pass changed, as a unified diff"),
    ):
        group.add_argument(flag, action="store_true", help=text)
    group.add_argument("--print-ir-filter", metavar="@NAME", help="only what defines this symbol")
    group.add_argument("--print-ir-tree-dir", metavar="DIR", help="numbered files instead")


def _add_report_flags(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("reports, to standard error")
    group.add_argument("--timing", action="store_true", help="where the time went")
    group.add_argument("--timing-format", choices=FORMATS, help="implies --timing")
    group.add_argument("--pass-statistics", action="store_true", help="the counters of the passes")
    group.add_argument(
        "--remarks", nargs="?", const=",".join(REMARK_KINDS), metavar="KINDS",
        help="what was and was not done, and why: passed,missed,analysis",
    )  # fmt: skip
    group.add_argument(
        "--why-not", type=_pair, metavar="%A,%B", help="why two values do not share a kernel"
    )
    group.add_argument(
        "--trace-rewrites", nargs="?", const="", metavar="FILE",
        help="each rewrite: its row, the operation before and after",
    )  # fmt: skip
    group.add_argument(
        "--remarks-filter", type=_regex, metavar="REGEX", help="only remarks that match"
    )
    group.add_argument("--list-passes", action="store_true", help="passes and named pipelines")
    group.add_argument("--show-dialects", action="store_true", help="the dialects")
    group.add_argument(
        "--dump-pass-pipeline", action="store_true", help="the pipeline as text that recreates it"
    )
    group.add_argument("--version", action="store_true")


def _add_form_flags(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("how IR is read and printed")
    group.add_argument("--allow-unregistered-dialect", action="store_true")
    group.add_argument("--print-debuginfo", action="store_true", help="with locations")
    group.add_argument("--print-op-generic", action="store_true", help="in the generic form")
    group.add_argument(
        "--print-kernel-nest",
        action="store_true",
        help="with the loops of each kernel, as comments",
    )
    group.add_argument("--elide-constants-larger-than", type=_size, metavar="N")
