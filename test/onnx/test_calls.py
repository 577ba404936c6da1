"""What a modeller does with a model: calls with wrong arrays, extents, options, random numbers."""

import re
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_cases import outputs_by_interpreter
from onnx_models import model_of

import teenyir as ty


def product() -> ty.OnnxModel:
    node = helper.make_node("MatMul", ["left", "right"], ["y"])
    inputs = [("left", ["rows", 4]), ("right", [4, "columns"])]
    return ty.load_onnx(model_of([node], inputs, [("y", None)]))


LEFT, RIGHT = np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)


def refused(message: str, *arrays: Any, **named: Any) -> None:
    with pytest.raises(ty.CompileError, match=re.escape(message)):
        product()(*arrays, **named)


def test_wrong_arrays_name_the_input_what_was_expected_and_what_came():
    refused("no input named 'lefd'; did you mean 'left'?", lefd=LEFT, right=RIGHT)
    refused("input 'right' is missing: expected float32[4, columns]", left=LEFT)
    refused("input 'left'", LEFT[:, :3], RIGHT)
    refused("axis 1 is 3, not 4", LEFT[:, :3], RIGHT)
    refused("input 'left'", LEFT.astype(np.float64), RIGHT)
    refused("float64", LEFT.astype(np.float64), RIGHT)
    refused("takes 2 inputs, got 3", LEFT, RIGHT, RIGHT)
    refused("input 'left' is given twice", LEFT, left=LEFT, right=RIGHT)


def test_what_is_no_array_and_what_is_no_extent_are_refused():
    refused("input 'left': expected float32[rows, 4], got what is no array", [[1], [2, 3]], RIGHT)
    refused("input 'left': expected float32[rows, 4], got None", None, RIGHT)
    model = product()
    assert model([[1, 1, 1, 1.0]], RIGHT).tolist() == [[4, 4, 4]], "lists are of the dtype"
    for dims, message in [
        ({"rows": "a"}, "the extent rows is an integer, got 'a' of type str"),
        ({"rows": 2.0}, "the extent rows is an integer, got 2.0 of type float"),
        ({"rows": None}, "the extent rows is an integer, got None"),
        ({3: 2}, "dims maps names of extents to integers, got the name 3"),
        ([2], "dims maps names of extents to integers, got list"),
        ({"rows": 3}, "axis 0 is 2, not rows = 3, with rows = 3 as given"),
    ]:
        compiled = model.lower().compile()
        for call in (model, compiled):
            with pytest.raises(ty.CompileError, match=re.escape(message)):
                call(LEFT, RIGHT, dims=dims)
    with pytest.raises(ty.CompileError, match="a target is a text"):
        model.lower(None)  # pyright: ignore[reportArgumentType]


def test_what_is_said_when_a_model_is_loaded_has_to_be_extents_and_values():
    proto = product().proto
    for said, message in [
        ({"dims": {"rows": "a"}}, "the extent rows is an integer or a dim, got 'a' of type str"),
        ({"dims": {"rows": 2.5}}, "the extent rows is an integer or a dim, got 2.5"),
        ({"dims": {"rows": -1}}, "the extent rows is from 0 to below 2**63, got -1"),
        ({"dims": {"rows": 10**30}}, "the extent rows is from 0 to below 2**63, got 1000"),
        ({"dims": {1: 2}}, "dims maps names of extents to integers or dims, got the name 1"),
        ({"dims": [3]}, "dims maps names of extents to integers or dims, got list"),
        ({"values": [3]}, "values maps names of inputs to arrays, got list"),
        ({"values": {3: 4}}, "an input has a name, got 3"),
        ({"values": {"left": [[1], [2, 3]]}}, "input 'left' is float32[rows, 4], got what is no"),
        ({"values": {"left": "a"}}, "input 'left' is of float32, got <U1"),
    ]:
        with pytest.raises(ty.CompileError, match=re.escape(message)):
            ty.load_onnx(proto, **said)


def test_extents_are_what_dims_says():
    node = helper.make_node("Relu", ["x"], ["y"])
    model = model_of([node], [("x", ["batch", "some text!", None])], [("y", None)])
    specs = ty.load_onnx(model).specs["x"]
    assert list(map(str, specs.shape)) == ["batch", "some_text_", "x_2"]
    bound = ty.Dim("B", min=2, max=8)
    fixed = ty.load_onnx(model, dims={"batch": bound, "some text!": 5})
    assert list(map(str, fixed.specs["x"].shape)) == ["B", "5", "x_2"]
    assert "B in 2..8" in fixed.as_text()
    assert ty.load_onnx(model, dims={"x_2": 7}).specs["x"].shape[2] == 7
    with pytest.raises(ty.CompileError, match="no extent is called 'bacth'; did you mean 'batch'"):
        ty.load_onnx(model, dims={"bacth": 1})
    with pytest.raises(ty.CompileError, match="no extent is called 'x_0'; did you mean 'x_2'"):
        ty.load_onnx(model, dims={"x_0": 1})


def test_values_have_to_fit():
    node = helper.make_node("Reshape", ["x", "shape"], ["y"])
    inputs = [("x", [6]), ("shape", [2], TensorProto.INT64)]
    model = model_of([node], inputs, [("y", None)])
    assert ty.load_onnx(model, values={"shape": [2, 3]}).input_names == ["x"]
    for values, message in [
        ({"shap": [2, 3]}, "no input 'shap'; did you mean 'shape'"),
        ({"shape": [2, 3, 1]}, r"input 'shape' has the shape \(2\), got \(3,\)"),
        ({"shape": np.ones(2, np.float32)}, "input 'shape' is of int64, got float32"),
        ({"shape": [4, 3]}, "node 'y' .Reshape.: .* has 6 elements"),
    ]:
        with pytest.raises(ty.CompileError, match=message):
            ty.load_onnx(model, values=values).trace()
    with pytest.raises(ty.CompileError, match="input 'shape' is missing"):
        loaded = ty.load_onnx(model)
        loaded(np.ones(6, np.float32), np.array([2, 3]))
        loaded(np.ones(6, np.float32))


def test_a_call_may_pass_an_input_that_a_weight_is_the_value_of():
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    weights = [("w", np.full(3, 10, np.float32))]
    model = ty.load_onnx(model_of(nodes, [("x", [3]), ("w", [3])], [("y", None)], weights))
    x, other = np.arange(3, dtype=np.float32), np.full(3, 5, np.float32)
    assert model.input_names == ["x"] and list(model.inputs.optional) == ["w"]
    for _ in range(2):
        assert model(x).tolist() == [10, 11, 12]
        assert model(x, w=other).tolist() == [5, 6, 7]
    with pytest.raises(ty.CompileError, match="axis 0 is 2, not 3"):
        model(x, w=other[:2])
    held = ty.load_onnx(model.proto, values={"w": other})
    assert held(x).tolist() == [5, 6, 7]


def test_an_input_that_decides_may_be_one_that_a_weight_is_the_value_of():
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    inputs = [("x", [6]), ("shape", [2], TensorProto.INT64)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)], [("shape", np.array([2, 3]))]))
    x = np.ones(6, np.float32)
    assert model(x).shape == (2, 3)
    assert model(x, shape=np.array([3, 2])).shape == (3, 2)
    assert model(x).shape == (2, 3)


def test_an_input_of_strings_that_nothing_reads_is_left_out():
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    inputs = [("x", [2]), ("note", [1], TensorProto.STRING)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)]))
    x = np.ones(2, np.float32)
    assert model.input_names == ["x"]
    assert model(x).tolist() == model(x, note=np.array(["?"])).tolist() == [1, 1]
    nodes.append(helper.make_node("Identity", ["note"], ["z"]))
    with pytest.raises(ty.CompileError, match="input 'note' is of STRING"):
        ty.load_onnx(model_of(nodes, inputs, [("y", None)]))


def test_an_extent_of_minus_one_is_not_known():
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    model = ty.load_onnx(model_of(nodes, [("x", [-1, 3])], [("y", [-1, 3])]))
    assert list(map(str, model.specs["x"].shape)) == ["x_0", "3"]
    assert model(np.ones((2, 3), np.float32)).shape == (2, 3)
    with pytest.raises(ty.CompileError, match="negative extent: -2"):
        ty.load_onnx(model_of(nodes, [("x", [-2, 3])], [("y", None)]))


# --- values that decide ---------------------------------------------------------------------------


def reshaping() -> ty.OnnxModel:
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    inputs = [("x", ["n", 6]), ("shape", [3], TensorProto.INT64)]
    return ty.load_onnx(model_of(nodes, inputs, [("y", None)]))


def test_one_program_serves_every_value():
    model = reshaping()
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    for shape in ([2, 3, 2], [3, 2, 2], [2, 2, 3], [-1, 3, 2], [1, 3, 4], [0, -1, 1], [12, 1, 1]):
        wanted = [own or len(x) for own in shape]
        np.testing.assert_array_equal(model(x, np.array(shape)), x.reshape(wanted))
    more = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert model(more, np.array([2, 3, 4])).shape == (2, 3, 4)
    assert [remark.message for remark in model.remarks] == [
        "model: compiled for every value of 'shape', which decides extents"
    ]


def test_one_program_serves_the_values_that_names_can_stand_for():
    """Where extents have to agree with each other, they are expressions of the numbers."""
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["a"]),
        helper.make_node("ConstantOfShape", ["shape"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["y"]),
    ]
    inputs = [("x", [12]), ("shape", [2], TensorProto.INT64)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)]))
    x = np.arange(12, dtype=np.float32)
    for shape in ([3, 4], [2, 6], [4, 3]):
        np.testing.assert_array_equal(model(x, np.array(shape)), x.reshape(shape))
    assert [remark.message for remark in model.remarks] == [
        "model: compiled for values of 'shape', which decides extents: any shape_0, shape_1 "
        "from 2 on"
    ]
    assert model(x, np.array([1, 12])).shape == (1, 12)
    assert len(model.remarks) == 2


def test_a_value_that_does_not_keep_what_names_promise_is_refused_by_its_numbers():
    model = reshaping()
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    model(x, np.array([2, 3, 2]))
    with pytest.raises(ty.CompileError, match=r"node 'y' \(Reshape\): .* 60"):
        model(x, np.array([5, 3, 4]))


def test_values_may_hold_dims_that_a_call_gives():
    rows = ty.Dim("rows", min=1)
    model = ty.load_onnx(reshaping().proto, values={"shape": [rows, 2, -1]}, dims={"n": 2})
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    assert "rows" in model.as_text()
    assert model(x, dims={"rows": 3}).shape == (3, 2, 2)
    assert model.lower().compile()(x, dims={"rows": 2}).shape == (2, 2, 3)
    with pytest.raises(ty.CompileError, match="no input says what rows is"):
        model(x)


@pytest.mark.parametrize("target", ["cpu", "interpret"])
def test_names_that_a_call_gives_have_to_suit(target: str):
    """Nothing is read beyond an array, whatever they are."""
    nodes = [helper.make_node("Reshape", ["x", "s"], ["z"]), helper.make_node("Exp", ["z"], ["y"])]
    inputs = [("x", [6]), ("s", [2], TensorProto.INT64)]
    for count, output in ((1, "z"), (2, "y")):
        proto = model_of(nodes[:count], inputs, [(output, None)])
        model = ty.load_onnx(proto, values={"s": [ty.Dim("a"), ty.Dim("b")]})
        x = np.ones(6, np.float32)
        for call in (model, model.lower(target).compile()):
            assert call(x, dims={"a": 2, "b": 3}).shape == (2, 3)
            with pytest.raises(
                ty.CompileError, match=r"do not suit: .* has to be 0, got -?2, with a ="
            ):
                call(x, dims={"a": 2, "b": 4})


def test_an_axis_is_compiled_for_every_value():
    nodes = [helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)]
    inputs = [("x", [2, 3, 4]), ("axes", [1], TensorProto.INT64)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)]))
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for axis in (2, 0, 1, -1, 2):
        np.testing.assert_array_equal(model(x, np.array([axis])), x.sum(axis))
    assert len(model.remarks) == 1
    with pytest.raises(ty.CompileError, match="axis 3 is outside of the 3 axes"):
        model(x, np.array([3]))


def test_an_error_in_a_graph_names_the_node():
    nodes = [helper.make_node("Add", ["x", "w"], ["y"], name="sum of both")]
    model = model_of(nodes, [("x", [2, 3])], [("y", None)], [("w", np.ones(4, np.float32))])
    with pytest.raises(ty.CompileError, match=r"model: node .sum of both. \(Add\): .* do not b"):
        ty.load_onnx(model).trace()


def test_nothing_is_promoted():
    inputs = [("x", [2]), ("w", [2], TensorProto.DOUBLE)]
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], inputs, [("y", None)])
    with pytest.raises(ty.CompileError, match="of one dtype, got float32 and float64"):
        ty.load_onnx(model).trace()


# --- random numbers -------------------------------------------------------------------------------


def drawn(op: str, **attributes: object) -> np.ndarray:
    inputs = {"Bernoulli": ["x"], "Multinomial": ["x"]}.get(op, [])
    node = helper.make_node(op, inputs, ["y"], **attributes)
    shape = [2, 3] if op == "Multinomial" else [100, 100]
    element = TensorProto.INT32 if op == "Multinomial" else TensorProto.FLOAT
    model = ty.load_onnx(model_of([node], [("x", shape)], [("y", None, element)]))
    x = np.log([[0.2, 0.3, 0.5]] * 2) if op == "Multinomial" else np.full(shape, 0.3)
    return outputs_by_interpreter(model, {"x": x.astype(np.float32)})[0].astype(np.float64)


def test_random_numbers_have_their_distributions():
    normal = drawn("RandomNormal", shape=[100, 100], mean=3.0, scale=2.0)
    assert abs(normal.mean() - 3) < 0.08 and abs(normal.std() - 2) < 0.06
    uniform = drawn("RandomUniform", shape=[100, 100], low=-1.0, high=3.0)
    assert uniform.min() >= -1 and uniform.max() <= 3
    assert abs(uniform.mean() - 1) < 0.05 and abs(uniform.var() - 16 / 12) < 0.05
    bernoulli = drawn("Bernoulli")
    assert set(np.unique(bernoulli)) == {0, 1} and abs(bernoulli.mean() - 0.3) < 0.02
    classes = drawn("Multinomial", sample_size=5000)
    shares = np.bincount(classes.astype(int).reshape(-1)) / classes.size
    np.testing.assert_allclose(shares, [0.2, 0.3, 0.5], atol=0.02)


def test_a_seed_is_a_stream_and_each_node_has_one():
    same = [drawn("RandomUniform", shape=[4], seed=7.0) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (drawn("RandomUniform", shape=[4], seed=8.0) != same[0]).any()
    nodes = [helper.make_node("RandomUniform", [], [name], shape=[4]) for name in ("a", "b")]
    model = ty.load_onnx(model_of(nodes, [], [("a", None), ("b", None)]))
    one, other = outputs_by_interpreter(model, {})
    assert (one != other).all()
