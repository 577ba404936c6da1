"""Where the ops of a model's kernels say that they come from: few places, and the right ones."""

import statistics
from collections.abc import Iterator
from functools import cache

import pytest
from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

import teenyir as ty
from teenyir import nn
from teenyir.analysis.places import fused_members
from teenyir.pipeline.build import Nested, build_target_pipeline
from teenyir.pipeline.manager import PassManager

N = ty.Dim("N", min=1, max=64)
MLP = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
CONVOLUTIONS = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.SiLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(8, 4, 3),
    nn.Flatten(),
    nn.Linear(4 * 6 * 6, 10),
)
NORM, ATTENTION, WIDE = nn.LayerNorm(32), nn.MultiheadAttention(32, 4), nn.Linear(32, 64)


def block(x):
    y = NORM(x)
    x = x + ATTENTION(y, y, y)[0]
    return ty.tanh(WIDE(NORM(x)))


MODELS = {
    "multilayer perceptron": (lambda x: ty.softmax(MLP(x)), (N, 64)),
    "convolutions": (CONVOLUTIONS, (2, 3, 16, 16)),
    "transformer block": (block, (N, 8, 32)),
}

KINDS = {
    "math.exp": {"graph.exp"},
    "math.tanh": {"graph.tanh"},
    "math.sqrt": {"graph.sqrt", "graph.rsqrt"},
    "math.rsqrt": {"graph.rsqrt"},
    "arith.divf": {"graph.div", "graph.rsqrt"},
    "kernel.reduce": {"graph.reduce", "graph.dot", "graph.conv"},
    "kernel.fold": {"graph.fold", "graph.reduce", "graph.dot"},
}
"""What an op on the kernel floor was on the graph floor."""


def members(location: Attribute) -> frozenset[Attribute]:
    if isinstance(location, FusedLoc):
        return frozenset[Attribute]().union(*map(members, fused_members(location)))
    return frozenset((location,))


def numbered(module: ModuleOp) -> dict[Attribute, Operation]:
    """Give each graph op a place of its own; the ops by it."""
    found: dict[Attribute, Operation] = {}
    for number, op in enumerate(module.walk(), 1):
        op.location = FileLineColLoc(StringAttr("graph"), IntAttr(number), IntAttr(1))
        found[op.location] = op
    return found


def ancestors(op: Operation) -> frozenset[Operation]:
    """An op and all that it is computed from."""
    found = {op}
    waiting = [op]
    while waiting:
        for operand in waiting.pop().operands:
            if isinstance(operand.owner, Operation) and operand.owner not in found:
                found.add(operand.owner)
                waiting.append(operand.owner)
    return frozenset(found)


def steps(model: str) -> tuple[dict[Attribute, Operation], Iterator[ModuleOp]]:
    """The graph ops of a model by their places, and the module after each pass below them."""
    function, shape = MODELS[model]
    graph = ty.trace(function, ty.Spec(shape, ty.float32)).module
    whole = build_target_pipeline("cpu", "uop")
    names = [getattr(element, "name", "") for element in whole.elements]
    start = names.index("graph-to-kernel")
    PassManager(Nested(whole.anchor, whole.elements[:start])).run(graph)
    ops = numbered(graph)

    def run() -> Iterator[ModuleOp]:
        module = graph.clone()
        for element in whole.elements[start:]:
            PassManager(Nested(whole.anchor, (element,))).run(module)
            yield module

    return ops, run()


@pytest.mark.parametrize("model", MODELS)
def test_the_places_of_a_kernels_ops_are_few_and_related(model: str):
    ops, modules = steps(model)
    related = cache(ancestors)
    kernels = sampled = 0
    for module in modules:
        for kernel in module.body.ops:
            if kernel.name not in ("kernel.func", "uop.func"):
                continue
            inside = [op for op in kernel.walk() if op is not kernel]
            kernels += 1
            assert statistics.median(len(members(op.location)) for op in inside) <= 8
            for op in inside:
                places = members(op.location)
                assert places <= ops.keys(), f"{op.name} comes from {places - ops.keys()}"
                if op.name not in KINDS:
                    continue
                origins = [ops[place] for place in places if ops[place].name in KINDS[op.name]]
                assert origins, f"{op.name} says it is {[ops[p].name for p in places]}"
                sampled += 1
                for other in (ops[place] for place in places):
                    assert any(
                        other in related(origin) or origin in related(other) for origin in origins
                    ), f"{other.name} has nothing to do with {op.name}"
    assert kernels >= 4
    assert sampled >= 4
