"""teeny-opt: run a pipeline over IR and print the IR."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from xdsl.context import Context
from xdsl.ir import Operation

from teenyir.diagnostics import (
    CompileError,
    Diagnostic,
    DifferenceError,
    did_you_mean,
    warning,
)
from teenyir.pipeline.build import Nested, Registry, build_pipeline, build_target_pipeline
from teenyir.pipeline.context import make_context
from teenyir.pipeline.installed import add_installed
from teenyir.pipeline.instruments.base import Instrument, PassRun, symbol_of
from teenyir.pipeline.instruments.check import CheckEach
from teenyir.pipeline.instruments.locations import CountLostLocations
from teenyir.pipeline.instruments.printing import (
    ALL,
    PrintAfterChange,
    PrintAfterFailure,
    PrintDiff,
    PrintIR,
    PrintTree,
    to_stderr,
)
from teenyir.pipeline.instruments.reproducer import Reproducer, package_version, reproducer_pipeline
from teenyir.pipeline.instruments.statistics import remark_report, statistics_report
from teenyir.pipeline.instruments.timing import Timing
from teenyir.pipeline.instruments.verify import VerifyEach, VerifyRoundtrip
from teenyir.pipeline.ir import parse_module, print_module, verify_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Remark, Rewrite, Session
from teenyir.rewriting.locations import place_of_op
from teenyir.tools.bisect import Bisection, rewrite_text
from teenyir.tools.command import (
    DIAGNOSED,
    DIFFERS,
    OK,
    command_line,
    read_input,
    report,
    run_command,
    write_output,
)
from teenyir.tools.teeny_opt_flags import Arguments, load_plugins, parse_arguments

DEFAULT_TARGET = "cpu"
_SPLIT = re.compile(r"^// -----[ \t]*$\n?", re.MULTILINE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run teeny-opt with the given arguments (default: the process's); returns the exit code."""
    return run_command("teeny-opt", lambda: _main(command_line(argv)))


def _main(argv: list[str]) -> int:
    registry = Registry()
    add_installed(registry)
    load_plugins(argv, registry)
    arguments = parse_arguments(argv, registry)
    if (text := _listing(arguments, registry)) is not None:
        write_output(arguments.output, text)
        return OK
    return _Driver(arguments, registry, argv).run()


def _listing(arguments: Arguments, registry: Registry) -> str | None:
    """What the flags that ask for information alone print."""
    if arguments.version:
        return f"teeny-opt {package_version('teenyir')} (xdsl {package_version('xdsl')})\n"
    if arguments.show_dialects:
        return "".join(f"{name}\n" for name in sorted(registry.dialects))
    if arguments.list_passes:
        from teenyir.tools.list_passes import list_passes

        return list_passes(registry)
    return None


@dataclass
class _Driver:
    arguments: Arguments
    registry: Registry
    argv: list[str]
    sources: dict[str, str] = field(default_factory=dict[str, str])
    collected: list[Diagnostic] | None = None
    """The diagnostics of the current part, where they are checked and not shown."""
    failed: bool = False
    differs: bool = False
    """Whether `--check-each` found a pass that changed what a program means."""
    trace: list[str] = field(default_factory=list[str])
    """The entries of `--trace-rewrites` so far."""

    def run(self) -> int:
        self.timing = self._timing()
        text, name = read_input(self.arguments.file)
        self.sources[name] = text
        self.pipeline = self._pipeline(text)
        if self.arguments.dump_pass_pipeline:
            sys.stderr.write(f"{self.pipeline}\n")
        if self.arguments.bisect is not None:
            judge = self.arguments.bisect
            bisection = Bisection(text, name, self.pipeline, self._context, judge)
            write_output(self.arguments.output, bisection.report())
            return OK
        results = [r for part in self._parts(text) if (r := self._part(part, name)) is not None]
        self._write_trace()
        if self.timing is not None:
            sys.stderr.write(self.timing.report(self.arguments.timing_format or "text"))
        if not self.failed or (results and self.arguments.output is None):
            write_output(self.arguments.output, "// -----\n".join(results))
        return DIFFERS if self.differs else DIAGNOSED if self.failed else OK

    def _timing(self) -> Timing | None:
        wanted = self.arguments.timing or self.arguments.timing_format is not None
        return Timing() if wanted else None

    def _scope(self, name: str) -> AbstractContextManager[None]:
        return self.timing.scope(name) if self.timing is not None else nullcontext()

    def _pipeline(self, text: str) -> Nested:
        arguments = self.arguments
        if arguments.run_reproducer:
            return build_pipeline(reproducer_pipeline(text), self.registry)
        if arguments.compile_to or arguments.target:
            target = arguments.target or DEFAULT_TARGET
            return build_target_pipeline(target, arguments.compile_to, self.registry)
        given = arguments.pass_pipeline or ""
        if given.startswith("@"):
            return build_pipeline(*self._pipeline_file(given[1:]))
        return build_pipeline(given, self.registry)

    def _pipeline_file(self, path: str) -> tuple[str, Registry, str]:
        """What `build_pipeline` takes for a pipeline in a file."""
        text, name = read_input(path)
        self.sources[name] = text
        return text, self.registry, name

    def _parts(self, text: str) -> Iterator[str]:
        """The parts of the input, each after as many empty lines as stand before it in the file."""
        if not self.arguments.split_input_file:
            yield text
            return
        start = 0
        for match in _SPLIT.finditer(text):
            yield _with_line_numbers(text, start, match.start())
            start = match.end()
        yield _with_line_numbers(text, start, len(text))

    def _part(self, text: str, name: str) -> str | None:
        """Compile one part; its IR as text, or None if that failed."""
        self.collected = [] if self.arguments.verify_diagnostics else None
        result = None
        try:
            result = self._compile(text, name)
        except CompileError as e:
            for diagnostic in e.diagnostics:
                self.say(diagnostic)
            self.failed = self.failed or self.collected is None
            self.differs = self.differs or isinstance(e, DifferenceError)
        if self.collected is not None:
            from teenyir.pipeline.expected import check_expected

            wrong = check_expected(text, name, self.collected)
            report(wrong, self.sources)
            self.failed = self.failed or bool(wrong)
        return result

    def _compile(self, text: str, name: str) -> str:
        arguments = self.arguments
        context = self._context()
        with self._scope("parser"):
            module = parse_module(text, name, context)
        with self._scope("verifier"):
            verify_module(module)
        self._warn_of_idle_filter(module)
        self._warn_of_idle_question()
        manager = PassManager(
            self.pipeline,
            context=context,
            instruments=list(self._instruments(context)),
            disabled=arguments.disable_pass,
            timing=self.timing,
        )
        session = self._session(context)
        try:
            manager.run(module, session)
            self._warn_of_idle_counters(session)
        finally:
            if arguments.pass_statistics:
                sys.stderr.write(statistics_report(session.statistics))
        with self._scope("printer"):
            return self._show(context, module)

    def _warn_of_idle_filter(self, module: Operation) -> None:
        if (wanted := self.arguments.print_ir_filter) is None:
            return
        symbols = {symbol_of(op) for op in module.walk()} - {None}
        if (name := wanted.removeprefix("@")) not in symbols:
            hint = did_you_mean(name, [symbol for symbol in symbols if symbol])
            self.say(warning(f"--print-ir-filter: the input has no symbol @{name}{hint}"))

    def _warn_of_idle_question(self) -> None:
        passes = {pass_.name for pass_ in self.pipeline.passes()}
        decides = "graph-to-kernel"
        if self.arguments.why_not is not None and decides not in passes:
            self.say(
                warning(
                    f"--why-not: which values share a kernel is decided by {decides}, on the graph "
                    "floor, and this pipeline has no such pass"
                )
            )

    def _warn_of_idle_counters(self, session: Session) -> None:
        for row, counter in session.debug_counters.items():
            if not counter.met:
                applied = {counter for _, counter in session.statistics}
                hint = did_you_mean(row, applied)
                self.say(warning(f"--debug-counter: no row '{row}' was tried{hint}"))

    def _context(self) -> Context:
        unregistered = self.arguments.allow_unregistered_dialect
        return make_context(self.registry.dialects, allow_unregistered=unregistered)

    def _show(self, context: Context, op: Operation) -> str:
        return print_module(
            op,
            generic=self.arguments.print_op_generic,
            locations=self.arguments.print_debuginfo,
            elide_larger_than=self.arguments.elide_constants_larger_than,
            nests=self.arguments.print_kernel_nest,
            context=context,
        )

    def _session(self, context: Context) -> Session:
        arguments = self.arguments
        session = Session(context, on_diagnostic=self.say)
        if arguments.target or arguments.compile_to:
            session.target = arguments.target or DEFAULT_TARGET
        session.rewrites_left = arguments.bisect_limit
        session.debug_counters = {r: replace(c) for r, c in arguments.debug_counter.items()}
        if arguments.trace_rewrites is not None:
            session.on_rewrite = self._trace
        session.profile_rows = arguments.pass_statistics
        if arguments.remarks is not None:
            session.on_remark = self._remark
        session.why_not = arguments.why_not
        session.on_answer = self._answer
        return session

    def say(self, diagnostic: Diagnostic) -> None:
        if self.collected is not None:
            self.collected.append(diagnostic)
        else:
            report([diagnostic], self.sources)

    def _trace(self, rewrite: Rewrite) -> None:
        """Add one entry to the trace."""
        self.trace.append(f"#{len(self.trace) + 1} {rewrite_text(rewrite)}")

    def _write_trace(self) -> None:
        if self.arguments.trace_rewrites == "":
            to_stderr("".join(self.trace))
        elif self.arguments.trace_rewrites is not None:
            write_output(self.arguments.trace_rewrites, "".join(self.trace))

    def _remark(self, remark: Remark) -> None:
        kinds = (self.arguments.remarks or "").split(",")
        said = remark_report(remark)
        wanted = self.arguments.remarks_filter
        if remark.kind in kinds and (wanted is None or wanted.search(said.message)):
            self.say(said)

    def _answer(self, op: Operation, text: str) -> None:
        self.say(Diagnostic("remark", text, place_of_op(op)))

    def _instruments(self, context: Context) -> Iterator[Instrument]:
        """What was asked for; after a pass the last one comes first, so that it verifies first."""
        arguments = self.arguments
        if arguments.check_each:
            from teenyir.runtime.check import NativeCheck

            yield CheckEach(NativeCheck(), self.say)
        if arguments.crash_reproducer is not None:
            yield Reproducer(arguments.crash_reproducer, ["teeny-opt", *self.argv])
        elif arguments.check_each:
            yield _DifferenceReproducer(self)
        if arguments.pass_statistics:
            yield CountLostLocations()
        yield from self._printers(context)
        if arguments.verify_roundtrip:
            yield VerifyRoundtrip(self._context)
        if arguments.verify_each:
            yield VerifyEach()

    def _printers(self, context: Context) -> Iterator[Instrument]:
        arguments = self.arguments
        show = partial(self._show, context)
        write = to_stderr
        symbol = arguments.print_ir_filter
        symbol = symbol.removeprefix("@") if symbol is not None else None
        before = frozenset([ALL] if arguments.print_ir_before_all else arguments.print_ir_before)
        after = frozenset([ALL] if arguments.print_ir_after_all else arguments.print_ir_after)
        if arguments.print_ir_tree_dir is not None:
            yield PrintTree(arguments.print_ir_tree_dir, show, symbol)
        if before or after:
            yield PrintIR(write, show, before=before, after=after, symbol=symbol)
        for wanted, instrument in (
            (arguments.print_ir_after_change, PrintAfterChange),
            (arguments.print_ir_diff, PrintDiff),
            (arguments.print_ir_after_failure, PrintAfterFailure),
        ):
            if wanted:
                yield instrument(write, show, symbol)


class _DifferenceReproducer(Reproducer):
    """Leaves a temporary file where `--check-each` finds a difference, and says so."""

    def __init__(self, driver: _Driver) -> None:
        super().__init__("", ["teeny-opt", *driver.argv])
        self._say = driver.say

    def pass_failed(self, run: PassRun, failure: CompileError) -> None:
        if isinstance(failure, DifferenceError):
            handle, name = tempfile.mkstemp(".mlir", "teenyir-")
            os.close(handle)
            self.path = Path(name)
            super().pass_failed(run, failure)
            self._say(Diagnostic("note", f"a reproducer was left in '{name}'"))


def _with_line_numbers(text: str, start: int, end: int) -> str:
    """A part of a text, preceded by empty lines so that its lines keep their numbers."""
    return "\n" * text.count("\n", 0, start) + text[start:end]


if __name__ == "__main__":
    sys.exit(main())
