"""Models of ONNX as programs: `ty.load_onnx`, and the commands."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save
from onnx_models import model_of

import teenyir as ty
from teenyir.tools.teeny_run import main as teeny_run
from teenyir.tools.teeny_translate import main as teeny_translate

WEIGHTS = np.arange(24, dtype=np.float32).reshape(4, 6) / 10 - 1


def rows_of_three_by_two():
    """relu(x @ w + 1), whose shape is put together from that of x."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"], name="product of x"),
        helper.make_node("Add", ["product", "b"], ["sum"]),
        helper.make_node("Relu", ["sum"], ["positive"]),
        helper.make_node("Shape", ["positive"], ["extents"]),
        helper.make_node("Gather", ["extents", "first"], ["rows"]),
        helper.make_node("Concat", ["rows", "rest"], ["shape"], axis=0),
        helper.make_node("Reshape", ["positive", "shape"], ["y"]),
    ]
    weights = [
        ("w", WEIGHTS),
        ("b", np.ones(6, np.float32)),
        ("first", np.array([0])),
        ("rest", np.array([3, 2])),
    ]
    return model_of(nodes, [("x", ["batch", 4])], [("y", None)], weights)


def expected(x):
    return np.maximum(x @ WEIGHTS + 1, 0).reshape(-1, 3, 2)


@pytest.mark.parametrize("rows", [1, 5])
def test_a_model_is_a_program_for_every_batch(rows):
    x = np.random.default_rng(0).standard_normal((rows, 4), np.float32)
    model = ty.load_onnx(rows_of_three_by_two())
    compiled = model.lower("cpu").compile()
    np.testing.assert_allclose(compiled(x), expected(x), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model(x=x), expected(x), rtol=1e-6, atol=1e-6)


def test_shapes_that_a_graph_works_out_are_expressions():
    text = ty.load_onnx(rows_of_three_by_two()).as_text()
    assert "#graph.dims<[batch, 3, 2]>" in text
    assert "gather" not in text and "concat" not in text


def test_weights_are_parameters_and_not_in_the_text():
    traced = ty.load_onnx(rows_of_three_by_two()).trace()
    assert traced.input_names == ["x"] and traced.output_names == ["y"]
    np.testing.assert_array_equal(traced.parameters["w"], WEIGHTS)
    assert "dense<[" not in traced.as_text()


def test_ops_are_named_after_their_nodes():
    traced = ty.load_onnx(rows_of_three_by_two()).trace()
    assert any('"product of x"' in str(op.location) for op in traced.entry.body.block.ops)


@pytest.mark.parametrize("name", ["model.onnx", "MODEL.ONNX"])
def test_the_commands_read_models(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, x = tmp_path / name, np.ones((2, 4), np.float32)
    save(rows_of_three_by_two(), path)
    np.save(tmp_path / "x.npy", x)
    assert teeny_translate([str(path), "--to=mlir"]) == 0
    assert "graph.dot %x, %w" in capsys.readouterr().out
    out = tmp_path / "out.npz"
    assert teeny_run([str(path), "--input", f"x={tmp_path}/x.npy", "-o", str(out)]) == 0
    np.testing.assert_allclose(np.load(out)["y"], expected(x), rtol=1e-6)


def test_teeny_run_compiles_for_the_value_of_a_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    path = tmp_path / "reshape.onnx"
    save(model_of(nodes, [("x", [2, 6]), ("shape", [2], TensorProto.INT64)], [("y", None)]), path)
    assert teeny_run([str(path)]) == 1
    assert "the value of the input 'shape' decides what is compiled" in capsys.readouterr().err
    np.save(tmp_path / "shape.npy", np.array([3, 4]))
    assert teeny_run([str(path), "--input", f"shape={tmp_path}/shape.npy"]) == 0
    said = capsys.readouterr()
    assert "remark: compiled for this value of the input 'shape'" in said.err
    assert "float32[3, 4]" in said.out


def test_a_shape_that_is_an_input_is_compiled_for_every_value():
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["y"])]
    inputs = [("x", [2, 6]), ("shape", [2], TensorProto.INT64)]
    model = ty.load_onnx(model_of(nodes, inputs, [("y", None)]))
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    assert model(x, np.array([3, 4])).shape == (3, 4)
    assert model(x, np.array([4, 3])).shape == (4, 3)
    assert model.deciding == ("shape",)
    assert model(x, np.array([-1, 2])).shape == (6, 2)
    assert [str(remark.message) for remark in model.remarks] == [
        "model: compiled for every value of 'shape', which decides extents"
    ]
    with pytest.raises(ty.CompileError, match="the value of the input 'shape' decides"):
        model.trace()


def test_names_of_weights_are_kept_apart():
    """Graphs in graphs have weights of the same names, and a constant has a name of its own."""
    branches = {}
    for name, value in (("then_branch", 1), ("else_branch", 2)):
        graph = helper.make_graph(
            [helper.make_node("Add", ["x", "w"], ["out"])],
            name,
            [],
            [helper.make_tensor_value_info("out", TensorProto.FLOAT, [20])],
            [numpy_helper.from_array(np.full(20, value, np.float32), "w")],
        )
        branches[name] = graph
    many = numpy_helper.from_array(np.arange(20, dtype=np.float32))
    nodes = [
        helper.make_node("Constant", [], ["unnamed"], value=many),
        helper.make_node("Add", ["x", "unnamed"], ["z"]),
        helper.make_node("Add", ["z", "constant0"], ["x1"]),
        helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0),
        helper.make_node("Greater", ["most", "zero"], ["large"]),
        helper.make_node("If", ["large"], ["branch"], **branches),
        helper.make_node("Add", ["branch", "x1"], ["y"]),
    ]
    weights = [("constant0", np.full(20, 100, np.float32)), ("zero", np.array(0, np.float32))]
    model = ty.load_onnx(model_of(nodes, [("x", [20])], [("y", None)], weights))
    for sign, added in ((1, 1), (-1, 2)):
        x = np.full(20, sign, np.float32)
        np.testing.assert_array_equal(model(x), 2 * x + np.arange(20) + 100 + added)
    assert {"w", "w_1", "constant0"} <= model.trace().parameters.keys()
