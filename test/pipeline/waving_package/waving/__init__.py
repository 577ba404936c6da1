"""Say hello, and wave back: what an installed plug-in of teenyir may bring."""

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.universe import Universe

from teenyir.pipeline.order import Order
from teenyir.pipeline.registry import NamedPipeline
from teenyir.rewriting.base import Pass, Session


@irdl_op_definition
class HelloOp(IRDLOperation):
    """Somebody says hello."""

    name = "waving.hello"

    assembly_format = "attr-dict"


@dataclass(frozen=True)
class Wave(Pass):
    """Wave back to whoever says hello."""

    name = "wave"

    times: int = 1
    """How often."""

    def run(self, op: Operation, session: Session) -> None:
        for inner in op.walk():
            if isinstance(inner, HelloOp):
                inner.attributes["waved"] = IntegerAttr(self.times, i64)
                session.count("waved", self.times)


UNIVERSE = Universe(
    all_dialects={"waving": lambda: Dialect("waving", [HelloOp], [])},
    all_passes={Wave.name: lambda: Wave},
)
PIPELINES = {
    "wave-twice": NamedPipeline("Wave twice, tidily", "wave{times=$times},cse", {"times": 2})
}
ORDER = [Order("wave", "dce", "a wave keeps no operation alive")]
