"""Einstein's summation: products of tensors summed over the letters that the result lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes, graph
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import ArrayLike, promoted
from teenyir.frontend.elementwise import equal, where
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import counted
from teenyir.frontend.movement import move, permute_dims
from teenyir.frontend.reductions import reduce

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

DOTS = "..."


@dataclass
class _Term:
    """A tensor and the label of each of its axes; axes under `...` are numbered from the last."""

    tensor: Tensor
    labels: list[str]


@checked
def einsum(subscripts: str, /, *operands: ArrayLike) -> Tensor:
    """`einsum("bij,bjk->bik", x, y)`: one letter an axis, `...` for axes that go along.

    An axis of extent 1 goes along with a longer one of its letter.

    Without `->` the result has the letters that occur once, in alphabetical order. Operands are
    multiplied from left to right; letters are summed as soon as nothing needs them any more.
    """
    inputs, output = _parsed(subscripts)
    if not operands or len(inputs) != len(operands):
        fail(f"einsum {subscripts!r} names {len(inputs)} operands, got {len(operands)}")
    terms = [
        _Term(tensor, _labels(text, tensor, subscripts))
        for text, tensor in zip(inputs, promoted(*operands), strict=True)
    ]
    terms = _broadcasting(terms)
    _check_extents(terms)
    wanted = _wanted(output, inputs, terms, subscripts)
    result = _prepared(terms[0], _needed(terms[1:], wanted))
    for k, term in enumerate(terms[1:], start=1):
        later = _needed(terms[k + 1 :], wanted)
        result = _product(result, _prepared(term, [*later, *result.labels]), later)
    return permute_dims(result.tensor, [result.labels.index(label) for label in wanted])


def _parsed(subscripts: str) -> tuple[list[str], str | None]:
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    parts = [*inputs.split(","), *([output] if arrow else [])]
    for part in parts:
        letters = part.replace(DOTS, "", 1)
        if not all(letter.isalpha() for letter in letters):
            fail(f"einsum {subscripts!r}: {part!r} is to be letters, with one '...' at most")
    return inputs.split(","), output if arrow else None


def _labels(text: str, tensor: Tensor, subscripts: str) -> list[str]:
    letters = text.replace(DOTS, "")
    under = tensor.ndim - len(letters)
    if under < 0 or (under and DOTS not in text):
        shape = graph.as_text(tensor.extents)
        fail(f"einsum {subscripts!r}: {text!r} does not name the {tensor.ndim} axes of {shape}")
    before, _, after = text.partition(DOTS)
    return [*before, *(f"{DOTS}{k}" for k in reversed(range(under))), *after]


def _broadcasting(terms: Sequence[_Term]) -> list[_Term]:
    """The terms without axes of extent 1 that are longer in others: they go along there."""
    one = Expr.of(1)
    longer = {
        label
        for term in terms
        for label, extent in zip(term.labels, term.tensor.extents, strict=True)
        if extent != one
    }
    found: list[_Term] = []
    for term in terms:
        pairs = list(zip(term.labels, term.tensor.extents, strict=True))
        kept = [
            (label, extent)
            for label, extent in pairs
            if extent != one or label not in longer or term.labels.count(label) > 1
        ]
        tensor = move(term.tensor, [extent for _, extent in kept])
        found.append(_Term(tensor, [label for label, _ in kept]))
    return found


def _check_extents(terms: Sequence[_Term]) -> None:
    known: dict[str, Expr] = {}
    for term in terms:
        for label, extent in zip(term.labels, term.tensor.extents, strict=True):
            if known.setdefault(label, extent) != extent:
                fail(f"einsum: {label!r} is {known[label]} and {extent}")


def _wanted(
    output: str | None, inputs: Sequence[str], terms: Sequence[_Term], subscripts: str
) -> list[str]:
    seen = [label for term in terms for label in term.labels]
    dots = sorted({label for label in seen if label.startswith(DOTS)}, reverse=True)
    if output is None:
        letters = "".join(inputs).replace(".", "")
        return [*dots, *sorted(c for c in set(letters) if letters.count(c) == 1)]
    before, found, after = output.partition(DOTS)
    wanted = [*before, *(dots if found else ()), *after]
    if len(set(wanted)) != len(wanted) or not set(wanted) <= set(seen):
        fail(f"einsum {subscripts!r}: {output!r} is to have letters of the operands, none twice")
    return wanted


def _needed(terms: Sequence[_Term], wanted: Sequence[str]) -> list[str]:
    return [*wanted, *(label for term in terms for label in term.labels)]


def _prepared(term: _Term, needed: Sequence[str]) -> _Term:
    """A term with its diagonals taken and what nothing else needs summed."""
    tensor, labels = term.tensor, term.labels
    drop: list[int] = []
    for axis, label in enumerate(labels):
        first = labels.index(label)
        if first != axis:
            # off the diagonal there are zeros, so that one of the two axes is summed
            wide = where(_same(tensor, first, axis), tensor, tensor.trace.constant(0, tensor.dtype))
            tensor = wide
            drop.append(axis)
        elif label not in needed:
            drop.append(axis)
    if not drop:
        return term
    kept = [label for axis, label in enumerate(labels) if axis not in drop]
    return _Term(reduce("add", tensor, drop, False), kept)


def _same(x: Tensor, first: int, second: int) -> Tensor:
    like = x.trace.broadcast(x.trace.constant(0, dtypes.INT64), x.extents)
    return equal(counted(like, first), counted(like, second))


def _product(a: _Term, b: _Term, needed: Sequence[str]) -> _Term:
    shared = [label for label in a.labels if label in b.labels]
    batch = [label for label in shared if label in needed]
    contract = [label for label in shared if label not in needed]

    def axes(term: _Term, labels: Sequence[str]) -> tuple[int, ...]:
        return tuple(term.labels.index(label) for label in labels)

    product = a.tensor.trace.emit(
        graph.DotOp,
        a.tensor.value,
        b.tensor.value,
        axes(a, contract),
        axes(b, contract),
        axes(a, batch),
        axes(b, batch),
    )
    free = [label for term in (a, b) for label in term.labels if label not in shared]
    return _Term(product, [*batch, *free])
