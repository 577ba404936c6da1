"""Files that are damaged or mean harm: a diagnostic, in bounded time and memory."""

import itertools
import random
import re
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import (
    ModelProto,
    TensorProto,
    helper,
    numpy_helper,
    parser,
)
from onnx_models import model_of

import teenyir as ty


@pytest.fixture(autouse=True)
def little_memory():
    """What a file asks for is refused before it is allocated."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def refused(model: ModelProto | bytes | Path, message: str) -> None:
    with pytest.raises(ty.CompileError, match=message) as caught:
        ty.load_onnx(model).trace()
    assert "Error:" not in str(caught.value).removeprefix("error: "), "an exception by its name"


def one_node(op: str = "Relu", **attributes: object) -> ModelProto:
    return model_of([helper.make_node(op, ["x"], ["y"], **attributes)], [("x", [2])], [("y", None)])


def with_weight(tensor: TensorProto) -> ModelProto:
    model = model_of([helper.make_node("Add", ["x", "w"], ["y"])], [("x", [2])], [("y", None)])
    model.graph.initializer.append(tensor)
    return model


def test_a_model_cut_off_anywhere_is_refused():
    model = model_of(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        [("x", [2])],
        [("y", None)],
        [("w", np.ones(2, np.float32))],
    ).SerializeToString()
    for length in range(len(model)):
        with pytest.raises(ty.CompileError):
            ty.load_onnx(model[:length]).trace()


def test_bytes_changed_at_random_end_in_a_diagnostic_or_a_program():
    rng = random.Random(0)
    model = model_of(
        [helper.make_node("Reshape", ["x", "w"], ["z"]), helper.make_node("Relu", ["z"], ["y"])],
        [("x", [2, 3])],
        [("y", None)],
        [("w", np.array([3, 2]))],
    ).SerializeToString()
    for _ in range(1000):
        data = bytearray(model)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            ty.load_onnx(bytes(data)).trace()
        except ty.CompileError as error:
            assert not re.search(r"\b[A-Z]\w+Error: ", str(error)), error


@pytest.mark.parametrize("data", [b"", b"\0", b"hello", b"\xff" * 100, b"\x08\x0d" * 50])
def test_what_is_no_model_is_refused(data: bytes):
    refused(data, "holds no ONNX model")


def test_a_name_that_is_no_text_is_refused():
    data = one_node().SerializeToString().replace(b"Relu", b"\xff\xfe\xfd\xfc")
    refused(data, "is no text")


def test_a_file_that_is_not_there(tmp_path: Path):
    refused(tmp_path / "none.onnx", "cannot read")
    refused(tmp_path, "cannot read")


# --- graphs ---------------------------------------------------------------------------------------


def test_a_circle_of_nodes_is_refused():
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"]),
        helper.make_node("Add", ["x", "a"], ["b"]),
    ]
    refused(model_of(nodes, [("x", [2])], [("b", None)]), "'b' has no value here")


def test_a_name_given_a_value_twice_is_refused():
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Abs", ["x"], ["y"])]
    refused(model_of(nodes, [("x", [2])], [("y", None)]), "'y' is given a value twice")


def test_an_output_named_twice_is_refused():
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    twice = model_of(nodes, [("x", [2])], [("y", None), ("y", None)])
    refused(twice, "two outputs are called 'y'")


def test_a_function_that_calls_itself_is_refused():
    model = one_node("F")
    model.graph.node[0].domain = "own"
    call = helper.make_node("F", ["x"], ["y"], domain="own")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model.functions.append(helper.make_function("own", "F", ["x"], ["y"], [call], opsets))
    model.opset_import.append(opsets[1])
    refused(model, "graphs and functions lie in each other")


def test_functions_that_call_each_other_twice_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("teenyir.frontend.onnx.graph.MOST_NODES", 5000)
    model = one_node("F0")
    model.graph.node[0].domain = "own"
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model.opset_import.append(opsets[1])
    for k in range(40):
        nodes = [
            helper.make_node(f"F{k + 1}", ["x"], ["a"], domain="own"),
            helper.make_node(f"F{k + 1}", ["a"], ["y"], domain="own"),
        ]
        model.functions.append(helper.make_function("own", f"F{k}", ["x"], ["y"], nodes, opsets))
    last = [helper.make_node("Identity", ["x"], ["y"])]
    model.functions.append(helper.make_function("own", "F40", ["x"], ["y"], last, opsets))
    refused(model, "there are more than .* nodes")


def test_a_missing_input_and_one_too_many():
    refused(one_node("Add"), r"input 1 \(b\) is missing")
    many = helper.make_node("Relu", ["x", "x"], ["y"])
    refused(model_of([many], [("x", [2])], [("y", None)]), "takes 1 inputs at most, got 2")


def test_a_loop_whose_first_inputs_are_not_there():
    """They may be left out, by a name without characters, and have their places."""
    body = helper.make_graph([helper.make_node("Identity", ["a"], ["b"])], "body", [], [])
    for inputs, missing in (([], "input 0"), (["x"], "input 1")):
        node = helper.make_node("Loop", inputs, ["y"], body=body)
        model = model_of([node], [("x", [], TensorProto.INT64)], [("y", None)])
        refused(model, rf"{missing} \(\w+\) is missing")


def test_an_input_of_a_dtype_that_the_operator_does_not_take():
    shape = np.array([np.inf, 2.5], np.float32)
    node = helper.make_node("Reshape", ["x", "s"], ["y"])
    message = r"input 1 \(shape\) is of float32, and is to be of int64"
    refused(model_of([node], [("x", [2])], [("y", None)], [("s", shape)]), message)
    refused(model_of([node], [("x", [2]), ("s", [2])], [("y", None)]), message)
    node = helper.make_node("Concat", ["x", "x", "z"], ["y"], axis=0)
    ty.load_onnx(model_of([node], [("x", [2]), ("z", [2])], [("y", None)])).trace()
    node = helper.make_node("Max", ["x", "x", "z"], ["y"])
    boolean = ("z", [2], TensorProto.BOOL)
    refused(model_of([node], [("x", [2]), boolean], [("y", None)]), "input 2 .* is of bool, and")


@pytest.mark.parametrize("op", ["SpaceToDepth", "DepthToSpace"])
@pytest.mark.parametrize("size", [0, -2])
def test_blocks_without_elements_are_refused(op: str, size: int):
    node = helper.make_node(op, ["x"], ["y"], blocksize=size)
    refused(model_of([node], [("x", [1, 4, 4, 4])], [("y", None)]), "blocksize is from 1 on")


@pytest.mark.parametrize(
    ("op", "shapes"),
    [
        ("GatherND", [[2], []]),
        ("ScatterND", [[], [1], []]),
        ("Det", [[3]]),
        ("GRU", [[2, 1, 3], [1, 9, 3], []]),
        ("ReverseSequence", [[2, 3], []]),
        ("RoiAlign", [[], [1, 4], [1]]),
    ],
)
def test_an_input_of_too_few_axes_is_refused(op: str, shapes: list[list[int]]):
    names = "abc"[: len(shapes)]
    places = {"GatherND": "b", "ReverseSequence": "b", "ScatterND": "b", "RoiAlign": "c"}
    kinds = [TensorProto.INT64 if name in places.get(op, "") else 1 for name in names]
    node = helper.make_node(op, list(names), ["y"], **({"hidden_size": 3} if op == "GRU" else {}))
    inputs = list(zip(names, shapes, kinds, strict=True))
    refused(model_of([node], inputs, [("y", None)]), r"input \d \(\w+\) has fewer than \d axes")


def test_an_attribute_of_another_kind():
    refused(one_node("LeakyRelu", alpha=[1, 2]), "alpha is of FLOAT, got INTS")


def test_an_attribute_that_no_version_of_the_operator_has():
    refused(
        one_node("LeakyRelu", alhpa=0.1),
        "node 'y' .LeakyRelu.: .* 'alhpa' is not known; did you mean 'alpha'.; there are: alpha",
    )
    refused(one_node("Relu", alpha=0.1), "'alpha' is not known; there are: none")
    twice = one_node("LeakyRelu", alpha=0.1)
    twice.graph.node[0].attribute.append(helper.make_attribute("alpha", 0.2))
    refused(twice, "the attribute 'alpha' is there twice")
    ty.load_onnx(one_node("LeakyRelu", __note=1)).trace()
    function = one_node("F", scale=2.0)
    function.graph.node[0].domain = "own"
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    body = [helper.make_node("Relu", ["x"], ["y"])]
    function.functions.append(helper.make_function("own", "F", ["x"], ["y"], body, opsets))
    function.opset_import.append(opsets[1])
    refused(function, "'scale' is not known; there are: none")


def test_outputs_that_are_not_what_is_declared():
    node = helper.make_node("Relu", ["x"], ["y"])
    for declared, message in [
        (("y", [2], TensorProto.INT64), "output 'y' is declared to be of int64, and is of float32"),
        (("y", [3]), r"output 'y' is declared to have the shape \(3\), and has \(2\)"),
        (("y", [2, "n"]), r"output 'y' is declared to have the shape \(2, \?\), and has \(2\)"),
    ]:
        refused(model_of([node], [("x", [2])], [declared]), message)
    ty.load_onnx(model_of([node], [("x", ["n"])], [("y", [7])])).trace()
    ty.load_onnx(model_of([node], [("x", [2])], [("y", [-1])])).trace()


def test_a_weight_that_is_not_what_its_input_is_declared_to_be():
    node = helper.make_node("Add", ["x", "w"], ["y"])
    weight = [("w", np.ones(3, np.float32))]
    for declared in (("w", [2]), ("w", [3, 1]), ("w", [3], TensorProto.DOUBLE)):
        inputs = [("x", [3]), declared]
        refused(model_of([node], inputs, [("y", None)], weight), "input 'w' is declared as .*, and")
    ty.load_onnx(model_of([node], [("x", [3]), ("w", ["n"])], [("y", None)], weight)).trace()


def test_branches_of_other_dtypes():
    info = helper.make_tensor_value_info
    branches = {
        name: helper.make_graph(
            [helper.make_node("Cast", ["x"], ["out"], to=to)], name, [], [info("out", 0, None)]
        )
        for name, to in (("then_branch", TensorProto.FLOAT), ("else_branch", TensorProto.INT64))
    }
    node = helper.make_node("If", ["c"], ["y"], **branches)
    model = model_of([node], [("x", [2]), ("c", [], TensorProto.BOOL)], [("y", None)])
    refused(model, "one of its graphs gives float32, the other int64")
    declared = one_node("If", **branches)
    declared.graph.node[0].attribute[0].g.output[0].type.tensor_type.elem_type = TensorProto.INT64
    declared.graph.node[0].attribute[1].g.output[0].type.tensor_type.elem_type = TensorProto.INT64
    declared.graph.input[0].CopyFrom(info("x", TensorProto.BOOL, []))
    refused(declared, "the output of its graph 'out' is declared to be of int64, and is of float32")


@pytest.mark.parametrize("source", [123, None, 1.5, ["model.onnx"], object()])
def test_what_is_neither_a_path_nor_a_model(source: Any):
    with pytest.raises(ty.CompileError, match="read from a path, bytes or an onnx"):
        ty.load_onnx(source)


def test_every_operator_that_is_missing_is_listed():
    nodes = [
        helper.make_node("Nonesuch", ["x"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Other", ["b"], ["c"], name="second", domain="own"),
        helper.make_node("Nonesuch", ["c"], ["y"], name="third"),
    ]
    with pytest.raises(ty.CompileError) as caught:
        ty.load_onnx(model_of(nodes, [("x", [2])], [("y", None)]))
    assert str(caught.value).splitlines() == [
        "error: model: 2 operators are not supported: Nonesuch (version 17), own.Other (version 1)",
        "note: Nonesuch (version 17): 'first', 'third'",
        "note: own.Other (version 1): 'second'",
    ]


def test_a_version_from_the_future():
    model = one_node()
    model.opset_import[0].version = 99
    refused(model, "needs version 99 of the operators ai.onnx")


# --- tensors --------------------------------------------------------------------------------------


def of_bytes(dims: list[int], data: bytes) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, raw_data=data)


def test_extents_without_elements_are_refused():
    refused(with_weight(of_bytes([2**40, 2**20], b"")), "takes .* bytes .* and has 0")
    refused(with_weight(of_bytes([-1], b"")), "negative extent")
    empty = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2**50])
    refused(with_weight(empty), "elements by its extents, and 0 in float_data")
    refused(with_weight(of_bytes([2], b"123")), "takes 8 bytes for its extents, and has 3")


def test_a_sparse_tensor_is_not_spread_out_without_bound():
    model = with_weight(of_bytes([2], bytes(8)))
    del model.graph.initializer[:]
    sparse = model.graph.sparse_initializer.add()
    sparse.dims.append(2**40)
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.zeros(1, np.int64), "i"))
    refused(model, "too many")


@pytest.mark.parametrize("kind", [TensorProto.STRING, TensorProto.COMPLEX64, 99])
def test_elements_that_tensors_cannot_have(kind: int):
    refused(with_weight(TensorProto(name="w", data_type=kind, dims=[2])), "and tensors are of")


def external(location: str, **more: str) -> ModelProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **more}.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return with_weight(tensor)


def saved(folder: Path, model: ModelProto) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


def test_data_beside_the_file_is_read(tmp_path: Path):
    values = np.array([3, 4], np.float32)
    path = saved(tmp_path, external("w.bin", offset="4", length="8"))
    (tmp_path / "w.bin").write_bytes(b"1234" + values.tobytes())
    np.testing.assert_array_equal(ty.load_onnx(path).trace().parameters["w"], values)


@pytest.mark.parametrize("how", ["parent", "absolute", "link", "folder", "none", "empty", "nul"])
def test_data_outside_of_the_folder_is_not_read(tmp_path: Path, how: str):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(bytes(8))
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.bin").symlink_to(secret)
    location = {
        "parent": "../secret.bin",
        "absolute": str(secret),
        "link": "link.bin",
        "folder": ".",
        "none": "none.bin",
        "empty": "",
        "nul": "a\0b",
    }[how]
    path = saved(inner, external(location))
    refused(path, "outside of the model's folder|there is no such file|is no path")


@pytest.mark.parametrize(
    "more", [{"offset": "8"}, {"offset": "-1"}, {"length": "9" * 30}, {"length": "4"}]
)
def test_data_that_is_too_short_is_refused(tmp_path: Path, more: dict[str, str]):
    path = saved(tmp_path, external("w.bin", **more))
    (tmp_path / "w.bin").write_bytes(bytes(8))
    refused(path, "which has 8|is no number|takes 8 bytes")


def test_data_that_has_no_room_in_memory_is_refused(tmp_path: Path):
    """A file of holes takes no room on a disk."""
    model = external("w.bin")
    model.graph.initializer[0].dims[:] = [2**38]
    path = saved(tmp_path, model)
    with open(tmp_path / "w.bin", "wb") as stream:
        stream.truncate(2**40)
    refused(path, "tensor 'w' of 1099511627776 bytes has no room in memory")


def test_data_beside_bytes_has_no_folder():
    refused(external("w.bin"), "load the model from its file")


# --- sizes that a node asks for -------------------------------------------------------------------


def given(op: str, value: np.ndarray, **attributes: object) -> ModelProto:
    node = helper.make_node(op, ["x", "v"], ["y"], **attributes)
    return model_of([node], [("x", [1, 1, 2, 2])], [("y", None)], [("v", value)])


HUGE: dict[str, Callable[[], ModelProto]] = {
    "resize": lambda: model_of(
        [helper.make_node("Resize", ["x", "", "v"], ["y"], mode="linear")],
        [("x", [1, 1, 2, 2])],
        [("y", None)],
        [("v", np.array([1, 1, 2**30, 2**30], np.float32))],
    ),
    "transform": lambda: given("DFT", np.array(2**40), axis=2),
    "split": lambda: model_of(
        [helper.make_node("Split", ["x"], ["y"], num_outputs=2**40)],
        [("x", [2])],
        [("y", None)],
        opset=18,
    ),
    "range": lambda: model_of(
        [helper.make_node("Range", ["a", "b", "c"], ["y"])],
        [],
        [("y", None)],
        [("a", np.array(0)), ("b", np.array(2**60)), ("c", np.array(1))],
    ),
}


@pytest.mark.parametrize("what", HUGE)
def test_a_node_that_asks_for_too_much_is_refused(what: str):
    with pytest.raises(ty.CompileError):
        ty.load_onnx(HUGE[what]()).trace()


@pytest.mark.parametrize("op", ["Expand", "Tile", "Reshape", "ConstantOfShape"])
def test_large_extents_cost_nothing_while_a_model_is_read(op: str):
    """A program is made, or refused, without a tensor of that size."""
    value = np.array([2**20, 2**10, 2**10, 2**10])
    node = helper.make_node(op, ["v"] if op == "ConstantOfShape" else ["x", "v"], ["y"])
    model = model_of([node], [("x", [1, 1, 1, 1])], [("y", None)], [("v", value)])
    try:
        ty.load_onnx(model).trace()
    except ty.CompileError:
        assert op == "Reshape"


# --- what has no end ------------------------------------------------------------------------------


def loop(trips: str, body: str, condition: str = "go_on") -> ModelProto:
    inputs = trips or '""'
    return parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> graph (float[3] x) => (float[3] y) {'
        f" many = Constant<value = int64 {{{2**62}}}>() few = Constant<value = int64 {{40}}>()"
        " go_on = Constant<value = bool {1}>() stay = Constant<value = bool {0}>()"
        " limit = Constant<value = float {9.0}>()"
        f" y = Loop({inputs}, {condition}, x) <body = step (int64 i, bool again, float[3] now)"
        f" => (bool after, float[3] next) {{ {body} }}> }}"
    )


def test_a_loop_that_nothing_ends_is_refused():
    on = "after = Identity(again) next = Neg(now)"
    refused(loop("many", on), "comes to no end: 4611686018427387904 trips")
    refused(loop("", on), "nothing ends the loop: it has no number of trips")
    true = "after = Constant<value = bool {1}>() next = Neg(now)"
    refused(loop("many", true), "comes to no end")
    x = np.array([1, 2, 3], np.float32)
    assert (ty.load_onnx(loop("few", on))(x) == x).all()
    assert (ty.load_onnx(loop("many", on, "stay"))(x) == x).all()
    ends = "next = Add(now, now) top = ReduceMax<keepdims = 0>(next) after = Less(top, limit)"
    assert (ty.load_onnx(loop("many", ends))(x) == 4 * x).all()


@pytest.mark.parametrize("field", ["name", "op_type", "output", "attribute"])
def test_names_without_an_end_are_refused(field: str):
    model = one_node()
    node = model.graph.node[0]
    long = "n" * 100_000
    if field == "output":
        node.output[0] = long
    elif field == "attribute":
        node.attribute.add(name=long)
    else:
        setattr(node, field, long)
    for each in (model, model.SerializeToString()):
        refused(each, "has 100000 characters, 65536 are the most")
    model = one_node()
    model.doc_string = long
    assert ty.load_onnx(model).trace(), "a text is no name"


def test_long_names_that_begin_alike():
    a, b = "n" * 3000 + "1", "n" * 3000 + "2"
    model = model_of([helper.make_node("Sub", [a, b], ["y"])], [(a, [2]), (b, [2])], [("y", None)])
    x = np.ones(2, np.float32)
    assert (ty.load_onnx(model)(x, 3 * x) == -2 * x).all()


def test_a_word_without_an_end_is_refused():
    refused(one_node("Einsum", equation="i" * 100_000), "equation has 100000 characters")


def test_more_axes_than_arrays_have_are_refused():
    refused(
        model_of([helper.make_node("Relu", ["x"], ["y"])], [("x", [1] * 65)], [("y", None)]),
        "65 axes are more than the 64",
    )
    many = helper.make_node("Unsqueeze", ["x"], ["y"], axes=list(range(70)))
    refused(model_of([many], [("x", [2])], [("y", None)], opset=11), "71 axes are more than")
    refused(with_weight(helper.make_tensor("w", TensorProto.FLOAT, [1] * 65, [1.0])), "65 axes")


def test_a_weight_without_elements_that_has_no_array_is_refused():
    tensor = helper.make_tensor("w", TensorProto.FLOAT, [0], [])
    tensor.dims.append(2**62)
    refused(with_weight(tensor), "more elements than 64 bits can address")


def test_an_extent_that_grows_without_an_end_is_refused():
    """Squared again and again: as an expression it has 2**40 factors."""
    names = ["s", *[f"s{k}" for k in range(40)]]
    nodes = [helper.make_node("Shape", ["x"], ["s"])]
    nodes += [helper.make_node("Mul", [a, a], [b]) for a, b in itertools.pairwise(names)]
    nodes.append(helper.make_node("ConstantOfShape", names[-1:], ["y"]))
    refused(model_of(nodes, [("x", ["n"])], [("y", None)]), "parts: 512 are the most")


def test_a_path_that_no_file_has():
    with pytest.raises(ty.CompileError, match="cannot read"):
        ty.load_onnx("a\0b")


@pytest.mark.parametrize("size", [2**62, 10**10, 5])
def test_neighbours_beyond_all_channels(size: int):
    node = helper.make_node("LRN", ["x"], ["y"], size=size)
    model = model_of([node], [("x", [1, 2, 3])], [("y", None)])
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    wanted = x / (1 + 1e-4 / size * (x**2).sum(1, keepdims=True)) ** 0.75
    np.testing.assert_allclose(ty.load_onnx(model)(x), wanted, rtol=1e-6)


def test_a_frame_that_is_longer_than_the_signal():
    node = helper.make_node("STFT", ["x", "step", "", "length"], ["y"])
    weights = [("step", np.array(1)), ("length", np.array(10**10))]
    model = model_of([node], [("x", [1, 64, 1])], [("y", None)], weights)
    assert ty.load_onnx(model)(np.zeros((1, 64, 1), np.float32)).shape == (1, 0, 5 * 10**9 + 1, 2)


def test_columns_without_an_end_are_refused():
    how: dict[str, Any] = {
        "max_gram_length": 1,
        "max_skip_count": 0,
        "min_gram_length": 1,
        "mode": "TF",
    }
    how |= {"ngram_counts": [0], "pool_int64s": [2, 3]}
    node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], ngram_indexes=[0, 10**9], **how)
    refused(
        model_of([node], [("x", [6], TensorProto.INT64)], [("y", None)]), "columns are too many"
    )
