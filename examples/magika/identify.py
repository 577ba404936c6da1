"""What a file is: Magika's network on the bytes at its beginning and its end.

In: the content of files. Out: a type of content and how sure the network is. What the network sees,
and when its answer is kept, follow the package's own Python (version 1.0.3, Apache-2.0,
https://github.com/google/magika), whose mode is called high confidence there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import teenyir as ty
from examples import wheels
from examples.lines import printable
from teenyir.diagnostics import InputError

MODEL = "magika/models/standard_v3_3/model.onnx"
CONFIG = "magika/models/standard_v3_3/config.min.json"
KINDS = "magika/config/content_types_kb.min.json"

MOST_AT_ONCE = 64
FILES = ty.Dim("files", min=1, max=MOST_AT_ONCE)


@dataclass(frozen=True)
class Config:
    """How a file becomes the network's input, and an output a label."""

    beginning: int
    """How many bytes of the beginning it sees."""
    end: int
    """How many of the end."""
    block: int
    """How many bytes are read at either end, of which blanks are taken off."""
    padding: int
    """What stands where there are no bytes."""
    least: int
    """The network is not asked about fewer bytes."""
    labels: Sequence[str]
    """What each output stands for."""
    thresholds: Mapping[str, float]
    """The least score that a label is believed at, where it is not `threshold`."""
    threshold: float
    renamed: Mapping[str, str]
    """Labels that are reported under another name."""
    kinds: Mapping[str, Mapping[str, Any]]
    """What is known about each label: a description, and whether it is text."""


@dataclass(frozen=True)
class Answer:
    """What a file is taken for."""

    label: str
    description: str
    score: float
    """The network's probability of the label that it gave, in 0..1; 1 where it was not asked."""


def published_config() -> Config:
    """The settings that the network was published with."""
    raw = json.loads(wheels.read(wheels.MAGIKA, CONFIG))
    return Config(
        beginning=raw["beg_size"],
        end=raw["end_size"],
        block=raw["block_size"],
        padding=raw["padding_token"],
        least=raw["min_file_size_for_dl"],
        labels=raw["target_labels_space"],
        thresholds=raw["thresholds"],
        threshold=raw["medium_confidence_threshold"],
        renamed=raw["overwrite_map"],
        kinds=json.loads(wheels.read(wheels.MAGIKA, KINDS)),
    )


def network() -> ty.OnnxModel:
    """The network: (files, 2048) int32 to (files, labels) float32, which are probabilities."""
    return ty.load_onnx(wheels.read(wheels.MAGIKA, MODEL), dims={"unk__214": FILES})


def content_of(file: Path, config: Config) -> bytes:
    """What is in a file, but for what lies between a block at its beginning and one at its end.

    Raises InputError where it cannot be read.
    """
    try:
        with file.open("rb") as stream:
            beginning = stream.read(2 * config.block)
            if len(beginning) < 2 * config.block or not stream.seekable():
                return beginning
            stream.seek(-config.block, 2)
            return beginning[: config.block] + stream.read(config.block)
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"cannot read '{printable(str(file))}': {reason}") from None


def features(content: bytes, config: Config) -> NDArray[np.int32]:
    """What the network sees: bytes of the beginning, then of the end, without blanks around them.

    The beginning is filled up behind its bytes, the end in front of them.
    """
    seen = np.full(config.beginning + config.end, config.padding, np.int32)
    beginning = content[: config.block].lstrip()[: config.beginning]
    end = content[-config.block :].rstrip()[-config.end :]
    seen[: len(beginning)] = list(beginning)
    seen[len(seen) - len(end) :] = list(end)
    return seen


def without_network(content: bytes, config: Config) -> Answer | None:
    """The answer for a file of too few bytes; None where the network is to be asked."""
    if not content:
        return Answer("empty", config.kinds["empty"]["description"], 1.0)
    if len(content[: config.block].lstrip()) >= config.least:
        return None
    try:
        content[: config.block].decode("utf-8")
        label = "txt"
    except UnicodeDecodeError:
        label = "unknown"
    return Answer(label, config.kinds[label]["description"], 1.0)


def understood(probabilities: NDArray[np.float32], config: Config) -> Answer:
    """The answer that a row of the network's output is; text or unknown where it is not sure."""
    best = int(probabilities.argmax())
    given, score = config.labels[best], float(probabilities[best])
    label = config.renamed.get(given, given)
    if score < config.thresholds.get(given, config.threshold):
        label = "txt" if config.kinds[label]["is_text"] else "unknown"
    return Answer(label, config.kinds[label]["description"], score)


def identify(contents: Sequence[bytes], compiled: ty.Compiled, config: Config) -> list[Answer]:
    """What each file is, by the compiled network."""
    answers = [without_network(content, config) for content in contents]
    asked = [k for k, answer in enumerate(answers) if answer is None]
    for start in range(0, len(asked), MOST_AT_ONCE):
        part = asked[start : start + MOST_AT_ONCE]
        outputs = compiled(np.stack([features(contents[k], config) for k in part]))
        for k, row in zip(part, outputs, strict=True):
            answers[k] = understood(row, config)
    return [answer for answer in answers if answer is not None]
