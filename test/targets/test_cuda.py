"""Compute capabilities, PTX versions, and what is said of a pair that there is not."""

import pytest

from teenyir.diagnostics import CompileError
from teenyir.targets import cuda


@pytest.mark.parametrize("spelling", ["sm_87", "sm-87", "87", "SM_87", " 87 "])
def test_spellings_of_a_capability(spelling: str) -> None:
    assert cuda.find(spelling) == cuda.Cuda("87", 80)


def test_names_for_llvm() -> None:
    gpu = cuda.find("90a", 83)
    assert (gpu.cpu, gpu.features, gpu.number) == ("sm_90a", "+ptx83", 90)


def test_a_new_capability_has_its_first_version() -> None:
    assert cuda.find("sm_120").ptx == 87


def test_unknown_capability_lists_what_there_is() -> None:
    with pytest.raises(CompileError) as caught:
        cuda.find("sm_81")
    assert "no compute capability 'sm_81'" in str(caught.value)
    assert "sm_75, sm_80, sm_86" in str(caught.value)


@pytest.mark.parametrize(
    ("version", "why"), [(70, "sm_87 came with PTX 74"), (79, "LLVM does not write it")]
)
def test_impossible_pair_lists_what_is_possible(version: int, why: str) -> None:
    with pytest.raises(CompileError) as caught:
        cuda.find("sm_87", version)
    assert f"no PTX version {version} for sm_87: {why}" in str(caught.value)
    assert "for sm_87 there is ptx-version=74, 75, 76" in str(caught.value)
