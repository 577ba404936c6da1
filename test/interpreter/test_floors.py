"""One meaning on every floor: what the lowerings make of a program gives what the graph gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import teenyir as ty
from teenyir import nn
from teenyir.analysis.signature import find_signature
from teenyir.diagnostics import Diagnostic, RunError
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.pipeline.manager import PassManager

Array = NDArray[Any]
N = ty.Dim("N", min=1, max=512)
rng = np.random.default_rng(0)


def softmax(x: Any) -> Any:
    e = ty.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normal(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


def small(dtype: str, *shape: int) -> Array:
    return np.random.default_rng(4).integers(-100, 100, shape).astype(dtype)


CNN = nn.Sequential(
    *(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3, stride=2)),
    *(nn.ReLU(), nn.Flatten(), nn.Linear(8, 10)),
)

PROGRAMS: dict[str, tuple[Callable[..., Any], list[Any], list[Array], float]] = {
    "mlp": (
        nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3)),
        [ty.Spec((N, 12), ty.float32)],
        [normal(7, 12)],
        1e-5,
    ),
    "softmax": (softmax, [ty.Spec((N, 9), ty.float32)], [normal(5, 9)], 1e-5),
    "cnn": (CNN, [ty.Spec((N, 1, 8, 8), ty.float32)], [normal(3, 1, 8, 8)], 1e-4),
    "sum": (lambda x: x.sum(), [ty.Spec((N, 6), ty.float32)], [normal(9, 6)], 1e-5),
    "casts": (
        lambda x: (x.astype(ty.float16), (x * 300).astype(ty.int8), x.astype(ty.bfloat16)),
        [ty.Spec((N, 6), ty.float32)],
        [normal(9, 6)],
        0,
    ),
    "integers": (
        lambda x, y: (x // y, x % y, x + y, x * y, abs(x), x < y),
        [ty.Spec((N, 6), ty.int8), ty.Spec((N, 6), ty.int8)],
        [small("i1", 5, 6), small("i1", 5, 6) // 40],
        0,
    ),
    "unsigned": (
        lambda x, y: (x // y, x + y, x * y, x.max(axis=0), x < y),
        [ty.Spec((N, 6), ty.uint8), ty.Spec((N, 6), ty.uint8)],
        [small("u1", 5, 6), small("u1", 5, 6) // 40],
        0,
    ),
    "half": (
        lambda x, y: ty.matmul(x, y),
        [ty.Spec((N, 40), ty.float16), ty.Spec((40, 5), ty.float16)],
        [normal(4, 40, dtype=np.float16), normal(40, 5, dtype=np.float16)],
        1e-3,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_floors_agree(name: str) -> None:
    function, specs, arrays, tolerance = PROGRAMS[name]
    traced = ty.trace(function, *specs)
    waiting = iter(arrays)
    inputs = {
        argument.name: traced.parameters[argument.name] if argument.parameter else next(waiting)
        for argument in find_signature(traced.module).inputs
    }
    expected = run(traced.module, inputs)
    for step in ("graph-to-kernel", "kernel-to-uop", "plan-arena"):
        PassManager.parse(step).run(traced.module)
        warnings: list[Diagnostic] = []
        got = run(traced.module, inputs, warn=warnings.append)
        assert not warnings
        for a, b in zip(got, expected, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose(
                a.view(b.dtype).astype(float), b.astype(float), rtol=tolerance, atol=tolerance
            )


def test_parallel_loops_are_independent() -> None:
    function, specs, arrays, _ = PROGRAMS["softmax"]
    traced = ty.trace(function, *specs)
    PassManager.parse("graph-to-kernel,kernel-to-uop").run(traced.module)
    at_once = run(traced.module, arrays)
    in_order = run(traced.module, arrays, in_order=True)
    np.testing.assert_array_equal(at_once[0], in_order[0])


PROGRAM = """
kernel.func @add(out %o: !kernel.buf<[N] x f32>, in %a: !kernel.buf<[N] x f32>,
                 in %b: !kernel.buf<[4] x f32>) dims(N in 1..4) {
  %i = kernel.range 0 to N
  %x = kernel.load %a[%i]
  %y = kernel.load %b[%i]
  %s = arith.addf %x, %y : f32
  kernel.store %s, %o[%i]
}
kernel.func @some(out %o: !kernel.buf<[N] x f32>, in %a: !kernel.buf<[N] x f32>) dims(N in 1..4) {
  %i = kernel.range 1 to N
  %x = kernel.load %a[%i]
  kernel.store %x, %o[%i]
}
program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>)
    dims(N in 1..4) arena(ARENA) attributes {program.names = ["image", "result"]} {
  %c = program.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %t = program.alloc at 0 : !kernel.buf<[N] x f32>
  %u = program.alloc at SECOND : !kernel.buf<[N] x f32>
  program.launch @add(%t, %x, %c)
  program.launch @FIRST(%u, %t)
  program.launch @copy(%y, %u)
  program.launch @add(%y, %t, %c)
}"""


def program(arena: str, second: str, first: str = "copy") -> Any:
    text = PROGRAM.replace("ARENA", arena).replace("SECOND", second).replace("FIRST", first)
    copy = text[text.index("kernel.func @some") : text.index("program.func")]
    copy = copy.replace("@some", "@copy").replace("1 to N", "0 to N")
    module = parse_module(copy + text, "program.mlir")
    verify_module(module)
    return module


def test_a_program() -> None:
    x = np.array([10, 20, 30], np.float32)
    (got,) = run(program("N * 8", "N * 4"), {"image": x})
    np.testing.assert_array_equal(got, x + np.array([2, 4, 6]))


def test_allocations_share_the_arena_as_their_offsets_say() -> None:
    # the second lies over the first, as a wrong plan would have it
    x = np.array([10, 20, 30], np.float32)
    (right,) = run(program("N * 8", "N * 4"), {"image": x})
    (wrong,) = run(program("N * 8", "4"), {"image": x})
    assert not np.array_equal(right, wrong)


def test_faults_of_programs() -> None:
    x = np.array([10, 20, 30], np.float32)
    with pytest.raises(RunError, match=r"%u at 12 does not fit into the arena of 16 bytes"):
        run(program("16", "N * 4"), {"image": x})
    with pytest.raises(RunError, match=r"reads %u\[0\], which nothing has written at %i = 0"):
        run(program("N * 8", "N * 4", first="some"), {"image": x})
    with pytest.raises(RunError, match=r"no input named 'imag'; did you mean 'image'\?"):
        run(program("N * 8", "N * 4"), {"imag": x})
    with pytest.raises(RunError, match=r"N = 5 is outside N in 1..4"):
        run(program("N * 8", "N * 4"), [np.zeros(5, np.float32)])
