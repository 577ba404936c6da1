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
        (lambda: nn.Conv2d(3, 2, 0), "the kernel_size of Conv2d is an integer from 1 on, got 0"),
        (lambda: nn.LSTM(3, 2, 0), "the num_layers of LSTM is an integer from 1 on, got 0"),
        (lambda: nn.LSTM(3, 2, proj_size=2), "proj_size is from 0 to below the hidden size 2"),
        (lambda: nn.GroupNorm(3, 4), "3 groups do not divide 4 channels"),
        (lambda: nn.LayerNorm((2, -1)), "the extent 1 of LayerNorm is an integer from 0 on"),
        (lambda: nn.Embedding(3, 2, 3), "the padding_idx 3 is no row of 3"),
        (lambda: nn.EmbeddingBag(3, 2, mode="min"), "the mode is one of sum, mean, max, got 'min'"),
        (lambda: nn.Dropout(1.5), "a chance is from 0 to 1, got 1.5"),
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
        (lambda: nn.ConvTranspose1d(1, 1, 1, padding_mode="reflect"), "zeros alone, got 'reflect'"),
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
        (nn.AdaptiveMaxPool1d(2.5), [S((1, 4, 8))], "output_size is one integer or 1, got 2.5"),  # pyright: ignore[reportArgumentType]
        (nn.AdaptiveAvgPool1d("a"), [S((1, 4, 8))], "output_size is one integer or 1, got 'a'"),  # pyright: ignore[reportArgumentType]
        (nn.AdaptiveAvgPool2d((3, 2.5)), [IMAGE], "one integer or 2, got (3, 2.5)"),  # pyright: ignore[reportArgumentType]
        (nn.CrossEntropyLoss(), [S((N, 2)), S((N, 2), INT)], "takes a target of 1"),
        (
            nn.CrossEntropyLoss(np.ones(3, np.float32)),
            [S((N, 2)), S((N,), INT)],
            "nll_loss of 2 classes takes as many weights, got extents (3,)",
        ),
        (nn.MSELoss("avg"), [S((N, 2)), S((N, 2))], "'mean', 'sum' or 'none', got 'avg'"),
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
