"""Instruments from Python: every pipeline inside their `with` block, and none outside of it."""

import re
from dataclasses import dataclass
from typing import ClassVar

import pytest
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition

import teenyir as ty
from teenyir.diagnostics import PassError, VerifyError
from teenyir.pipeline.build import Nested
from teenyir.pipeline.instruments.base import (
    Instrument,
    PassRun,
    entered_instruments,
    symbol_of,
)
from teenyir.pipeline.instruments.verify import VerifyRoundtrip
from teenyir.pipeline.ir import make_context, parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.verify import Verifier, verify_module
from teenyir.rewriting.base import Pass, Session

TEXT = """
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}
"""


def run(pipeline: str = "canonicalize") -> None:
    ty.PassManager.parse(pipeline).run(parse_module(TEXT))


def test_statistics_remarks_and_rewrites_are_collected():
    with ty.Statistics() as statistics, ty.Remarks() as remarks, ty.Rewrites() as rewrites:
        run()
        run()
    run()
    assert statistics.counters["canonicalize", "fold arith.addi"] == 2
    assert "fold arith.addi (ns)" in statistics.report()
    assert remarks.found == []
    assert [rewrite.row for rewrite in rewrites.found] == ["fold arith.addi"] * 2


def test_instruments_of_one_kind_nest():
    with ty.Rewrites() as outer:
        run()
        with ty.Rewrites() as inner:
            run()
    assert (len(outer.found), len(inner.found)) == (2, 1)
    assert entered_instruments() == ()


def test_times_of_whatever_compiles():
    x = ty.Spec((4,), ty.float32)
    with ty.Timing() as timing:
        ty.trace(lambda a: a + a, x).lower(target="cpu")
    assert timing.total.rows["graph-to-kernel"].calls == 1
    assert "verifier" in timing.total.rows


def test_differences_go_to_standard_error_or_where_they_are_sent(
    capsys: pytest.CaptureFixture[str],
):
    found: list[str] = []
    with ty.PrintDiff(), ty.PrintDiff(found.append), ty.PrintAfterChange(found.append):
        run("cse,canonicalize")
    assert len(found) == 2
    assert re.search(r"^-    %b = arith.addi", found[1], re.MULTILINE)
    assert capsys.readouterr().err == found[1]


class Refuse(Instrument):
    """Fails after each pass."""

    def after_pass(self, run: PassRun) -> None:
        raise PassError("no")


def test_a_block_that_fails_ends_the_watching():
    with pytest.raises(PassError), Refuse():
        run()
    run()


def test_what_a_pass_left_alone_is_checked_once(monkeypatch: pytest.MonkeyPatch):
    checked: list[str] = []

    def watched(op: Operation, verifier: Verifier) -> None:
        checked.append(op.name)
        verify_module(op, verifier)

    monkeypatch.setattr("teenyir.pipeline.instruments.verify.verify_module", watched)
    run("canonicalize,canonicalize,cse,func.func(canonicalize,cse,dce)")
    assert checked == ["builtin.module"]


class Watched(VerifyRoundtrip):
    """Remembers what it checks."""

    def __init__(self) -> None:
        super().__init__(make_context)
        self.checked: list[str | None] = []

    def check(self, op: Operation) -> None:
        self.checked.append(symbol_of(op))
        super().check(op)


def test_only_what_a_pass_changed_makes_a_round_trip_again():
    unchanged = "func.func @g(%a: i32) -> i32 {\n  func.return %a : i32\n}"
    watched = Watched()
    manager = PassManager.parse("func.func(canonicalize,cse)", instruments=[watched])
    manager.run(parse_module(TEXT + unchanged))
    assert watched.checked == [None, "f"]


@irdl_op_definition
class ForeignOp(IRDLOperation):
    """An operation of a dialect that no parser knows."""

    name = "foreign.op"


@dataclass(frozen=True)
class Unreadable(Pass):
    """Puts a foreign operation into a function."""

    name = "unreadable"
    anchor: ClassVar[str | None] = "func.func"

    def run(self, op: Operation, session: Session) -> None:
        block = op.regions[0].block
        block.insert_op_before(ForeignOp(), block.first_op)


def test_a_function_that_makes_no_round_trip_is_found():
    pipeline = Nested("builtin.module", (Unreadable(),))
    watched = Watched()
    with pytest.raises(VerifyError, match="the custom form does not parse"):
        PassManager(pipeline, instruments=[watched]).run(parse_module(TEXT))
    assert watched.checked == [None, "f"]
