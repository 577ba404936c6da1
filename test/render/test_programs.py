"""Whole programs in C: without warnings, under sanitizers, on another machine, from Python."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

import teenyir as ty
from examples.digits import model as digits
from teenyir.diagnostics import CompileError, InternalError
from teenyir.runtime.c import Compiler, compile_c, find_compiler
from teenyir.runtime.lowered import Lowered, lower

DRIVER = Path(__file__).parent / "Inputs" / "driver.c"
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
Array = NDArray[Any]


@dataclass(frozen=True)
class Way:
    """A way to build and run a program of C."""

    compiler: str
    flags: tuple[str, ...] = ("-O2",)
    emulator: tuple[str, ...] = ()


WAYS = {
    "gcc": Way("gcc"),
    "clang": Way("clang"),
    "sanitized": Way("gcc", ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover")),
    "aarch64": Way("aarch64-linux-gnu-gcc", ("-O2", "-static"), ("qemu-aarch64",)),
}


LONG = ("clang", "aarch64")
"""The ways whose tools only the long suite installs."""


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in WAYS]
)
def way(request: pytest.FixtureRequest) -> Way:
    chosen = WAYS[request.param]
    for tool in (chosen.compiler, *chosen.emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return chosen


def execute(
    lowered: Lowered, inputs: Sequence[Array], dims: dict[str, int], way: Way, folder: Path
) -> list[Array]:
    """The outputs of a program, compiled into a command and run on the inputs in its order."""
    source, command = folder / "program.c", folder / "program"
    source.write_text(lowered.c)
    defines = (f'-DPROGRAM="{source}"', "-DENTRY=teeny_main")
    subprocess.run(
        [way.compiler, *STRICT, *way.flags, *defines, str(DRIVER), "-o", str(command), "-lm"],
        check=True,
    )
    signature = lowered.signature
    modes = "i" * len(signature.inputs) + "o" * len(signature.outputs)
    values = [str(dims[dim.name]) for dim in signature.dims]
    done = subprocess.run(
        [*way.emulator, str(command), modes, *values],
        input=b"".join(np.ascontiguousarray(array).tobytes() for array in inputs),
        stdout=subprocess.PIPE,
        check=True,
    )
    outputs, start = list[Array](), 0
    for argument in signature.outputs:
        shape, dtype = argument.shape(dims), argument.dtype.numpy()
        size = int(np.prod(shape)) * dtype.itemsize
        outputs.append(np.frombuffer(done.stdout[start : start + size], dtype).reshape(shape))
        start += size
    assert start == len(done.stdout)
    return outputs


@pytest.fixture(scope="module")
def network() -> tuple[Lowered, list[Array], Array, Array]:
    """The digits network for C, its inputs, what `cpu` makes of them, and the right answers."""
    data = load_file(digits.HERE / "heldout.safetensors")
    images = data["images"].astype(np.float32)
    traced = digits.traced()
    lowered = traced.lower("c")
    inputs = [traced.parameters.get(a.name, images) for a in lowered.signature.inputs]
    return lowered, inputs, traced.lower("cpu").compile()(images), data["labels"]


def test_digits(
    way: Way, network: tuple[Lowered, list[Array], Array, Array], tmp_path: Path
) -> None:
    """The network of the demonstration reads the same digits, whatever compiles and runs it."""
    lowered, inputs, wanted, labels = network
    (logits,) = execute(lowered, inputs, {"N": len(labels)}, way, tmp_path)
    np.testing.assert_allclose(logits, wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(logits.argmax(1), wanted.argmax(1))
    assert (logits.argmax(1) == labels).mean() > 0.96


N = ty.Dim("N", min=1, max=64)


def mixed(x: Any, k: Any, m: Any) -> Any:
    """Narrow floats, integers, bools, a constant, a softmax, and an extent that is computed."""
    scores = ty.softmax(x.astype(ty.float32) * ty.asarray([0.5, -1.5, 2.0, 1.0]), axis=-1)
    picked = ty.where(m, k * k, k - 7)
    return scores.astype(ty.bfloat16), picked // 3, ty.sum(x, axis=0)


def specs() -> tuple[Any, ...]:
    return ty.Spec((N, 4), ty.float16), ty.Spec((N,), ty.int32), ty.Spec((N,), ty.bool)


def test_a_program_of_several_types(way: Way, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(9, 4)).astype(np.float16)
    k = random.integers(-(2**31), 2**31, 9).astype(np.int32)
    m = random.random(9) < 0.5
    traced = ty.trace(mixed, *specs())
    got = execute(lower(traced.module, "c"), [x, k, m], {"N": 9}, way, tmp_path)
    wanted = traced.lower("cpu").compile()(x, k, m)
    for left, right in zip(got, wanted, strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left.astype(np.float64), right.astype(np.float64))


GATHER = """
func.func @main(%x: tensor<5x3xi32>, %k: tensor<4x1xi64>) -> tensor<4x3xi32> {
  %0 = graph.gather %x, %k axes [0] : (tensor<5x3xi32>, tensor<4x1xi64>) -> tensor<4x3xi32>
  func.return %0 : tensor<4x3xi32>
}"""


def test_indices_that_are_data_may_be_any_numbers(way: Way, tmp_path: Path) -> None:
    """One that is outside is multiplied before it is found to be: signed ones would overflow."""
    x = np.arange(15, dtype=np.int32).reshape(5, 3)
    k = np.array([[2**63 - 1], [4], [-(2**63)], [-2]])
    module = ty.parse(GATHER).module
    (got,) = execute(lower(module, "c"), [x, k], {}, way, tmp_path)
    np.testing.assert_array_equal(got, [[0, 0, 0], [12, 13, 14], [0, 0, 0], [0, 0, 0]])


def test_from_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The target `c` is called as `cpu` is, and its shared object is kept."""
    monkeypatch.setenv("TEENYIR_CACHE_DIR", str(tmp_path))
    find_compiler()
    traced = ty.trace(lambda x: ty.exp(x) + 1, ty.Spec((N,), ty.float32))
    compiled = traced.lower("c").compile()
    x = np.linspace(-3, 3, 17).astype(np.float32)
    np.testing.assert_allclose(compiled(x), np.exp(x) + 1, rtol=1e-6)
    assert "void teeny_main(" in compiled.asm["c"]
    monkeypatch.setattr("teenyir.runtime.c.SHARED", ("--no-such-option",))
    with pytest.raises(InternalError, match="--no-such-option"):
        traced.lower("c").compile()
    monkeypatch.undo()
    monkeypatch.setenv("TEENYIR_CACHE_DIR", str(tmp_path))
    np.testing.assert_allclose(traced.lower("c").compile()(x), np.exp(x) + 1, rtol=1e-6)


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "nonesuch -O2")
    with pytest.raises(CompileError, match="CC names a compiler that is not there: nonesuch -O2"):
        find_compiler()
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "/nonesuch")
    with pytest.raises(CompileError, match=r"(?s)no C compiler found.*apt-get install gcc"):
        find_compiler()


def test_what_the_compiler_refuses() -> None:
    with pytest.raises(InternalError, match=r"(?s)failed.*program\.c"):
        compile_c("int main(", find_compiler())


def test_a_compiler_that_cannot_be_run() -> None:
    with pytest.raises(CompileError, match="/nonesuch cannot be run"):
        compile_c("", Compiler(("/nonesuch",), ""))
