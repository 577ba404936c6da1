"""Small models in the PTX emulator: what float64 gives, and nothing that its checker reports."""

from __future__ import annotations

import pytest
from small_models import MODELS, compare, element_types

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType

MOST = 1 << 24
"""Thread-instructions of a model."""

QUICK = {
    "perceptron of any batch",
    "file type",
    "mixture of experts",
    "order and running sums",
    "random numbers",
    "a loop around kernels",
    "a loop with a branch",
    "a buffer written in place",
}
"""Models that are run in f32 each time; the others, and the other types, are long."""

EVERY = [(name, dtype) for name, model in MODELS.items() for dtype in element_types(model)]


def is_long(name: str, dtype: DType) -> bool:
    return name not in QUICK or dtype != dtypes.FLOAT32


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(
            *(name, dtype),
            id=f"{name}-{dtype}",
            marks=pytest.mark.long if is_long(name, dtype) else (),
        )
        for name, dtype in EVERY
    ],
)
def test_a_small_model_on_a_gpu(name: str, dtype: DType) -> None:
    """Its products in matrix instructions, where there are such for the type."""
    compiled = compare(MODELS[name], dtype, "cuda-emulated")
    assert ("mma.sync" in compiled.asm["ptx"]) == (dtype != dtypes.FLOAT32)
    launches = compiled.entry.statistics.values()
    assert sum(sum(launch.instructions.values()) for launch in launches) < MOST


@pytest.mark.long
@pytest.mark.parametrize(("name", "dtype"), EVERY, ids=lambda part: str(part))
def test_a_small_model_in_cuda_c(name: str, dtype: DType) -> None:
    compare(MODELS[name], dtype, "cuda-c-emulated")


@pytest.mark.long
@pytest.mark.parametrize(("name", "dtype"), EVERY, ids=lambda part: str(part))
def test_a_small_model_on_the_cpu(name: str, dtype: DType) -> None:
    compare(MODELS[name], dtype, "cpu")
