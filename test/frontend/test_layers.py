"""Layers made by the same text there and here, against what PyTorch computed.

`torch_reference/record.py` keeps the values. An extent that a table calls `N` has a name in the
program, so that what is compared is compiled for every batch.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from floors import native
from torch_reference.rows import Batch, Draw, leaves
from torch_reference.tables import TABLES

import teenyir as ty
from teenyir import nn
from teenyir.interpreter import run

with np.load(Path(__file__).parent / "torch_reference" / "layers.npz") as _file:
    VALUES: dict[str, np.ndarray] = dict(_file)

CASES: dict[str, tuple[nn.Module, list[Any]]] = {
    name: case for table in TABLES for name, case in table(nn, lambda a: np.asarray(a)).items()
}
DIM = ty.Dim("N", min=1)


def recorded(case: str, kind: str) -> list[np.ndarray]:
    count = sum(key.startswith(f"{case}/{kind}") for key in VALUES)
    return [VALUES[f"{case}/{kind}{k}"] for k in range(count)]


def filled(nest: Any, tensors: list[Any]) -> Any:
    """A nest of inputs with tensors, one after the other, in place of draws and arrays."""
    if isinstance(nest, tuple | list):
        return type(nest)(filled(each, tensors) for each in nest)
    return tensors.pop(0) if isinstance(nest, Draw | np.ndarray) else nest


def spec(draw: Draw | np.ndarray, value: np.ndarray) -> ty.Spec:
    shape = draw.shape if isinstance(draw, Draw) else value.shape
    named = [DIM if isinstance(extent, Batch) else extent for extent in shape]
    return ty.Spec(named, value.dtype)


def traced(case: str, layer: Callable[..., Any]) -> ty.Traced:
    _, nest = CASES[case]
    specs = [spec(*pair) for pair in zip(leaves(nest), recorded(case, "in"), strict=True)]
    return ty.trace(lambda *tensors: _present(layer(*filled(nest, list(tensors)))), *specs)


def _present(result: Any) -> Any:
    """What attention leaves out of its results is None."""
    return tuple(x for x in result if x is not None) if isinstance(result, tuple) else result


def loaded(case: str) -> nn.Module:
    """The layer of a case, with PyTorch's weights."""
    layer, _ = CASES[case]
    prefix = f"{case}/state/"
    state = {key.removeprefix(prefix): VALUES[key] for key in VALUES if key.startswith(prefix)}
    state.pop("_random_samples", None)  # PyTorch keeps what is no weight, where it is given
    assert set(layer.state_dict()) == set(state)
    layer.load_state_dict(state)
    return layer


@pytest.mark.parametrize("case", CASES)
def test_layers_compute_what_torch_does(case: str):
    program = traced(case, loaded(case))
    given = dict(zip(program.input_names, recorded(case, "in"), strict=True)) | program.parameters
    outputs = native(program.module, given)
    expected = run(program.module, given)
    wanted = recorded(case, "out")
    for compiled, interpreted, value in zip(outputs, expected, wanted, strict=True):
        for got in (compiled, interpreted):
            assert got.shape == value.shape
            assert got.dtype == value.dtype
            np.testing.assert_allclose(got, value, rtol=1e-5, atol=4e-6)


@pytest.mark.long
@pytest.mark.parametrize("target", ["cuda-emulated", "cuda-c-emulated"])
@pytest.mark.parametrize("case", CASES)
def test_layers_compute_on_a_gpu_what_torch_does(case: str, target: str):
    """In the PTX emulator, which reports races and stray accesses."""
    program = traced(case, loaded(case))
    given = dict(zip(program.input_names, recorded(case, "in"), strict=True))
    outputs = program.lower(target).compile(cache=False)(**given)
    for got, value in zip(leaves(outputs), recorded(case, "out"), strict=True):
        assert (got.shape, got.dtype) == (value.shape, value.dtype)
        np.testing.assert_allclose(got, value, rtol=2e-5, atol=1e-5)


def test_every_recorded_layer_is_compared():
    assert {key.split("/")[0] for key in VALUES} == set(CASES)


def test_losses_of_half_floats_are_formed_in_single():
    """Within one rounding of what float64 gives."""
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(0.1, 2.0, (6, 50)).astype(np.float16) for _ in range(2))
    layers = [
        nn.CosineEmbeddingLoss(0.2),
        nn.TripletMarginLoss(),
        nn.PoissonNLLLoss(full=True),
        nn.GaussianNLLLoss(),
        nn.SoftMarginLoss(),
        nn.MultiLabelSoftMarginLoss(),
        nn.CosineSimilarity(),
        nn.LPPool1d(2, 7, 5, ceil_mode=True),
        nn.LocalResponseNorm(5, 2.0),
    ]

    def each(a: ty.Tensor, b: ty.Tensor) -> list[Any]:
        signs = ty.asarray([1.0, -1.0] * 3, dtype=a.dtype)
        given: list[tuple[Any, ...]] = [(a, b, signs), (a, b, -a), (a, b), (a, b, b)]
        given += [(a, signs.reshape((6, 1))), (a, b), (a, b), (a,), (a.reshape((1, 6, 50)),)]
        return [layer(*inputs) for layer, inputs in zip(layers, given, strict=True)]

    narrow = ty.trace(each, x, y)
    wide = ty.trace(
        lambda a, b: [
            r.astype(ty.float16) for r in each(a.astype(ty.float64), b.astype(ty.float64))
        ],
        *(x, y),
    )
    for got, wanted in zip(native(narrow.module, [x, y]), run(wide.module, [x, y]), strict=True):
        assert got.dtype == np.float16
        assert np.all(np.abs(got - wanted) <= np.spacing(np.abs(wanted)))
