"""Whatever is passed to a function or a layer ends in a result or in a diagnostic, and soon.

`hostile.py` has the values. Each parameter of everything public gets a few of them here, chosen by
its name, and all of them in the long test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hostile import (
    CALLS,
    FORWARD,
    MADE,
    OTHERWISE,
    THINGS,
    VALUES,
    Tensor,
    called,
    fault,
    functions,
    layers,
    methods,
    parameters,
    t,
)

import teenyir as ty
from teenyir import nn

FUNCTIONS, LAYERS = functions(), layers()
NOT_CALLED = {"Identity", "Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList"}
"""Layers without inputs of their own, or for any."""


def some(name: str, count: int = 3) -> Iterator[tuple[str, Any]]:
    """A few of the values, chosen by a name."""
    pairs = list(VALUES.items())
    for k in range(count):
        yield pairs[(crc32(name.encode()) + 17 * k) % len(pairs)]


def every(_: str) -> Iterator[tuple[str, Any]]:
    yield from VALUES.items()


Choice = Callable[[str], Iterator[tuple[str, Any]]]
AMOUNTS = pytest.mark.parametrize("choose", [some, pytest.param(every, marks=pytest.mark.long)])


def made(value: Any) -> Any:
    """What a table says to pass."""
    if isinstance(value, list):
        return [made(each) for each in value]
    return value.make() if isinstance(value, Tensor) else value


def call(function: Callable[..., Any], args: list[Any], named: dict[str, Any]) -> None:
    def body() -> ty.Tensor:
        function(*map(made, args), **named)
        return ty.zeros((1,))

    ty.trace(body)


def good_call(name: str) -> list[Any]:
    """Arguments that a function takes."""
    if name in CALLS:
        return list(CALLS[name])
    needed = [p for p in parameters(FUNCTIONS[name]) if p.default is p.empty]
    for dtype, shape in product(("float32", "int64", "bool"), ((4, 4), (2, 4, 6, 6))):
        args = [t(*shape, dtype=dtype)] * len(needed)
        try:
            call(FUNCTIONS[name], args, {})
        except ty.CompileError:
            continue
        return args
    raise AssertionError(f"no call of {name} is known; add one to CALLS")


def with_one(
    function: Callable[..., Any], args: list[Any], place: int, value: Any
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with a value in one place, by its name where it can be."""
    known = parameters(function)
    parameter = known[place]
    by_name = parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    if by_name and place >= len(args):
        return args, {parameter.name: value}
    before = [*args, *(p.default for p in known[len(args) : place])][:place]
    return [*before, value, *args[place + 1 :]], {}


@AMOUNTS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, choose: Choice):
    function, args = FUNCTIONS[name], good_call(name)
    options = args.pop() if args and isinstance(args[-1], dict) else {}
    call(function, args, options)
    faults: list[str] = []
    for place, parameter in enumerate(parameters(function)):
        for label, value in choose(f"{name}.{parameter.name}"):
            given, named = with_one(function, args, place, value)
            if problem := fault(lambda: call(function, given, options | named)):  # noqa: B023
                faults.append(f"{parameter.name} = {label}: {problem}")
    assert not faults


def good_layer(name: str) -> dict[str, Any]:
    """What a layer is made with."""
    known = {p.name: p for p in parameters(LAYERS[name])}
    small = ("dim_feedforward", "num_encoder_layers", "num_decoder_layers")
    made = {n: MADE[n] for n, p in known.items() if n in MADE and p.default is p.empty}
    made |= {n: MADE[n] for n in small if n in known}
    if "_random_samples" in known:
        made |= {"output_size": 2}
    return made | OTHERWISE.get(name, {})


def good_inputs(layer: nn.Module) -> list[ty.Spec]:
    """The first inputs that a layer takes."""
    for specs in FORWARD:
        try:
            ty.trace(layer, *specs)
        except ty.CompileError:
            continue
        return specs
    raise AssertionError(f"no inputs of {type(layer).__name__} are known; add some to FORWARD")


@AMOUNTS
@pytest.mark.parametrize("name", [name for name in LAYERS if name not in NOT_CALLED])
def test_layers(name: str, choose: Choice):
    cls, good = LAYERS[name], good_layer(name)
    specs = good_inputs(cls(**good))
    faults: list[str] = []
    for parameter in parameters(cls):
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        for label, value in choose(f"{name}.{parameter.name}"):
            given = {**good, parameter.name: value}
            if problem := fault(lambda: ty.trace(cls(**given), *specs)):  # noqa: B023
                faults.append(f"{parameter.name} = {label}: {problem}")
    assert not faults


NAMED = ty.Spec((VALUES["a dim"],))
"""An input that tells the value of the name that some values have."""


def faults_of_methods(name: str, make: Callable[[], object], choose: Choice) -> list[str]:
    faults: list[str] = []
    for method, known in methods(make()).items():
        for place, parameter in enumerate(known):
            for label, value in choose(f"{name}.{method}.{parameter.name}"):
                if problem := fault(lambda: called(make(), method, place, value)):  # noqa: B023
                    faults.append(f"{method}({parameter.name} = {label}): {problem}")
    return faults


@AMOUNTS
@pytest.mark.parametrize("name", THINGS)
def test_methods(name: str, choose: Choice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # where modules are saved
    thing = THINGS[name]()
    assert not faults_of_methods(name, lambda: thing, choose)


@AMOUNTS
@pytest.mark.parametrize("kind", ["set", "add", "multiply", "max", "min"])
def test_what_is_written_at_an_index(kind: str, choose: Choice):
    def body(x: ty.Tensor, _: ty.Tensor) -> ty.Tensor:
        for label, value in choose(f"at.{kind}"):
            for key in (0, value):
                if problem := fault(lambda: getattr(x.at[key], kind)(value)):  # noqa: B023
                    faults.append(f"at[{key}], {label}: {problem}")
        return x

    faults: list[str] = []
    ty.trace(body, ty.Spec((2, 3)), NAMED)
    assert not faults


@AMOUNTS
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("float32", (4, 4)), ("int32", ()), ("bool", (4,)), ("float8_e4m3fn", (0, 2)), ("int4", (3,))],
)
def test_methods_of_tensors(dtype: str, shape: tuple[int, ...], choose: Choice):
    def body(x: ty.Tensor, _: ty.Tensor) -> ty.Tensor:
        faults.extend(faults_of_methods(f"{dtype}{shape}", lambda: x, choose))
        return x

    faults: list[str] = []
    ty.trace(body, ty.Spec(shape, dtype), NAMED)
    assert not faults


@AMOUNTS
@pytest.mark.parametrize("call", [ty.trace, ty.jit, ty.parse, ty.load_onnx, ty.PassManager.parse])
def test_what_is_no_program(call: Callable[..., Any], choose: Choice):
    given = choose(f"{call.__name__}")
    problems = {label: fault(partial(call, value)) for label, value in given}
    assert not {label: problem for label, problem in problems.items() if problem}
