"""Where somebody speaks in a recording: Silero's network on one chunk after the other.

In: samples of one channel. Out: for each chunk of 32 ms the probability of speech. A call sees its
chunk behind the last 4 ms of the one before, and hands a state of the network's LSTM to the next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import teenyir as ty
from examples import wheels

Samples = NDArray[np.float32]
"""Samples in -1..1, [samples]."""

MODELS = {
    "ifless": "silero_vad/data/silero_vad_op18_ifless.onnx",
    "plain": "silero_vad/data/silero_vad.onnx",
}
"""The published network twice: with one branch for each rate, and with branches in branches."""

DIMS = {
    "ifless": ("batch", "sequence", "batch"),
    "plain": ("input_0", "input_1", "state_1"),
}
"""What they call the batch, the samples of a call, and the batch of the state."""

CHUNK = {16000: 512, 8000: 256}
"""How many samples are judged at once, by their rate in Hz."""

STATE = (2, 1, 128)
"""The LSTM's hidden and cell state for a batch of one; zeros where a recording begins."""


def context(rate: int) -> int:
    """How many samples of the chunk before a call sees."""
    return CHUNK[rate] // 8


def network(rate: int, model: str = "ifless") -> ty.OnnxModel:
    """The network for a rate: `input` (1, context + chunk) and `state` to the same and a score."""
    batch, samples, batch_of_state = DIMS[model]
    dims = {batch: 1, batch_of_state: 1, samples: context(rate) + CHUNK[rate]}
    content = wheels.read(wheels.SILERO, MODELS[model])
    return ty.load_onnx(content, dims=dims, values={"sr": rate})


class Detector:
    """A compiled network and what it remembers of a recording."""

    def __init__(self, rate: int, compiled: ty.Compiled) -> None:
        self.rate, self.compiled = rate, compiled
        self.state: NDArray[np.float32] = np.zeros(STATE, np.float32)
        self.before = np.zeros(context(rate), np.float32)

    def __call__(self, chunk: Samples) -> float:
        """The probability that somebody speaks in the chunk that comes next."""
        seen = np.concatenate([self.before, chunk])[np.newaxis]
        probability, self.state = self.compiled(input=seen, state=self.state)
        self.before = chunk[-context(self.rate) :]
        return float(probability[0, 0])


def chunks(samples: Samples, rate: int) -> Samples:
    """The chunks of a recording, [chunks, samples], the last filled up with silence."""
    size = CHUNK[rate]
    return np.pad(samples, (0, -len(samples) % size)).reshape(-1, size)
