"""Every class of `torch.nn` is a layer here that is made alike, or has its reason to be absent.

`torch_reference/record.py` keeps the names and what the classes are made with.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from teenyir import nn

RECORDED: dict[str, list[tuple[str, str, str]]] = json.loads(
    (Path(__file__).parent / "torch_reference" / "names.json").read_text()
)

LAZY = "a layer is made with its extents; there is no first call to learn them from"
ARRAY = "a parameter is a numpy array in an attribute"
ABSENT = {
    **{name: LAZY for name in RECORDED if name.startswith("Lazy")},
    **dict.fromkeys(
        ("Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"), ARRAY
    ),
    "Container": "Module under a name that PyTorch has retired",
    "NLLLoss2d": "NLLLoss under a name that PyTorch has retired",
    "CrossMapLRN2d": "LocalResponseNorm under a name that PyTorch has retired",
    "DataParallel": "a program runs on one device",
    "RNNBase": "no layer, but what the recurrent ones are made from",
    "RNNCellBase": "no layer, but what the recurrent ones are made from",
    "LinearCrossEntropyLoss": "CrossEntropyLoss of Linear, but for how its gradients are formed",
    "LinearCrossEntropyOptions": "about the gradients of LinearCrossEntropyLoss",
}
"""Why a class is not here."""

LEFT_OUT = {
    "device": "a program is made for a target when it is lowered",
    "size_average": "retired by PyTorch for `reduction`",
    "reduce": "retired by PyTorch for `reduction`",
    "min_value": "retired by PyTorch for `min_val`",
    "max_value": "retired by PyTorch for `max_val`",
    "_weight": "of PyTorch's own use",
    "_freeze": "of PyTorch's own use",
}
"""Parameters that layers do not take here, and why."""

DEFAULTS = {"dtype": "float32, PyTorch's default unless it is changed"}
"""Parameters whose defaults are written otherwise."""


def test_every_class_is_here_or_has_its_reason(capsys: pytest.CaptureFixture[str]):
    here = set(RECORDED) & set(nn.__all__)
    assert set(RECORDED) - here == set(ABSENT)
    with capsys.disabled():
        print(f"\ntorch.nn: {len(here)} of {len(RECORDED)} classes, {len(ABSENT)} with reasons")
    assert len(here) >= 143


def test_what_is_here_alone_is_no_layer():
    assert set(nn.__all__) - set(RECORDED) == {"manual_seed"}


@pytest.mark.parametrize("name", sorted(set(RECORDED) & set(nn.__all__) - {"Module"}))
def test_a_layer_is_made_as_pytorch_s(name: str):
    """The same parameters in the same order, with the same defaults."""
    any_number = ("VAR_POSITIONAL", "VAR_KEYWORD")
    wanted = [r for r in RECORDED[name] if r[0] not in LEFT_OUT and r[1] not in any_number]
    parameters = inspect.signature(getattr(nn, name)).parameters.values()
    found = [p for p in parameters if p.kind.name not in any_number]
    assert [p.name for p in found] == [name for name, _, _ in wanted]
    for p, (_, kind, default) in zip(found, wanted, strict=True):
        assert (p.kind is p.KEYWORD_ONLY) == (kind == "KEYWORD_ONLY"), p.name
        if p.name not in DEFAULTS and not default.startswith("<function"):
            assert ("" if p.default is p.empty else repr(p.default)) == default, p.name
