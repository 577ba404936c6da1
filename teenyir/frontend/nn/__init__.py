"""Layers with weights, under PyTorch's names, layouts and default initialisation."""

from __future__ import annotations

from teenyir.frontend.nn.layers import (
    GELU,
    AvgPool2d,
    Conv2d,
    Flatten,
    LayerNorm,
    Linear,
    MaxPool2d,
    ReLU,
    Sequential,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
)
from teenyir.frontend.nn.module import Module, manual_seed

__all__ = [
    "GELU",
    "AvgPool2d",
    "Conv2d",
    "Flatten",
    "LayerNorm",
    "Linear",
    "MaxPool2d",
    "Module",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "manual_seed",
]
