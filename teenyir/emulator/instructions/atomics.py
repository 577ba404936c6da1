"""Atomic operations and reductions, one lane after the other where addresses coincide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teenyir.emulator.execution.binder import Binder, Builder
from teenyir.emulator.instructions.access import address_of, make_site, space_of, vector_width
from teenyir.emulator.syntax.program import Instruction
from teenyir.emulator.types import Array, Mask, Operation, ScalarType

Update = Callable[..., Array]


def _exchange(old: Array, value: Array) -> Array:
    return value


def _increment(old: Array, limit: Array) -> Array:
    return np.where(old >= limit, 0, old + 1)


def _decrement(old: Array, limit: Array) -> Array:
    return np.where((old == 0) | (old > limit), limit, old - 1)


def _compare_and_swap(old: Array, compare: Array, value: Array) -> Array:
    return np.where(old == compare, value, old)


_UPDATES: dict[str, Any] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": _exchange,
    "inc": _increment,
    "dec": _decrement,
    "cas": _compare_and_swap,
}

_COMMUTING = {"add": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or,
              "and": np.bitwise_and, "xor": np.bitwise_xor}  # fmt: skip


def rounds(addresses: Array) -> list[Array]:
    """Positions in rounds: in each every address is new, and order is kept within an address."""
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    if fresh.all():
        return [np.arange(len(addresses))]
    starts = np.flatnonzero(fresh)
    rank = np.arange(len(ordered)) - np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    return [order[rank == k] for k in range(int(rank.max()) + 1)]


def _running_sums(cells: Array, rows: Array, values: Array) -> Array:
    """Add to cells in the order of the lanes; what each lane found. Sums wrap."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    sums = np.cumsum(values[order], dtype=cells.dtype)
    before = sums - values[order]
    starts = np.flatnonzero(fresh)
    base = np.repeat(before[starts], np.diff(np.append(starts, len(ordered))))
    old = np.empty(len(rows), cells.dtype)
    old[order] = cells[ordered] + (before - base)
    last = np.append(starts[1:], len(ordered)) - 1
    cells[ordered[last]] += sums[last] - before[starts]
    return old


def _kind(b: Binder, i: Instruction) -> ScalarType:
    kind = b.type(i)
    if kind.kind == "b" and kind.bits == 128:
        b.fail(i, "128-bit atomics are not supported")
    return kind


def _update_name(b: Binder, i: Instruction) -> str:
    name = next((m for m in i.modifiers if m in _UPDATES), None)
    if name is None:
        b.fail(i, f"unknown atomic operation '{i.name}'")
    return name


def atomic(b: Binder, i: Instruction) -> Operation:
    """`atom` (gives the old value) and `red` (does not)."""
    returns = i.opcode == "atom"
    kind = _kind(b, i)
    name = _update_name(b, i)
    space = space_of(i)
    first = 1 if returns else 0
    address = address_of(b, i.operands[first], space)
    width = vector_width(i)
    values = [[b.source(item, kind) for item in b.items(o)] for o in i.operands[first + 1 :]]
    values = values[: 2 if name == "cas" else 1]
    size = kind.bytes * width
    site = make_site(b, i, space, size, "atomic")
    checker = b.machine.checker
    perform = _performer(b, kind, size, name, returns)
    targets = [b.dest(item, kind) for item in b.items(i.operands[0])] if returns else []

    def operation(mask: Mask) -> None:
        where = address()
        if checker is not None and site is not None:
            mask = checker.access(site, mask, where)
            if mask is False:
                return
        lanes = b.machine.selected(mask)
        operands = [np.stack([v[lanes] for v in row], axis=1) for row in values]
        old = perform(where[lanes], operands)
        for index, target in enumerate(targets):
            if old is not None:
                target[lanes] = old[:, index]

    return operation


def _performer(
    b: Binder, kind: ScalarType, size: int, name: str, returns: bool
) -> Callable[[Array, list[Array]], Array | None]:
    """The update of memory rows; operands and result of shape (n, elements)."""
    table = b.machine.memory.rows(size, kind.dtype)
    update = _UPDATES[name]
    elements = kind.elements
    commuting = _COMMUTING.get(name)
    plain = kind.dtype.name not in ("float16", "bfloat16") and commuting is not None
    counting = name == "add" and kind.dtype.kind in "iu" and table.shape[1] == 1

    def perform(addresses: Array, operands: list[Array]) -> Array | None:
        rows = addresses // size
        if elements > 1:
            operands = [operand.reshape(len(rows), -1) for operand in operands]
        if plain and commuting is not None and not returns:
            commuting.at(table, rows, operands[0])
            return None
        if counting:
            return _running_sums(table[:, 0], rows, operands[0][:, 0])[:, None]
        old = np.empty((len(rows), table.shape[1]), table.dtype)
        for turn in rounds(rows):
            place = rows[turn]
            old[turn] = table[place]
            table[place] = update(old[turn], *(operand[turn] for operand in operands))
        if not returns:
            return None
        return old if elements == 1 else old[:, None, :]

    return perform


TABLE: dict[str, Builder] = {"atom": atomic, "red": atomic}
