"""The operators of classical models, `ai.onnx.ml`, against onnxruntime and ONNX's reference."""

from statistics import NormalDist
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_models import agrees, floats

import teenyir as ty

INT = TensorProto.INT64
FLOAT = TensorProto.FLOAT

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
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")


@pytest.mark.parametrize(
    ("transform", "rows"),
    [*[(transform, rows) for transform in TRANSFORMS[:-1] for rows in (1, 3)], ("PROBIT", 3)],
)
def test_a_linear_classifier(transform: str, rows: int):
    """Of one row with PROBIT, onnxruntime leaves one of both scores as it was."""
    model = classical(
        "LinearClassifier",
        [LABELS, SCORES],
        coefficients=floats(rows * FEATURES).tolist(),
        intercepts=floats(rows).tolist(),
        classlabels_ints=[5, 7, 9][: max(rows, 2)],
        post_transform=transform,
    )
    agrees(model, floats(5, FEATURES))


def test_a_linear_regressor_with_a_post_transform():
    model = classical(
        "LinearRegressor",
        [SCORES],
        coefficients=floats(3 * FEATURES).tolist(),
        intercepts=floats(3).tolist(),
        targets=3,
        post_transform="SOFTMAX",
    )
    agrees(model, floats(5, FEATURES))


def test_the_number_that_a_normal_one_is_below_with_a_probability():
    """The score is the probability of the second class, to three digits of the inverse of erf."""
    model = classical(
        "LinearClassifier",
        [LABELS, SCORES],
        coefficients=[1.0, 0.0, 0.0],
        intercepts=[0.0],
        classlabels_ints=[5, 7],
        post_transform="PROBIT",
    )
    x = np.zeros((7, FEATURES), np.float32)
    x[:, 0] = [1e-4, 0.02, 0.3, 0.5, 0.9, 0.9999, 1.5]
    labels, scores = ty.load_onnx(model)(x)
    assert labels.tolist() == [7] * 7
    expected = [NormalDist().inv_cdf(float(p)) for p in x[:-1, 0]]
    np.testing.assert_allclose(scores[:-1, 1], expected, rtol=2e-3, atol=1e-6)
    np.testing.assert_allclose(scores[:-1, 0], -scores[:-1, 1], rtol=1e-3, atol=1e-6)
    assert np.isnan(scores[-1]).all()


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vector_machines(kernel: str):
    """One kernel in native code, which takes ten times as long to come by."""
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
        agrees(regressor, floats(4, FEATURES), by_interpreter=kernel != "RBF")
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
        agrees(classifier, floats(6, FEATURES), by_interpreter=kernel != "RBF")


@pytest.mark.parametrize(
    ("count", "transform", "by"),
    [
        (2, "NONE", "interpreter"),
        (3, "NONE", "interpreter"),
        pytest.param(3, "NONE", "cpu", marks=pytest.mark.long),
        (5, "PROBIT", "interpreter"),
    ],
)
def test_probabilities_of_support_vector_machines(count: int, transform: str, by: str):
    """They end where those of onnxruntime do: before they are exact."""
    rng = np.random.default_rng(0)
    pairs = count * (count - 1) // 2
    model = classical(
        "SVMClassifier",
        [LABELS, SCORES],
        classlabels_ints=list(range(3, 3 + count)),
        coefficients=rng.standard_normal(2 * count * (count - 1)).tolist(),
        vectors_per_class=[2] * count,
        rho=rng.standard_normal(pairs).tolist(),
        prob_a=(-1 - rng.random(pairs)).tolist(),
        prob_b=rng.standard_normal(pairs).tolist(),
        support_vectors=rng.standard_normal(2 * count * FEATURES).tolist(),
        kernel_type="RBF",
        kernel_params=[0.4, 0.0, 0.0],
        post_transform=transform,
    )
    x = rng.standard_normal((9, FEATURES)).astype(np.float32)
    _, scores = agrees(model, x, by_interpreter=by == "interpreter")
    if transform == "NONE":
        np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-5)
        assert np.ptp(scores, axis=0).min() > 0.01


def test_a_machine_for_each_class():
    """Without support vectors."""
    model = classical(
        "SVMClassifier",
        [LABELS, SCORES],
        classlabels_ints=[3, 4, 5],
        coefficients=floats(3 * FEATURES).tolist(),
        rho=[0.3],
        kernel_type="LINEAR",
        kernel_params=[0.0, 0.0, 0.0],
        post_transform="LOGISTIC",
    )
    agrees(model, floats(6, FEATURES))


def test_numbers_that_do_not_suit_the_classes_are_refused():
    vectors = {
        "classlabels_ints": [3, 4],
        "coefficients": [1.0] * 4,
        "support_vectors": [1.0] * 4 * FEATURES,
        "vectors_per_class": [2, 2],
        "rho": [0.5],
    }
    for changed, message in [
        ({"rho": [0.5, 1.0]}, "2 numbers of rho for 1 pairs of classes"),
        ({"prob_a": [1.0, 2.0], "prob_b": [1.0]}, "2 numbers of prob_a for 1 pairs"),
        ({"prob_a": [1.0]}, "the attribute prob_b is missing"),
        ({"vectors_per_class": [4]}, r"vectors_per_class has a number for each of 2 classes"),
        ({"vectors_per_class": []}, "4 coefficients are no rows of 3 features"),
        ({"post_transform": "PROBITS"}, "post_transform is one of NONE, SOFTMAX"),
    ]:
        model = classical("SVMClassifier", [LABELS, SCORES], **vectors)
        (node,) = model.graph.node
        kept = [each for each in node.attribute if each.name not in changed]
        kept += [helper.make_attribute(n, v, attr_type=_kind(v)) for n, v in changed.items()]
        del node.attribute[:]
        node.attribute.extend(kept)
        with pytest.raises(ty.CompileError, match=message):
            ty.load_onnx(model).trace()


def _kind(value: Any) -> int:
    kinds = onnx.AttributeProto
    if isinstance(value, str):
        return kinds.STRING
    return kinds.FLOATS if value and isinstance(value[0], float) else kinds.INTS


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
        agrees(model, x, by_interpreter=how != "SUM")


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
        agrees(model, floats(8, FEATURES), by_interpreter=positive or transform != "NONE")


@pytest.mark.parametrize("targets", [[0, 1, 2], [0]])
def test_a_probit_of_what_trees_give(targets: list[int]):
    """Where one of two classes is spoken of, onnxruntime leaves the other's score as it was."""
    model = classical(
        "TreeEnsembleClassifier",
        [LABELS, SCORES],
        classlabels_int64s=[4, 5, 6][: max(len(targets), 2)],
        post_transform="PROBIT",
        **forest("class", targets, True),
    )
    x = floats(8, FEATURES)
    _, scores = ty.load_onnx(model)(x)
    with np.errstate(all="ignore"):  # of what is no probability
        expected = ReferenceEvaluator(model).run(None, {"x": x})[1]
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
    assert not np.isnan(expected).all()


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
