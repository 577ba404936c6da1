"""Layers: parameters by dotted names, loading, initial weights, extents."""

import sys

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

import teenyir as ty
from teenyir import nn

N = ty.Dim("N", min=1)


class Block(nn.Module):
    def __init__(self):
        self.norm = nn.LayerNorm(8)
        self.heads = [nn.Linear(8, 8, bias=False), nn.Linear(8, 4)]
        self.tables = {"scale": np.ones(4, np.float32)}
        self._private = np.zeros(3, np.float32)
        self.eps = 1e-3

    def forward(self, x):
        y = self.heads[1](nn.GELU()(self.heads[0](self.norm(x))))
        return y * self.tables["scale"] @ self.heads[1].weight.T.mT


NAMES = ["norm.weight", "norm.bias", "heads.0.weight", "heads.1.weight", "heads.1.bias"]


def test_parameters_have_dotted_names():
    model = Block()
    assert list(model.named_parameters()) == [*NAMES, "tables.scale"]
    assert list(nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 1))).state_dict()) == [
        "0.weight",
        "0.bias",
        "1.0.weight",
        "1.0.bias",
    ]


def test_a_traced_model_has_them_as_arguments():
    model = Block()
    traced = ty.trace(model, ty.Spec((N, 8)))
    assert list(traced.parameters) == [*NAMES, "tables.scale"]
    assert traced.parameters["heads.0.weight"] is model.heads[0].weight
    assert '%heads.1.bias: tensor<4xf32> {graph.name = "heads.1.bias", graph.parameter}' in (
        traced.as_text()
    )


def test_a_model_within_a_function_has_its_variable_s_name():
    model = nn.Linear(3, 2)
    traced = ty.trace(lambda x: ty.softmax(model(x)), ty.Spec((1, 3)))
    assert list(traced.parameters) == ["model.weight", "model.bias"]
    assert list(ty.trace(model.forward, ty.Spec((1, 3))).parameters) == ["weight", "bias"]


def test_shared_weights_are_one_parameter():
    first, second = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
    second.weight = first.weight
    model = nn.Sequential(first, second)
    assert list(model.state_dict()) == ["0.weight", "1.weight"]
    assert list(ty.trace(model, ty.Spec((1, 3))).parameters) == ["0.weight"]


def test_load_state_dict():
    model = nn.Linear(3, 2)
    weights = {"weight": np.full((2, 3), 2, np.float32), "bias": np.ones(2, np.float32)}
    model.load_state_dict(weights)
    assert model.weight is weights["weight"]


def test_every_mismatch_is_listed_and_nothing_is_loaded():
    model = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 2))
    before = model[0].weight
    with pytest.raises(ty.CompileError) as caught:
        model.load_state_dict(
            {
                "0.weight": np.zeros((3, 2), np.float32),
                "0.bias": np.zeros(2, np.float64),
                "1.weight": np.zeros((2, 2), np.float32),
                "2.bias": np.zeros(2, np.float32),
            }
        )
    message = caught.value.diagnostics[0].message
    assert "1.bias is missing, float32 (2,)" in message
    assert "2.bias is unexpected, float32 (2,) (did you mean 1.bias?)" in message
    assert "0.weight has shape (3, 2), expected (2, 3)" in message
    assert "0.bias is float64, expected float32" in message
    assert caught.value.diagnostics[0].location.file == __file__
    assert model[0].weight is before


def test_shape_and_dtype_are_told_at_once_and_what_is_no_array():
    with pytest.raises(ty.CompileError) as caught:
        nn.Linear(3, 2).load_state_dict({"weight": np.zeros((3, 2)), "bias": [1, object()]})
    message = caught.value.diagnostics[0].message
    assert "weight has shape (3, 2), expected (2, 3)" in message
    assert "weight is float64, expected float32" in message
    assert "bias is a list, expected an array, float32 (2,)" in message
    with pytest.raises(ty.CompileError, match="a state dict maps names to arrays, got int"):
        nn.Linear(3, 2).load_state_dict(3)


def test_names_are_passed_over_where_that_is_asked_for():
    model = nn.Linear(3, 2)
    weight = np.ones((2, 3), np.float32)
    found = model.load_state_dict({"weight": weight, "scale": weight}, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["bias"], ["scale"])
    assert model.weight is weight
    with pytest.raises(ty.CompileError, match=r"weight has shape \(3,\), expected \(2, 3\)"):
        model.load_state_dict({"weight": np.zeros(3, np.float32)}, strict=False)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_weights_that_are_saved_come_back(tmp_path, dtype):
    nn.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2)).astype(dtype)
    model[0].weight = np.asfortranarray(model[0].weight)  # the order of elements is no matter
    path = tmp_path / "w.safetensors"
    path.write_bytes(b"what was there")
    model.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["w.safetensors"]
    other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2)).astype(dtype)
    other.load(path)
    for name, array in model.state_dict().items():
        np.testing.assert_array_equal(array, other.state_dict()[name])
        assert array.dtype == other.state_dict()[name].dtype
    for place in (tmp_path, tmp_path / "absent" / "w.safetensors"):
        with pytest.raises(ty.CompileError, match="cannot write"):
            model.save(place)
    assert [file.name for file in tmp_path.iterdir()] == ["w.safetensors"]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_safetensors_of_any_float_dtype(tmp_path, dtype):
    weights = {"weight": np.arange(6).reshape(2, 3).astype(dtype), "bias": np.ones(2, dtype)}
    save_file(weights, tmp_path / "w.safetensors")
    model = nn.Linear(3, 2, dtype=dtype)
    model.load(tmp_path / "w.safetensors")
    assert model.weight.dtype == dtype
    np.testing.assert_array_equal(model.weight, weights["weight"])
    assert ty.trace(model, ty.Spec((1, 3), dtype)).parameters["weight"] is model.weight


def test_files_that_are_no_weights(tmp_path):
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    for name in ("absent.safetensors", "bad.safetensors", ""):
        with pytest.raises(ty.CompileError, match="cannot read"):
            nn.Linear(3, 2).load(tmp_path / name)


def test_without_safetensors_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ty.CompileError, match=r"teenyir\[models\]"):
        nn.Linear(3, 2).load("w.safetensors")


def test_astype_converts_floats():
    model = Block().astype(ty.float16)
    assert {array.dtype.name for array in model.state_dict().values()} == {"float16"}
    assert model.tables["scale"].dtype == np.float16


def test_initial_weights_are_pytorch_s_and_repeat():
    nn.manual_seed(3)
    first = nn.Linear(64, 128)
    nn.manual_seed(3)
    second = nn.Linear(64, 128)
    np.testing.assert_array_equal(first.weight, second.weight)
    assert 0.9 / 8 < abs(first.weight).max() <= 1 / 8
    assert first.weight.dtype == np.float32
    conv = nn.Conv2d(4, 8, 3, groups=2)
    assert conv.weight.shape == (8, 2, 3, 3)
    assert 0.8 / 18**0.5 < abs(conv.weight).max() <= 1 / 18**0.5
    assert conv.bias.shape == (8,)


@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (nn.Linear(3, 5), (N, 2, 3), (N, 2, 5)),
        (nn.Conv2d(3, 6, 3), (N, 3, 9, 8), (N, 6, 7, 6)),
        (nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, groups=2), (N, 4, 9, 8), (N, 6, 5, 9)),
        (nn.Conv2d(3, 6, 3, dilation=2, bias=False), (N, 3, 9, 8), (N, 6, 5, 4)),
        (nn.Conv2d(3, 6, 5, padding="same"), (N, 3, 9, 8), (N, 6, 9, 8)),
        (nn.Conv2d(3, 6, 5, padding="valid"), (N, 3, 9, 8), (N, 6, 5, 4)),
        (nn.MaxPool2d(2), (N, 3, 9, 8), (N, 3, 4, 4)),
        (nn.MaxPool2d(3, stride=1, padding=1), (N, 3, 9, 8), (N, 3, 9, 8)),
        (nn.MaxPool2d(2, dilation=3), (N, 3, 9, 8), (N, 3, 3, 3)),
        (nn.AvgPool2d((2, 1)), (N, 3, 9, 8), (N, 3, 4, 8)),
        (nn.LayerNorm((4, 8)), (N, 4, 8), (N, 4, 8)),
        (nn.LayerNorm(8, elementwise_affine=False), (N, 4, 8), (N, 4, 8)),
        (nn.Flatten(), (N, 3, 4), (N, 12)),
        (nn.Flatten(0, 1), (N, 3, 4), (N * 3, 4)),
        (nn.Softmax(0), (N, 3), (N, 3)),
        (nn.GELU("tanh"), (N,), (N,)),
        (nn.SiLU(), (N,), (N,)),
        (nn.Tanh(), (N,), (N,)),
        (nn.Sigmoid(), (N,), (N,)),
        (nn.ReLU(), (N,), (N,)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_extents(layer, shape, expected):
    shapes = []
    ty.trace(lambda x: shapes.append(layer(x)) or shapes[0], ty.Spec(shape))
    assert shapes[0].shape == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "2 groups do not divide 3 and 4 channels"),
        (lambda: nn.Conv2d(3, 4, 2, 2, padding="same"), "'same' with stride 1"),
        (lambda: ty.trace(nn.LayerNorm(4), ty.Spec((2, 3))), "LayerNorm over (4,) got extents"),
        (lambda: ty.trace(nn.MaxPool2d(2, padding=2), ty.Spec((1, 1, 4, 4))), "more than half"),
        (lambda: ty.trace(nn.MaxPool2d(9), ty.Spec((1, 1, 4, 4))), "does not fit into 4"),
        (lambda: ty.trace(nn.Module(), ty.Spec((1,))), "Module does not define forward"),
    ],
)
def test_refused(make, message):
    with pytest.raises(ty.CompileError) as caught:
        make()
    assert message in str(caught.value)


def test_modules_by_name():
    model = nn.Sequential({"first": nn.Linear(2, 3), "then": nn.ReLU()})
    assert list(model.state_dict()) == ["first.weight", "first.bias"]
    assert model.first is model[0]
    assert model[-1] is model.then
    assert list(model[:1].state_dict()) == ["first.weight", "first.bias"]
    assert model.append(nn.Linear(3, 1)) is model
    assert list(model.state_dict())[-1] == "2.bias"
    table = nn.ModuleDict({"a": nn.Linear(1, 1)})
    table.update({"b": nn.ReLU()})
    assert (list(table), "b" in table, len(table)) == (["a", "b"], True, 2)
    assert table.a is table["a"]
    assert dict(table.items()) == {"a": table.a, "b": table.b}
    assert (list(table.keys()), list(table.values())) == (["a", "b"], [table.a, table.b])


def test_modules_in_a_list_are_inserted_and_replaced():
    first, second, third = nn.Linear(1, 1), nn.Linear(2, 2), nn.Linear(3, 3)
    layers = nn.ModuleList([first, third])
    layers.insert(1, second)
    assert list(layers) == [first, second, third]
    assert layers.state_dict()["1.weight"].shape == (2, 2)
    assert list(layers.state_dict())[-1] == "2.bias"
    layers[-1] = first
    assert list(layers[1:]) == [second, first]


def test_parameters_in_lists_and_dicts_are_arguments():
    class Mixed(nn.Module):
        def __init__(self):
            self.rows = nn.ParameterList([np.ones(2, np.float32), np.full(2, 3, np.float32)])
            self.named = nn.ParameterDict({"scale": np.full(2, 5, np.float32)})

        def forward(self, x):
            return (x + self.rows[0]) * self.rows[1] - self.named["scale"]

    model = Mixed()
    assert list(model.state_dict()) == ["rows.0", "rows.1", "named.scale"]
    traced = ty.trace(model, ty.Spec((2,)))
    assert list(traced.parameters) == ["rows.0", "rows.1", "named.scale"]
    assert isinstance(model.rows[0], np.ndarray)
    result = traced.lower().compile()(np.zeros(2, np.float32))
    np.testing.assert_array_equal(result, [-2, -2])


def test_a_container_has_attributes_beside_what_it_holds():
    class Scaled(nn.Sequential):
        def __init__(self):
            super().__init__(nn.Linear(2, 2))
            self.scale = np.ones(2, np.float32)

    assert list(Scaled().state_dict()) == ["0.weight", "0.bias", "scale"]


def test_layers_of_a_transformer_have_weights_of_their_own():
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    model = nn.TransformerEncoder(layer, 2)
    assert model.eval() is model
    weights = [model.layers[k].linear1.weight for k in range(2)]
    assert weights[0] is not weights[1]
    np.testing.assert_array_equal(*weights)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    np.testing.assert_array_equal(mask, [[0, -np.inf, -np.inf], [0, 0, -np.inf], [0, 0, 0]])
