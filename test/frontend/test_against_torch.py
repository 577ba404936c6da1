"""Composites and layers against what PyTorch computed; see `torch_reference/record.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from floors import on_every_floor

import teenyir as ty
from teenyir import nn

with np.load(Path(__file__).parent / "torch_reference" / "values.npz") as _file:
    VALUES: dict[str, np.ndarray] = dict(_file)


def recorded(case: str, kind: str) -> list[np.ndarray]:
    keys = [key for key in VALUES if key.startswith(f"{case}/{kind}")]
    return [VALUES[key] for key in sorted(keys)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(ty, name)
        for name in (
            *("relu6", "hardtanh", "leaky_relu", "sigmoid", "logsigmoid", "silu", "gelu", "selu"),
            *("softsign", "mish", "hardsigmoid", "hardswish", "glu", "softmax", "prelu"),
            *("instance_norm", "batch_norm", "mse_loss", "binary_cross_entropy"),
            *("binary_cross_entropy_with_logits", "nll_loss", "cross_entropy", "global_avg_pool"),
        )
    },
    "gelu_tanh": lambda x: ty.gelu(x, approximate="tanh"),
    "elu": lambda x: ty.elu(x, 1.5),
    "celu": lambda x: ty.celu(x, 1.5),
    "softplus": lambda x: ty.softplus(x, 2.0),
    "log_softmax": lambda x: ty.log_softmax(x, axis=0),
    "layer_norm": lambda x, w, b: ty.layer_norm(x, (-2, -1), w, b),
    "rms_norm": lambda x, w: ty.rms_norm(x, -1, w, eps=1e-6),
    "group_norm": lambda x, w, b: ty.group_norm(x, 2, w, b),
    "attention": ty.scaled_dot_product_attention,
    "attention_mask": ty.scaled_dot_product_attention,
    "attention_added": ty.scaled_dot_product_attention,
    "attention_causal": lambda q, k, v: ty.scaled_dot_product_attention(
        q, k, v, is_causal=True, scale=0.3
    ),
    "attention_groups": lambda q, k: ty.scaled_dot_product_attention(q, k, k, enable_gqa=True),
    "max_pool": lambda x: ty.max_pool(x, 3, stride=2, padding=1),
    "max_pool_dilated": lambda x: ty.max_pool(x, 2, stride=1, dilation=3),
    "avg_pool": lambda x: ty.avg_pool(x, (3, 2), stride=2, padding=1),
    "avg_pool_inside": lambda x: ty.avg_pool(x, 3, stride=2, padding=1, count_include_pad=False),
    "adaptive_avg_pool": lambda x: ty.adaptive_avg_pool(x, (1, 3)),
    "l1_loss": lambda x, y: ty.l1_loss(x, y, reduction="sum"),
    "huber_loss": lambda x, y: ty.huber_loss(x, y, delta=0.7),
    "smooth_l1_loss": lambda x, y: ty.smooth_l1_loss(x, y, beta=0.7),
    "kl_div": lambda x, y: ty.kl_div(x, y, reduction="batchmean"),
    "kl_div_logs": lambda x, y: ty.kl_div(x, y, reduction="sum", log_target=True),
    "nll_loss_weighted": ty.nll_loss,
    "cross_entropy_none": lambda x, y: ty.cross_entropy(x, y, reduction="none"),
    "cross_entropy_weighted": ty.cross_entropy,
    "cross_entropy_dense": ty.cross_entropy,
    "cross_entropy_smoothed": lambda x, y, w: ty.cross_entropy(x, y, w, label_smoothing=0.1),
    "cross_entropy_vector": ty.cross_entropy,
}


class Named(nn.ModuleDict):
    """The modules one after the other."""

    def forward(self, x: Any) -> Any:
        for name in self:
            x = self[name](x)
        return x


MODULES: dict[str, nn.Module] = {
    "Linear": nn.Linear(8, 3),
    "Embedding": nn.Embedding(6, 3),
    "Conv1d": nn.Conv1d(4, 6, 3, padding=2, dilation=2, groups=2),
    "Conv2d": nn.Conv2d(4, 3, (3, 2), stride=2, padding="valid", bias=False),
    "Conv3d": nn.Conv3d(2, 3, 2, padding=1),
    "ConvTranspose1d": nn.ConvTranspose1d(4, 6, 3, 2, groups=2),
    "ConvTranspose2d": nn.ConvTranspose2d(4, 3, (3, 2), (2, 3), (1, 0), (1, 2), dilation=(1, 2)),
    "ConvTranspose2d_cropped": nn.ConvTranspose2d(4, 2, 2, 1, 2),
    "ConvTranspose3d": nn.ConvTranspose3d(2, 1, 2, 2, bias=False),
    "MaxPool3d": nn.MaxPool3d(2, 1),
    "AvgPool1d": nn.AvgPool1d(3, 1, 1),
    "LayerNorm": nn.LayerNorm(6),
    "RMSNorm": nn.RMSNorm(6),
    "GroupNorm": nn.GroupNorm(2, 4),
    "BatchNorm1d": nn.BatchNorm1d(8),
    "BatchNorm2d": nn.BatchNorm2d(4),
    "PReLU": nn.PReLU(4),
    "PixelShuffle": nn.PixelShuffle(2),
    "Upsample": nn.Upsample(scale_factor=2),
    "MultiheadAttention": nn.MultiheadAttention(8, 2),
    "MultiheadAttention_masked": nn.MultiheadAttention(8, 2, bias=False, batch_first=True),
    "RNN": nn.RNN(4, 3, 2),
    "RNN_relu": nn.RNN(4, 3, 1, "relu", bias=False, batch_first=True, bidirectional=True),
    "GRU": nn.GRU(4, 3, 2, bidirectional=True),
    "GRU_alone": nn.GRU(4, 3, batch_first=True),
    "LSTM": nn.LSTM(4, 3, 2, bidirectional=True),
    "LSTM_started": nn.LSTM(4, 3, batch_first=True),
    "LSTM_step": nn.LSTM(4, 3),
    "RNNCell": nn.RNNCell(4, 3, nonlinearity="relu"),
    "GRUCell": nn.GRUCell(4, 3, bias=False),
    "LSTMCell": nn.LSTMCell(4, 3),
    "Upsample_size": nn.Upsample(size=(7, 4)),
    "Upsample_fraction": nn.Upsample(scale_factor=(1.5, 2.0)),
    "Upsample_linear": nn.Upsample(scale_factor=2, mode="linear"),
    "Upsample_corners": nn.Upsample(size=11, mode="linear", align_corners=True),
    "Upsample_bilinear": nn.Upsample(scale_factor=(2.5, 2.0), mode="bilinear"),
    "Upsample_smaller": nn.Upsample(size=(3, 9), mode="bilinear"),
    "Upsample_trilinear": nn.Upsample(size=(5, 6, 7), mode="trilinear", align_corners=True),
    "PixelUnshuffle": nn.PixelUnshuffle(2),
    "ModuleDict": Named({"one": nn.Linear(8, 3), "two": nn.PReLU()}),
    "LPPool1d": nn.LPPool1d(2, 3, 2),
    "LPPool2d": nn.LPPool2d(4, (2, 3)),
    "LPPool3d": nn.LPPool3d(2, 2, 1),
    "AdaptiveAvgPool1d": nn.AdaptiveAvgPool1d(3),
    "AdaptiveAvgPool2d": nn.AdaptiveAvgPool2d((3, 4)),
    "AdaptiveAvgPool3d": nn.AdaptiveAvgPool3d((3, 1, 7)),
    "AdaptiveMaxPool1d": nn.AdaptiveMaxPool1d(5),
    "AdaptiveMaxPool2d": nn.AdaptiveMaxPool2d((5, 2)),
    "AdaptiveMaxPool3d": nn.AdaptiveMaxPool3d(2),
    "L1Loss": nn.L1Loss(),
    "MSELoss": nn.MSELoss("sum"),
    "SmoothL1Loss": nn.SmoothL1Loss(beta=0.5),
    "HuberLoss": nn.HuberLoss(delta=0.5),
    "BCELoss": nn.BCELoss(),
    "BCEWithLogitsLoss": nn.BCEWithLogitsLoss(),
    "KLDivLoss": nn.KLDivLoss("batchmean"),
    "NLLLoss": nn.NLLLoss(np.ones(5, np.float32)),
    "CrossEntropyLoss": nn.CrossEntropyLoss(
        np.ones(5, np.float32), label_smoothing=0.2, reduction="none"
    ),
    **{
        name: getattr(nn, name)()
        for name in (
            *("CELU", "Softsign", "LogSigmoid", "Hardshrink", "Softshrink", "Tanhshrink"),
            "RReLU",
        )
    },
    "Threshold": nn.Threshold(0.3, -2.0),
    "Softmin": nn.Softmin(1),
    "Softmax2d": nn.Softmax2d(),
    "InstanceNorm1d": nn.InstanceNorm1d(4, affine=True),
    "InstanceNorm2d": nn.InstanceNorm2d(4, affine=True, track_running_stats=True),
    "InstanceNorm3d": nn.InstanceNorm3d(2, eps=1e-3),
    "ConstantPad1d": nn.ConstantPad1d((2, -1), 1.5),
    "ConstantPad2d": nn.ConstantPad2d(1, -3.0),
    "ConstantPad3d": nn.ConstantPad3d((1, 0, 2, 1, -1, 1), 0.5),
    "ZeroPad1d": nn.ZeroPad1d((2, 0)),
    "ZeroPad2d": nn.ZeroPad2d((1, 2, 0, -1)),
    "ZeroPad3d": nn.ZeroPad3d(1),
    "ReflectionPad1d": nn.ReflectionPad1d((6, 1)),
    "ReflectionPad2d": nn.ReflectionPad2d((1, 2, 3, 0)),
    "ReflectionPad3d": nn.ReflectionPad3d((1, 2, 0, 2, 3, 1)),
    "ReplicationPad1d": nn.ReplicationPad1d((9, 1)),
    "ReplicationPad2d": nn.ReplicationPad2d((1, 2, 3, 0)),
    "ReplicationPad3d": nn.ReplicationPad3d((1, 2, 0, 2, 3, 1)),
    "CircularPad1d": nn.CircularPad1d((7, 1)),
    "CircularPad2d": nn.CircularPad2d((1, 2, 3, 0)),
    "CircularPad3d": nn.CircularPad3d((1, 2, 0, 2, 3, 1)),
    "Conv1d_reflect": nn.Conv1d(4, 2, 3, padding=2, padding_mode="reflect"),
    "Conv2d_replicate": nn.Conv2d(4, 2, 3, padding=(1, 2), padding_mode="replicate"),
    "Conv2d_circular": nn.Conv2d(4, 2, 3, 1, "same", dilation=2, padding_mode="circular"),
}

NESTED = {"LSTM_started", "LSTMCell"}
"""Layers whose inputs after the first are a pair."""


def arguments(case: str) -> list[Any]:
    """The recorded inputs, as the layer takes them."""
    first, *rest = recorded(case, "in")
    return [first, tuple(rest)] if case in NESTED else [first, *rest]


def check(program: ty.Traced, case: str) -> None:
    inputs = recorded(case, "in")
    given = dict(zip(program.input_names, inputs, strict=True)) | program.parameters
    outputs = on_every_floor(program.module, given, exact=False)
    for got, wanted in zip(outputs, recorded(case, "out"), strict=True):
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions(case: str):
    check(ty.trace(FUNCTIONS[case], *recorded(case, "in")), case)


@pytest.mark.parametrize("case", MODULES)
def test_layers_load_what_torch_saved(case: str):
    module, prefix = MODULES[case], f"{case}/state/"
    state = {key.removeprefix(prefix): VALUES[key] for key in VALUES if key.startswith(prefix)}
    assert set(module.state_dict()) == set(state)
    module.load_state_dict(state)
    check(ty.trace(module, *arguments(case)), case)


def test_every_recorded_case_is_compared():
    assert {key.split("/")[0] for key in VALUES} == {*FUNCTIONS, *MODULES}


def test_half_floats_are_computed_in_single():
    """Within one rounding of what float64 gives."""
    x = np.linspace(-6, 6, 49).astype(np.float16)
    names = ["sigmoid", "silu", "gelu", "elu", "softplus", "mish", "selu", "logsigmoid"]
    program = ty.trace(lambda x: [getattr(ty, name)(x) for name in names], x)
    narrow = on_every_floor(program.module, [x], exact=False)
    wide = ty.trace(
        lambda x: [getattr(ty, name)(x.astype(ty.float64)).astype(ty.float16) for name in names], x
    )
    for got, wanted in zip(narrow, on_every_floor(wide.module, [x], exact=False), strict=True):
        assert np.all(np.abs(got - wanted) <= np.spacing(np.abs(wanted)))


def test_a_row_without_sources_is_zero():
    query, key = np.ones((2, 3), np.float32), np.ones((4, 3), np.float32)
    mask = np.array([[True] * 4, [False] * 4])
    program = ty.trace(ty.scaled_dot_product_attention, query, key, key, mask)
    (result,) = on_every_floor(program.module, [query, key, key, mask], exact=False)
    np.testing.assert_allclose(result, [[1, 1, 1], [0, 0, 0]], rtol=1e-6)


def test_dropout_and_identity_pass_on():
    model = nn.Sequential(nn.Dropout(0.9), nn.Identity(), nn.ModuleList([nn.Identity()])[0])
    text = ty.trace(model, ty.Spec((3,))).as_text()
    assert "graph." not in text.partition("{\n    ")[2]


def test_attention_over_a_named_extent():
    """One program for every number of tokens."""
    n = ty.Dim("N", min=1)
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    program = ty.trace(lambda x: layer.forward(x, x, x, need_weights=False)[0], ty.Spec((2, n, 8)))
    x = np.random.default_rng(0).normal(size=(2, 5, 8)).astype(np.float32)
    (result,) = on_every_floor(
        program.module, {program.input_names[0]: x, **program.parameters}, exact=False
    )
    assert result.shape == x.shape


def test_recurrence_over_a_named_number_of_steps():
    """One program for every length; each run gives what the single steps do."""
    n = ty.Dim("N", min=1)
    layer, cell = nn.LSTM(3, 2), nn.LSTMCell(3, 2)
    cell.load_state_dict({k.removesuffix("_l0"): v for k, v in layer.state_dict().items()})
    program = ty.trace(layer, ty.Spec((n, 1, 3)))
    single = ty.trace(cell, ty.Spec((1, 3)), (ty.Spec((1, 2)), ty.Spec((1, 2))))
    compiled, step = program.lower().compile(), single.lower().compile()
    x = np.random.default_rng(0).normal(size=(4, 1, 3)).astype(np.float32)
    for length in (1, 4):
        state = np.zeros((1, 2), np.float32), np.zeros((1, 2), np.float32)
        for each in x[:length]:
            state = step(each, *state)
        outputs, (hidden, _) = compiled(x[:length])
        assert outputs.shape == (length, 1, 2)
        np.testing.assert_allclose(hidden[0], state[0], rtol=1e-6)
        np.testing.assert_array_equal(outputs[-1], hidden[0])


def test_a_layer_refuses_other_features():
    with pytest.raises(ty.CompileError, match=r"LSTM of 3 features got extents \[5, 1, 4\]"):
        ty.trace(nn.LSTM(3, 2), ty.Spec((5, 1, 4)))
    with pytest.raises(ty.CompileError, match="nonlinearity of RNN is one of 'tanh', 'relu', got"):
        nn.RNN(3, 2, nonlinearity="sin")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: nn.ReflectionPad1d(3)(x), "reflect padding of 3 is more than an axis of 3 has"),
        (lambda x: nn.CircularPad1d(4)(x), "circular padding of 4 is more than an axis of 3 has"),
        (lambda x: nn.ReplicationPad1d(-2)(x), "4 of 3 elements cannot be taken away"),
        (lambda x: nn.ConvTranspose1d(2, 2, 1, padding=2)(x), "takes 4 of 3 elements away"),
        (lambda x: nn.ConvTranspose1d(2, 2, 1, 2, 0, 2), "output_padding is less than stride or"),
        (lambda x: nn.ZeroPad1d((1, 2, 3))(x), "padding is a number or 2 of them"),
        (lambda x: nn.Upsample()(x), "Upsample takes either a size or a scale_factor"),
        (lambda x: nn.Upsample(4, mode="bilinear")(x), "the mode 'bilinear' does not take extents"),
        (lambda x: nn.Upsample((4, 5))(x), r"1 spatial axes take as many numbers, got \(4, 5\)"),
        (lambda x: nn.ZeroPad3d(1)(x), "ZeroPad3d takes .*, rows, columns.*, got extents"),
        (lambda x: nn.InstanceNorm1d(5)(x), "InstanceNorm1d takes 5 channels, got extents"),
        (
            lambda x: nn.Conv1d(2, 2, 3, padding_mode="mirror")(x),
            "padding_mode of Conv1d is one of 'zeros', 'reflect', .*, got 'mirror'",
        ),
    ],
)
def test_layers_refuse_what_they_cannot_take(make: Callable[[Any], Any], message: str):
    with pytest.raises(ty.CompileError, match=message):
        ty.trace(make, ty.Spec((1, 2, 3)))


def test_parts_of_an_extent_with_a_name_are_refused():
    named = ty.Spec((1, 2, ty.Dim("N", min=1)))
    with pytest.raises(ty.CompileError, match="N elements are not made into 3 parts"):
        ty.trace(nn.AdaptiveAvgPool1d(3), named)
    text = ty.trace(nn.AdaptiveMaxPool1d(1), named).as_text()
    assert "graph.reduce" in text


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.ReflectionPad1d((2, -3)), [2, 1, 0, 1]),
        (nn.ReflectionPad1d((-1, 3)), [1, 2, 3, 4, 3, 2, 1]),
        (nn.ReplicationPad1d((-2, 1)), [2, 3, 4, 4]),
        (nn.ReplicationPad1d((2, -4)), [0, 0, 0]),
        (nn.CircularPad1d((2, -2)), [1, 2, 0, 1, 2]),
        (nn.CircularPad1d((-1, 3)), [1, 2, 3, 4, 1, 2, 3]),
    ],
)
def test_negative_padding_takes_away(layer: nn.Module, expected: list[int]):
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    result = ty.trace(layer, x).lower("interpret{floor=graph}").compile()(x)
    assert result.tolist() == [[expected]]
