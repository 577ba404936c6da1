"""Small models, for the tests."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import teenyir as ty

RNG = np.random.default_rng(0)


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


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def agrees(
    model: onnx.ModelProto, *inputs: np.ndarray, by_interpreter: bool = False
) -> tuple[np.ndarray, ...]:
    """The results, which are those of onnxruntime."""
    imported = ty.load_onnx(model)
    given = dict(zip(imported.input_names, inputs, strict=True))
    found = imported.lower("interpret").compile()(**given) if by_interpreter else imported(*inputs)
    found = found if isinstance(found, tuple) else (found,)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    for got, wanted in zip(found, session.run(None, given), strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    return found
