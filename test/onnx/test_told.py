"""Axes, bounds and extents that inputs give: one program serves them all, and refuses others."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx_models import model_of

import teenyir as ty

INT = TensorProto.INT64
KEPT = [0, 1]


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def at_once(proto: onnx.ModelProto, *calls: tuple[Any, ...]) -> None:
    """Compare calls with onnxruntime, and see that one program serves them."""
    model = ty.load_onnx(proto)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    for inputs in calls:
        found = model(*inputs)
        expected = session.run(None, dict(zip(model.input_names, inputs, strict=True)))
        for got, wanted in zip(
            found if isinstance(found, tuple) else (found,), expected, strict=True
        ):
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    assert [each.message.partition(" of ")[0] for each in model.remarks] == [
        "model: compiled for every value"
    ]


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def node_of(op: str, *inputs: tuple[str, Any, int], **attributes: Any) -> onnx.ModelProto:
    names = [name for name, _, _ in inputs]
    node = helper.make_node(op, names, ["y"], **attributes)
    return model_of([node], list(inputs), [("y", None)])


X = ("x", ["n", 3, 4], TensorProto.FLOAT)


@pytest.mark.parametrize("keep", KEPT)
def test_axes_of_a_reduction(keep: int):
    for op in ("ReduceSum", "ReduceMax"):
        proto = model_of(
            [helper.make_node(op, ["x", "axes"], ["y"], keepdims=keep)],
            [X, ("axes", [2], INT)],
            [("y", None)],
            opset=18,
        )
        pairs = [(0, 1), (2, 0), (-1, 1), (-3, -2)]
        at_once(proto, *[(floats(n, 3, 4), ints(*axes)) for n in (1, 2) for axes in pairs])


def test_axes_that_are_dropped_and_added():
    dropped = node_of("Squeeze", ("x", [1, 3, 1, 4], 1), ("axes", [1], INT))
    at_once(dropped, *[(floats(1, 3, 1, 4), ints(axis)) for axis in (0, 2, -2)])
    added = node_of("Unsqueeze", X, ("axes", [2], INT))
    pairs = [(0, 1), (4, 2), (-1, 0)]
    at_once(added, *[(floats(2, 3, 4), ints(*axes)) for axes in pairs])


@pytest.mark.parametrize("reverse", [0, 1])
def test_the_axis_of_a_running_sum(reverse: int):
    proto = node_of("CumSum", X, ("axis", [], INT), reverse=reverse)
    at_once(proto, *[(floats(2, 3, 4), np.array(axis)) for axis in (0, 1, -1)])


def test_parts_in_steps_up_and_down():
    vectors = [(name, [2], INT) for name in ("starts", "ends", "axes", "steps")]
    proto = node_of("Slice", ("x", ["n", 9, 8], 1), *vectors)
    rows = [
        ((0, 1), (5, 100), (1, 2), (1, 1)),
        ((-1, -2), (-100, 1), (1, 2), (-1, -2)),
        ((2, 0), (8, 3), (2, 0), (3, 2)),
        ((8, 3), (0, 3), (1, 2), (-3, 1)),
    ]
    at_once(proto, *[(floats(5, 9, 8), *[ints(*each) for each in row]) for row in rows])


def test_parts_whose_steps_are_known():
    proto = node_of("Slice", X, ("starts", [3], INT), ("ends", [3], INT))
    rows = [((0, 1, -2), (9, 3, 4)), ((1, 0, 0), (2, -1, -1)), ((0, 2, 3), (0, 2, 4))]
    at_once(proto, *[(floats(2, 3, 4), *[ints(*each) for each in row]) for row in rows])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_what_is_put_around_axes(mode: str):
    inputs = [X, ("pads", [4], INT), ("", None, 0), ("axes", [2], INT)]
    node = helper.make_node("Pad", [name for name, _, _ in inputs], ["y"], mode=mode)
    inputs = [each for each in inputs if each[0]]
    proto = model_of([node], inputs, [("y", None)], opset=19)
    rows = [((1, 0, 0, 2), (1, 2)), ((0, 1, 1, 1), (-1, -2)), ((2, 0, 1, 0), (2, 1))]
    if mode == "constant":
        rows += [((-1, 2, 0, -3), (1, 2)), ((-1, 0, 2, -1), (2, 0))]
    at_once(proto, *[(floats(2, 3, 4), *[ints(*each) for each in row]) for row in rows])


def test_extents_that_are_given():
    vector = ("shape", [3], INT)
    expand = node_of("Expand", ("x", [3, 1], 1), vector)
    at_once(expand, *[(floats(3, 1), ints(*n)) for n in ((2, 3, 4), (1, 1, 1), (5, 3, 1))])
    tile = node_of("Tile", X, vector)
    at_once(tile, *[(floats(2, 3, 4), ints(*n)) for n in ((1, 1, 1), (2, 1, 3), (1, 0, 2))])
    filled = node_of("ConstantOfShape", vector)
    at_once(filled, *[(ints(*n),) for n in ((1, 2, 3), (0, 2, 2), (4, 1, 1))])
    shaped = node_of("Reshape", X, vector)
    at_once(shaped, *[(floats(2, 3, 4), ints(*n)) for n in ((0, -1, 1), (1, 24, 1), (-1, 0, 2))])


def test_sizes_of_parts():
    node = helper.make_node("Split", ["x", "sizes"], ["a", "b"], axis=1)
    inputs = [("x", ["n", 6], 1), ("sizes", [2], INT)]
    proto = model_of([node], inputs, [("a", None), ("b", None)])
    at_once(proto, *[(floats(2, 6), ints(*sizes)) for sizes in ((2, 4), (1, 5), (0, 6))])


def test_numbers_from_a_start_to_a_limit():
    for dtype, rows in (
        (np.float32, [(0.5, 3, 0.75), (3, -1, -0.5), (1, 1, 2)]),
        (np.int64, [(1, 10, 3), (9, -3, -4), (5, 1, 2)]),
    ):
        element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        proto = model_of(
            [helper.make_node("Range", ["start", "limit", "delta"], ["y"])],
            [(name, [], element) for name in ("start", "limit", "delta")],
            [("y", None, element)],
        )
        at_once(proto, *[tuple(np.array(n, dtype) for n in row) for row in rows])


def test_how_many_are_the_greatest():
    node = helper.make_node("TopK", ["x", "k"], ["y", "i"], axis=1)
    inputs = [("x", ["n", 6], 1), ("k", [1], INT)]
    proto = model_of([node], inputs, [("y", None), ("i", None, INT)])
    at_once(proto, *[(floats(2, 6), ints(k)) for k in (3, 1, 6, 0)])


@pytest.mark.parametrize(
    ("mode", "place"),
    [("nearest", "asymmetric"), ("linear", "half_pixel"), ("cubic", "align_corners")],
)
def test_scales_and_sizes_of_a_resize(mode: str, place: str):
    attributes = {"mode": mode, "coordinate_transformation_mode": place, "axes": [2, 3]}
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], **attributes)
    image = ("x", ["n", 1, 4, 5], 1)
    by_scale = model_of([node], [image, ("scales", [2], 1)], [("y", None)], opset=18)
    rows = [(2, 3), (0.5, 2), (1, 1)]
    if place != "align_corners":  # of which onnxruntime has the new extent in place of the scaled
        rows += [(2, 1.5), (0.5, 0.6)]
    at_once(by_scale, *[(floats(2, 1, 4, 5), np.array(row, np.float32)) for row in rows])
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attributes)
    by_size = model_of([node], [image, ("sizes", [2], INT)], [("y", None)], opset=18)
    at_once(by_size, *[(floats(2, 1, 4, 5), ints(*row)) for row in ((7, 9), (3, 2), (4, 1))])


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_a_resize_that_mixes_more_elements_the_smaller_it_is(mode: str):
    attributes = {"mode": mode, "antialias": 1, "axes": [2, 3]}
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], **attributes)
    inputs = [("x", [1, 1, 8, 8], 1), ("scales", [2], 1)]
    proto = model_of([node], inputs, [("y", None)], opset=18)
    rows = [(0.5, 0.75), (0.25, 0.5), (2, 1)]
    at_once(proto, *[(floats(1, 1, 8, 8), np.array(row, np.float32)) for row in rows])


def test_extents_worked_out_from_inputs():
    """What is computed of such inputs alone decides too: here half of a number."""
    nodes = [
        helper.make_node("Cast", ["size"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["wide", "half"], ["less"]),
        helper.make_node("Range", ["zero", "less", "one"], ["y"]),
    ]
    weights = [
        (name, np.array(value, np.float32))
        for name, value in (("half", 0.5), ("zero", 0), ("one", 1))
    ]
    proto = model_of(nodes, [("size", [], INT)], [("y", None)], weights)
    at_once(proto, *[(np.array(n),) for n in (10, 7, 2, 0)])


def test_what_makes_no_sense_is_refused():
    x = floats(2, 3, 4)
    vectors = [(name, [1], INT) for name in ("starts", "ends", "axes", "steps")]
    axis = ("axes", [1], INT)
    for proto, good, bad, message in [
        (node_of("ReduceSum", X, axis), [ints(1)], [ints(-4)], "axis -4 is outside of the 3 axes"),
        (node_of("CumSum", X, ("a", [], INT)), [ints(1)[0]], [ints(5)[0]], "axis 5 is outside"),
        (node_of("Squeeze", ("x", [1, 3, 4], 1), axis), [ints(0)], [ints(1)], "axis 1 of .* not 1"),
        (node_of("Unsqueeze", X, axis), [ints(0)], [ints(4)], "axis 4 is outside of the 4 axes"),
        (
            node_of("Slice", X, *vectors),
            [ints(n) for n in (0, 2, 1, 1)],
            [ints(n) for n in (0, 2, 1, 0)],
            "step",
        ),
        (node_of("Reshape", X, ("s", [2], INT)), [ints(4, 6)], [ints(5, 5)], "has 25"),
        (node_of("Expand", X, ("s", [3], INT)), [ints(2, 3, 4)], [ints(2, 2, 4)], "do not broad"),
        (node_of("TopK", X, ("k", [1], INT)), [ints(2)], [ints(5)], "the top 5 of 4"),
    ]:
        given = x[:1] if "Squeeze" in str(proto) and "Un" not in str(proto) else x
        if "TopK" in str(proto):
            proto.graph.node[0].output.append("i")
        model = ty.load_onnx(proto, dims={"n": 2} if given is x else {})
        model(given, *good)
        with pytest.raises(ty.CompileError, match=message):
            model(given, *bad)
        model(given, *good)
        assert len(model.remarks) == 1


def test_arrays_of_another_dtype_or_rank_are_refused():
    """Before anything is worked out of them."""
    x = floats(2, 3, 4)
    bounds = [(name, [3], INT) for name in ("starts", "ends")]
    shape, count = ("shape", [3], INT), ("k", [1], INT)
    ends = [(name, [], INT) for name in ("start", "limit", "delta")]
    numbers = node_of("Range", *ends)
    numbers.graph.output[0].type.tensor_type.elem_type = INT
    best = node_of("TopK", X, count)
    best.graph.node[0].output.append("i")
    for proto, good in [
        (node_of("Slice", X, *bounds), [x, ints(0, 1, 0), ints(2, 3, 4)]),
        (node_of("Expand", ("x", [2, 3, 4], 1), shape), [x, ints(2, 3, 4)]),
        (node_of("Reshape", X, shape), [x, ints(2, 4, 3)]),
        (numbers, [np.array(n) for n in (1, 9, 2)]),
        (best, [x, ints(2)]),
    ]:
        model = ty.load_onnx(proto)
        model(*good)
        value = good[-1]
        for bad in (
            value.astype(np.float64),
            value.astype(np.int32),
            value.astype(bool),
            value.astype(object),
            value[..., None],
            np.concatenate([value.reshape(-1)] * 2),
            None,
            "text",
        ):
            with pytest.raises(ty.CompileError, match="expected int64"):
                model(*good[:-1], bad)
        model(*good)
        assert len(model.remarks) == 1


def test_axes_named_twice_are_refused():
    x, twice = floats(2, 3, 4), ints(1, -2)
    vectors = [(name, [2], INT) for name in ("starts", "ends", "axes")]
    pads = [("pads", [4], INT), ("", None, 0), ("axes", [2], INT)]
    node = helper.make_node("Pad", ["x", *(name for name, _, _ in pads)], ["y"])
    padded = model_of([node], [X, pads[0], pads[2]], [("y", None)], opset=19)
    for proto, values in (
        (node_of("Slice", X, *vectors), [ints(0, 1), ints(2, 3)]),
        (padded, [ints(1, 1, 0, 0)]),
    ):
        for model in (ty.load_onnx(proto), ty.load_onnx(proto, values={"axes": twice})):
            given = [x, *values] if "axes" in model.values else [x, *values, twice]
            with pytest.raises(ty.CompileError, match="an axis is named twice"):
                model(*given)


def test_extents_that_come_out_negative_are_refused():
    """They are no extents that are left open, and none of 0."""
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], axes=[1, 2])
    resized = model_of([node], [X, ("sizes", [2], INT)], [("y", None)], opset=18)
    columns = ("x", [1, 4, 4], TensorProto.FLOAT)
    image = node_of("Col2Im", columns, ("image", [2], INT), ("block", [2], INT))
    image.opset_import[0].version = 18
    centred = node_of("CenterCropPad", X, ("shape", [3], INT))
    centred.opset_import[0].version = 18
    for proto, good, bad, message in (
        (
            centred,
            [floats(2, 3, 4), ints(4, 3, 2)],
            [floats(2, 3, 4), ints(4, -3, 2)],
            "the extent -3 that is to be cut or filled to is negative",
        ),
        (resized, [floats(2, 3, 4), ints(5, 2)], [floats(2, 3, 4), ints(7, -7)], "sizes from 0 on"),
        (
            image,
            [floats(1, 4, 4), ints(3, 3), ints(2, 2)],
            [floats(1, 4, 4), ints(0, 3), ints(2, 2)],
            "no room for a block",
        ),
    ):
        model = ty.load_onnx(proto)
        model(*good)
        with pytest.raises(ty.CompileError, match=message):
            model(*bad)
