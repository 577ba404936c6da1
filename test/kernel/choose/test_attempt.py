"""A choice that is not legal after all leaves the kernel as it was, whatever was done till then."""

import pytest

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.attempt import apply
from teenyir.passes.kernel.schedule.pack_buffer import PackBuffer
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.passes.kernel.schedule.set_kind import SetKind
from teenyir.passes.kernel.schedule.split_range import SplitRange
from teenyir.pipeline.ir import parse_module
from teenyir.rewriting.base import Remark, Session

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
