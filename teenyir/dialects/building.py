"""Operations built without the detours of xDSL's constructors, which sort their arguments out anew.

What is built is the same. For what lowering builds by the thousand.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.utils.test_value import create_ssa_value


def on_one_type(
    kind: type[Operation], *operands: SSAValue, properties: Mapping[str, Attribute] | None = None
) -> Operation:
    """An op whose result has the type of its operands, as `kind(*operands)` makes it.

    `properties` are those that are not what the constructor makes them.
    """
    known = _properties(kind, len(operands))
    return kind.create(
        operands=operands,
        result_types=[operands[0].type],
        properties={**known, **properties} if properties else known,
    )


@cache
def _properties(kind: type[Operation], operands: int) -> Mapping[str, Attribute]:
    """The properties that the constructor of a kind gives to it."""
    return kind(*(create_ssa_value(i64) for _ in range(operands))).properties


SEGMENTS = AttrSizedOperandSegments.attribute_name
"""The property that tells the groups of an op's operands apart."""


@lru_cache(256)
def segments(*sizes: int) -> DenseArrayBase:
    """How many operands each group has, where an op has several groups of any size."""
    return DenseArrayBase.from_list(i32, sizes)
