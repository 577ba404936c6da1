"""The rewriting engine: tables, the worklist, the end of endless tables."""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation

from teenyir.diagnostics import PassError
from teenyir.pipeline.ir import parse_module, print_module, verify_module
from teenyir.rewriting.base import Session
from teenyir.rewriting.engine import Replacement, Rewriter, Row, Table, rewrite


def function(*lines: str, result: str) -> ModuleOp:
    body = "\n".join(f"  {line}" for line in lines)
    return parse_module(
        f"func.func @f(%a: i32, %b: i32) -> i32 {{\n{body}\n  func.return {result} : i32\n}}"
    )


def row(name: str, op: type[Operation], rewrite: Callable[..., Replacement]) -> Row:
    return Row(name, (op,), rewrite)


def double(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    """x + x -> x * 2"""
    if op.lhs is not op.rhs:
        return None
    two = rewriter.insert(arith.ConstantOp.from_int_and_width(2, i32))
    return arith.MuliOp(op.lhs, two)


def drop_xor(op: arith.XOrIOp, rewriter: Rewriter) -> Replacement:
    """x ^ y -> x, for the test's sake"""
    return op.lhs


def swap(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
    return arith.AddiOp(op.rhs, op.lhs)


def to_or(op: arith.AndIOp, rewriter: Rewriter) -> Replacement:
    return arith.OrIOp(op.lhs, op.rhs)


def to_and(op: arith.OrIOp, rewriter: Rewriter) -> Replacement:
    return arith.AndIOp(op.lhs, op.rhs)


def erase_muls(op: arith.MuliOp, rewriter: Rewriter) -> Replacement:
    """x * y -> x, through the rewriter"""
    rewriter.replace_all_uses_with(op.result, op.lhs)
    rewriter.erase(op)
    return None


def test_a_row_answers_a_value_or_an_operation():
    module = function("%0 = arith.addi %a, %a : i32", "%1 = arith.xori %0, %b : i32", result="%1")
    session = Session(pass_name="p")
    table = Table(row("double", arith.AddiOp, double)) + Table(row("drop", arith.XOrIOp, drop_xor))
    assert rewrite(module, table, session)
    verify_module(module)
    assert [op.name for op in module.walk()][2:] == ["arith.constant", "arith.muli", "func.return"]
    assert session.statistics["p", "double"] == session.statistics["p", "drop"] == 1
    assert not rewrite(module, table, Session())


def test_a_row_may_work_through_the_rewriter():
    module = function("%0 = arith.muli %a, %b : i32", result="%0")
    assert rewrite(module, Table(row("erase", arith.MuliOp, erase_muls)), Session())
    assert "func.return %a" in print_module(module)


def test_rows_for_a_base_class_look_at_all_of_its_kinds():
    table = Table(row("any", arith.SignlessIntegerBinaryOperation, lambda op, _: op.lhs))
    module = function("%0 = arith.muli %a, %b : i32", "%1 = arith.subi %0, %b : i32", result="%1")
    rewrite(module, table, Session())
    assert "func.return %a" in print_module(module)


def test_a_row_that_needs_a_constant_is_not_tried_without():
    tried: list[Operation] = []

    def watch(op: Operation, rewriter: Rewriter) -> Replacement:
        tried.append(op)
        return None

    table = Table(Row("watch", (arith.AddiOp,), watch, needs_constant=True))
    lines = ("%c = arith.constant 1 : i32", "%0 = arith.addi %a, %b : i32")
    rewrite(function(*lines, "%1 = arith.addi %0, %c : i32", result="%1"), table, Session())
    assert [op.operands[1].name_hint for op in tried] == ["c"]


@pytest.mark.parametrize(
    "rows, cycle",
    [
        ([row("swap", arith.AddiOp, swap)], "swap -> swap"),
        (
            [row("to-or", arith.AndIOp, to_or), row("to-and", arith.OrIOp, to_and)],
            "to-and -> to-or -> to-and",
        ),
    ],
)
def test_rows_that_undo_each_other_are_named(rows: list[Row], cycle: str):
    module = function("%0 = arith.addi %a, %b : i32", "%1 = arith.andi %0, %b : i32", result="%1")
    with pytest.raises(PassError) as caught:
        rewrite(module, Table(*rows), Session())
    assert "error: rewriting does not come to an end" in caught.value.render()
    assert caught.value.render().endswith(f"again and again: {cycle}")


def test_profiling_counts_tries_and_time():
    module = function("%0 = arith.addi %a, %b : i32", result="%0")
    session = Session(pass_name="p", profile_rows=True)
    rewrite(module, Table(row("double", arith.AddiOp, double)), session)
    assert session.statistics["p", "double (tried)"] == 1
    assert session.statistics["p", "double (ns)"] > 0
    assert ("p", "double") not in session.statistics


def test_a_user_of_one_value_several_times_takes_its_operands_along():
    lines = ["%0 = arith.sitofp %a : i32 to f32", "%1 = math.fma %0, %0, %0 : f32"]
    module = function(*lines, result="%a")
    assert rewrite(module, Table(), Session())
    assert [op.name for op in module.walk()][2:] == ["func.return"]


def test_what_only_a_dead_region_used_goes_too():
    lines = [
        "%t = arith.constant true",
        "%0 = arith.muli %a, %b : i32",
        "%1 = scf.if %t -> (i32) { scf.yield %0 : i32 } else { scf.yield %b : i32 }",
    ]
    module = function(*lines, result="%a")
    assert rewrite(module, Table(), Session())
    assert [op.name for op in module.walk()][2:] == ["func.return"]


def test_dead_cycles_go_where_there_may_be_some():
    module = parse_module("""
      func.func @f(%a: i32) {
        cf.br ^loop(%a : i32)
      ^loop(%i: i32):
        %j = arith.addi %i, %i : i32
        %k = arith.muli %j, %j : i32
        func.return
      ^never:
        cf.br ^loop(%a : i32)
      }
      "test.op"() ({
        %0 = arith.addi %1, %1 : i32
        %1 = arith.addi %0, %0 : i32
      }) : () -> ()
    """)
    session = Session(pass_name="p")
    assert rewrite(module, Table(), session)
    assert not any(isinstance(op, arith.AddiOp | arith.MuliOp) for op in module.walk())
    assert "never" not in print_module(module)
    assert not rewrite(module, Table(), session)


def test_a_table_of_local_rows_is_not_tried_on_everything_again():
    tried: list[str | None] = []

    def neutral(op: arith.AddiOp, rewriter: Rewriter) -> Replacement:
        tried.append(op.result.name_hint)
        return op.lhs if isinstance(op.rhs.owner, arith.ConstantOp) else None

    lines = [
        "%c = arith.constant 0 : i32",
        "%x = arith.addi %a, %b : i32",
        "%y = arith.addi %x, %c : i32",
        "%z = arith.addi %y, %b : i32",
    ]
    once = ["x", "y", "x", "z"]
    for local, expected in ((True, once), (False, [*once, "x", "z"])):
        tried.clear()
        table = Table(Row("neutral", (arith.AddiOp,), neutral, local=local))
        module = function(*lines, result="%z")
        assert rewrite(module, table, Session())
        assert tried == expected
