"""Operators against onnxruntime where ONNX's own suite has no case of it."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_models import model_of

import teenyir as ty

INT = TensorProto.INT64
FLOAT = TensorProto.FLOAT
RNG = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def agrees(model: onnx.ModelProto, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
    """The results, which are those of onnxruntime."""
    imported = ty.load_onnx(model)
    found = imported(*inputs)
    found = found if isinstance(found, tuple) else (found,)
    given = dict(zip(imported.input_names, inputs, strict=True))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    for got, wanted in zip(found, session.run(None, given), strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    return found


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
    agrees(model, floats(1, 2, 5, 4), floats(1, 2, 7, 9))
    agrees(model, floats(2, 2, 6, 8), floats(2, 2, 3, 5))


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


# --- classical models -----------------------------------------------------------------------------

FEATURES = 3


def classical(op: str, outputs: list[Any], **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node(
        op, ["x"], [name for name, _ in outputs], domain="ai.onnx.ml", **attributes
    )
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("x", FLOAT, ["n", FEATURES])],
        [helper.make_tensor_value_info(name, element, None) for name, element in outputs],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


SCORES, LABELS = ("scores", FLOAT), ("labels", INT)
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("rows", [1, 3])
def test_a_linear_classifier(transform: str, rows: int):
    model = classical(
        "LinearClassifier",
        [LABELS, SCORES],
        coefficients=floats(rows * FEATURES).tolist(),
        intercepts=floats(rows).tolist(),
        classlabels_ints=[5, 7, 9][: max(rows, 2)],
        post_transform=transform,
    )
    agrees(model, floats(5, FEATURES))


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vector_machines(kernel: str):
    vectors = {
        "support_vectors": floats(5 * FEATURES).tolist(),
        "kernel_type": kernel,
        "kernel_params": [0.4, 0.2, 3.0],
    }
    for one_class in (0, 1):
        coefficients = floats(5).tolist()
        regressor = classical(
            "SVMRegressor",
            [SCORES],
            coefficients=coefficients,
            n_supports=5,
            rho=[0.3],
            one_class=one_class,
            **vectors,
        )
        agrees(regressor, floats(4, FEATURES))
    for labels, counts in (([3, 8], [2, 3]), ([3, 4, 5], [2, 1, 2])):
        pairs = len(labels) * (len(labels) - 1) // 2
        classifier = classical(
            "SVMClassifier",
            [LABELS, SCORES],
            classlabels_ints=labels,
            coefficients=floats(5 * (len(labels) - 1)).tolist(),
            vectors_per_class=counts,
            rho=floats(pairs).tolist(),
            **vectors,
        )
        agrees(classifier, floats(6, FEATURES))


def forest(what: str, targets: list[int], positive: bool = False) -> dict[str, list[Any]]:
    """Three trees of three decisions and four leaves each."""
    rng = np.random.default_rng(1)
    nodes: dict[str, list[Any]] = {}
    leaves: dict[str, list[Any]] = {}

    def add(table: dict[str, list[Any]], **values: Any) -> None:
        for name, value in values.items():
            table.setdefault(name, []).append(value)

    kinds = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"]
    for tree in range(3):
        for number in range(7):
            is_leaf = number > 2
            add(
                nodes,
                nodes_treeids=tree,
                nodes_nodeids=number,
                nodes_modes="LEAF" if is_leaf else kinds[(tree + number) % 4],
                nodes_featureids=0 if is_leaf else int(rng.integers(FEATURES)),
                nodes_values=0.0 if is_leaf else float(rng.standard_normal()),
                nodes_truenodeids=0 if is_leaf else 2 * number + 1,
                nodes_falsenodeids=0 if is_leaf else 2 * number + 2,
                nodes_missing_value_tracks_true=0 if is_leaf else int(rng.integers(2)),
            )
            for target in targets if is_leaf else []:
                weight = float(rng.standard_normal())
                owner = {f"{what}_treeids": tree, f"{what}_nodeids": number}
                add(leaves, **owner, **{f"{what}_ids": target})
                add(leaves, **{f"{what}_weights": abs(weight) / 3 if positive else weight})
    return {**nodes, **leaves}


@pytest.mark.parametrize("how", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_trees_that_give_numbers(how: str):
    for count in (1, 3):
        model = classical(
            "TreeEnsembleRegressor",
            [SCORES],
            n_targets=count,
            aggregate_function=how,
            base_values=floats(count).tolist(),
            **forest("target", list(range(count))),
        )
        x = floats(6, FEATURES)
        x[0, 0] = x[2, 1] = np.nan
        agrees(model, x)


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
@pytest.mark.parametrize("positive", [False, True])
def test_trees_that_give_classes(transform: str, positive: bool):
    for labels, targets in (([4, 5, 6], [0, 1, 2]), ([4, 5], [0]), ([4, 5], [1])):
        model = classical(
            "TreeEnsembleClassifier",
            [LABELS, SCORES],
            classlabels_int64s=labels,
            post_transform=transform,
            **forest("class", targets, positive),
        )
        agrees(model, floats(8, FEATURES))


def test_categories_as_ones():
    node = helper.make_node(
        "OneHotEncoder", ["x"], ["y"], domain="ai.onnx.ml", cats_int64s=[3, 1, 2]
    )
    graph = helper.make_graph(
        [node],
        "graph",
        [helper.make_tensor_value_info("x", INT, ["n"])],
        [helper.make_tensor_value_info("y", FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    agrees(helper.make_model(graph, opset_imports=opsets, ir_version=8), np.array([1, 5, 2, 1]))


@pytest.mark.parametrize("members", [None, [0.5, 1.5]])
def test_a_missing_value_goes_the_way_that_a_tree_says(members: list[float] | None):
    """In the newest form of trees, which onnxruntime takes too."""
    modes = np.array([6 if members else 0], np.uint8)
    attributes: dict[str, Any] = {
        "n_targets": 1,
        "tree_roots": [0],
        "nodes_modes": numpy_helper.from_array(modes),
        "nodes_featureids": [0],
        "nodes_splits": numpy_helper.from_array(np.array([0], np.float32)),
        "nodes_truenodeids": [0],
        "nodes_trueleafs": [1],
        "nodes_falsenodeids": [1],
        "nodes_falseleafs": [1],
        "leaf_targetids": [0, 0],
        "leaf_weights": numpy_helper.from_array(np.array([10, 20], np.float32)),
        "nodes_missing_value_tracks_true": [1],
    }
    if members:
        values = np.array([*members, np.nan], np.float32)
        attributes["membership_values"] = numpy_helper.from_array(values)
    model = classical("TreeEnsemble", [SCORES], **attributes)
    model.opset_import[1].version = 5
    x = np.array([[-1, 0, 0], [1.5, 0, 0], [np.nan, 0, 0]], np.float32)
    found = ty.load_onnx(model)(x).reshape(-1).tolist()
    assert found == ([20, 10, 10] if members else [10, 20, 10])


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
