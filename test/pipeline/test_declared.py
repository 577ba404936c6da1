"""Verifying again what is like an operation that was right finds what is wrong all the same."""

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr, i64
from xdsl.ir import Operation

from teenyir.dialects import uop
from teenyir.pipeline.ir import make_context, parse_module
from teenyir.pipeline.verify import Verifier

TEXT = """
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %0, %b : i32
  %2 = arith.addi %1, %b overflow<nsw> : i32
  func.return %2 : i32
}
"""


@pytest.fixture
def module() -> ModuleOp:
    return parse_module(TEXT, "declared", make_context())


def additions(module: ModuleOp) -> list[arith.AddiOp]:
    return [op for op in module.walk() if isinstance(op, arith.AddiOp)]


def test_a_changed_type_is_found_by_a_verifier_that_was_content(module: ModuleOp):
    verifier = Verifier()
    assert verifier.errors(module) == []
    last = additions(module)[-1]
    last.results[0]._type = i64  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    (error,) = verifier.errors(module)
    assert "result" in error.message


def test_a_changed_property_is_found(module: ModuleOp):
    verifier = Verifier()
    assert verifier.errors(module) == []
    additions(module)[0].properties["overflowFlags"] = StringAttr("nsw")
    (error,) = verifier.errors(module)
    assert "arith.overflow" in error.message


def test_what_is_no_attribute_is_found(module: ModuleOp):
    verifier = Verifier()
    assert verifier.errors(module) == []
    additions(module)[1].properties["overflowFlags"] = []  # pyright: ignore[reportArgumentType]
    assert verifier.errors(module)


def test_declarations_of_operations_that_are_alike_are_checked_once(
    module: ModuleOp, monkeypatch: pytest.MonkeyPatch
):
    checked: list[Operation] = []
    definition = arith.AddiOp.get_irdl_definition()
    check = type(definition).verify

    def watched(self: object, op: Operation) -> None:
        checked.append(op)
        check(op.get_irdl_definition(), op)  # pyright: ignore

    monkeypatch.setattr(type(definition), "verify", watched)
    verifier = Verifier()
    verifier.errors(module)
    first, _, last = additions(module)
    assert [op for op in checked if isinstance(op, arith.AddiOp)] == [first, last]
    checked.clear()
    verifier.errors(module)
    assert not any(isinstance(op, arith.AddiOp) for op in checked)


GATED = """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : index
  %g = arith.constant true
  %z = arith.constant 0.0 : f32
  %u = uop.load %x[%i] if %g else %z : f32
  %v = uop.load %x[%i] if %g else %u : f32
  uop.store %v, %y[%i]
}
"""


def test_a_verifier_that_looks_at_types_alone_finds_what_is_not_alike():
    module = parse_module(GATED, "gated", make_context())
    first, second = (op for op in module.walk() if isinstance(op, uop.LoadOp))
    verifier = Verifier()
    second.operands = (*first.operands[:3], first.operands[1])
    (error,) = verifier.errors(module)
    assert "`else` gives index" in error.message
    second.operands = first.operands
    assert verifier.errors(module) == []
    second.operands = (*first.operands[:3], first.operands[1])
    (error,) = verifier.errors(module)
    assert "`else` gives index" in error.message


def test_an_operations_own_verifier_runs_each_time():
    text = """func.func @f(%a: vector<4xi32>) -> () {
      %0 = "test.op"() : () -> i32
      func.return
    }
    func.func @g(%x: i32) -> i32 {
      func.return %x : i32
    }"""
    module = parse_module(text, "own", make_context())
    verifier = Verifier()
    assert verifier.errors(module) == []
    function = list(module.ops)[1]
    function.regions[0].block.last_op.operands = ()  # pyright: ignore
    (error,) = verifier.errors(module)
    assert "func.return" in error.message
