"""What a layer says when it is made wrong, or called with what it cannot take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teenyir as ty
from teenyir import nn

N = ty.Dim("N", min=1)
S = ty.Spec


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Linear(-3, 2), "the in_features of Linear is an integer from 0 on, got -3"),
        (lambda: nn.Linear(3, 2.5), "the out_features of Linear is an integer from 0 on, got 2.5"),
        (
            lambda: nn.Conv2d(3, 2, 0),
            "kernel_size of Conv2d is an integer from 1 on or a sequence of these, got 0",
        ),
        (lambda: nn.LSTM(3, 2, 0), "the num_layers of LSTM is an integer from 1 to 4096, got 0"),
        (lambda: nn.LSTM(3, 2, proj_size=2), "proj_size is from 0 to below the hidden size 2"),
        (lambda: nn.GroupNorm(3, 4), "3 groups do not divide 4 channels"),
        (
            lambda: nn.LayerNorm((2, -1)),
            "the normalized_shape of LayerNorm is an integer from 0 on or a sequence of",
        ),
        (lambda: nn.Embedding(3, 2, 3), "the padding_idx 3 is no row of 3"),
        (
            lambda: nn.EmbeddingBag(3, 2, mode="min"),
            "the mode of EmbeddingBag is one of 'sum', 'mean', 'max', got 'min'",
        ),
        (lambda: nn.Dropout(1.5), "the p of Dropout is a number from 0 to 1, got 1.5"),
        (lambda: nn.MultiheadAttention(6, 4), "4 heads do not divide 6 features"),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
            "the activation is 'relu', 'gelu' or a function, got 'tanh'",
        ),
        (lambda: nn.Sequential(nn.ReLU(), 3), "Sequential holds modules, got int"),
        (lambda: nn.ModuleDict({"keys": nn.ReLU()}), "ModuleDict has no room for the name 'keys'"),
        (lambda: nn.ModuleDict({"a": nn.ReLU()})["b"], "ModuleDict has no 'b'"),
        (lambda: nn.ModuleList([])[0], "ModuleList of 0 has no place 0"),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 5, [3, 2]), "cutoffs ascend from 1 to below 5"),
        (lambda: nn.FractionalMaxPool2d(2, 3), "takes its samples: _random_samples=array"),
        (lambda: nn.Upsample(2, mode="bicubic", recompute_scale_factor=True), "for a scale_factor"),
        (
            lambda: nn.MSELoss("avg"),
            "reduction of MSELoss is one of 'mean', 'sum', 'none', got 'avg'",
        ),
        (
            lambda: nn.AdaptiveMaxPool1d(2.5),
            "is an integer from 1 on, None or a sequence of these, got 2.5",
        ),
        (lambda: nn.AdaptiveAvgPool2d((3, 2.5)), "the output_size of AdaptiveAvgPool2d is an"),
        (lambda: nn.Conv2d(3, 8, 3, padding="sam"), "one of 'valid', 'same'"),
        (lambda: nn.Conv2d(4, 4, 3, 2, padding="same"), "pads to the same extents with stride 1"),
        (lambda: nn.Linear(True, 3), "the in_features of Linear is an integer from 0 on, got True"),
        (lambda: nn.Linear(4, 3, bias=1), "the bias of Linear is True or False, got 1"),
        (lambda: nn.LayerNorm(3, -1e-5), "the eps of LayerNorm is a number from 0 on, got -1e-05"),
        (lambda: nn.LayerNorm(3, float("nan")), "the eps of LayerNorm is a number from 0 on"),
        (lambda: nn.Linear(2**70, 3), "the in_features of Linear is an integer of 64 bits, got"),
        (lambda: nn.Linear(2**60, 3), "do not fit into the"),
        (lambda: nn.LSTM(2**15, 2**15, 4096), "do not fit into the"),
        (lambda: nn.Transformer(num_encoder_layers=10**12), "is an integer from 0 to 4096"),
        (
            lambda: nn.ConvTranspose1d(1, 1, 1, padding_mode="reflect"),
            "padding_mode of ConvTranspose1d is 'zeros', got 'reflect'",
        ),
    ],
)
def test_layers_that_cannot_be_made(make: Callable[[], Any], message: str):
    with pytest.raises(ty.CompileError) as caught:
        make()
    assert message in str(caught.value)
    assert caught.value.diagnostics[0].location is not None


INT = ty.int64
IMAGE = S((N, 4, 8, 8))


@pytest.mark.parametrize(
    ("layer", "specs", "message"),
    [
        (nn.Linear(3, 2), [S((N, 4))], "Linear of 3 features got extents [N, 4]"),
        (nn.Bilinear(2, 3, 4), [S((N, 2)), S((N, 2))], "Bilinear of 3 features got extents [N, 2]"),
        (nn.Conv2d(3, 2, 3), [IMAGE], "Conv2d of 3 channels got extents [N, 4, 8, 8]"),
        (nn.ConvTranspose2d(3, 2, 3), [IMAGE], "ConvTranspose2d of 3 channels got extents"),
        (nn.Conv2d(3, 2, 3), [S((N, 8))], "Conv2d takes [batch, channels, rows, columns], got"),
        (nn.MaxPool3d(2), [S((N, 8))], "takes [batch, channels, planes, rows, columns], got"),
        (nn.BatchNorm2d(3), [IMAGE], "BatchNorm2d takes 4 axes and 3 channels, got extents"),
        (nn.Embedding(3, 2), [S((N, 4))], "Embedding takes integer indices, got float32"),
        (nn.EmbeddingBag(3, 2), [S((4,), INT)], "entries in a row and offsets"),
        (
            nn.MultiheadAttention(8, 2),
            [S((3, 1, 8)), S((3, 1, 4)), S((3, 1, 8))],
            "MultiheadAttention takes a key of 8 features",
        ),
        (nn.TransformerEncoderLayer(8, 2), [S((3, 1, 6))], "takes a query of 8 features"),
        (nn.MultiheadAttention(8, 2), [S((3, 8))], "missing a required argument: 'key'"),
        (nn.LSTM(3, 2), [S((5, 1, 4))], "LSTM of 3 features got extents [5, 1, 4]"),
        (
            nn.GRU(3, 2),
            [S((5, N, 3)), S((2, N, 2))],
            "GRU takes states [1, N, 2] to start with, got extents [2, N, 2]",
        ),
        (nn.LSTMCell(3, 2), [S((5, 4))], "LSTMCell of 3 features got extents [5, 4]"),
        (
            nn.GRUCell(3, 2),
            [S((5, 3)), S((5, 3))],
            "GRUCell takes states of 2 elements to start with, got extents [5, 3]",
        ),
        (nn.Fold(3, 2), [S((1, 4, 5))], "Fold takes [batch, channels * 4, 4], got extents"),
        (nn.ChannelShuffle(3), [IMAGE], "ChannelShuffle takes multiples of 3 channels, got 4"),
        (nn.PixelUnshuffle(3), [IMAGE], "PixelUnshuffle takes multiples of 3 rows, got 8"),
        (
            nn.AdaptiveAvgPool2d(10**12),
            [S((1, 4, 8, 8))],
            "8 elements are not made into 1000000000",
        ),
        (nn.CrossEntropyLoss(), [S((N, 2)), S((N, 2), INT)], "takes a target of 1"),
        (
            nn.CrossEntropyLoss(np.ones(3, np.float32)),
            [S((N, 2)), S((N,), INT)],
            "nll_loss of 2 classes takes as many weights, got extents (3,)",
        ),
        (nn.MSELoss(), [S((N, 2)), S((N, 3))], "do not broadcast: 2 and 3 differ"),
        (nn.Sequential(nn.ReLU()), [S((1,)), S((1,))], "too many positional arguments"),
        (nn.MaxUnpool1d(2), [S((1, 1, 3)), S((1, 1, 2), INT)], "got indices"),
    ],
)
def test_layers_refuse_inputs_and_say_what_they_take(
    layer: nn.Module, specs: list[ty.Spec], message: str
):
    with pytest.raises(ty.CompileError) as caught:
        ty.trace(layer, *specs)
    assert message in str(caught.value)
    assert caught.value.diagnostics[0].location.file == __file__


def test_a_function_of_other_inputs_is_refused():
    with pytest.raises(ty.CompileError, match=r"double takes \(x\): too many positional arguments"):
        ty.trace(double, S((1,)), S((1,)))


def double(x: ty.Tensor) -> ty.Tensor:
    return x + x


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({1: np.ones(2)}, "1 is unexpected"),
        ({"weight": "a"}, "weight is a str, expected an array"),
        ({"weight": np.ma.ones((2, 3), np.float32)}, "weight is a MaskedArray"),
        ({"weight": np.ones((2, 3))}, r"expected float32 \(model.astype\(ty.float64\)"),
        ({"weight": np.ones((2, 3), int)}, r"weight is int64, expected float32\n"),
    ],
)
def test_state_that_is_not_taken_over(state: dict[Any, Any], message: str):
    with pytest.raises(ty.CompileError, match=message):
        nn.Linear(3, 2).load_state_dict(state)


def test_state_of_the_other_byte_order_is_taken_over():
    layer = nn.Linear(1, 2)
    layer.load_state_dict({"weight": np.array([[1], [2]], ">f4"), "bias": np.zeros(2, ">f4")})
    assert layer.weight.dtype == np.float32 and layer.weight.tolist() == [[1], [2]]


def test_weights_do_not_become_integers():
    with pytest.raises(ty.TraceError, match="become floats, not int32"):
        nn.Linear(1, 1).astype("int32")


def test_paths_are_paths():
    for path in (None, 3):
        for use in (nn.Linear(1, 1).load, nn.Linear(1, 1).save, ty.parse):
            with pytest.raises(ty.TraceError, match="string or a path object"):
                use(path)  # pyright: ignore[reportArgumentType]


def test_a_module_says_what_is_in_it():
    model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU()))
    assert (
        repr(model)
        == """Sequential(
  (0): Linear(weight: float32 (2, 3), bias: float32 (2,))
  (1): Sequential(
    (0): ReLU()
  )
)"""
    )


@pytest.mark.parametrize("layer", [nn.ReplicationPad1d, nn.ReflectionPad1d])
def test_an_axis_of_which_padding_leaves_nothing(layer: Callable[..., nn.Module]):
    with pytest.raises(ty.CompileError, match="of -2 and -1 leaves nothing of an axis of 3"):
        ty.trace(layer((-2, -1)), S((1, 1, 3)))
    assert ty.trace(layer((-2, -1)), S((1, 1, 4)))
    assert ty.trace(nn.CircularPad1d((-2, -1)), S((1, 1, 3))), "as PyTorch has it"


def test_a_target_of_less_than_no_threads():
    traced = ty.trace(lambda x: x + 1, S((3,)))
    with pytest.raises(ty.CompileError, match=r"threads is a number of threads, or 0 .*, got -1"):
        traced.lower("cpu{threads=-1}")
    assert traced.lower("cpu{threads=2}")
