"""What a pass is, and what it gets from whoever runs it.

A pass is a frozen dataclass whose fields are its options:

    @dataclass(frozen=True)
    class HoistLoads(Pass):
        \"\"\"Move loads out of the loops that they do not depend on.\"\"\"

        name = "hoist-loads"
        anchor = "uop.func"

        limit: int = 8
        \"\"\"The most loads to hoist from one loop.\"\"\"

        def run(self, op: Operation, session: Session) -> None:
            ...

It is xDSL's `ModulePass`, so that `xdsl-opt` runs it too, with an empty session.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from teenyir.analysis.manager import Analyses, Analysis
from teenyir.diagnostics import Diagnostic, PassError, error, warning
from teenyir.dialects.inside import ops_of
from teenyir.rewriting.locations import place_of_op

if TYPE_CHECKING:
    from teenyir.rewriting.counters import DebugCounter

Result = TypeVar("Result")

RemarkKind = Literal["passed", "missed", "analysis"]


@dataclass(frozen=True)
class Remark:
    """What a pass did, did not do, or found out, and why."""

    kind: RemarkKind
    pass_name: str
    message: str
    op: Operation


@dataclass(frozen=True)
class Rewrite:
    """One application of a rewrite row."""

    pass_name: str
    row: str
    source: tuple[str, int] | None
    """The file and line of the row's function."""
    before: str
    """The operation that was rewritten, as text."""
    after: tuple[str, ...]
    """The operations that were put in, as text."""
    location: Attribute
    """Where the operation came from."""


@dataclass
class Session:
    """What a pass gets from its driver; an empty one, as under `xdsl-opt`, works."""

    context: Context = field(default_factory=Context)
    target: str | None = None
    """The target that the pipeline compiles for, as written, or None."""
    statistics: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Counters by the name of the pass and of the counter."""
    on_remark: Callable[[Remark], None] | None = None
    """Called with each remark; None where nobody asked for them."""
    why_not: tuple[str, str] | None = None
    """Two values of a function, `%a` and `%b`: why they do not share a kernel is to be told."""
    on_answer: Callable[[Operation, str], None] | None = None
    """Called with the answer."""
    on_diagnostic: Callable[[Diagnostic], None] | None = None
    """Called with each warning; None where nobody listens."""
    profile_rows: bool = False
    """Whether to count what is costly to count: the tries and the time of each rewrite row."""
    on_rewrite: Callable[[Rewrite], None] | None = None
    """Called with each application of a rewrite row; None where nobody traces them."""
    rewrites_left: int | None = None
    """How many rewrite rows may still be applied; None for any number. Bisection sets it."""
    debug_counters: dict[str, DebugCounter] = field(default_factory=dict[str, "DebugCounter"])
    """Which applications of a rewrite row happen, by the name of the row."""
    pass_name: str = ""
    """The pass that runs now."""
    analyses: Analyses = field(default_factory=Analyses)
    """What passes found out, and what still holds of it."""
    _preserved: set[Analysis[Any]] | None = field(default_factory=set[Analysis[Any]])
    """What the pass that runs said to preserve; None for everything."""

    def analysis(self, analysis: Analysis[Result], op: Operation) -> Result:
        """What an analysis finds out about `op`; worked out once for as long as it holds.

        It describes `op` as it was when it was first asked for: ask before changing what it is
        about, or change only what it does not speak of.
        """
        how = "cached" if self.analyses.holds(analysis, op) else "computed"
        self.count(f"analysis '{analysis.name}' {how}")
        return self.analyses.get(analysis, op)

    def preserve(self, *analyses: Analysis[Any]) -> None:
        """Say that analyses still hold after the pass that runs, whatever it changed."""
        if self._preserved is not None:
            self._preserved.update(analyses)

    def preserve_all(self) -> None:
        """Say that the pass that runs changes nothing on this operation."""
        self._preserved = None

    def pass_done(self, op: Operation) -> bool:
        """Called by the driver after each run of a pass: what it did not preserve is dropped.

        Returns whether the pass may have changed something.
        """
        changed = self._preserved is not None
        if self._preserved is not None:
            self.analyses.drop(op, self._preserved)
        self._preserved = set()
        return changed

    def count(self, counter: str, by: int = 1) -> None:
        """Add to one of the counters of the pass that runs."""
        if by:
            self.statistics[self.pass_name, counter] += by

    def remark(self, kind: RemarkKind, op: Operation, message: str) -> None:
        """Say what was done or not done at `op`, and why."""
        if self.on_remark is not None:
            self.on_remark(Remark(kind, self.pass_name, message, op))

    def answer(self, op: Operation, text: str) -> None:
        """Say at `op` why two values do not share a kernel, or that they do."""
        if self.on_answer is not None:
            self.on_answer(op, text)

    @property
    def wants_remarks(self) -> bool:
        """Whether a remark would be heard: ask before working out a costly one."""
        return self.on_remark is not None

    def warn(self, op: Operation, message: str) -> None:
        """Warn the user at `op`."""
        if self.on_diagnostic is not None:
            self.on_diagnostic(warning(message, place_of_op(op)))


@dataclass(frozen=True)
class Pass(ModulePass):
    """A rewrite of IR with a name and options; see the head of this file."""

    name: ClassVar[str]
    anchor: ClassVar[str | None] = None
    """The name of the operations that the pass runs on, such as `kernel.func`; None for any."""

    @abstractmethod
    def run(self, op: Operation, session: Session) -> None:
        """Rewrite `op`, an operation named `anchor` or, without an anchor, any operation."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run on every anchor in a module, with an empty session: xDSL's way in."""
        session = Session(ctx, pass_name=self.name)
        for anchor in list(anchors_in(op, self.anchor)):
            self.run(anchor, session)
            session.pass_done(anchor)


def anchors_in(op: Operation, anchor: str | None) -> Iterator[Operation]:
    """The operations named `anchor` in `op`, itself included; just `op` if `anchor` is None.

    Operations inside a found one are not searched.
    """
    if anchor is None or op.name == anchor:
        yield op
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in ops_of(block):
                if inner.regions or inner.name == anchor:
                    yield from anchors_in(inner, anchor)


def fail(op: Operation, message: str, *notes: Diagnostic) -> PassError:
    """The error to raise where a pass cannot go on at `op`: `raise fail(op, "...")`."""
    return PassError(error(message, place_of_op(op), *notes))
