"""Models changed at random: a diagnostic or a program, in bounded time and memory."""

import random
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import onnx
import pytest
from google.protobuf.message import DecodeError, EncodeError
from onnx_cases import cases

import teenyir as ty

LONGEST = 60
"""Seconds that one model may take, on a machine that does much else."""

HUGE = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 2**31, 2**40, 2**63 - 1)


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    """What a file asks for is refused before it is allocated."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def in_time(what: str) -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError(f"{what} takes more than {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- changes of bytes -----------------------------------------------------------------------------


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def flipped(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.randrange(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def removed(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    del data[start : start + rng.randrange(1, 9)]


def repeated(data: bytearray, rng: random.Random) -> None:
    start, place = rng.randrange(len(data)), rng.randrange(len(data))
    data[place:place] = data[start : start + rng.randrange(1, 65)]


BYTES: tuple[Callable[[bytearray, random.Random], None], ...] = (cut, flipped, removed, repeated)

# --- changes of the message -----------------------------------------------------------------------


def other_extents(model: onnx.ModelProto, rng: random.Random) -> None:
    values = [*model.graph.input, *model.graph.output]
    dims = [dim for value in values for dim in value.type.tensor_type.shape.dim]
    dims += [tensor.dims for tensor in model.graph.initializer if tensor.dims]
    if dims:
        held: Any = rng.choice(dims)
        if isinstance(held, onnx.TensorShapeProto.Dimension):
            held.dim_value = rng.choice(HUGE)
        else:
            held[rng.randrange(len(held))] = rng.choice(HUGE)


def other_attributes(model: onnx.ModelProto, rng: random.Random) -> None:
    attributes = [each for node in model.graph.node for each in node.attribute]
    if attributes:
        held = rng.choice(attributes)
        if held.ints and rng.random() < 0.8:
            held.ints[rng.randrange(len(held.ints))] = rng.choice(HUGE)
        elif held.HasField("i") and rng.random() < 0.8:
            held.i = rng.choice(HUGE)
        elif held.HasField("f"):
            held.f = rng.choice((0.0, -1.0, 1e38, float("inf"), float("nan")))
        else:
            held.type = rng.randrange(15)


def other_names(model: onnx.ModelProto, rng: random.Random) -> None:
    """A circle, a name given twice, an input too many or too few."""
    node = rng.choice(model.graph.node)
    names = [name for each in model.graph.node for name in (*each.input, *each.output)] + [""]
    field = rng.choice((node.input, node.output))
    if field and rng.random() < 0.7:
        field[rng.randrange(len(field))] = rng.choice(names)
    elif field and rng.random() < 0.5:
        field.pop()
    else:
        field.append(rng.choice(names))


def other_types(model: onnx.ModelProto, rng: random.Random) -> None:
    values = [*model.graph.input, *model.graph.output]
    rng.choice(values).type.tensor_type.elem_type = rng.randrange(-1, 30)


def other_operator(model: onnx.ModelProto, rng: random.Random) -> None:
    kinds = ("Loop", "If", "Scan", "Reshape", "Resize", "Conv", "Gather", "Pad", "Einsum", "LSTM")
    rng.choice(model.graph.node).op_type = rng.choice(kinds)


def other_version(model: onnx.ModelProto, rng: random.Random) -> None:
    if model.opset_import:
        rng.choice(model.opset_import).version = rng.choice((*range(1, 30), *HUGE))


def within_itself(model: onnx.ModelProto, rng: random.Random) -> None:
    """A graph of graphs, each in a branch of the one before."""
    inner = onnx.GraphProto()
    inner.CopyFrom(model.graph)
    del inner.input[:]
    for _ in range(rng.choice((1, 3, 60))):
        outer = onnx.GraphProto(name="nested")
        node = outer.node.add(op_type="If", input=[model.graph.input[0].name], output=["z"])
        for name in ("then_branch", "else_branch"):
            node.attribute.add(name=name, type=onnx.AttributeProto.GRAPH).g.CopyFrom(inner)
            inner = onnx.GraphProto(name="leaf") if rng.random() < 0.9 else inner
        outer.output.add(name="z")
        inner = outer
    model.graph.node.append(inner.node[0])


MESSAGES: tuple[Callable[[onnx.ModelProto, random.Random], None], ...] = (
    other_extents,
    other_attributes,
    other_names,
    other_types,
    other_operator,
    other_version,
    within_itself,
)


def changed(model: onnx.ModelProto, rng: random.Random) -> bytes | None:
    """A model with one to three changes; None where what comes of them is no message."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    try:
        for _ in range(rng.randrange(1, 4)):
            if copy.graph.node and copy.graph.input:
                rng.choice(MESSAGES)(copy, rng)
        data = bytearray(copy.SerializeToString())
    except (DecodeError, EncodeError, ValueError):  # of protobuf: an enumeration has no such number
        return None
    if rng.random() < 0.4:
        rng.choice(BYTES)(data, rng)
    return bytes(data)


def fuzzed(count: int, seed: int) -> int:
    """How many of so many changed models are refused."""
    rng = random.Random(seed)
    found = cases("node")
    refused = 0
    for number in range(count):
        case = rng.choice(found)
        data = changed(case.model, rng)
        if data is None:
            continue
        with in_time(f"change {number} of seed {seed}, of {case.name}"):
            try:
                ty.load_onnx(data).trace()
            except ty.CompileError as error:
                assert str(error)
                refused += 1
    return refused


def test_a_few_hundred_changed_models():
    assert fuzzed(300, seed=0) > 150


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 5))
def test_thousands_of_changed_models(seed: int):
    assert fuzzed(2000, seed) > 1000
