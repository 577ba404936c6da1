"""A second value for each input of a case that decides what is compiled.

A case of ONNX's suite has one value for a shape, an axis or a k. Another one is looked for here,
by changing numbers of it: one that the reference takes, and whose results differ from the first.
"""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator
from onnx_cases import Case

import teenyir as ty
from teenyir.frontend.onnx.nodes import UnknownInput

Given = dict[str, Any]

MOST_ELEMENTS = 2**16
"""Of a result that a second value asks for."""


def deciding(model: ty.OnnxModel, given: Given) -> list[str]:
    """The inputs whose values a program without names in it has to know."""
    known: Given = {}
    while True:
        try:
            model.trace(known)
        except UnknownInput as unknown:
            known.update({name: given[name] for name in unknown.names})
        else:
            return list(known)


def without_output_shapes(case: Case) -> onnx.ModelProto:
    """The model, whose outputs may have any extents: those declared are of the first value."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    return model


class References:
    """What the results are by onnxruntime and by ONNX itself, which know different models."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.runs: list[Any] = [ReferenceEvaluator(model).run]
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        with contextlib.suppress(Exception):  # of whatever kind: it does not know the model
            session = onnxruntime.InferenceSession(model.SerializeToString(), options)
            self.runs.insert(0, session.run)

    def __call__(self, given: Given) -> list[list[np.ndarray]]:
        """The results by each that takes the values."""
        arrays = {name: np.asarray(value) for name, value in given.items()}
        found: list[list[np.ndarray]] = []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for run in self.runs:
                with contextlib.suppress(Exception):  # the values may not suit
                    found.append([np.asarray(each) for each in run(None, arrays)])
        return found


def second_value(
    references: References, given: Given, name: str
) -> tuple[Given, list[list[np.ndarray]]] | None:
    """Inputs with another value of one, and the results; None where no other was found."""
    first = references(given)
    rank = np.ndim(next(iter(given.values())))
    for value in candidates(np.asarray(given[name])):
        if name in ("axis", "axes") and not _are_axes(value, rank):
            continue
        changed = {**given, name: value}
        found = references(changed)
        if len(found) >= len(first) and all(_differ(each, first) for each in found):
            return changed, found
    return None


def _are_axes(value: np.ndarray, rank: int) -> bool:
    """Whether they are axes, each named once; a reference may take others."""
    room = rank + value.size
    return (
        value.min() >= -room and value.max() < room and len(set((value % room).flat)) == value.size
    )


def _differ(results: list[np.ndarray], first: list[list[np.ndarray]]) -> bool:
    """Whether results are other ones than those of the first value, and not too large."""
    if any(each.size > MOST_ELEMENTS for each in results):
        return False
    return all(any(not _same(a, b) for a, b in zip(results, old, strict=True)) for old in first)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def candidates(value: np.ndarray) -> Iterator[np.ndarray]:
    """Other values of the same extents, those that change least of the meaning first."""
    flat = value.reshape(-1)
    for changed in _changed(flat.tolist(), value.dtype.kind):
        if changed != flat.tolist():
            yield np.array(changed, value.dtype).reshape(value.shape)


def _changed(numbers: list[Any], kind: str) -> Iterator[list[Any]]:
    if kind == "b":
        yield [not each for each in numbers]
    elif kind in "fV":
        for factor in (0.5, 1.5, 2.0, 0.75):
            yield [each if each in (0, 1) else each * factor for each in numbers]
            yield from ([*numbers[:k], n * factor, *numbers[k + 1 :]] for k, n in _each(numbers))
        for more in (1, 256):
            yield [each + more for each in numbers]
    else:
        yield from _other_integers(numbers)


def _each(numbers: list[Any]) -> list[tuple[int, Any]]:
    """The numbers with their places, the large ones first: 0, 1 and -1 mean something else."""
    return sorted(enumerate(numbers), key=lambda each: each[1] < 2)


def _other_integers(numbers: list[int]) -> Iterator[list[int]]:
    for step in (1, -1, 2, -2):
        for k, each in _each(numbers):
            if (each >= 2) == (each + step >= 2) and (each >= 0) == (each + step >= 0):
                yield [*numbers[:k], each + step, *numbers[k + 1 :]]
    large = [k for k, each in enumerate(numbers) if each >= 2]
    for order in itertools.permutations(large[:6]):
        moved = list(numbers)
        for k, source in zip(large, order, strict=False):
            moved[k] = numbers[source]
        yield moved
    for more, less in itertools.permutations(large, 2):  # the same sum, the same product
        for a, b in (
            (numbers[more] + 1, numbers[less] - 1),
            (numbers[more] * 2, numbers[less] // 2),
        ):
            moved = list(numbers)
            moved[more], moved[less] = a, b
            yield moved
    if len(numbers) <= 6:
        yield from map(list, itertools.permutations(numbers))
    yield from _far_integers(numbers)


def _far_integers(numbers: list[int]) -> Iterator[list[int]]:
    """Such that may mean something else."""
    for step in (1, -1, 2, -2, 3):
        yield from ([*numbers[:k], n + step, *numbers[k + 1 :]] for k, n in _each(numbers))
    for k, n in _each(numbers):
        yield from ([*numbers[:k], other, *numbers[k + 1 :]] for other in (0, n * 2, n // 2))
    if len(numbers) in (2, 3):  # where numbers have to suit each other, few do
        yield from map(list, itertools.product(range(1, 13), repeat=len(numbers)))
