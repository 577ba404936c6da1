"""Operators against onnxruntime where ONNX's own suite has no case of it."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_models import RNG, agrees, floats, model_of

import teenyir as ty

INT = TensorProto.INT64
FLOAT = TensorProto.FLOAT


# --- images ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("place", ["half_pixel", "output_half_pixel"])
def test_regions_that_decide_how_many_places_of_them_are_read(mode: str, place: str):
    node = helper.make_node(
        "RoiAlign",
        ["x", "rois", "batch"],
        ["y"],
        mode=mode,
        output_height=2,
        output_width=3,
        sampling_ratio=0,
        coordinate_transformation_mode=place,
    )
    inputs = [("x", [2, 3, 8, 9]), ("rois", ["n", 4]), ("batch", ["n"], INT)]
    model = model_of([node], inputs, [("y", None)])
    rois = np.array([[0, 0, 7, 7], [1, 2, 3, 3.5], [2, 1, 2, 1], [0, 0, 20, 6]], np.float32)
    agrees(model, floats(2, 3, 8, 9), rois, np.array([0, 1, 1, 0]))


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize(
    "place", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
)
def test_a_resize_of_extents_with_names_to_others(mode: str, place: str):
    nodes = [
        helper.make_node("Shape", ["like"], ["extents"]),
        helper.make_node(
            "Resize",
            ["x", "", "", "extents"],
            ["y"],
            mode=mode,
            coordinate_transformation_mode=place,
            nearest_mode="floor" if place == "asymmetric" else "round_prefer_floor",
        ),
    ]
    inputs = [("x", ["b", 2, "h", "w"]), ("like", ["b", 2, "rows", "columns"])]
    model = model_of(nodes, inputs, [("y", None)])
    by_interpreter = place != "half_pixel"  # the others are as much in native code
    for old, new in (((1, 2, 5, 4), (1, 2, 7, 9)), ((2, 2, 6, 8), (2, 2, 3, 5))):
        agrees(model, floats(*old), floats(*new), by_interpreter=by_interpreter)


@pytest.mark.parametrize(
    ("mode", "antialias", "policy"),
    [("linear", 1, "not_larger"), ("cubic", 1, "stretch"), ("nearest", 0, "not_smaller")],
)
def test_a_resize_of_extents_with_names_that_keeps_the_aspect_ratio_or_mixes_more(
    mode: str, antialias: int, policy: str
):
    nodes = [
        helper.make_node("Shape", ["like"], ["extents"], start=2),
        helper.make_node(
            "Resize",
            ["x", "", "", "extents"],
            ["y"],
            mode=mode,
            antialias=antialias,
            keep_aspect_ratio_policy=policy,
            axes=[2, 3],
        ),
    ]
    inputs = [("x", ["b", 1, "h", "w"]), ("like", ["b", 1, "rows", "columns"])]
    model = model_of(nodes, inputs, [("y", None)], opset=19)
    for old, new in (((9, 8), (4, 3)), ((5, 4), (7, 9)), ((12, 7), (5, 11))):
        agrees(model, floats(1, 1, *old), floats(1, 1, *new), by_interpreter=True)


@pytest.mark.parametrize("rows", [10, "rows"])
def test_a_scale_is_applied_in_float32(rows: int | str):
    """10 times 0.7 is 7, as in ONNX's inference of shapes; in float64 it is less."""
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="linear", antialias=1)
    scales = [("scales", np.array([0.7, 1.3], np.float32))]
    model = model_of([node], [("x", [rows, 10])], [("y", [None, 13])], scales, opset=18)
    agrees(model, floats(10, 10), by_interpreter=True)


def test_a_scale_that_names_have_no_fraction_for_is_refused():
    """7/3 in float32 is less, and 27 times it is below 63."""
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="nearest")
    scales = [("scales", np.array([7 / 3], np.float32))]
    agrees(model_of([node], [("x", [27])], [("y", None)], scales), floats(27), by_interpreter=True)
    with pytest.raises(ty.CompileError, match=r"the extent n times 2\.33.* is no simple"):
        ty.load_onnx(model_of([node], [("x", ["n"])], [("y", None)], scales)).trace()


def test_a_resize_to_nothing():
    node = helper.make_node("Resize", ["x", "", "scales"], ["y"], mode="linear")
    scales = [("scales", np.array([1, 1, 0.3, 1], np.float32))]
    agrees(model_of([node], [("x", [1, 1, 2, 4])], [("y", None)], scales), floats(1, 1, 2, 4))


# --- numbers --------------------------------------------------------------------------------------


def test_axes_of_extent_1_go_along_in_a_sum_of_products():
    node = helper.make_node("Einsum", ["a", "b"], ["y"], equation="...ij,...jk->...ik")
    model = model_of([node], [("a", [5, 1, 2, 3]), ("b", [1, 4, 3, 2])], [("y", None)])
    a, b = floats(5, 1, 2, 3), floats(1, 4, 3, 2)
    assert agrees(model, a, b)[0].shape == (5, 4, 2, 2)


@pytest.mark.parametrize("by", ["cpu", "interpret"])
def test_a_quotient_of_integers_by_0_is_0_and_none_is_a_fault(by: str):
    """ONNX does not say what they are, and onnxruntime ends the process."""
    nodes = [
        helper.make_node("Div", ["a", "b"], ["q"]),
        helper.make_node("Mod", ["a", "b"], ["r"]),
        helper.make_node("Mod", ["a", "b"], ["c"], fmod=1),
    ]
    for element, dtype in ((TensorProto.INT32, np.int32), (TensorProto.INT8, np.int8)):
        least = np.iinfo(dtype).min
        values = [(name, ["n"], element) for name in "abqrc"]
        model = ty.load_onnx(model_of(nodes, values[:2], values[2:], opset=14))
        a = np.array([5, 7, -8, least, 0, least], dtype)
        b = np.array([0, -2, 3, -1, 0, 0], dtype)
        found = model.lower(by).compile()(a, b)
        expected = [[0, -3, -2, least, 0, 0], [0, -1, 1, 0, 0, 0], [0, 1, -2, 0, 0, 0]]
        assert [each.tolist() for each in found] == expected


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("is_sorted", [0, 1])
def test_nan_is_one_element_however_often_it_is_there(axis: int | None, is_sorted: int):
    """As in numpy and in ONNX's reference; onnxruntime does so for slices alone."""
    options = {} if axis is None else {"axis": axis}
    node = helper.make_node("Unique", ["x"], ["y", "i", "v", "c"], sorted=is_sorted, **options)
    outputs = [("y", None), *[(name, None, INT) for name in "ivc"]]
    nan = np.nan
    x = np.array([1, nan, 2, nan, 1] if axis is None else [[1, nan], [1, nan], [0, 2]], np.float32)
    model = model_of([node], [("x", list(x.shape))], outputs)
    values, first, inverse, counts = ty.load_onnx(model)(x)
    wanted = {
        (None, 0): ([1, nan, 2], [0, 1, 2], [0, 1, 2, 1, 0], [2, 2, 1]),
        (None, 1): ([1, 2, nan], [0, 2, 1], [0, 2, 1, 2, 0], [2, 1, 2]),
        (0, 0): ([[1, nan], [0, 2]], [0, 2], [0, 0, 1], [2, 1]),
        (0, 1): ([[0, 2], [1, nan]], [2, 0], [1, 1, 0], [1, 2]),
    }[axis, is_sorted]
    for got, expected in zip((values, first, inverse, counts), wanted, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_loop_of_no_trips_whose_body_cuts_by_their_number():
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["on"], ["same"]),
            helper.make_node("Add", ["i", "one"], ["next"]),
            helper.make_node("Unsqueeze", ["next", "axis"], ["end"]),
            helper.make_node("Slice", ["x", "axis", "end"], ["part"]),
            helper.make_node("ReduceSum", ["part"], ["sum"], keepdims=0),
        ],
        "body",
        [info("i", INT, []), info("on", TensorProto.BOOL, [])],
        [info("same", TensorProto.BOOL, []), info("sum", FLOAT, [])],
    )
    node = helper.make_node("Loop", ["trips", "cond"], ["y"], body=body)
    inputs = [("x", [4]), ("trips", [], INT), ("cond", [], TensorProto.BOOL)]
    weights = [("one", np.array(1)), ("axis", np.array([0]))]
    model = ty.load_onnx(model_of([node], inputs, [("y", None)], weights))
    x = np.arange(4, dtype=np.float32)
    assert model(x, np.array(3), np.array(True)).tolist() == [0, 1, 3]
    assert model(x, np.array(3), np.array(False)).shape == (0,)


# --- attention ------------------------------------------------------------------------------------


def attending(*inputs: tuple[Any, ...], **attributes: int) -> onnx.ModelProto:
    node = helper.make_node("Attention", [each[0] for each in inputs], ["y"], **attributes)
    return model_of([node], [each for each in inputs if each[0]], [("y", None)], opset=23)


HEADS = [(name, [2, 4, 8, 16]) for name in ("q", "k", "v")]
FEW_HEADS = [HEADS[0], ("k", [2, 2, 8, 16]), ("v", [2, 2, 8, 16])]
ROWS = [(name, [2, 8, 64]) for name in ("q", "k", "v")]
PAST = [("", None), ("past_k", [2, 4, 3, 16]), ("past_v", [2, 4, 3, 16])]


@pytest.mark.parametrize(
    ("inputs", "attributes"),
    [
        (HEADS, {}),
        (HEADS, {"is_causal": 1}),
        ([*HEADS, ("mask", [8, 8])], {}),
        ([*HEADS, ("mask", [2, 1, 8, 8], TensorProto.BOOL)], {"is_causal": 1}),
        (FEW_HEADS, {}),
        (ROWS, {"q_num_heads": 4, "kv_num_heads": 4}),
        ([*HEADS, *PAST], {"is_causal": 1}),
    ],
    ids=["plain", "causal", "mask", "boolean mask", "few heads", "rows", "past"],
)
def test_attention_is_one_kernel(inputs: list[tuple[Any, ...]], attributes: dict[str, int]):
    """Of queries and keys in float32, without what `scaled_dot_product_attention` has not."""
    proto = attending(*inputs, **attributes)
    model = ty.load_onnx(proto)
    compiled = model.lower().compile()
    given = {
        name: floats(*spec.shape) if spec.dtype == ty.float32 else RNG.random(spec.shape) < 0.7
        for name, spec in model.specs.items()
    }
    expected = ReferenceEvaluator(proto).run(None, given)[0]
    np.testing.assert_allclose(compiled(**given), expected, rtol=1e-4, atol=1e-5)
    assert len(compiled.kernels) == 1
    assert "attention" in compiled.kernels[0].name


def test_attention_with_more_options_is_what_onnx_defines():
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], softcap=2.0)
    proto = model_of([node], HEADS, [("y", None)], opset=23)
    given = {name: floats(2, 4, 8, 16) for name, _ in HEADS}
    expected = ReferenceEvaluator(proto).run(None, given)[0]
    np.testing.assert_allclose(ty.load_onnx(proto)(**given), expected, rtol=1e-4, atol=1e-5)


# --- what is taken away ---------------------------------------------------------------------------


def padded(extent: int | str, pads: list[int], mode: str) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["a"], mode=mode),
        helper.make_node("Add", ["a", "a"], ["y"]),
    ]
    return model_of(nodes, [("x", [extent])], [("y", None)], [("pads", np.array(pads))], opset=19)


@pytest.mark.parametrize("extent", [3, "n"])
def test_a_pad_that_takes_away_what_is_there_and_of_what_it_puts_there(extent: int | str):
    for pads, mode in [
        ([-3, 0], "constant"),
        ([-5, 4], "constant"),
        ([4, -5], "constant"),
        ([-3, 2], "constant"),
        ([-2, 3], "wrap"),
        ([2, -1], "edge"),
        ([-1, 1], "reflect"),
    ]:
        agrees(padded(extent, pads, mode), floats(3))


@pytest.mark.parametrize("extent", [3, "n"])
def test_a_pad_that_takes_away_more_than_there_is_is_refused(extent: int | str):
    reason = "cannot be taken away|may not be negative|nothing is left of axis 0|on the call"
    for pads, mode in [
        ([-5, 0], "constant"),
        ([-2, -2], "edge"),
        ([2, -6], "constant"),
        ([-3, 2], "edge"),
        ([-4, 2], "reflect"),
    ]:
        with pytest.raises(ty.CompileError, match=reason):
            ty.load_onnx(padded(extent, pads, mode))(floats(3))


# --- normalisation --------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
def test_a_normalisation_by_weights_is_a_factor_and_an_offset(known: bool):
    rng = np.random.default_rng(0)
    names = ("scale", "bias", "mean", "variance")
    weights = [rng.standard_normal(20).astype(np.float32) for _ in names]
    weights[3] **= 2
    x = rng.standard_normal((2, 20, 3, 5)).astype(np.float32)
    node = helper.make_node("BatchNormalization", ["x", *names], ["y"], epsilon=1e-3)
    given = [] if known else [(name, [20]) for name in names]
    model = model_of([node], [("x", [2, 20, 3, 5]), *given], [("y", None)])
    if known:
        arrays = zip(weights, names, strict=True)
        model.graph.initializer.extend(numpy_helper.from_array(*each) for each in arrays)
    (y,) = agrees(model, x, *([] if known else weights))
    scale, bias, mean, var = (each.astype(np.float64)[:, None, None] for each in weights)
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(var + 1e-3) * scale + bias, 1e-5, 1e-5)
    text = ty.load_onnx(model).lower("interpret").as_text("graph")
    assert ("graph.sqrt" in text) is not known
