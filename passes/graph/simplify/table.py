"""How a row of the table is written: as a function of one op alone.

It answers a value that the op's result can be replaced by: an existing one, or that of a new op;
None where it does not fit. Each application makes the program smaller or moves it toward one form
(a chain of movement ops becomes one), so that it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from xdsl.ir import SSAValue

from teenyir.dialects import graph
from teenyir.rewriting.engine import Rewriter, Row

Replacement: TypeAlias = SSAValue | graph.GraphOp | None
OpT = TypeVar("OpT", bound=graph.GraphOp)


Insert: TypeAlias = Callable[[graph.GraphOp], SSAValue]
"""Puts an op before the one that is rewritten, and answers its result."""


def building(
    name: str,
    ops: type[OpT] | tuple[type[OpT], ...],
    rewrite: Callable[[OpT, Insert], Replacement],
) -> Row:
    """A row whose replacement is made of several new ops: all but the last are inserted."""
    kinds = ops if isinstance(ops, tuple) else (ops,)

    def apply(op: OpT, rewriter: Rewriter) -> Replacement:
        return rewrite(op, lambda new: rewriter.insert(new).result)

    return Row(name, kinds, apply, source=rewrite)


def row(
    name: str, ops: type[OpT] | tuple[type[OpT], ...], rewrite: Callable[[OpT], Replacement]
) -> Row:
    """A row for one op or for several."""
    kinds = ops if isinstance(ops, tuple) else (ops,)
    return Row(name, kinds, lambda op, _: rewrite(op), source=rewrite)
