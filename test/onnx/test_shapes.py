"""One program serves every batch, height, width and length: shapes that graphs work out."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of

import teenyir as ty

INT = TensorProto.INT64


def agrees(model: onnx.ModelProto, *calls: tuple[Any, ...]) -> ty.OnnxModel:
    """Call the model, compiled once, and compare with onnxruntime."""
    imported = ty.load_onnx(model)
    compiled = imported.lower().compile()
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for inputs in calls:
        expected = session.run(None, dict(zip(imported.input_names, inputs, strict=True)))
        found = compiled(*inputs)
        for got, wanted in zip(
            found if isinstance(found, tuple) else (found,), expected, strict=True
        ):
            assert got.dtype == wanted.dtype
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    return imported


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def test_a_convolutional_network_of_any_image():
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("MaxPool", ["b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        helper.make_node("Resize", ["c", "", "scales"], ["d"], mode="nearest"),
        helper.make_node("GlobalAveragePool", ["d"], ["e"]),
        helper.make_node("Flatten", ["e"], ["f"]),
        helper.make_node("Gemm", ["f", "v"], ["y"], transB=1),
    ]
    weights = [
        ("w", floats(4, 3, 3, 3)),
        ("scales", np.array([1, 1, 2, 2], np.float32)),
        ("v", floats(5, 4)),
    ]
    inputs = [("image", ["batch", 3, "height", "width"])]
    model = model_of(nodes, inputs, [("y", None)], weights)
    sizes = [(1, 3, 8, 8), (2, 3, 9, 5), (3, 3, 16, 31)]
    agrees(model, *[(floats(*size),) for size in sizes])


def test_heads_are_split_by_a_shape_that_is_worked_out():
    """[batch, length, 8] as [batch, 2, length, 4] and back, the way exporters write it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"]),
        helper.make_node("Gather", ["shape", "one"], ["length"]),
        helper.make_node("Gather", ["shape", "two"], ["width"]),
        helper.make_node("Div", ["width", "heads"], ["each"]),
        helper.make_node("Unsqueeze", ["batch", "axes"], ["batch1"]),
        helper.make_node("Unsqueeze", ["length", "axes"], ["length1"]),
        helper.make_node("Unsqueeze", ["heads", "axes"], ["heads1"]),
        helper.make_node("Unsqueeze", ["each", "axes"], ["each1"]),
        helper.make_node("Concat", ["batch1", "length1", "heads1", "each1"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["split"]),
        helper.make_node("Transpose", ["split"], ["moved"], perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["moved"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["moved", "turned"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["weights"]),
        helper.make_node("MatMul", ["weights", "moved"], ["mixed"]),
        helper.make_node("Transpose", ["mixed"], ["back"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["back", "flat"], ["y"]),
    ]
    constants = {"zero": 0, "one": 1, "two": 2, "heads": 2, "axes": [0], "flat": [0, 0, -1]}
    weights = [(name, np.array(value)) for name, value in constants.items()]
    model = model_of(nodes, [("x", ["batch", "length", 8])], [("y", None)], weights)
    imported = agrees(model, (floats(1, 3, 8),), (floats(4, 7, 8),))
    assert "[batch, length, 2, 4]" in imported.as_text()


def test_a_causal_mask_of_any_length():
    nodes = [
        helper.make_node("Shape", ["x"], ["length"], start=1, end=2),
        helper.make_node("Squeeze", ["length", "axes"], ["n"]),
        helper.make_node("Range", ["zero", "n", "one"], ["places"]),
        helper.make_node("Unsqueeze", ["places", "one1"], ["column"]),
        helper.make_node("Greater", ["places", "column"], ["later"]),
        helper.make_node("Concat", ["length", "length"], ["square"], axis=0),
        helper.make_node("Expand", ["nothing", "square"], ["zeros"]),
        helper.make_node("Where", ["later", "far", "zeros"], ["mask"]),
        helper.make_node("Unsqueeze", ["x", "one1"], ["rows"]),
        helper.make_node("Add", ["rows", "mask"], ["y"]),
    ]
    weights = [
        ("axes", np.array([0])),
        ("one1", np.array([1])),
        ("zero", np.array(0)),
        ("one", np.array(1)),
        ("nothing", np.zeros((1, 1), np.float32)),
        ("far", np.array(-1e4, np.float32)),
    ]
    model = model_of(nodes, [("x", ["batch", "length"])], [("y", None)], weights)
    agrees(model, (floats(1, 2),), (floats(2, 6),))


def test_slices_that_end_at_an_extent():
    nodes = [
        helper.make_node("Shape", ["x"], ["length"], start=0, end=1),
        helper.make_node("Div", ["length", "two"], ["half"]),
        helper.make_node("Slice", ["x", "zero", "half"], ["first"]),
        helper.make_node("Slice", ["x", "half", "length"], ["last"]),
        helper.make_node("Slice", ["x", "minus", "far", "zero"], ["end"]),
        helper.make_node("Concat", ["last", "first", "end"], ["y"], axis=0),
    ]
    weights = [
        (name, np.array([value]))
        for name, value in {"two": 2, "zero": 0, "minus": -1, "far": 2**62}.items()
    ]
    model = model_of(nodes, [("x", ["length", 3])], [("y", None)], weights)
    agrees(model, (floats(2, 3),), (floats(7, 3),))


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent_layers_of_any_length(kind: str, direction: str):
    """With sequences of lengths of their own."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    ways = 2 if direction == "bidirectional" else 1
    node = helper.make_node(
        kind,
        ["x", "w", "r", "b", "lengths"],
        ["y", "last"],
        hidden_size=5,
        direction=direction,
    )
    weights = [
        ("w", floats(ways, gates * 5, 3) / 2),
        ("r", floats(ways, gates * 5, 5) / 2),
        ("b", floats(ways, gates * 10) / 2),
    ]
    inputs = [("x", ["length", "batch", 3]), ("lengths", ["batch"], TensorProto.INT32)]
    model = model_of([node], inputs, [("y", None), ("last", None)], weights, opset=14)
    agrees(
        model,
        (floats(4, 2, 3), np.array([4, 2], np.int32)),
        (floats(7, 3, 3), np.array([1, 7, 5], np.int32)),
    )


def test_places_that_data_decides_are_used_as_indices():
    """The rows of the elements that are not 0, twice."""
    nodes = [
        helper.make_node("NonZero", ["mask"], ["found"]),
        helper.make_node("Transpose", ["found"], ["rows"]),
        helper.make_node("Gather", ["x", "rows"], ["picked"]),
        helper.make_node("Add", ["picked", "one"], ["y"]),
    ]
    inputs = [("x", ["n", 2]), ("mask", ["n"])]
    model = model_of(nodes, inputs, [("y", None)], [("one", np.array(1, np.float32))])
    mask = np.array([0, 1, 0, 2, 3], np.float32)
    agrees(
        model,
        (floats(5, 2), mask),
        (floats(3, 2), mask[:3]),
        (floats(2, 2), np.zeros(2, np.float32)),
    )


def loop(cond_out: str, stacked: bool) -> onnx.NodeProto:
    """Doubles what is carried, and stops where it is larger than a limit."""
    nodes = [
        helper.make_node("Add", ["before", "before"], ["after"]),
        helper.make_node("ReduceMax", ["after"], ["largest"], keepdims=0),
        helper.make_node("Less", ["largest", "limit"], ["small"]),
        helper.make_node("Identity", ["on"], ["same"]),
        helper.make_node("Identity", ["after"], ["share"]),
    ]
    info = helper.make_tensor_value_info
    outputs = [
        info(cond_out, TensorProto.BOOL, []),
        info("after", TensorProto.FLOAT, [2]),
        *([info("share", TensorProto.FLOAT, [2])] if stacked else []),
    ]
    inputs = [
        info("i", INT, []),
        info("on", TensorProto.BOOL, []),
        info("before", TensorProto.FLOAT, [2]),
    ]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    names = ["y", "shares"] if stacked else ["y"]
    return helper.make_node("Loop", ["trips", "", "x"], names, body=body)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("trips", [3, 40])
def test_a_loop_that_data_ends(stacked: bool, trips: int):
    outputs = [("y", None), ("shares", None)][: 1 + stacked]
    weights = [("trips", np.array(trips)), ("limit", np.array(50, np.float32))]
    model = model_of([loop("small", stacked)], [("x", [2])], outputs, weights)
    agrees(model, (np.array([1, 2], np.float32),), (np.array([30, -1], np.float32),))


def test_a_branch_that_data_decides():
    info = helper.make_tensor_value_info
    branches = {
        name: helper.make_graph(
            [helper.make_node(op, ["x"], ["out"])],
            name,
            [],
            [info("out", TensorProto.FLOAT, ["n"])],
        )
        for name, op in (("then_branch", "Exp"), ("else_branch", "Neg"))
    }
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["large"]),
        helper.make_node("If", ["large"], ["y"], **branches),
    ]
    weights = [("zero", np.array(0, np.float32))]
    model = model_of(nodes, [("x", ["n"])], [("y", None)], weights)
    agrees(model, (np.ones(3, np.float32),), (-np.ones(4, np.float32),))


def test_a_diagonal_that_is_data():
    node = helper.make_node("Trilu", ["x", "k"], ["y"], upper=0)
    model = model_of([node], [("x", ["n", 4]), ("k", [], INT)], [("y", None)])
    agrees(model, *[(floats(3, 4), np.array(k)) for k in (0, 1, -2, 9)])


def test_how_many_boxes_are_kept_is_data():
    node = helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "shared"], ["y"])
    inputs = [("boxes", [1, 6, 4]), ("scores", [1, 2, 6]), ("most", [1], INT)]
    model = model_of([node], inputs, [("y", None, INT)], [("shared", np.array([0.5], np.float32))])
    boxes = np.sort(np.abs(floats(1, 6, 4)).reshape(1, 6, 2, 2), axis=2).reshape(1, 6, 4)
    agrees(model, *[(boxes, floats(1, 2, 6), np.array([most])) for most in (1, 3, 0, 50)])


def test_branches_of_other_extents_are_chosen_by_the_value_of_an_input():
    """Where both cannot be in one program, it is compiled for the value that decides."""
    info = helper.make_tensor_value_info
    branches = {
        name: helper.make_graph(
            [helper.make_node("Concat", ["x"] * count, ["out"], axis=0)],
            name,
            [],
            [info("out", TensorProto.FLOAT, None)],
        )
        for name, count in (("then_branch", 2), ("else_branch", 3))
    }
    nodes = [
        helper.make_node("Equal", ["rate", "usual"], ["is_usual"]),
        helper.make_node("If", ["is_usual"], ["y"], **branches),
    ]
    inputs = [("x", ["n"]), ("rate", [], INT)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)], [("usual", np.array(16))]))
    x = floats(4)
    assert model(x, np.array(16)).tolist() == [*x, *x]
    assert model(x, np.array(8)).tolist() == [*x, *x, *x]
    assert model.deciding == ("rate",)
