"""The pass manager: one short loop over passes and the operations that they run on.

Everything else is an instrument that the loop calls before and after a pass: verification, timing,
printing, and so on. An instrument that was not asked for is not in the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException

from teenyir.diagnostics import (
    CompileError,
    Diagnostic,
    InternalError,
    Location,
    PassError,
    error,
    note,
)
from teenyir.pipeline.build import ANY, Nested, Registry, build_pipeline
from teenyir.pipeline.context import make_context
from teenyir.pipeline.instruments.base import Instrument, PassRun, entered_instruments
from teenyir.pipeline.instruments.timing import Timing
from teenyir.pipeline.instruments.verify import VerifyEach
from teenyir.pipeline.limits import deep_recursion
from teenyir.pipeline.order import Placed, check_order
from teenyir.rewriting.base import Pass, Session, anchors_in
from teenyir.rewriting.locations import place_of_op


class PassManager:
    """Runs a pipeline of passes over a module.

        manager = PassManager.parse("canonicalize,func.func(cse)")
        manager.run(module)

    `str(manager)` is text from which `parse` makes the same pipeline.
    """

    def __init__(
        self,
        pipeline: Nested,
        *,
        context: Context | None = None,
        instruments: Sequence[Instrument] | None = None,
        disabled: Iterable[str] = (),
        timing: Timing | None = None,
    ) -> None:
        """`instruments` None means the usual: verify after each pass.

        Passes named in `disabled` are left out; `timing` gets a row for each pass. Raises
        `PipelineError` where our passes stand in a wrong order.
        """
        check_order(Placed(pass_.name) for pass_ in pipeline.passes())
        self.pipeline = pipeline
        self.context = context if context is not None else make_context()
        self.instruments = [VerifyEach()] if instruments is None else list(instruments)
        self.disabled = frozenset(disabled)
        self.timing = timing
        self.last_pass: int | None = None
        """The number of the last pass to run, counted from 1; None to run all."""

    @staticmethod
    def parse(
        text: str,
        *,
        context: Context | None = None,
        instruments: Sequence[Instrument] | None = None,
        registry: Registry | None = None,
    ) -> PassManager:
        """A manager for the pipeline that `text` spells. Raises `PipelineError`."""
        pipeline = build_pipeline(text, registry)
        return PassManager(pipeline, context=context, instruments=instruments)

    def __str__(self) -> str:
        return str(self.pipeline)

    def run(self, module: ModuleOp, session: Session | None = None) -> Session:
        """Run the passes over `module`, in place. Raises `CompileError` with its diagnostics.

        The session that is returned holds what the passes left: their statistics.
        """
        session = session if session is not None else Session(self.context)
        with deep_recursion():
            _Loop(self, session).run(module)
        return session


class _Loop:
    """One run of a pipeline: the hooks that are overridden, and a count of passes."""

    def __init__(self, manager: PassManager, session: Session) -> None:
        self._manager = manager
        self._session = session
        self._count = 0
        # What comes last is called first after a pass, and the manager's own verifies.
        self._instruments = [*entered_instruments(), *manager.instruments]
        self._timing = manager.timing or next(
            (each for each in self._instruments if isinstance(each, Timing)), None
        )
        session.analyses.clear()
        for instrument in self._instruments:
            instrument.prepare(session)
        self._run_pass = run_pass
        if (timing := self._timing) is not None:
            self._run_pass = timing.timed_pass(run_pass)
            session.analyses.scope = lambda name: timing.scope(f"analysis '{name}'")
        self._before = list(self._hooks("before_pass"))
        self._after = list(self._hooks("after_pass"))[::-1]

    def _hooks(self, name: str) -> Iterator[Callable[[PassRun], None]]:
        for instrument in self._instruments:
            if getattr(type(instrument), name) is getattr(Instrument, name):
                continue
            hook = getattr(instrument, name)
            if self._timing is not None and instrument.phase is not None:
                hook = self._timing.timed(instrument.phase, hook)
            yield hook

    def run(self, module: ModuleOp) -> None:
        for instrument in self._instruments:
            instrument.before_pipeline(module, self._manager.pipeline)
        self._nested(self._manager.pipeline, module)
        for instrument in reversed(self._instruments):
            with self._scope(instrument):
                instrument.after_pipeline(module)

    def _scope(self, instrument: Instrument) -> AbstractContextManager[None]:
        """What times an instrument after the last pass, where it has something to do then."""
        idle = type(instrument).after_pipeline is Instrument.after_pipeline
        if self._timing is None or instrument.phase is None or idle:
            return nullcontext()
        return self._timing.scope(instrument.phase)

    def _nested(self, pipeline: Nested, op: Operation) -> None:
        for element in pipeline.elements:
            if isinstance(element, Nested):
                self._inside(element, op)
            elif element.name not in self._manager.disabled:
                self._pass(element, op)

    def _inside(self, pipeline: Nested, op: Operation) -> None:
        inner = [o for o in _children(op) if _matches(o, pipeline.anchor)]
        if not inner:
            self._session.warn(op, f"the pipeline '{pipeline}' met no operation that it is for")
        for found in inner:
            self._nested(pipeline, found)

    def _pass(self, pass_: ModulePass, op: Operation) -> None:
        if not isinstance(pass_, Pass) or pass_.anchor is None:
            self._run(pass_, op)
            return
        for anchor in list(anchors_in(op, pass_.anchor)):
            self._run(pass_, anchor)

    def _run(self, pass_: ModulePass, op: Operation) -> None:
        if self._count == self._manager.last_pass:
            return
        self._count += 1
        run = PassRun(pass_, op, self._count, self._session)
        self._session.pass_name = pass_.name
        try:
            with _failures_as_diagnostics(run):
                for hook in self._before:
                    hook(run)
                try:
                    self._run_pass(run)
                finally:
                    run.changed = self._session.pass_done(op)
                for hook in self._after:
                    hook(run)
        except CompileError as failure:
            for instrument in self._instruments:
                instrument.pass_failed(run, failure)
            raise


def run_pass(run: PassRun) -> None:
    """Run a pass, ours or xDSL's, on any operation."""
    pass_, op = run.pass_, run.op
    if isinstance(pass_, Pass):
        pass_.run(op, run.session)
    elif isinstance(op, ModuleOp):
        pass_.apply(run.session.context, op)
    else:
        _run_in_module(pass_, op, run.session.context)


def _run_in_module(pass_: ModulePass, op: Operation, context: Context) -> None:
    """Run a pass for modules on another operation, alone in a module for as long as it takes."""
    place = Rewriter()
    block = op.parent
    if block is None:
        raise PassError(error("a pass for modules cannot run on an operation outside of any block"))
    following = op.next_op
    op.detach()
    module = ModuleOp([op])
    try:
        pass_.apply(context, module)
    finally:
        where = InsertPoint(block, following)
        for left in list(module.body.block.ops):
            left.detach()
            place.insert_op(left, where)


def _children(op: Operation) -> list[Operation]:
    return [inner for region in op.regions for block in region.blocks for inner in block.ops]


def _matches(op: Operation, anchor: str) -> bool:
    if anchor == ANY:
        return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
    return op.name == anchor


@contextmanager
def _failures_as_diagnostics(run: PassRun) -> Generator[None]:
    """Turn whatever a pass raises into a `CompileError` that says which pass it was."""
    place = place_of_op(run.op)
    where = note(f"in pass {run.title} (#{run.number})")
    try:
        yield
    except CompileError as e:
        raise e.with_notes(where) from e
    except DiagnosticException as e:
        message = " ".join(str(e).split()) or type(e).__name__
        raise PassError(error(message, place, where)) from e
    except (Exception, ArgSpecParseError) as e:
        message = f"pass '{run.name}' failed with {type(e).__name__}: {' '.join(str(e).split())}"
        raise InternalError(error(message.removesuffix(": "), place, where, *_raised_at(e))) from e


def _raised_at(e: BaseException) -> Iterator[Diagnostic]:
    """A note at the line of Python that raised `e`."""
    from traceback import extract_tb

    frames = extract_tb(e.__traceback__, limit=-1)
    if frames and frames[-1].lineno is not None:
        frame = frames[-1]
        place = Location(frame.filename, frame.lineno or 0, (frame.colno or 0) + 1)
        yield note(f"raised in '{frame.name}'", place)
