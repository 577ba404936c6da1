"""docs/frontend.md lists every function and layer, with the parameters that it has.

The tables are made from the code: `UPDATE_DOCUMENTS=1` makes this test write them into the page.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import teenyir as ty
from teenyir import nn

PAGE = Path(__file__).parents[2] / "docs" / "frontend.md"
HOMES: dict[str, str] = vars(ty)["_HOMES"]

FAMILIES = {
    "Elements": ("elementwise", "transcendental", "bits"),
    "Reductions": ("reductions",),
    "Running combinations": ("scans",),
    "Order": ("sorting",),
    "Products": ("linear", "einsum"),
    "Creation": ("creation",),
    "Movement": ("movement", "arrangement"),
    "Indices that are data": ("gathering",),
    "Branches and loops": ("control",),
    "Activations": ("activations",),
    "Normalisation and attention": ("normalization", "attention"),
    "Pooling": ("pooling", "unpooling"),
    "Losses": ("losses", "margins", "ctc", "distances"),
    "Control flow": ("control",),
}
NOT_FUNCTIONS = {"model", "dims", "dtype_names", "errors", "jit", "tensor", "tracing"}


def parameters(function: Callable[..., Any]) -> str:
    """The parameters of a function as they are written, without types."""
    signature = inspect.signature(function)
    bare = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != "self"
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return text.replace("'", '"')


def gives(thing: Any) -> str:
    """The first sentence of a docstring."""
    first = " ".join((thing.__doc__ or "").split("\n\n")[0].split())
    sentence = re.match(r".*?[.:](?= [A-Z`0-9]|$)", first)
    return (sentence[0] if sentence else first).replace("|", r"\|")


def table(names: Iterable[str], home: Any) -> str:
    """Rows of names that mean the same share one."""
    rows: dict[int, list[str]] = {}
    for name in names:
        rows.setdefault(id(getattr(home, name)), []).append(name)
    lines = ["| | |", "|---|---|"]
    for same in rows.values():
        thing = getattr(home, same[0])
        calls = ", ".join(f"`{name}{parameters(thing)}`" for name in same[:1])
        others = f" (also {', '.join(f'`{name}`' for name in same[1:])})" if same[1:] else ""
        lines.append(f"| {calls}{others} | {gives(thing)} |")
    return "\n".join(lines) + "\n"


def tables() -> dict[str, str]:
    found = {
        title: table(
            sorted(n for room in rooms for n in HOMES.get(f"teenyir.frontend.{room}", "").split()),
            ty,
        )
        for title, rooms in FAMILIES.items()
    }
    found["Random numbers"] = table(sorted(ty.random.__all__), ty.random)
    layers = [name for name in nn.__all__ if name not in ("Module", "manual_seed")]
    found["Layers"] = table(layers, nn)
    return found


@pytest.mark.parametrize("title", tables())
def test_the_page_has_what_there_is(title: str):
    text = PAGE.read_text()
    wanted = tables()[title]
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"no section {title!r}"
    shown = re.search(r"^\| \| \|\n(?:\|.*\n)*", section[1], re.MULTILINE)
    found = shown[0] if shown else ""
    if found != wanted and os.environ.get("UPDATE_DOCUMENTS"):
        new = section[0].replace(found, wanted) if found else f"{section[0].rstrip()}\n\n{wanted}\n"
        PAGE.write_text(text.replace(section[0], new))
    else:
        assert found == wanted, "UPDATE_DOCUMENTS=1 rewrites the table"


def test_every_function_is_in_a_family():
    rooms = {room for group in FAMILIES.values() for room in group}
    homes = {home.rpartition(".")[2] for home in HOMES if home.startswith("teenyir.frontend.")}
    assert homes - NOT_FUNCTIONS == rooms


def test_methods_name_functions():
    """A method of a tensor says where its meaning is written."""
    for name, method in vars(ty.Tensor).items():
        doc = method.__doc__ or ""
        if match := re.fullmatch(r"See `ty\.(\w+)`.*", doc):
            assert hasattr(ty, match[1]), name
