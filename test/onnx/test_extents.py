"""Extents with names: what models write for them, and operators that cannot be for all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import pytest
from in_pairs import in_pairs
from onnx import TensorProto, helper
from onnx_models import agrees, floats, model_of

import teenyir as ty
from teenyir.diagnostics import RunError
from teenyir.tools.teeny_run import main as teeny_run


def agree(model: onnx.ModelProto, *calls: Sequence[np.ndarray]) -> None:
    for inputs in calls:
        agrees(model, *inputs)


def unary(op: str, shape: list[Any], opset: int = 17, **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node(op, ["x"], ["y"], **attributes)
    return model_of([node], [("x", shape)], [("y", None)], opset=opset)


# --- what a model writes ----------------------------------------------------------------------


def decoder(extent: str) -> onnx.ModelProto:
    """A mask is added to the scores of what is new against what was there before and it."""
    nodes = [
        helper.make_node("Concat", ["before", "x"], ["keys"], axis=1),
        helper.make_node("Transpose", ["keys"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["x", "turned"], ["scores"]),
        helper.make_node("Unsqueeze", ["mask", "one"], ["rows"]),
        helper.make_node("Add", ["scores", "rows"], ["y"]),
    ]
    inputs = [("before", ["b", "past", 4]), ("x", ["b", "new", 4]), ("mask", ["b", extent])]
    return model_of(nodes, inputs, [("y", None)], [("one", np.array([1]))])


def test_a_sum_of_extents_is_their_sum():
    model = decoder("past + new")
    calls = [(floats(1, 2, 4), floats(1, 3, 4), floats(1, 5))]
    agree(model, *calls, (floats(2, 6, 4), floats(2, 1, 4), floats(2, 7)))
    loaded = ty.load_onnx(model)
    assert str(loaded.specs["mask"].shape[1]) == "new + past"
    loaded(*calls[0])
    assert not loaded.remarks, "one program serves all"
    with pytest.raises(RunError, match="axis 1 is 8, not new \\+ past = 7"):
        loaded(floats(2, 6, 4), floats(2, 1, 4), floats(2, 8))


@pytest.mark.parametrize(
    "extent", ["past-new", "(past", "2*", "past // 0", "past + other", "past new", "*" * 40, "+1"]
)
def test_what_is_no_sum_of_extents_is_a_name(extent: str):
    shape = ty.load_onnx(decoder(extent)).specs["mask"].shape
    assert str(shape[1]).isidentifier()


def test_a_sum_of_extents_that_are_told():
    specs = ty.load_onnx(decoder("past + 2*new"), dims={"past": 3}).specs
    assert str(specs["mask"].shape[1]) == "new * 2 + 3"


# --- operators that have to know -----------------------------------------------------------------


def top_two() -> onnx.ModelProto:
    nodes = [helper.make_node("TopK", ["x", "k"], ["y", "places"])]
    outputs = [("y", None), ("places", None, TensorProto.INT64)]
    return model_of(nodes, [("x", ["b", "n"])], outputs, [("k", np.array([2]))])


def test_a_call_compiles_for_the_extents_that_no_program_serves_all_of():
    model = ty.load_onnx(top_two())
    for rows, columns in ((1, 2), (3, 2), (3, 7)):
        x = floats(rows, columns)
        np.testing.assert_array_equal(model(x)[0], -np.sort(-x)[:, :2])
    said = [remark.message for remark in model.remarks]
    assert said == [f"model: compiled for n = {n} alone: no program serves all" for n in (2, 7)], (
        "the batch is any in both"
    )


def test_what_no_extents_can_mend_is_said_of_those_of_the_call():
    with pytest.raises(ty.CompileError, match=r"the top 2 of 1 elements") as caught:
        ty.load_onnx(top_two())(floats(3, 1))
    assert "TopK" in str(caught.value)


def test_a_trace_says_how_to_tell_an_extent():
    with pytest.raises(ty.CompileError, match=r"load_onnx\(dims=\{'n': \.\.\.\}\)"):
        ty.load_onnx(top_two()).trace()
    assert ty.load_onnx(top_two(), dims={"n": ty.Dim("n", min=2)}).trace()
    assert ty.load_onnx(top_two(), dims={"n": 5}).trace()


def test_shapes_that_an_exporter_wrote_down():
    """As PyTorch writes the heads of an attention: the length, and a multiple of the batch."""
    nodes = [
        helper.make_node("Transpose", ["x"], ["by_step"], perm=[1, 0, 2]),
        helper.make_node("Shape", ["by_step"], ["batch"], start=1, end=2),
        helper.make_node("Mul", ["batch", "two"], ["heads"]),
        helper.make_node("Concat", ["five", "heads", "eight"], ["shape"], axis=0),
        helper.make_node("Reshape", ["by_step", "shape"], ["y"]),
    ]
    weights = [(n, np.array([k])) for n, k in (("two", 2), ("five", 5), ("eight", 8))]
    model = model_of(nodes, [("x", ["b", "s", 16])], [("y", None)], weights)
    agree(model, (floats(1, 5, 16),), (floats(3, 5, 16),))
    with pytest.raises(ty.CompileError, match=r"\[7, 3, 16\] has 336 elements"):
        ty.load_onnx(model)(floats(3, 7, 16))


def test_halved_and_doubled_is_what_it_was_for_even_extents():
    nodes = [
        helper.make_node("MaxPool", ["x"], ["small"], kernel_shape=[2], strides=[2]),
        helper.make_node("Resize", ["small", "", "scales"], ["large"], mode="nearest"),
        helper.make_node("Concat", ["x", "large"], ["y"], axis=1),
    ]
    scales = ("scales", np.array([1, 1, 2], np.float32))
    model = model_of(nodes, [("x", ["b", 2, "n"])], [("y", None)], [scales])
    agree(model, (floats(1, 2, 6),), (floats(2, 2, 4),))


def test_scales_that_are_no_simple_fraction():
    scales = ("scales", np.array([1, 1, 7 / 3], np.float32))
    nodes = [helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="linear")]
    model = model_of(nodes, [("x", [1, "c", "n"])], [("y", None)], [scales])
    agree(model, (floats(1, 2, 3),), (floats(1, 2, 7),))


def test_squeezed_without_axes_where_the_batch_is_one():
    model = unary("Squeeze", [1, "n", 1, 3])
    agree(model, (floats(1, 4, 1, 3),), (floats(1, 1, 1, 3),))
    agree(unary("Squeeze", ["n", 3], opset=11), (floats(4, 3),), (floats(1, 3),))
    lowered = ty.load_onnx(model).lower()
    with pytest.raises(RunError, match="n - 2 may not be negative"):
        lowered.compile()(floats(1, 1, 1, 3))
    loaded = ty.load_onnx(model)
    assert [loaded(floats(1, n, 1, 3)).shape for n in (2, 1, 5)] == [(2, 3), (3,), (5, 3)]
    assert len(loaded.remarks) == 1


@pytest.mark.parametrize("upper", [0, 1])
def test_a_diagonal_that_extents_say(upper: int):
    nodes = [
        helper.make_node("Shape", ["x"], ["rows"], start=0, end=1),
        helper.make_node("Squeeze", ["rows", "zero"], ["k"]),
        helper.make_node("Sub", ["k", "two"], ["diagonal"]),
        helper.make_node("Trilu", ["x", "diagonal"], ["y"], upper=upper),
    ]
    weights = [("zero", np.array([0])), ("two", np.array(2))]
    model = model_of(nodes, [("x", ["n", "m"])], [("y", None)], weights)
    agree(model, (floats(3, 5),), (floats(1, 4),))
    assert ty.load_onnx(model).trace(), "one program serves all"


def test_a_loop_that_grows_by_an_input():
    """What is carried is longer each time, so that the number of trips has to be known."""
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> graph (int64 trips, float[n] x) => (float[m] y) {'
        " go_on = Constant<value = bool {1}>()"
        " y = Loop(trips, go_on, x) <body = step (int64 i, bool again, float[p] now)"
        " => (bool after, float[q] next) {"
        " after = Identity(again) next = Concat<axis = 0>(now, x) }> }"
    )
    agree(model, (np.array(2), floats(2)), (np.array(3), floats(2)), (np.array(0), floats(4)))


# --- extents that data decides --------------------------------------------------------------------


def test_elements_picked_by_a_mask():
    """As PyTorch writes `x[x > 0]`."""
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["mask"]),
        helper.make_node("NonZero", ["mask"], ["places"]),
        helper.make_node("Transpose", ["places"], ["rows"], perm=[1, 0]),
        helper.make_node("GatherND", ["x", "rows"], ["picked"]),
        helper.make_node("Unsqueeze", ["picked", "first"], ["row"]),
        helper.make_node("Mul", ["row", "two"], ["y"]),
    ]
    weights = [("zero", np.float32(0)), ("first", np.array([0])), ("two", np.float32(2))]
    outputs = [("picked", None), ("y", None)]
    model = model_of(nodes, [("x", ["b", 5])], outputs, [(n, np.asarray(a)) for n, a in weights])
    agree(model, (floats(4, 5),), (-np.ones((1, 5), np.float32),))


def test_boxes_picked_by_what_is_suppressed():
    """A column of the selection, by Slice and Squeeze or by Gather, picks boxes."""
    nodes = [
        helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "shared"], ["found"]),
        helper.make_node("Slice", ["found", "two", "three", "one"], ["column"]),
        helper.make_node("Squeeze", ["column", "one"], ["numbers"]),
        helper.make_node("Gather", ["found", "last"], ["same"], axis=1),
        helper.make_node("Squeeze", ["boxes", "nought"], ["all"]),
        helper.make_node("Gather", ["all", "numbers"], ["a"], axis=0),
        helper.make_node("Gather", ["all", "same"], ["b"], axis=0),
    ]
    weights = [("nought", [0]), ("one", [1]), ("two", [2]), ("three", [3]), ("most", [3])]
    held = [(name, np.array(value)) for name, value in weights]
    held += [("last", np.array(2)), ("shared", np.array([0.5], np.float32))]
    inputs = [("boxes", [1, "n", 4]), ("scores", [1, 2, "n"])]
    model = model_of(nodes, inputs, [("a", None), ("b", None)], held)
    for count in (8, 3):
        corners = np.random.default_rng(0).random((1, count, 2, 2), np.float32)
        boxes = np.sort(corners, axis=2).reshape(1, count, 4)
        agree(model, (boxes, np.abs(floats(1, 2, count))))


def test_what_takes_away_places_that_data_counts_is_refused():
    nodes = [
        helper.make_node("NonZero", ["x"], ["a"]),
        helper.make_node("Slice", ["a", *"se"], ["y"]),
    ]
    held = [("s", np.array([0, 1])), ("e", np.array([1, 3]))]
    model = model_of(nodes, [("x", [5])], [("y", None, TensorProto.INT64)], held)
    with pytest.raises(ty.CompileError, match="does not take a tensor whose extent data decides"):
        ty.load_onnx(model).trace()


# --- windows, their number rounded up ------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "stride", "pads"),
    in_pairs(
        ["MaxPool", "AveragePool", "LpPool"],
        [1, 2, 3, 5],
        [(0, 0), (1, 1), (2, 0), (0, 2), (1, 2)],
    ),
)
def test_windows_rounded_up_of_any_extent(op: str, stride: int, pads: tuple[int, int]):
    more = {"count_include_pad": stride % 2} if op == "AveragePool" else {}
    opset = 22 if op == "LpPool" else 19
    how = {"kernel_shape": [3], "strides": [stride], "pads": pads, "ceil_mode": 1, **more}
    model = unary(op, ["b", 1, "n"], opset, **how)
    compiled = ty.load_onnx(model).lower().compile()
    for n in range(3, 12):
        x = floats(1, 1, n)
        fixed = unary(op, [1, 1, n], opset, **how)
        wanted = ty.load_onnx(fixed)(x)
        np.testing.assert_allclose(compiled(x), wanted, rtol=1e-6, err_msg=str(n))
        if n in (5, 8) and op == "MaxPool":
            agrees(model, x)


# --- commands ------------------------------------------------------------------------------------


def test_teeny_run_tells_a_model_its_extents(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = str(tmp_path / "model.onnx")
    onnx.save(top_two(), path)
    assert teeny_run([path, "--dim", "b=3", "--dim", "n=4"]) == 0
    written = capsys.readouterr()
    assert "compiled for n = 4 alone" in written.err
    assert "y: float32[3, 2]" in written.out
    assert teeny_run([path, "--dim", "b=3"]) != 0
    assert "load_onnx(dims={'n': ...})" in capsys.readouterr().err


def test_teeny_run_keeps_what_was_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = str(tmp_path / "model.onnx")
    onnx.save(unary("Squeeze", ["n", 3]), path)
    assert teeny_run([path, "--dim", "n=1"]) == 0
    assert "y: float32[3]" in capsys.readouterr().out
    assert teeny_run([path, "--dim", "n=2"]) == 0
    assert "y: float32[2, 3]" in capsys.readouterr().out


# --- names ---------------------------------------------------------------------------------------


def test_inputs_called_as_the_parameters_of_a_call():
    nodes = [
        helper.make_node("Sub", ["self", "dims"], ["a"]),
        helper.make_node("Sub", ["a", "out"], ["arrays"]),
    ]
    names = ("self", "dims", "out")
    model = model_of(nodes, [(name, ["n"]) for name in names], [("arrays", None)])
    a, b, c = (floats(3) for _ in range(3))
    np.testing.assert_allclose(ty.load_onnx(model)(a, b, c), a - b - c)
    np.testing.assert_allclose(ty.load_onnx(model)(a, b, out=c), a - b - c)
    first = model_of([helper.make_node("Neg", ["self"], ["y"])], [("self", [2])], [("y", None)])
    np.testing.assert_allclose(ty.load_onnx(first)(self=a[:2]), -a[:2])
    with pytest.raises(RunError, match="dims maps names of extents to integers, got ndarray"):
        ty.load_onnx(model)(a, dims=b, out=c)
