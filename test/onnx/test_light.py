"""Published networks of the kind `light`, against onnxruntime.

They come without their weights: what stands for these is one number everywhere, with which almost
any mistake gives the recorded outputs. Here each is random, of a spread such that values neither
vanish nor grow, from layer to layer.
"""

import math
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

import teenyir as ty

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NAMES = sorted(path.stem.removeprefix("light_") for path in FOLDER.glob("light_*.onnx"))


def with_random_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with random weights in place of the nodes that stand for them."""
    rng = np.random.default_rng(0)
    shapes = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    variances = {node.input[4] for node in model.graph.node if node.op_type == "BatchNormalization"}
    kept: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        (name,), shape = node.output, shapes[node.input[0]].tolist()
        values = rng.standard_normal(shape, np.float32)
        if name in variances:
            values = 1 + values**2
        elif len(shape) > 1:
            values *= math.sqrt(2 / math.prod(shape[1:]))
        else:
            values = 1 + values / 10
        model.graph.initializer.append(numpy_helper.from_array(values, name))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def test_there_are_networks():
    assert "resnet50" in NAMES and len(NAMES) == 9


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_network_computes_what_onnxruntime_does(name: str):
    model = with_random_weights(onnx.load(FOLDER / f"light_{name}.onnx"))
    imported = ty.load_onnx(model)
    ((input_name, spec),) = imported.specs.items()
    x = np.random.default_rng(1).standard_normal(spec.shape, np.float32)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    (expected,) = session.run(None, {input_name: x})
    found = imported(x)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert np.ptp(expected) > 0
    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4 * np.abs(expected).max())
