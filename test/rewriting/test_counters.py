"""Debug counters: an application that is left out leaves the IR exactly as it was."""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr, i32
from xdsl.ir import Operation

from teenyir.pipeline.ir import parse_module, print_module
from teenyir.rewriting.base import Session
from teenyir.rewriting.counters import DebugCounter
from teenyir.rewriting.engine import Replacement, Rewriter, Row, Table, rewrite

TEXT = """builtin.module {
  func.func @f(%a : i32) -> (i32, i32) {
    %b = arith.addi %a, %a : i32
    %c = arith.muli %a, %b : i32
    func.return %b, %c : i32, i32
  }
}
"""


def by_answer(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    return arith.SubiOp(op.lhs, op.rhs)


def by_rewriter(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    first = arith.MuliOp(op.lhs, op.rhs)
    rewriter.replace(op, [first, arith.SubiOp(first, op.lhs)])
    return None


def by_uses(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    rewriter.replace_all_uses_with(op.result, op.lhs)
    return None


def in_place(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    op.operands = (op.operands[0], arith.ConstantOp.from_int_and_width(1, i32).result)
    op.attributes["seen"] = StringAttr("yes")
    rewriter.notify_op_modified(op)
    return None


@pytest.mark.parametrize("row", [by_answer, by_rewriter, by_uses, in_place])
def test_what_is_left_out_leaves_no_trace(row: Callable[..., Replacement]):
    module = parse_module(TEXT)
    before = print_module(module)
    uses = use_counts(module)
    counter = DebugCounter(skip=5)
    session = Session(debug_counters={"row": counter})
    assert not rewrite(module, Table(Row("row", (arith.AddiOp,), row)), session)
    assert (print_module(module), use_counts(module)) == (before, uses)
    assert counter.fitted == 1
    assert not session.statistics


def use_counts(module: Operation) -> list[int]:
    return [len(list(result.uses)) for op in module.walk() for result in op.results] + [
        len(list(argument.uses))
        for op in module.walk()
        for region in op.regions
        for block in region.blocks
        for argument in block.args
    ]


def test_applications_after_the_skipped_ones_happen():
    module = parse_module(TEXT)
    session = Session(debug_counters={"row": DebugCounter(skip=0, count=1)})
    assert rewrite(module, Table(Row("row", (arith.AddiOp,), by_answer)), session)
    assert "arith.subi" in print_module(module)
