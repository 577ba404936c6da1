"""recognize: each form fires on a spelling of it, whatever the order of its sums and products, and
stays silent on what is almost one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import spelled_out as by_hand
from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Operation

import teenyir as ty
from teenyir.passes.graph.recognize import Recognize
from teenyir.passes.graph.recognize.forms import FORMS
from teenyir.passes.graph.recognize.match import match
from teenyir.pipeline.ir import print_module
from teenyir.pipeline.manager import PassManager
from teenyir.rewriting.base import Session

N = ty.Dim("N", min=1, max=64)
ROWS, SQUARE = ty.Spec((N, 50), ty.float32), ty.Spec((50, 50), ty.float32)
ROW = ty.Spec((50,), ty.float32)
HEADS = ty.Spec((2, 16, 8), ty.float32)
IMAGE, CHANNELS = ty.Spec((2, 16, 8, 8), ty.float32), ty.Spec((16,), ty.float32)
MASK = ty.Spec((16, 16), ty.bool)


def mean_first(x: Any) -> Any:
    centred = x - x.mean(axis=0, keepdims=True)
    return centred * ty.rsqrt((centred * centred).mean(axis=0, keepdims=True) + 1e-5)


def scale(x: Any, axis: int) -> Any:
    centred = x - x.mean(axis=axis, keepdims=True)
    return ty.rsqrt((centred * centred).mean(axis=axis, keepdims=True) + 1e-5)


def cubic(x: Any) -> Any:
    return 0.5 * x * (1 + ty.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def cubic_outside(x: Any) -> Any:
    return (1 + ty.tanh(x * 0.79788456 * (1 + x * 0.044715 * x))) * x / 2


def sigmoid(x: Any) -> Any:
    return 1 / (1 + ty.exp(-x))


def quotient(x: Any) -> Any:
    return ty.exp(x) / ty.exp(x).sum(axis=0, keepdims=True)


def masked(q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = ty.where(mask, q @ ty.swapaxes(k, -1, -2) / math.sqrt(8), -1e30)
    return ty.softmax(scores) @ v


def less_logsumexp(x: Any) -> Any:
    top = x.max(axis=-1, keepdims=True)
    return x - (top + ty.log(ty.exp(x - top).sum(axis=-1, keepdims=True)))


Case = tuple[str, Callable[..., Any], tuple[ty.Spec, ...]]

FIRING: list[Case] = [
    ("softmax", by_hand.softmax, (ROWS,)),
    ("softmax", by_hand.softmax_by_product, (ROWS,)),
    ("softmax", quotient, (SQUARE,)),
    ("softmax", ty.softmax, (ROWS,)),
    ("log_softmax", by_hand.log_softmax, (ROWS,)),
    ("log_softmax", less_logsumexp, (ROWS,)),
    ("logsumexp", by_hand.logsumexp, (ROWS,)),
    ("logsumexp", lambda x: ty.log(ty.exp(x).sum(axis=1)), (ROWS,)),
    ("layer_norm", by_hand.layer_norm, (ROWS, ROW, ROW)),
    ("layer_norm", lambda x, g: by_hand.layer_norm(x, g, 0.0), (ROWS, ROW)),
    ("layer_norm", mean_first, (SQUARE,)),
    ("group_norm", by_hand.group_norm, (IMAGE, CHANNELS, CHANNELS)),
    ("rms_norm", by_hand.rms_norm, (ROWS, ROW)),
    ("rms_norm", lambda x: x * ty.rsqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6), (ROWS,)),
    ("gelu", by_hand.gelu, (ROWS,)),
    ("gelu", lambda a, b: by_hand.gelu(a * b), (ROWS, ROWS)),
    ("gelu", lambda x: x * (0.5 * (1 + ty.erf(x / math.sqrt(2)))), (ROWS,)),
    ("gelu", cubic, (ROWS,)),
    ("gelu", cubic_outside, (ROWS,)),
    ("gelu", lambda x: x * sigmoid(1.702 * x), (ROWS,)),
    ("silu", lambda x: x * sigmoid(x), (ROWS,)),
    ("silu", lambda x: x / (1 + ty.exp(-x)), (ROWS,)),
    ("sigmoid", sigmoid, (ROWS,)),
    ("relu", lambda x: ty.maximum(x, 0.0), (ROWS,)),
    ("relu", lambda x: ty.maximum(0.0, x), (ROWS,)),
    ("scaled_dot_product_attention", by_hand.attention, (HEADS,) * 3),
    ("scaled_dot_product_attention", masked, (*(HEADS,) * 3, MASK)),
    ("scaled_dot_product_attention", ty.scaled_dot_product_attention, (HEADS,) * 3),
]
"""The name, a spelling and its inputs."""

SILENT: list[Case] = [
    ("softmax", lambda x: ty.exp(x) / ty.exp(x).sum(axis=0).reshape(-1, 1), (SQUARE,)),
    ("softmax", lambda x, y: ty.exp(x) / ty.exp(y).sum(axis=-1, keepdims=True), (ROWS, ROWS)),
    ("softmax", lambda x: ty.exp(x) / ty.exp(x).max(axis=-1, keepdims=True), (ROWS,)),
    ("logsumexp", lambda x: ty.log(ty.exp2(x).sum(axis=1)), (ROWS,)),
    ("log_softmax", lambda x: x + ty.log(ty.exp(x).sum(axis=-1, keepdims=True)), (ROWS,)),
    ("layer_norm", lambda x: (x - x.mean(axis=-1, keepdims=True)) * scale(x, 0), (SQUARE,)),
    ("layer_norm", lambda x: x / ty.sqrt((x * x).sum(axis=-1, keepdims=True) + 1e-5), (ROWS,)),
    ("rms_norm", lambda x: x / ((x * x).mean(axis=-1, keepdims=True) + 1e-5), (ROWS,)),
    ("gelu", lambda x: x * 0.5 * (1.0 + ty.erf(x * 0.8)), (ROWS,)),
    ("gelu", lambda x: x * 0.6 * (1.0 + ty.erf(x * math.sqrt(0.5))), (ROWS,)),
    ("gelu", lambda x, y: y * 0.5 * (1.0 + ty.erf(x * math.sqrt(0.5))), (ROWS, ROWS)),
    ("gelu", lambda x: x * 0.5 * (1.0 - ty.erf(x * math.sqrt(0.5))), (ROWS,)),
    ("silu", lambda x: x / (1 + ty.exp(x)), (ROWS,)),
    ("sigmoid", lambda x: 1 / (2 + ty.exp(-x)), (ROWS,)),
    ("relu", lambda x: ty.maximum(x, 0.5), (ROWS,)),
    ("relu", lambda x: ty.minimum(x, 0.0), (ROWS,)),
    (
        "scaled_dot_product_attention",
        lambda p, v: ty.softmax(p) @ ty.swapaxes(v, 1, 2),
        (HEADS,) * 2,
    ),
]
"""What is not what the name says."""


def simplified(case: Case) -> Any:
    """The module of a case, simplified, without the names that the frontend gave."""
    _, function, specs = case
    module = ty.trace(function, *specs).module
    PassManager.parse("simplify-graph,cse,dce").run(module)
    for op in module.walk():
        op.location = UNKNOWN_LOC
    return module


def names(module: Any) -> dict[str, int]:
    session = Session(pass_name="recognize")
    for func in module.body.block.ops:
        Recognize().run(func, session)
    return {name: count for (_, name), count in session.statistics.items()}


@pytest.mark.parametrize("case", FIRING, ids=lambda case: case[0])
def test_a_spelling_has_its_name_alone(case: Case) -> None:
    module = simplified(case)
    before = print_module(module)
    assert names(module) == {case[0]: 1}
    assert print_module(module) == before


@pytest.mark.parametrize("case", SILENT, ids=lambda case: case[0])
def test_what_is_almost_a_form_has_no_name(case: Case) -> None:
    assert case[0] not in names(simplified(case))


def test_every_form_is_met() -> None:
    met = set[int]()
    for case in FIRING:
        ops: list[Operation] = [*simplified(case).walk()]
        met |= {k for k, form in enumerate(FORMS) if any(_fits(form, op) for op in ops)}
    assert met == {*range(len(FORMS))}


def _fits(form: Any, op: Operation) -> bool:
    return isinstance(op, form.roots) and match([form], op) is not None


def test_a_kernel_is_named_alike_whichever_way_it_is_spelled() -> None:
    spellings = (by_hand.softmax, by_hand.softmax_by_product, ty.softmax)
    found = {
        ty.trace(spelling, ROWS).lower(target="cpu").compile(cache=False).kernels[0].name
        for spelling in spellings
    }
    assert found == {"softmax_50"}
