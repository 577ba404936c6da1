"""A choice that is not legal after all leaves the kernel as it was, whatever was done till then."""

from dataclasses import dataclass

import pytest
from xdsl.ir import Operation

from teenyir.analysis.nests import NEST
from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.choose.cpu.lane_rows import LaneRows
from teenyir.passes.kernel.choose.cpu.reduce_streams import ReduceStreams
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.pipeline.build import Nested
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Pass, Remark, Session

SUM = """
kernel.func @sum(
  out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64, N] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to 64
  %k = kernel.range 0 to N
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}
"""

REFUSED: dict[str, list[Primitive]] = {
    "the extent of %k has no maximum": [
        SplitRange(range="i", by=4),
        PackBuffer(buffer="x", over=("ii", "k")),
    ],
    # only the verifier says so
    "vector": [SplitRange(range="i", by=4), SetKind(range="k", kind="vector")],
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_schedule_is_applied_as_a_whole_or_not_at_all(why: str):
    module = parse_module(SUM)
    func = module.body.block.first_op
    assert isinstance(func, kernel.FuncOp)
    before, places = str(func), [op.location for op in func.body.block.ops]
    remarks: list[Remark] = []
    assert not apply(REFUSED[why], func, Session(on_remark=remarks.append))
    assert str(func) == before and [op.location for op in func.body.block.ops] == places
    assert [remark.kind for remark in remarks] == ["missed"]
    assert (
        why in remarks[0].message and "split-range{range=i by=4 loads=gated}" in remarks[0].message
    )
    assert apply(REFUSED[why][:1], func, Session()) and "%ii" in str(func)


ROW = """
kernel.func @rows(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 4096] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 4096
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 4096
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %r = arith.addf %s, %m : f32
  kernel.store %r, %y[%i]
}
"""


@dataclass(frozen=True)
class Asks(Pass):
    """Asks for the nest of a kernel, which is that of the ops that are there."""

    name = "asks"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, kernel.FuncOp)
        assert session.analysis(NEST, op).ops == list(op.body.block.ops)
        session.preserve_all()


@pytest.mark.parametrize("pass_", [LaneRows(), ReduceStreams(l2=1)])
def test_nothing_known_of_ops_that_are_no_more_is_kept(
    pass_: Pass, monkeypatch: pytest.MonkeyPatch
):
    """A pass that takes back what it tried says that what is known of the kernel is so no more."""

    def refused(*_: object) -> list[Primitive]:
        return [SetKind(range="k", kind="unroll"), SplitRange(range="absent", by=4)]

    monkeypatch.setattr(type(pass_), "schedule", refused)
    module = parse_module(ROW)
    passes = Nested("kernel.func", (Asks(), pass_, Asks()))
    PassManager(Nested("builtin.module", (passes,))).run(module)
