"""ResNet-50's topology as an ONNX model, its weights random numbers of a seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

STAGES = ((3, 64, 256, 1), (4, 128, 512, 2), (6, 256, 1024, 2), (3, 512, 2048, 2))
"""Of each stage: its blocks, the channels inside and after a block, the stride of the first."""

SHAPE = (1, 3, 224, 224)
CLASSES = 1000


class Builder:
    """Collects nodes and weights."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._rng = np.random.default_rng(seed)

    def weight(self, shape: Sequence[int], deviation: float, mean: float = 0.0) -> str:
        name = f"w{len(self.weights)}"
        values = self._rng.normal(mean, deviation, shape).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def convolution(self, x: str, channels: tuple[int, int], size: int, stride: int) -> str:
        """A convolution and its normalisation, from and to so many channels."""
        before, after = channels
        weight = self.weight((after, before, size, size), (2 / (before * size * size)) ** 0.5)
        y = self.node(
            "Conv",
            x,
            weight,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[size // 2] * 4,
        )
        scale, bias, mean = (self.weight((after,), 0.1, at) for at in (1.0, 0.0, 0.0))
        variance = self.weight((after,), 0.05, 1.0)
        return self.node("BatchNormalization", y, scale, bias, mean, variance, epsilon=1e-5)

    def block(self, x: str, channels: tuple[int, int, int], stride: int) -> str:
        """A bottleneck: channels before it, inside it and after it."""
        before, inside, after = channels
        y = self.node("Relu", self.convolution(x, (before, inside), 1, 1))
        y = self.node("Relu", self.convolution(y, (inside, inside), 3, stride))
        y = self.convolution(y, (inside, after), 1, 1)
        if before != after:
            x = self.convolution(x, (before, after), 1, stride)
        return self.node("Relu", self.node("Add", y, x))


def resnet(seed: int = 0) -> onnx.ModelProto:
    """The model: an image of `SHAPE` to `CLASSES` numbers."""
    builder = Builder(seed)
    x = builder.node("Relu", builder.convolution("image", (3, 64), 7, 2))
    x = builder.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    before = 64
    for blocks, inside, after, stride in STAGES:
        for number in range(blocks):
            x = builder.block(x, (before, inside, after), stride if number == 0 else 1)
            before = after
    x = builder.node("Flatten", builder.node("GlobalAveragePool", x))
    weight, bias = builder.weight((CLASSES, before), 0.02), builder.weight((CLASSES,), 0.02)
    x = builder.node("Gemm", x, weight, bias, transB=1)
    graph = helper.make_graph(
        builder.nodes,
        "resnet",
        [helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info(x, onnx.TensorProto.FLOAT, (1, CLASSES))],
        builder.weights,
    )
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def write(path: Path, seed: int = 0) -> None:
    """Write the model to a file, of about 100 MB."""
    onnx.save(resnet(seed), path)
