"""A plug-in for tests: a dialect, a pipeline, and passes that do one thing each."""

from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.utils.exceptions import PassFailedException

from teenyir.pipeline.order import Order
from teenyir.pipeline.registry import NamedPipeline
from teenyir.rewriting.base import Pass, Session, fail


@irdl_op_definition
class MarkOp(IRDLOperation):
    """Does nothing."""

    name = "plug.mark"
    assembly_format = "attr-dict"


@dataclass(frozen=True)
class CountOps(Pass):
    """Count the operations of each function."""

    name = "plug-count-ops"
    anchor = "func.func"

    only: str = ""
    """The name of the operations to count; empty for all."""
    kinds: tuple[int, ...] = ()
    mode: Literal["fast", "slow"] = "fast"

    def run(self, op: Operation, session: Session) -> None:
        for inner in op.walk():
            if self.only in ("", inner.name):
                session.count("operations counted")
                session.remark("analysis", inner, f"counted '{inner.name}'")
        session.remark("passed", op, "counted everything")
        session.remark("missed", op, "but changed nothing")


@dataclass(frozen=True)
class Fail(Pass):
    """Fail in one of the ways in which passes fail."""

    name = "plug-fail"

    how: Literal["fail", "raise", "xdsl", "invalid"] = "fail"

    def run(self, op: Operation, session: Session) -> None:
        inner = next(o for o in op.walk() if o.name == "func.return")
        match self.how:
            case "fail":
                raise fail(inner, "this return is not to my taste")
            case "raise":
                raise KeyError("nonesuch")
            case "xdsl":
                raise PassFailedException("not like this")
            case "invalid":
                inner.operands = ()


DIALECTS = [Dialect("plug", [MarkOp], [])]
PASSES = [CountOps, Fail]
PIPELINES = {
    "plug-twice": NamedPipeline(
        "Count twice", "plug-count-ops{only=$only},plug-count-ops", {"only": "func.return"}
    )
}
ORDER = [Order("plug-count-ops", "graph-to-kernel", "after it no functions are left to count in")]
