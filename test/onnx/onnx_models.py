"""Small models, for the tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model_of(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[tuple[Any, ...]],
    outputs: Sequence[tuple[Any, ...]],
    weights: Sequence[tuple[str, np.ndarray]] = (),
    opset: int = 17,
) -> onnx.ModelProto:
    """A model of one graph; values are (name, shape) of float32, or (name, shape, element type)."""

    def info(name: str, shape: Any, element: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, element, shape)

    graph = helper.make_graph(
        nodes,
        "graph",
        [info(*each) for each in inputs],
        [info(*each) for each in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
