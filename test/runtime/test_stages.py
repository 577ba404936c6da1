"""What lowering does but once, what it looks at, and what it does again when it is asked."""

from collections import Counter

import pytest

import teenyir as ty
from teenyir.diagnostics import VerifyError
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import Instrument, PassRun, unwatched
from teenyir.rewriting.base import Pass, Session
from teenyir.runtime.stages import Part, Way, parts_of

X = ty.Spec((8, 8), ty.float32)


class Counting(Instrument):
    """Counts the runs of each pass, and what it ran on."""

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()

    def after_pass(self, run: PassRun) -> None:
        self.runs[run.name] += 1


def layers(x, count=4):
    for _ in range(count):
        x = ty.tanh(x @ x)
    return x


def test_kernels_that_are_the_same_are_worked_on_once() -> None:
    with Counting() as counting:
        lowered = ty.trace(layers, X).lower()
    assert len(lowered.launches) == 4 and len(set(lowered.launches)) == 1
    for name in ("simplify-kernel", "tile-products", "interchange-reductions"):
        assert counting.runs[name] == 1


def test_a_way_is_gone_again_for_its_texts_alone() -> None:
    with Counting() as counting:
        lowered = ty.trace(layers, X).lower()
        assert counting.runs["graph-to-kernel"] == 1
        assert "scf.for" in lowered.as_text("uop") and "kernel.func" in lowered.as_text("kernel")
        assert [kernel.name for kernel in lowered.kernels] == list(lowered.launches)
    assert counting.runs["graph-to-kernel"] == 1  # what is noted down is nobody's to watch


def test_nobody_watches_what_is_unwatched() -> None:
    with Counting() as counting, unwatched():
        ty.trace(layers, X).lower("interpret")
    assert not counting.runs


class Spoil(Pass):
    """Leaves functions that end in nothing."""

    name = "spoil"
    anchor = "func.func"

    def run(self, op, session: Session) -> None:
        op.body.block.last_op.detach()


def test_a_pass_that_spoils_a_program_is_named() -> None:
    (first, *rest) = parts_of("cpu")
    passes = Nested(first.passes.anchor, (Spoil(), *first.passes.elements))
    way = Way(ty.trace(layers, X).module, (Part(first.floor, passes), *rest))
    with pytest.raises(VerifyError) as raised:
        list(way.go())
    assert "in pass spoil on @main (#1)" in str(raised.value)
