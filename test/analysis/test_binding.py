"""Named extents from shapes: what is solved, what is refused, and in which words."""

import numpy as np
import pytest

from teenyir.analysis.binding import arrange, array_of, bind_dims, check_dtypes, example_dims
from teenyir.analysis.signature import Signature, find_signature
from teenyir.diagnostics import RunError
from teenyir.pipeline.ir import parse_module


def signature(types: str, symbols: str, entry: str | None = None) -> Signature:
    """The signature of a graph function with operands %a0, %a1, ... of `types`."""
    args = ", ".join(f"%a{k}: {type}" for k, type in enumerate(types.split(";")))
    text = f"""func.func @main({args}) attributes {{
      graph.symbols = #graph.symbols<[{symbols}]>}} {{ func.return }}"""
    return find_signature(parse_module(text, "binding.mlir"), entry)


def dynamic(*extents: str) -> str:
    shape = "".join("?x" if set(extent) - set("0123456789") else f"{extent}x" for extent in extents)
    return f"tensor<{shape}f32, #graph.dims<[{', '.join(extents)}]>>"


def bound(*extents: str, symbols: str, shape: tuple[int, ...], **given: int) -> dict[str, int]:
    return bind_dims(signature(dynamic(*extents), symbols), [shape], given)


def test_linear_expressions_are_solved() -> None:
    assert bound("N * 2 + 1", symbols="N in 1..", shape=(7,)) == {"N": 3}
    assert bound("N + M", "M", symbols="N in 0..9, M in 0..9", shape=(7, 3)) == {"N": 4, "M": 3}
    assert bound("N * M", "M", symbols="N in 0..9, M in 0..9", shape=(12, 3)) == {"N": 4, "M": 3}


def test_other_expressions_are_tried_on_the_range() -> None:
    found = bound("N floordiv 2 + 1", symbols="N in 1..64 step 8", shape=(13,))
    assert found == {"N": 24}
    assert bound("N floordiv 2 + 1", "N", symbols="N in 1..", shape=(3, 5)) == {"N": 5}


def test_given_values_take_part() -> None:
    assert bound("N floordiv 2", symbols="N in 1..", shape=(3,), N=7) == {"N": 7}
    assert bind_dims(signature(dynamic("N"), "N in 1.."), [None], {"N": 4}) == {"N": 4}


@pytest.mark.parametrize(
    ("extents", "symbols", "shape", "given", "message"),
    [
        (["N", "N"], "N in 1..", (3, 4), {}, "not N = 3, with N = 3 from axis 0 of input 'a0'"),
        (["N", "N + 1"], "N in 1..", (3, 3), {}, "axis 1 is 3, not N + 1 = 4"),
        (["N * 2"], "N in 1..", (3,), {}, "axis 0 is 3, but N * 2 is that for no N"),
        (["N"], "N in 1..8", (9,), {}, "N = 9 is outside N in 1..8 (from axis 0 of input 'a0')"),
        (["N"], "N in 1..64 step 8", (9,), {}, "N = 9 is not a multiple of 8"),
        (["N floordiv 2"], "N in 1..", (3,), {}, "is 3 for N = 6 and for 7: give N a value"),
        (["N floordiv 2"], "N in 1..4", (3,), {}, "N floordiv 2 is that for no N in 1..4"),
        (["N"], "N in 1..", (3, 4), {}, "expected float32[N], got 2 axes: [3, 4]"),
        (["3", "N"], "N in 1..", (4, 4), {}, "axis 0 is 4, not 3"),
        (["N"], "N in 1..", (3,), {"M": 1}, "@main has no extent named M (it has N)"),
        (["N"], "N in 1..", (3,), {"N": 4}, "with N = 4 as given"),
        (["N"], "N in 1..", (3,), {"N": True}, "the extent N is an integer, got True"),
        (["N"], "N in 1..", (1 << 63,), {}, "N = 9223372036854775808 does not fit in 63 bits"),
        (["N"], "N in 1.., M in 2..9", (3,), {}, "no input says what M is: give it a value"),
        (["N", "N - 5"], "N in 1..", (3, -2), {}, "axis 1 of 'a0', N - 5, would be -2 with N = 3"),
    ],
)
def test_refusals(
    extents: list[str], symbols: str, shape: tuple[int, ...], given: dict[str, int], message: str
) -> None:
    with pytest.raises(RunError) as caught:
        bind_dims(signature(dynamic(*extents), symbols), [shape], given)
    assert message in str(caught.value)


def test_arrange() -> None:
    found = signature("tensor<2xf32>;tensor<3xi8>", "N in 1..")
    assert arrange(found, {"a1": 1, "a0": 0}) == [0, 1]
    assert arrange(found, [0, 1]) == [0, 1]
    for inputs, message in (
        ({"a0": 0}, "input 'a1' is missing: expected int8[3]"),
        ({"a0": 0, "a1": 1, "a1x": 2}, "no input named 'a1x'; did you mean 'a1'?"),
        ([0], "takes 2 inputs (a0, a1), got 1"),
    ):
        with pytest.raises(RunError) as caught:
            arrange(found, inputs)
        assert message in str(caught.value)


def test_arrays_of_lists_hold_what_the_lists_do() -> None:
    def dtype(value: object, wanted: type) -> str:
        return array_of(value, "x", "?", np.dtype(wanted)).dtype.name

    assert dtype([1, 2], np.int32) == "int32" and dtype([1, 2], np.uint8) == "uint8"
    assert dtype([1, 2**40], np.int32) == "int64" and dtype([-1], np.uint8) == "int64"
    assert dtype([1, 2], np.float16) == "float16" and dtype([1.5], np.int32) == "float64"
    with pytest.raises(RunError, match="input 'x': expected float32, got what is no array"):
        array_of([[1], [2, 3]], "x", "float32", np.dtype(np.float32))


def test_dtypes() -> None:
    found = signature("tensor<2xf32>", "N in 1..")
    check_dtypes(found, [np.zeros(2, np.float32)])
    for wrong in (np.zeros((2, 3)), np.zeros(2, ">f4")):
        with pytest.raises(RunError, match=r"input 'a0': expected float32\[2\], got .*f"):
            check_dtypes(found, [wrong])


def test_example_dims() -> None:
    found = signature("tensor<2xf32>", "N in 1.., M in 1..6, K in 16..64 step 16, L in 0..1")
    assert example_dims(found) == {"N": 5, "M": 6, "K": 16, "L": 1}


def test_which_function() -> None:
    text = "func.func @{}(%x: tensor<2xf32>) -> tensor<2xf32> {{ func.return %x : tensor<2xf32> }}"
    one = parse_module(text.format("f"), "one.mlir")
    assert find_signature(one).entry == "f"
    assert find_signature(one).outputs[0].name == "output"
    two = parse_module(text.format("f") + text.format("g"), "two.mlir")
    with pytest.raises(RunError, match=r"several functions can be called \(@f, @g\)"):
        find_signature(two)
    with pytest.raises(RunError, match=r"there is no function @h to call"):
        find_signature(two, "h")
    with pytest.raises(RunError, match="no function can be called"):
        find_signature(parse_module("builtin.module {}", "none.mlir"))
    scalar = parse_module("func.func @main(%x: i32) { func.return }", "scalar.mlir")
    with pytest.raises(RunError) as caught:
        find_signature(scalar)
    assert "scalar.mlir:1:1: error: @main cannot be called: x is i32, not a tensor" in str(
        caught.value
    )
