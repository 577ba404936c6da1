"""The semantic check: what counts as the same, and what is said of what cannot be run."""

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr

from teenyir.analysis.signature import Argument, find_signature
from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.interpreter.check import MeaningCheck
from teenyir.interpreter.compare import difference
from teenyir.interpreter.exactness import tolerances_of
from teenyir.interpreter.examples import edge_array, random_array, range_array, zeros_array
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


def test_whatever_is_not_run_is_said() -> None:
    text = """
    func.func @numbers(%a: i32) -> i32 {
      func.return %a : i32
    }
    func.func private @elsewhere(i32) -> i32
    func.func @calls(%a: i32) -> i32 {
      %r = func.call @elsewhere(%a) : (i32) -> i32
      func.return %r : i32
    }
    func.func @wide(%a: i37) {
      func.return
    }
    func.func @memory(%m: memref<4xf32>) {
      func.return
    }
    func.func @faulty(%a: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %q = arith.divsi %a, %zero : i32
      func.return %q : i32
    }
    uop.func @linear(out %y: !uop.ptr<f32>) {
    }
    builtin.module @inner {
      func.func @inside() {
        func.return
      }
    }
    llvm.func @machine() {
      llvm.return
    }
    %c = arith.constant 1 : i32
    """
    check = MeaningCheck()
    warnings = [warning.message for warning in check.start(parse_module(text, "m.mlir"))]
    assert [checked.function.entry for checked in check.functions] == ["numbers", "linear"]
    assert warnings == [
        "@elsewhere is unchecked: @elsewhere has no body",
        "@calls is unchecked: @elsewhere has no body",
        "@wide is unchecked: a is i37, which no array holds",
        "@memory is unchecked: m is memref<4xf32>, which no array holds",
        "@faulty is unchecked: 'arith.divsi': divides by zero",
        "@inner is unchecked: nothing here runs a 'builtin.module'",
        "@machine is unchecked: nothing here runs a 'llvm.func'",
        "what stands outside of functions is unchecked: 'arith.constant' is in no function",
    ]


def test_what_did_not_change_does_not_run_again() -> None:
    module = parse_module(FUNCTION.replace("NAME", "f") + FUNCTION.replace("NAME", "g"), "m.mlir")
    check = MeaningCheck()
    check.start(module)
    for number in range(2):
        assert check.compare(module) == ([], [])
        assert (check.compared > 0) == bool(number)
        (sub, *_) = (op for op in module.walk() if isinstance(op, graph.SubOp))
        sub.attributes["note"] = StringAttr("another text")
    before = check.compared
    assert check.compare(module) == ([], [])
    assert check.compared == before


def test_a_kernel_gets_the_room_that_it_needs() -> None:
    text = """uop.func @f(out %y: !uop.ptr<i32>) {
      %far = arith.constant 5000 : index
      %v = arith.constant 7 : i32
      uop.store %v, %y[%far]
    }"""
    check = MeaningCheck()
    assert check.start(parse_module(text, "m.mlir")) == []
    other = parse_module(text.replace("7 : i32", "8 : i32"), "m.mlir")
    (found,), _ = check.compare(other)
    assert "1 of 16384 elements differ, the worst at [5000]: 8, expected 7" in found.message
    (found,), _ = check.compare(parse_module(text.replace("5000", "50000"), "m.mlir"))
    assert found.message == "@f has become faulty"


def test_the_sign_of_zero_counts_where_nothing_may_be_reordered() -> None:
    zero = np.zeros(1, "f4")
    assert difference(-zero, zero) is None
    assert difference(-zero, zero, exact=True) is not None
    one = np.ones(1, "f4")
    assert difference(one + np.float32(1e-7), one) is None
    assert difference(one + np.float32(1e-7), one, exact=True) is not None
    assert difference(np.full(1, np.nan), np.full(1, -np.nan), exact=True) is None
    for body, expected in (
        ("graph.reduce add %x axes [0] : tensor<4xf32> -> tensor<f32>", False),
        ("graph.reduce add %x axes [0] : tensor<4xi32> -> tensor<i32>", True),
        ("graph.reduce max %x axes [0] : tensor<4xf32> -> tensor<f32>", True),
        ("graph.exp %x : tensor<4xf32>", False),
        ("graph.sqrt %x : tensor<4xf32>", True),
    ):
        taken = body.split(" : ")[1].split(" -> ")
        given = taken[-1]
        text = f"""func.func @f(%x: {taken[0]}) -> {given} {{
          %r = {body}
          func.return %r : {given}
        }}
        func.func @g(%x: {taken[0]}) -> {given} {{
          %r = func.call @f(%x) : ({taken[0]}) -> {given}
          func.return %r : {given}
        }}"""
        module = parse_module(text, "m.mlir")
        found = [tolerances_of(op) is None for op in module.body.ops]
        assert found == [expected, expected], body


def test_what_was_rounded_to_fewer_digits_is_held_to_their_tolerance() -> None:
    text = """func.func @f(%x: tensor<1xbf16>) -> tensor<1xf32> {
      %r = graph.exp %x : tensor<1xbf16>
      %w = graph.cast %r : tensor<1xbf16> to tensor<1xf32>
      func.return %w : tensor<1xf32>
    }"""
    wide = """func.func @f(%x: tensor<1xbf16>) -> tensor<1xf32> {
      %w = graph.cast %x : tensor<1xbf16> to tensor<1xf32>
      %r = graph.exp %w : tensor<1xf32>
      func.return %r : tensor<1xf32>
    }"""
    check = MeaningCheck()
    assert check.start(parse_module(text, "m.mlir")) == []
    assert check.compare(parse_module(wide, "m.mlir")) == ([], [])
    other = wide.replace("graph.exp", "graph.sqrt")
    (found,), _ = check.compare(parse_module(other, "m.mlir"))
    assert "another meaning" in found.message


def test_edges_of_consecutive_rounds_are_all_edges() -> None:
    for dtype in (dtypes.INT8, dtypes.FLOAT32, dtypes.UINT64):
        argument = Argument("x", dtype, ())
        seen = {edge_array(argument, (), seed).item() for seed in range(14)}
        several = np.concatenate([edge_array(argument, (5,), seed) for seed in range(3)])
        assert {str(value) for value in several} >= {str(value) for value in seen}
        assert len({str(value) for value in seen}) >= 10
