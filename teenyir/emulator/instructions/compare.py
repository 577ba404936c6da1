"""Comparison and selection: `setp`, `set`, `selp`, `slct`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.floating import flush
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import TYPES, Array, Mask, Operation, ScalarType

Comparison = Callable[[Array, Array], Array]

_PLAIN: dict[str, Any] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}


def _unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


_FLOAT: dict[str, Comparison] = {
    # numpy's != is true for NaN; PTX's `ne` is ordered, `neu` is not.
    "ne": lambda a, b: (a != b) & ~_unordered(a, b),
    "equ": lambda a, b: (a == b) | _unordered(a, b),
    "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~_unordered(a, b),
    "nan": _unordered,
}

_JOIN: dict[str, Any] = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def comparison(name: str, kind: ScalarType) -> Comparison:
    """The function of a comparison operator for a type."""
    if kind.is_float and name in _FLOAT:
        return _FLOAT[name]
    return _PLAIN[name]


def _operator(b: Binder, i: Instruction) -> str:
    name = i.modifiers[0]
    if name not in _PLAIN and name not in _FLOAT:
        b.fail(i, f"unknown comparison '.{name}'")
    return name


def _compared(b: Binder, i: Instruction, kind: ScalarType) -> Callable[[], Array]:
    compare = comparison(_operator(b, i), kind)
    left, right = (b.source(operand, kind) for operand in i.operands[1:3])
    if "ftz" in i.modifiers and kind.is_float:
        return lambda: compare(flush(left), flush(right))
    return lambda: compare(left, right)


def _set_predicate(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    join = next((m for m in i.modifiers[1:] if m in _JOIN), None)
    first, second = b.pair(i.operands[0])
    predicate = TYPES["pred"]
    dest = b.dest(first, predicate)
    compare = comparison(_operator(b, i), kind)
    if join is None and second is None and "ftz" not in i.modifiers and kind.elements == 1:
        sources = [b.source(operand, kind) for operand in i.operands[1:3]]
        return _compare_into(compare, dest, sources)
    result = _compared(b, i, kind)
    if kind.elements == 2:
        return _packed_predicates(b, i, result)
    other_dest = b.dest(second, predicate) if second is not None else b.scratch(predicate)
    with_predicate = b.predicate(i.operands[3]) if join else None

    def operation(mask: Mask) -> None:
        holds = result()
        fails = ~holds
        if join and with_predicate:
            third = with_predicate()
            holds, fails = _JOIN[join](holds, third), _JOIN[join](fails, third)
        np.copyto(dest, holds, where=mask)
        np.copyto(other_dest, fails, where=mask)

    return operation


def _compare_into(compare: Any, dest: Array, sources: list[Array]) -> Operation:
    left, right = sources
    if isinstance(compare, np.ufunc):

        def operation(mask: Mask) -> None:
            compare(left, right, out=dest, where=mask)

        return operation

    def general(mask: Mask) -> None:
        np.copyto(dest, compare(left, right), where=mask)

    return general


def _packed_predicates(b: Binder, i: Instruction, result: Callable[[], Array]) -> Operation:
    """`setp.f16x2 p|q`: one predicate for each half."""
    first, second = b.pair(i.operands[0])
    dest = b.dest(first, TYPES["pred"])
    other = b.dest(second, TYPES["pred"]) if second is not None else b.scratch(TYPES["pred"])
    join = next((m for m in i.modifiers[1:] if m in _JOIN), None)
    third = b.predicate(i.operands[3]) if join else None

    def operation(mask: Mask) -> None:
        holds = result()
        if join and third:
            holds = _JOIN[join](holds, third()[:, None])
        np.copyto(dest, holds[:, 0], where=mask)
        np.copyto(other, holds[:, 1], where=mask)

    return operation


def _set_value(b: Binder, i: Instruction) -> Operation:
    """`set`: all ones or zero, or 1.0 or 0.0 for a floating destination."""
    dest_kind, kind = b.types(i)
    result = _compared(b, i, kind)
    join = next((m for m in i.modifiers[1:] if m in _JOIN), None)
    third = b.predicate(i.operands[3]) if join else None
    dest = b.dest(i.operands[0], dest_kind)
    packed_bits = kind.elements == 2 and not dest_kind.is_float

    def run() -> Array:
        holds = result()
        if join and third:
            joined = third()
            holds = _JOIN[join](holds, joined[:, None] if holds.ndim == 2 else joined)
        if packed_bits:
            return np.where(holds, np.uint16(0xFFFF), np.uint16(0)).view(np.uint32)[:, 0]
        if dest_kind.is_float:
            return holds.astype(dest_kind.dtype)
        return -holds.astype(np.int64)

    return b.apply(run, dest, [])


def _select(b: Binder, i: Instruction) -> Operation:
    kind = b.type(i)
    first, second = (b.source(operand, kind) for operand in i.operands[1:3])
    chooses = b.predicate(i.operands[3])
    if kind.elements == 2 or kind.bits == 128:
        return b.apply(
            lambda: np.where(chooses()[:, None], first, second), b.dest(i.operands[0], kind), []
        )
    return b.apply(lambda: np.where(chooses(), first, second), b.dest(i.operands[0], kind), [])


def _select_by_sign(b: Binder, i: Instruction) -> Operation:
    kind, sign_kind = b.types(i)
    first, second = (b.source(operand, kind) for operand in i.operands[1:3])
    sign = b.source(i.operands[3], sign_kind)

    def run(x: Array, y: Array, s: Array) -> Array:
        return np.where(s >= 0, x, y)  # NaN selects the second, as -0 selects the first

    return b.apply(run, b.dest(i.operands[0], kind), [first, second, sign])


TABLE: dict[str, Builder] = {
    "setp": _set_predicate,
    "set": _set_value,
    "selp": _select,
    "slct": _select_by_sign,
}
