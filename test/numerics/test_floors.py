"""One meaning on every floor: random graphs give the same outputs wherever they are run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from compare import differences
from failures import kept_if_it_fails, load
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from many_graphs import run_slice
from numpy.typing import NDArray
from random_graphs import Sample, random_sample
from xdsl.dialects.builtin import ModuleOp

from teenyir.dialects import dtypes
from teenyir.interpreter import run
from teenyir.lowering.render.c import named_functions
from teenyir.pipeline.instruments.check import CheckEach
from teenyir.pipeline.ir import print_module, verify_module
from teenyir.pipeline.manager import PassManager
from teenyir.runtime.c import Compiler, compile_c, load_shared
from teenyir.runtime.check import NativeCheck
from teenyir.runtime.compiled import Compiled, Entry
from teenyir.runtime.lowered import lower

Array = NDArray[Any]

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
UNSHRUNK = [Phase.explicit, Phase.reuse, Phase.generate]
"""Making a failing graph smaller would run a compiler of C for minutes."""
RANDOM = st.randoms(use_true_random=False)


def interpreted(sample: Sample) -> list[Array]:
    verify_module(sample.module)
    return run(sample.module, sample.inputs, dims=sample.dims)


def native(sample: Sample) -> list[Array]:
    outputs = lower(sample.module, "cpu").compile(cache=False)(*sample.inputs, dims=sample.dims)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def emulated(sample: Sample, target: str = "cuda-emulated") -> list[Array]:
    """PTX for sm_80, checked by the emulator: a race or a stray access is an error."""
    low = lower(sample.module, target)
    outputs = low.compile(cache=False)(*sample.inputs, dims=sample.dims)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def optimized(sample: Sample) -> list[Array]:
    module = sample.module.clone()
    PassManager.parse("optimize-graph").run(module)
    return run(module, sample.inputs, dims=sample.dims)


@lru_cache(maxsize=2)
def kernels_of(module: ModuleOp) -> ModuleOp:
    """A module on the kernel floor: several floors of one sample begin there."""
    module = module.clone()
    PassManager.parse("graph-to-kernel").run(module)
    return module


def lowered(sample: Sample, pipeline: str = "") -> list[Array]:
    """What a sample gives on the kernel floor, or after a pipeline from there."""
    module = kernels_of(sample.module)
    if pipeline:
        module = module.clone()
        PassManager.parse(pipeline).run(module)
    # below the graph floor integers have no sign
    inputs = [x.view(f"i{x.itemsize}") if x.dtype.kind == "u" else x for x in sample.inputs]
    if "floats-to-bytes" in pipeline:
        inputs = [x.view(f"i{x.itemsize}") if ends_as_integer(x) else x for x in inputs]
    return run(module, inputs, dims=sample.dims)


def ends_as_integer(array: Array) -> bool:
    """Whether an array holds bf16 or narrower floats, which are integers in the end."""
    dtype = dtypes.of_numpy(array.dtype)
    return dtype.kind == "float" and (dtype.bits <= 8 or dtype == dtypes.BFLOAT16)


STRICT = (
    *("-std=c11", "-O1", "-Wall", "-Wshadow", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"),
    *("-fsanitize=undefined", "-fno-math-errno", "-ffp-contract=off"),
)


def by_c(sample: Sample) -> list[Array]:
    """By way of C: any warning is an error, undefined behaviour is told on stderr."""
    low = lower(sample.module, "c")
    symbol = named_functions(low.module).symbols[low.signature.entry]
    library = load_shared(compile_c(low.c, Compiler(("gcc",), "gcc"), STRICT), [symbol])
    compiled = Compiled(Entry(library, symbol, low.signature, low.arena))
    outputs = compiled(*sample.inputs, dims=sample.dims)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


LEGAL = "kernel-to-uop,expand-sort,split-sums,legalize-floats,floats-to-bytes,expand-math,cse"

FLOORS: dict[str, Callable[[Sample], list[Array]]] = {
    "graph, optimized": optimized,
    "kernel": lowered,
    "kernel, optimized": lambda sample: lowered(sample, "optimize-kernel"),
    "uop": lambda sample: lowered(sample, "kernel-to-uop"),
    "uop, legalised": lambda sample: lowered(sample, LEGAL),
    "native": native,
}


def require_all_floors_agree(sample: Sample) -> None:
    expected = interpreted(sample)
    for floor, outputs in FLOORS.items():
        assert not differences(expected, outputs(sample), sample.exact), floor


def check(random: Random, most_ops: int = 10) -> None:
    sample = random_sample(random, most_ops)
    with kept_if_it_fails(sample):
        require_all_floors_agree(sample)


def require_every_pass_keeps(sample: Sample) -> None:
    """Run the module before and after each pass of the pipeline for the CPU, native code last."""
    unchecked: list[str] = []
    check = CheckEach(NativeCheck(), lambda diagnostic: unchecked.append(diagnostic.message))
    PassManager.parse("cpu", instruments=[check]).run(sample.module.clone())
    assert unchecked == []


def check_each(random: Random, most_ops: int = 10) -> None:
    sample = random_sample(random, most_ops)
    with kept_if_it_fails(sample):
        require_every_pass_keeps(sample)


def check_c(random: Random, most_ops: int = 10) -> None:
    sample = random_sample(random, most_ops)
    note(print_module(sample.module))
    assert not differences(interpreted(sample), by_c(sample), sample.exact)


@pytest.fixture
def sanitized(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    yield
    assert "runtime error" not in capfd.readouterr().err


@pytest.mark.usefixtures("sanitized")
@settings(
    max_examples=20, deadline=None, derandomize=True, suppress_health_check=SLOW, phases=UNSHRUNK
)
@given(RANDOM)
def test_c_agrees(random: Random):
    check_c(random)


@pytest.mark.long
@pytest.mark.usefixtures("sanitized")
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW, phases=UNSHRUNK)
@given(RANDOM)
def test_c_agrees_on_many_graphs(random: Random):
    check_c(random, most_ops=25)


def check_gpu(random: Random, target: str, most_ops: int = 10) -> None:
    sample = random_sample(random, most_ops)
    with kept_if_it_fails(sample):
        assert not differences(interpreted(sample), emulated(sample, target), sample.exact)


@settings(
    max_examples=10, deadline=None, derandomize=True, suppress_health_check=SLOW, phases=UNSHRUNK
)
@given(RANDOM)
def test_a_gpu_agrees(random: Random):
    check_gpu(random, "cuda-emulated")


@pytest.mark.long
@pytest.mark.parametrize("target", ["cuda-emulated", "cuda-c-emulated"])
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW, phases=UNSHRUNK)
@given(random=RANDOM)
def test_a_gpu_agrees_on_many_graphs(random: Random, target: str):
    check_gpu(random, target, most_ops=25)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=SLOW)
@given(RANDOM)
def test_all_floors_agree(random: Random):
    check(random)


@pytest.mark.long
@settings(max_examples=3000, deadline=None, suppress_health_check=SLOW)
@given(RANDOM)
def test_all_floors_agree_on_many_graphs(random: Random):
    check(random, most_ops=25)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=SLOW)
@given(RANDOM)
def test_every_pass_keeps_what_a_graph_means(random: Random):
    check_each(random)


@pytest.mark.long
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(RANDOM)
def test_every_pass_keeps_what_many_graphs_mean(random: Random):
    check_each(random, most_ops=25)


def test_a_slice_of_many_graphs_keeps_what_fails_and_goes_on(tmp_path: Path):
    texts = [print_module(random_sample(Random(seed), 25).module) for seed in range(7, 10)]
    seen: list[str] = []

    def check(sample: Sample) -> None:
        seen.append(print_module(sample.module))
        assert seen[-1] != texts[1]

    assert run_slice(range(7, 10), check, tmp_path) == [8]
    assert seen == texts
    assert print_module(load(tmp_path / "8" / "graph.mlir").module) == texts[1]


def test_a_graph_that_fails_is_kept_as_it_is(tmp_path: Path):
    for seed in range(20):
        sample = random_sample(Random(seed), 10)
        with pytest.raises(ZeroDivisionError), kept_if_it_fails(sample, tmp_path):
            _ = 1 // 0
        kept = load(tmp_path / "graph.mlir")
        assert print_module(kept.module) == print_module(sample.module)
        assert (kept.exact, kept.dims) == (sample.exact, sample.dims)
        for before, after in zip(sample.inputs, kept.inputs, strict=True):
            assert before.dtype == after.dtype
            assert before.shape == after.shape
            assert before.tobytes() == after.tobytes()
