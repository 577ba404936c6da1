"""The digits network: two convolutions, a pool and a product; 5,050 weights.

`network()` is the model with its trained weights, `traced()` its program on the graph floor, for
any number of images from 1 to 1,024.
"""

from pathlib import Path

import teenyir as ty
from teenyir import nn

HERE = Path(__file__).parent
BATCH = ty.Dim("N", min=1, max=1024)
IMAGES = ty.Spec((BATCH, 1, 8, 8), ty.float32)


def network() -> nn.Sequential:
    """Return the model: images (N, 1, 8, 8) in 0..1 to logits (N, 10), float32."""
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(256, 10),
    )
    model.load(HERE / "weights.safetensors")
    return model


def traced() -> ty.Traced:
    """Return the network's program on the graph floor."""
    return ty.trace(network(), IMAGES)
