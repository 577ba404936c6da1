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
from teenyir.rewriting.engine import Row

Replacement: TypeAlias = SSAValue | graph.GraphOp | None
OpT = TypeVar("OpT", bound=graph.GraphOp)


def row(
    name: str, ops: type[OpT] | tuple[type[OpT], ...], rewrite: Callable[[OpT], Replacement]
) -> Row:
    """A row for one op or for several."""
    kinds = ops if isinstance(ops, tuple) else (ops,)
    return Row(name, kinds, lambda op, _: rewrite(op), source=rewrite)
