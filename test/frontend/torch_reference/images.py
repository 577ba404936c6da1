"""Layers of images, lines and volumes, as `rows.py` says."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch_reference.rows import N, known, normal, uniform


def pools(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    line, image, cube = [normal(N, 2, 8)], [normal(N, 2, 6, 7)], [normal(N, 1, 4, 5, 3)]
    # as many as there are samples
    few, block = [normal(3, 2, 6, 7)], [normal(3, 1, 4, 5, 3)]
    pairs = array(np.array([[[0.3, 0.8], [0.6, 0.1]]] * 3, np.float64))
    triples = array(np.array([[[0.3, 0.8, 0.5]]] * 3, np.float64))
    # of four windows each, where the maximum of each was taken from
    places = np.array([[[0, 9, 20, 22], [7, 3, 26, 15]]] * 3).reshape(3, 2, 2, 2)
    return {
        "MaxPool1d_ceil": (nn.MaxPool1d(3, 2, 1, ceil_mode=True), line),
        "MaxPool2d_alone": (nn.MaxPool2d(2), [normal(2, 6, 7)]),
        "MaxPool2d_ceil": (nn.MaxPool2d((3, 2), (2, 3), 1, ceil_mode=True), image),
        "MaxPool3d_ceil": (nn.MaxPool3d(3, 2, ceil_mode=True), cube),
        "MaxPool1d_indices": (nn.MaxPool1d(3, 2, 1, 2, True), line),
        "MaxPool2d_indices": (
            nn.MaxPool2d(3, (2, 1), (1, 0), return_indices=True, ceil_mode=True),
            image,
        ),
        "MaxPool3d_indices": (nn.MaxPool3d(2, return_indices=True), cube),
        "AvgPool1d_ceil": (nn.AvgPool1d(3, 2, 1, True, False), line),
        "AvgPool2d_ceil": (nn.AvgPool2d((3, 2), (2, 3), 1, ceil_mode=True), image),
        "AvgPool2d_divisor": (nn.AvgPool2d(3, 2, 1, divisor_override=5), image),
        "AvgPool3d_ceil": (nn.AvgPool3d(3, 2, 1, True, False), cube),
        "LPPool1d_ceil": (nn.LPPool1d(2, 3, 2, True), line),
        "LPPool2d_ceil": (nn.LPPool2d(3, (4, 2), ceil_mode=True), [uniform(N, 2, 6, 7)]),
        "AdaptiveAvgPool2d_kept": (nn.AdaptiveAvgPool2d((None, 3)), image),
        "AdaptiveMaxPool2d_kept": (nn.AdaptiveMaxPool2d((4, None)), image),
        "AdaptiveMaxPool1d_indices": (nn.AdaptiveMaxPool1d(3, True), line),
        "AdaptiveMaxPool2d_indices": (nn.AdaptiveMaxPool2d((4, 3), True), image),
        "AdaptiveMaxPool3d_indices": (nn.AdaptiveMaxPool3d((3, 2, None), True), cube),
        "FractionalMaxPool2d": (
            nn.FractionalMaxPool2d(2, (3, 4), return_indices=True, _random_samples=pairs),
            few,
        ),
        "FractionalMaxPool2d_ratio": (
            nn.FractionalMaxPool2d((3, 2), output_ratio=(0.5, 0.8), _random_samples=pairs),
            few,
        ),
        "FractionalMaxPool3d": (
            nn.FractionalMaxPool3d(2, (2, 3, 1), return_indices=True, _random_samples=triples),
            block,
        ),
        "MaxUnpool1d": (
            nn.MaxUnpool1d(2),
            [normal(N, 1, 3), known([[[1, 2, 4]], [[0, 3, 5]], [[1, 3, 4]]])],
        ),
        "MaxUnpool2d": (nn.MaxUnpool2d(3, 2, 1), [normal(3, 2, 2, 2), places % 9]),
        "MaxUnpool2d_size": (nn.MaxUnpool2d(3), [normal(3, 2, 2, 2), places, (3, 2, 5, 6)]),
        "MaxUnpool3d": (
            nn.MaxUnpool3d((1, 2, 1), 2),
            [
                normal(N, 1, 1, 2, 1),
                known([[[[[0], [2]]]], [[[[1], [3]]]], [[[[3], [0]]]]]),
            ],
        ),
    }


def upsampling(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    line, image, cube = [normal(N, 2, 5)], [normal(N, 2, 3, 4)], [normal(N, 1, 2, 3, 2)]
    corners = {"align_corners": True}
    return {
        "Upsample_exact": (nn.Upsample((5, 7), mode="nearest-exact"), image),
        "Upsample_exact_factor": (nn.Upsample(scale_factor=2.6, mode="nearest-exact"), line),
        "Upsample_cube": (nn.Upsample(scale_factor=2), cube),
        "Upsample_bilinear_corners": (nn.Upsample((5, 7), mode="bilinear", **corners), image),
        "Upsample_trilinear_sides": (nn.Upsample((3, 4, 5), mode="trilinear"), cube),
        "Upsample_linear_recomputed": (
            nn.Upsample(scale_factor=1.5, mode="linear", recompute_scale_factor=True),
            line,
        ),
        "Upsample_bicubic": (nn.Upsample(scale_factor=(2.5, 2.0), mode="bicubic"), image),
        "Upsample_bicubic_corners": (nn.Upsample((7, 3), mode="bicubic", **corners), image),
        "Upsample_bicubic_smaller": (
            nn.Upsample((2, 9), mode="bicubic"),
            [normal(N, 1, 6, 4)],
        ),
        "UpsamplingNearest2d": (nn.UpsamplingNearest2d((5, 6)), image),
        "UpsamplingBilinear2d": (nn.UpsamplingBilinear2d(scale_factor=2), image),
    }


def arrangements(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    return {
        "Identity": (nn.Identity(54, unused=True), [normal(N, 3)]),
        "Flatten": (nn.Flatten(1, 2), [normal(N, 2, 3, 4)]),
        "Unflatten": (nn.Unflatten(-1, (2, -1, 3)), [normal(N, 12)]),
        "ChannelShuffle": (nn.ChannelShuffle(2), [normal(N, 6, 2, 3)]),
        "PixelShuffle_alone": (nn.PixelShuffle(2), [normal(8, 3, 2)]),
        "PixelUnshuffle_alone": (nn.PixelUnshuffle(3), [normal(2, 3, 6)]),
        "Unfold": (nn.Unfold((2, 3), (2, 1), (1, 0), 2), [normal(N, 2, 5, 6)]),
        "Unfold_alone": (nn.Unfold(2), [normal(2, 3, 4)]),
        "Fold": (nn.Fold((5, 6), (2, 3), (2, 1), (1, 0), 2), [normal(N, 12, 6)]),
        "Fold_alone": (nn.Fold(3, 2), [normal(4, 4)]),
        "ReflectionPad1d_alone": (nn.ReflectionPad1d(1), [normal(2, 4)]),
        "Dropout": (nn.Dropout(0.3), [normal(N, 2)]),
        "AlphaDropout": (nn.AlphaDropout(0.3), [normal(N, 2)]),
        "FeatureAlphaDropout": (nn.FeatureAlphaDropout(0.3, True), [normal(N, 2)]),
        "Dropout1d": (nn.Dropout1d(), [normal(N, 2, 3)]),
        "Dropout2d": (nn.Dropout2d(), [normal(N, 2, 3, 2)]),
        "Dropout3d": (nn.Dropout3d(), [normal(N, 2, 3, 2, 2)]),
    }


def convolutions(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """Convolutions and normalisations, by the names of their cases, with their inputs."""
    line, image = normal(N, 4, 7), normal(N, 4, 5, 6)
    return {
        "Conv1d_alone": (nn.Conv1d(4, 3, 3), [normal(4, 7)]),
        "Conv1d_even": (nn.Conv1d(4, 2, 4, padding="same", padding_mode="reflect"), [line]),
        "Conv2d_even": (nn.Conv2d(4, 3, (2, 3), padding="same", dilation=(3, 1)), [image]),
        "Conv2d_groups": (nn.Conv2d(4, 8, 3, 2, 1, groups=4), [image]),
        "Conv3d_dilated": (
            nn.Conv3d(2, 2, (1, 2, 2), (1, 2, 1), (0, 1, 0), (1, 2, 1), 2),
            [normal(N, 2, 2, 4, 3)],
        ),
        "ConvTranspose1d_size": (nn.ConvTranspose1d(4, 2, 3, 2, 1), [line, (14,)]),
        "ConvTranspose2d_alone": (nn.ConvTranspose2d(4, 2, 2, 2), [normal(4, 3, 2)]),
        "ConvTranspose3d_groups": (
            nn.ConvTranspose3d(2, 4, 2, (1, 2, 1), 1, (0, 1, 0), 2, True, (1, 2, 1)),
            [normal(N, 2, 3, 2, 3)],
        ),
        "BatchNorm1d_line": (nn.BatchNorm1d(4, momentum=None, bias=False), [line]),
        "BatchNorm2d_own": (nn.BatchNorm2d(4, 1e-3, track_running_stats=False), [image]),
        "BatchNorm3d": (nn.BatchNorm3d(2, affine=False), [normal(N, 2, 2, 3, 2)]),
        "SyncBatchNorm": (nn.SyncBatchNorm(4), [image]),
        "InstanceNorm1d_alone": (nn.InstanceNorm1d(4, affine=True), [normal(4, 7)]),
        "InstanceNorm3d_tracked": (
            nn.InstanceNorm3d(2, momentum=0.2, affine=True, track_running_stats=True),
            [normal(N, 2, 2, 3, 2)],
        ),
        "LayerNorm_plain": (nn.LayerNorm((3, 4), bias=False), [normal(N, 3, 4)]),
        "GroupNorm_plain": (nn.GroupNorm(1, 4, bias=False), [line]),
        "LocalResponseNorm": (nn.LocalResponseNorm(3, 0.5, 0.6, 1.5), [image]),
        "LocalResponseNorm_even": (nn.LocalResponseNorm(2, 2.0), [line]),
    }


def activations(nn: Any, array: Any) -> dict[str, tuple[Any, list[Any]]]:
    """The layers by the names of their cases, with their inputs."""
    plain = ("ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Hardsigmoid", "Hardswish")
    x = [uniform(N, 8, low=-5, high=5)]
    return {
        **{name: (getattr(nn, name)(inplace=True), x) for name in plain},
        **{name: (getattr(nn, name)(), x) for name in ("Sigmoid", "Tanh")},
        "LeakyReLU": (nn.LeakyReLU(0.2, True), x),
        "ELU": (nn.ELU(0.7), x),
        "CELU_alpha": (nn.CELU(0.7), x),
        "GELU": (nn.GELU(), x),
        "GELU_tanh": (nn.GELU("tanh"), x),
        "GLU": (nn.GLU(1), x),
        "Hardtanh": (nn.Hardtanh(-0.5, 2.0), x),
        "Hardshrink_wide": (nn.Hardshrink(2.0), x),
        "Softshrink_wide": (nn.Softshrink(2.0), x),
        "PReLU_one": (nn.PReLU(), x),
        "RReLU_bounds": (nn.RReLU(0.1, 0.4), x),
        "Softplus": (nn.Softplus(), x),
        "Softplus_threshold": (nn.Softplus(2.0, 1.0), x),
        "Softmax": (nn.Softmax(-2), [normal(N, 3, 4)]),
        "LogSoftmax": (nn.LogSoftmax(1), [normal(N, 3, 4)]),
    }
