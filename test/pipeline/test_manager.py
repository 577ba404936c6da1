"""The pass manager: what runs on what, and which hooks it calls."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from teenyir.diagnostics import CompileError, Diagnostic, InternalError, PassError, VerifyError
from teenyir.pipeline.build import Registry
from teenyir.pipeline.instruments.base import Instrument, PassRun
from teenyir.pipeline.instruments.timing import Timing
from teenyir.pipeline.ir import parse_module, print_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Pass, Session, fail

TEXT = """builtin.module {
  func.func @f() {
    func.return
  }
  builtin.module @inner {
    func.func @g() {
      func.return
    }
  }
}
"""


@dataclass(frozen=True)
class Note(Pass):
    """Count the operations that it runs on."""

    name = "note"

    def run(self, op: Operation, session: Session) -> None:
        session.count(op.name)


@dataclass(frozen=True)
class NoteFunctions(Note):
    """Count functions."""

    name = "note-functions"
    anchor = "func.func"


@dataclass(frozen=True)
class Rename(ModulePass):
    """An xDSL pass: rename what is alone in the module."""

    name = "rename"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        (only,) = op.ops
        only.attributes["seen"] = only.properties["sym_name"]


@dataclass(frozen=True)
class Break(Pass):
    """Fail as told."""

    name = "break"

    how: str = "fail"

    def run(self, op: Operation, session: Session) -> None:
        hows: dict[str, Callable[[], object]] = {
            "fail": lambda: self._raise(fail(op, "no")),
            "key": lambda: {}["nonesuch"],
            "invalid": lambda: op.regions[0].block.erase_op(op.regions[0].block.ops.last),  # type: ignore
            "recursion": self._recurse,
        }
        hows[self.how]()

    def _raise(self, e: Exception) -> None:
        raise e

    def _recurse(self) -> None:
        self._recurse()


def manager(pipeline: str, instruments: list[Instrument] | None = None) -> PassManager:
    kinds = (Note, NoteFunctions, Rename, Break)
    registry = Registry({k.name: (lambda k=k: k) for k in kinds}, {}, {})
    return PassManager.parse(pipeline, registry=registry, instruments=instruments)


def counted(pipeline: str) -> dict[str, int]:
    statistics = manager(pipeline).run(parse_module(TEXT)).statistics
    return {counter: number for (_, counter), number in statistics.items()}


def test_a_pass_runs_on_what_the_nesting_says():
    assert counted("note") == {"builtin.module": 1}
    assert counted("func.func(note)") == {"func.func": 1}
    assert counted("builtin.module(builtin.module(func.func(note)))") == {"func.func": 1}
    assert counted("any(note)") == {"func.func": 1, "builtin.module": 1}


def test_a_pass_with_an_anchor_finds_its_operations():
    assert counted("note-functions") == {"func.func": 2}
    assert counted("func.func(note-functions)") == {"func.func": 1}


def test_passes_of_ours_run_under_xdsl_opt():
    NoteFunctions().apply(Context(), parse_module(TEXT))


def test_a_module_pass_runs_on_another_operation_in_its_place():
    module = parse_module(TEXT)
    manager("func.func(rename)").run(module)
    assert 'func.func @f() attributes {seen = "f"}' in print_module(module)
    assert [op.name for op in module.ops] == ["func.func", "builtin.module"]


def test_a_nested_pipeline_without_operations_warns():
    heard: list[Diagnostic] = []
    context = Context()
    manager("func.func(func.func(note))").run(
        parse_module(TEXT), Session(context, on_diagnostic=heard.append)
    )
    assert [d.severity for d in heard] == ["warning"]


@pytest.mark.parametrize(
    "how, error, message",
    [
        ("fail", PassError, "<string>:2:3: error: no"),
        ("key", InternalError, "error: pass 'break' failed with KeyError: 'nonesuch'"),
        ("invalid", VerifyError, "error: 'func.func': its block is empty"),
        ("recursion", InternalError, "error: pass 'break' failed with RecursionError"),
    ],
)
def test_failures_say_which_pass(how: str, error: type[CompileError], message: str):
    with pytest.raises(error) as caught:
        manager(f"func.func(note,break{{how={how}}})").run(parse_module(TEXT))
    assert message in caught.value.render()
    assert "note: in pass break on @f (#2)" in caught.value.render()


class Recorder(Instrument):
    """Records the hooks that were called."""

    def __init__(self, log: list[str], name: str = "") -> None:
        self.log = log
        self.name = name

    def before_pass(self, run: PassRun) -> None:
        self.log.append(f"{self.name}before {run.title} #{run.number}")

    def after_pass(self, run: PassRun) -> None:
        self.log.append(f"{self.name}after {run.title}")

    def pass_failed(self, run: PassRun, failure: CompileError) -> None:
        self.log.append(f"{self.name}failed {run.title}")


def test_hooks_nest():
    log: list[str] = []
    manager("note", [Recorder(log, "a "), Recorder(log, "b ")]).run(parse_module(TEXT))
    assert log == ["a before note #1", "b before note #1", "b after note", "a after note"]
    log.clear()
    with pytest.raises(PassError):
        manager("func.func(note,break)", [Recorder(log)]).run(parse_module(TEXT))
    assert log[-2:] == ["before break on @f #2", "failed break on @f"]


class Silent(Instrument):
    """Overrides nothing; the loop must not call it between passes."""

    def __getattribute__(self, name: str) -> object:
        if name in ("before_pass", "after_pass"):
            raise AssertionError(f"{name} was looked up")
        return super().__getattribute__(name)


def test_what_an_instrument_does_not_override_is_absent_from_the_loop():
    manager("note,note", [Silent()]).run(parse_module(TEXT))


def test_timing_has_a_row_for_each_pass_and_instrument():
    now = iter(range(1000))
    timing = Timing(lambda: float(next(now)))
    pipeline = manager("note,func.func(note)")
    pipeline.timing = timing
    pipeline.run(parse_module(TEXT))
    rows = timing.total.rows
    assert list(rows) == ["note", "verifier", "'func.func' pipeline"]
    assert rows["verifier"].calls == 2
    assert list(rows["'func.func' pipeline"].rows) == ["note"]


def test_disabled_passes_are_left_out():
    pipeline = manager("note,note-functions")
    pipeline.disabled = frozenset({"note"})
    statistics = pipeline.run(parse_module(TEXT)).statistics
    assert statistics == {("note-functions", "func.func"): 2}
