"""The semantic check: what counts as the same, and what is said of what cannot be run."""

import numpy as np
import pytest

from teenyir.analysis.signature import Argument, find_signature
from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.interpreter.check import MeaningCheck
from teenyir.interpreter.compare import difference
from teenyir.interpreter.examples import random_array, range_array, zeros_array
from teenyir.pipeline.ir import parse_module

FUNCTION = """
func.func @NAME(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.sub %a, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}"""


def test_every_function_is_checked() -> None:
    module = parse_module(FUNCTION.replace("NAME", "f") + FUNCTION.replace("NAME", "g"), "m.mlir")
    check = MeaningCheck()
    assert check.start(module) == []
    assert check.compare(module) == ([], [])
    second = find_signature(module, "g").function
    (sub,) = (op for op in second.walk() if isinstance(op, graph.SubOp))
    sub.operands = tuple(reversed(sub.operands))
    (found,), unchecked = check.compare(module)
    assert unchecked == []
    assert found.message.startswith("@g has another meaning: output 'output': 4 of 4 elements")
    second.detach()
    differences, (warning,) = check.compare(module)
    assert differences == []
    assert warning.message == "@g is unchecked: it is on no floor that runs"


def test_what_cannot_be_run_is_unchecked() -> None:
    text = (
        FUNCTION.replace("NAME", "f")
        .replace("graph.sub", '"test.sub"')
        .replace(
            '"test.sub" %a, %b : tensor<4xf32>',
            '"test.sub"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>',
        )
    )
    from teenyir.pipeline.context import make_context

    module = parse_module(text, "m.mlir", make_context(allow_unregistered=True))
    (warning,) = MeaningCheck().start(module)
    assert warning.severity == "warning"
    expected = "@f is unchecked: the interpreter of this floor does not know 'test.sub'"
    assert warning.message == expected
    assert str(warning.location) == "m.mlir:3:3"
    large = FUNCTION.replace("NAME", "f").replace("<4x", "<99999999x")
    (warning,) = MeaningCheck().start(parse_module(large, "m.mlir"))
    assert "input 'a' has 99999999 elements" in warning.message


def test_difference() -> None:
    nan, inf = float("nan"), float("inf")
    a = np.array([1.0, nan, inf, -inf, 0.0], "f4")
    assert difference(a, a) is None
    assert difference(a + np.float32(1e-6), a) is None
    worse = a.copy()
    worse[[0, 4]] = 1.5, 9.0
    found = difference(worse, a)
    assert found is not None
    assert str(found) == "2 of 5 elements differ, the worst at [4]: 9.0, expected 0.0"
    for place, value in ((1, 0.0), (2, 1.0), (2, -inf), (0, nan)):
        wrong = a.copy()
        wrong[place] = value
        found = difference(wrong, a)
        assert found is not None
        assert (found.index, found.count) == ((place,), 1)
    integers = np.array([1, 2], "i4")
    assert difference(integers.view("u4"), integers) is None
    assert difference(integers + 1, integers) is not None
    # narrow floats are bytes below the uop floor
    halves = np.array([1.5, nan], "f2")
    assert difference(halves.view("i2"), halves) is None
    assert difference(halves.view("i2") + 1, halves + 1) is not None
    assert difference(integers + 1, integers, atol=1) is None
    assert difference(np.array(1.0), np.array(2.0)) is not None


@pytest.mark.parametrize("dtype", dtypes.DTYPES, ids=str)
def test_examples_are_reproducible(dtype: dtypes.DType) -> None:
    x, y = (Argument(name, dtype, (Expr.of("N"), Expr.of(300))) for name in "xy")
    first = random_array(x, (2, 300))
    assert first.dtype == dtype.numpy()
    assert first.shape == (2, 300)
    np.testing.assert_array_equal(first, random_array(x, (2, 300)))
    for other in (random_array(x, (2, 300), seed=1), random_array(y, (2, 300))):
        assert not np.array_equal(first, other)
    assert not zeros_array(x, (2, 300)).view(np.uint8).any()
    counted = np.arange(600).reshape(2, 300)
    expected = counted if dtype.kind != "float" else counted.astype("f4")
    assert range_array(x, (2, 300)).tobytes() == expected.astype(dtype.numpy()).tobytes()


def test_a_loop_that_does_not_end_leaves_its_function_unchecked() -> None:
    text = """func.func @f(%a: tensor<i32>) -> tensor<i32> {
      %r = graph.while (%c = %a) cond {
        %one = graph.constant dense<1> : tensor<i32>
        %t = graph.compare ge %one, %one : tensor<i32>
        graph.yield %t
      } do {
        graph.yield %c
      }
      func.return %r : tensor<i32>
    }"""
    (warning,) = MeaningCheck().start(parse_module(text, "m.mlir"))
    assert "'graph.while': has not ended after 1000 iterations" in warning.message


def test_what_was_never_written_may_become_anything() -> None:
    text = """kernel.func @f(out %y: !kernel.buf<[4] x TYPE>, in %x: !kernel.buf<[4] x TYPE>) {
      %i = kernel.range 0 to 2
      %v = kernel.load %x[%i]
      kernel.store %v, %y[%i FROM]
    }"""
    for kind in ("f32", "i8"):
        check = MeaningCheck()
        module = parse_module(text.replace("TYPE", kind).replace("FROM", ""), "m.mlir")
        assert check.start(module) == []
        more = text.replace("TYPE", kind).replace("0 to 2", "0 to 4").replace("FROM", "")
        assert check.compare(parse_module(more, "m.mlir")) == ([], [])
        moved = text.replace("TYPE", kind).replace("FROM", "+ 1")
        assert len(check.compare(parse_module(moved, "m.mlir"))[0]) == 1
