"""Analyses on demand: computed when asked for, kept while they hold, dropped when they do not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.ir import Operation

from teenyir.analysis.cost import COST
from teenyir.analysis.dominance import DOMINANCE
from teenyir.analysis.effects import EFFECTS, Effects
from teenyir.analysis.indices import KERNEL_INDICES
from teenyir.analysis.manager import Analysis
from teenyir.dialects.expr import Expr
from teenyir.pipeline.build import Nested, Registry
from teenyir.pipeline.instruments.timing import Timing
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Pass, Session

TEXT = """
func.func @f() { func.return }
func.func @g() { func.return }
"""
asked: list[str] = []


def _count(op: Operation) -> int:
    asked.append(op.name)
    return len(list(op.walk()))


SIZE = Analysis("size", _count)


@dataclass(frozen=True)
class Ask(Pass):
    """Ask how large every function is."""

    name = "ask"
    anchor: ClassVar[str | None] = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        assert session.analysis(SIZE, op) == 2


@dataclass(frozen=True)
class AskPreserving(Ask):
    """Preserve it."""

    name = "ask-preserving"

    def run(self, op: Operation, session: Session) -> None:
        super().run(op, session)
        session.preserve(SIZE)


@dataclass(frozen=True)
class AskUnchanged(Ask):
    """Preserve everything."""

    name = "ask-unchanged"

    def run(self, op: Operation, session: Session) -> None:
        super().run(op, session)
        session.preserve_all()


@dataclass(frozen=True)
class AskModule(Pass):
    """Ask for a module, and change a function in it."""

    name = "ask-module"
    anchor = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        assert session.analysis(SIZE, op) == 5
        session.preserve_all()


KINDS: dict[str, Callable[[], type[Pass]]] = {
    kind.name: (lambda kind=kind: kind) for kind in (Ask, AskPreserving, AskUnchanged, AskModule)
}


@pytest.mark.parametrize(
    "pipeline, computed",
    [
        ("ask,ask", 4),
        ("ask-preserving,ask", 2),
        ("ask-unchanged,ask,ask", 4),
        # a change of a function is one of the module around it, but not of its neighbour
        ("ask-module,ask-module", 1),
        ("ask-module,ask,ask-module", 4),
        ("ask-module,ask-unchanged,ask-module", 3),
    ],
)
def test_what_is_not_preserved_is_dropped(pipeline: str, computed: int):
    asked.clear()
    manager = PassManager.parse(pipeline, registry=Registry(dict(KINDS), {}, {}))
    statistics = manager.run(parse_module(TEXT)).statistics
    assert len(asked) == computed
    counted = sum(n for (_, c), n in statistics.items() if c == "analysis 'size' computed")
    assert counted == computed


def test_a_second_run_starts_afresh_even_with_the_session_of_the_first():
    asked.clear()
    manager = PassManager(Nested("builtin.module", (AskUnchanged(),)))
    session = manager.run(module := parse_module(TEXT))
    manager.run(module, session)
    assert len(asked) == 4


def test_the_time_of_an_analysis_is_a_row_of_its_own():
    timing = Timing()
    PassManager(Nested("builtin.module", (Ask(),)), timing=timing).run(parse_module(TEXT))
    row = timing.total.rows["'func.func' pipeline"].rows["ask"]
    assert list(row.rows) == ["analysis 'size'"]
    assert row.rows["analysis 'size'"].calls == 2


def test_nothing_is_kept_of_what_has_gone():
    session = Session()
    module = parse_module(TEXT)
    first, second = module.body.block.ops
    for op in (first, second):
        session.analysis(SIZE, op)
    first.detach()
    session.preserve(SIZE)
    session.pass_done(module)
    assert not session.analyses.holds(SIZE, first)
    assert session.analyses.holds(SIZE, second)


def test_under_xdsl_opt_analyses_are_dropped_as_well():
    asked.clear()
    Ask().apply(Context(), parse_module(TEXT))
    assert asked == ["func.func", "func.func"]


KERNEL = """
kernel.func @k(out %o: !kernel.buf<[N, 8] x f32>, in %x: !kernel.buf<[N, 8] x f32>)
    dims(N in 1..64 step 4) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 8
  %a = kernel.load %x[%i, %j]
  kernel.store %a, %o[%i, %j]
}
"""


def test_the_analyses_of_the_house():
    session = Session()
    branching = parse_module("func.func @f() {\n  cf.br ^a\n^a:\n  cf.br ^b\n^b:\n  func.return\n}")
    (func,) = branching.body.block.ops
    ((_, tree),) = session.analysis(DOMINANCE, func).items()
    first, second, third = func.regions[0].blocks
    assert tree == {first: [second], second: [third]}
    assert session.analysis(EFFECTS, func) is Effects.OTHER
    (kernel,) = parse_module(KERNEL).body.block.ops
    indices = session.analysis(KERNEL_INDICES, kernel)
    assert [indices.facts.interval(_name(n)) for n in indices.names.values()] == [(0, 63), (0, 7)]
    assert indices.facts.divisor(_name("N") * 3) == 12
    lowered = parse_module(KERNEL)
    PassManager.parse("kernel-to-uop").run(lowered)
    assert session.analysis(COST, lowered) == []


def _name(name: str) -> Expr:
    return Expr.of(name)
