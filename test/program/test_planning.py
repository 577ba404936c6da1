"""Random programs: launches ordered and buffers placed as the naive planner would, but smaller."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import teenyir as ty
from teenyir import nn
from teenyir.dialects import program
from teenyir.passes.program.lives import lives, meet, peak, statements, typical
from teenyir.passes.program.order_launches import OrderLaunches, best_order
from teenyir.passes.program.plan_arena import ALIGNMENT, PlanArena, best_plan, buffer_bytes
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.rewriting.base import Session

SIZES = ("1", "3", "16", "100", "1000", "4096", "N", "N * 3 + 1", "N floordiv 2 + 8", "64 - N")
CONSTANT = SIZES[:6]
PROGRAMS = 200


def random_program(random: Random, sizes: Sequence[str] = SIZES) -> str:
    """Launches that each write one new buffer from earlier ones, and at times an older one anew."""
    count = random.randint(2, 25)
    extents = [random.choice(sizes) for _ in range(count)]
    kernels: list[str] = []
    launches: list[str] = []
    for number in range(count):
        window = range(max(0, number - random.choice([3, 6, count])), number)
        read = random.sample(window, min(len(window), random.randint(0, 3)))
        target = number
        if read and random.random() < 0.1:
            launches.append(_launch(kernels, extents, number, read))
            target = random.choice([k for k in range(number) if k not in read] or [number])
        launches.append(_launch(kernels, extents, target, read))
    last = _launch(kernels, [*extents, "1"], count, [count - 1, *random.sample(range(count), 2)])
    allocations = [f"%b{k} = program.alloc : {_type(e)}" for k, e in enumerate(extents)]
    body = "\n".join([*allocations, *launches, last])
    head = f"program.func @main(out %b{count}: {_type('1')}) dims(N in 0..64)"
    return "\n".join([*kernels, f"{head} {{\n{body}\n}}"])


def _type(extent: str) -> str:
    return f"!kernel.buf<[{extent}] x f32>"


def _launch(kernels: list[str], extents: Sequence[str], target: int, read: Sequence[int]) -> str:
    name = f"k{len(kernels)}"
    buffers = [f"out %y: {_type(extents[target])}"]
    buffers += [f"in %x{k}: {_type(extents[s])}" for k, s in enumerate(read)]
    kernels.append(
        f"kernel.func @{name}({', '.join(buffers)}) dims(N in 0..64) {{\n"
        f"%i = kernel.range 0 to {extents[target]}\n%v = arith.constant 1.0 : f32\n"
        "kernel.store %v, %y[%i]\n}"
    )
    return f"program.launch @{name}({', '.join(f'%b{k}' for k in (target, *read))})"


def parsed(text: str) -> tuple[ModuleOp, program.FuncOp]:
    module = parse_module(text, "random.mlir")
    verify_module(module)
    (func,) = (op for op in module.body.block.ops if isinstance(op, program.FuncOp))
    return module, func


def simulate(func: program.FuncOp, size: int) -> bytes:
    """What comes out, where each launch fills its output with a hash of its name and its inputs."""
    assert func.arena is not None
    dims = {"N": size}
    arena = np.zeros(func.arena.data.evaluate(dims), np.uint8)
    memory: dict[SSAValue, np.ndarray] = {}
    for op in func.body.block.ops:
        if isinstance(op, program.AllocOp):
            assert op.offset is not None
            start = op.offset.data.evaluate(dims)
            assert start % ALIGNMENT == 0
            memory[op.result] = arena[start : start + buffer_bytes(op).evaluate(dims)]
    for argument in func.body.block.args:
        memory[argument] = np.zeros(4, np.uint8)
    for op in statements(func):
        assert isinstance(op, program.LaunchOp)
        read = b"".join(memory[b].tobytes() for mode, b in op.accesses() if mode == "in")
        (target,) = (memory[b] for mode, b in op.accesses() if mode == "out")
        seed = int.from_bytes(read[-8:], "little") + sum(read) * 7919 + len(str(op.kernel))
        target[:] = np.random.default_rng(seed).integers(0, 256, target.size, np.uint8)
    return b"".join(memory[argument].tobytes() for argument in func.body.block.args)


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 4))
def test_results_are_those_of_the_naive_planner_in_the_order_of_the_text(seed: int) -> None:
    text = random_program(Random(seed))
    naive, planned = parsed(text)[1], parsed(text)[1]
    PlanArena(reuse=False).run(naive, Session())
    OrderLaunches().run(planned, Session())
    PlanArena().run(planned, Session())
    for size in (0, 1, 7, 64):
        assert simulate(naive, size) == simulate(planned, size)


@pytest.mark.parametrize("seed", range(0, PROGRAMS, 4))
def test_buffers_that_live_at_once_lie_apart_for_all_extents(seed: int) -> None:
    _, func = parsed(random_program(Random(seed)))
    plan, known = best_plan(func, reuse=True), lives(func)
    buffers = list(known)
    for size in (0, 1, 2, 5, 21, 63, 64):
        dims = {"N": size}
        places = {
            op: (p.start.evaluate(dims), p.start.evaluate(dims) + buffer_bytes(op).evaluate(dims))
            for op, p in plan.places.items()
        }
        assert max(end for _, end in places.values()) <= plan.size.evaluate(dims)
        for position, a in enumerate(buffers):
            for b in buffers[:position]:
                if meet(known[a], known[b]):
                    (a0, a1), (b0, b1) = places[a], places[b]
                    assert a1 <= b0 or b1 <= a0 or a0 == a1 or b0 == b1


def test_the_peak_is_close_to_what_is_in_use_at_once() -> None:
    ratios: list[float] = []
    for seed in range(PROGRAMS):
        _, func = parsed(random_program(Random(seed), CONSTANT))
        OrderLaunches().run(func, Session())
        plan = best_plan(func, reuse=True)
        ratios.append(plan.typical_size / plan.least)
    assert statistics.median(ratios) <= 1.02
    assert max(ratios) <= 1.25


def test_the_order_is_never_worse_than_the_text_and_often_better() -> None:
    better = 0
    for seed in range(PROGRAMS):
        _, func = parsed(random_program(Random(seed), CONSTANT))
        extents = typical(func.dims.data)
        sizes = {op: buffer_bytes(op).evaluate(extents) for op in lives(func)}
        before, after = (
            peak(lives(func, order), sizes) for order in (statements(func), best_order(func))
        )
        assert after <= before
        better += after < before
    assert better > PROGRAMS // 10


def test_weights_are_read_where_they_are() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax())
    traced = ty.trace(model, ty.Spec((ty.Dim("N", max=64), 8), ty.float32))
    text = traced.lower(target="cpu").as_text("kernel")
    body = text[text.index("program.func") :]
    assert "copy" not in body
    for weight in ("weight", "bias"):
        assert body.count(weight) >= 4  # as arguments, and as operands of launches


def test_equal_layers_share_one_kernel() -> None:
    layers = nn.Sequential(*(nn.Conv2d(8, 8, 3, padding=1) for _ in range(3)))
    traced = ty.trace(layers, ty.Spec((2, 8, 16, 16), ty.float32))
    text = traced.lower(target="cpu").as_text("kernel")
    assert text.count("program.launch @conv3x3_add(") == 3
    assert text.count("kernel.func") == 1
