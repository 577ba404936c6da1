"""Operations built without the detours of xDSL's constructors, which sort their arguments out anew,
and ask each kind of operation for defaults.

What is built is the same. For what lowering builds by the thousand, which reaches into xDSL's
fields.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseArrayBase, IntegerType, i32, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import AttrSizedOperandSegments

Kind = TypeVar("Kind", bound=Operation)

NONE: Mapping[str, Attribute] = MappingProxyType({})


def fill(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = NONE,
    regions: Sequence[Region] = (),
) -> None:
    """Make a new operation what `Operation.__init__` makes it: one without successors, with the
    properties that its kind has a default for among those given."""
    op._operands = SSAValues(operands)
    uses: list[Use] = []
    for index, value in enumerate(operands):
        use = Use(op, index)
        first = value.first_use
        if first is not None:
            use._next_use = first
            first._prev_use = use
        value.first_use = use
        uses.append(use)
    op._operand_uses = tuple(uses)
    op.results = SSAValues([OpResult(type, op, k) for k, type in enumerate(result_types)])
    op.properties = dict(properties)
    op.attributes = {}
    op.location = UNKNOWN_LOC
    for region in regions:
        op.add_region(region)


def made(
    kind: type[Kind],
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = NONE,
    regions: Sequence[Region] = (),
) -> Kind:
    """An operation of a kind, as `fill` makes it."""
    op = kind.__new__(kind)
    fill(op, operands, result_types, properties, regions)
    return op


def on_one_type(
    kind: type[Operation], *operands: SSAValue, properties: Mapping[str, Attribute] | None = None
) -> Operation:
    """An op whose result has the type of its operands, as `kind(*operands)` makes it.

    `properties` are those that are not what the constructor makes them.
    """
    known = _properties(kind, len(operands))
    whole = {**known, **properties} if properties else known
    return made(kind, operands, [operands[0].type], whole)


@cache
def _properties(kind: type[Operation], operands: int) -> Mapping[str, Attribute]:
    """The properties that the constructor of a kind gives to it."""
    return kind(*Block(arg_types=[i64] * operands).args).properties


SEGMENTS = AttrSizedOperandSegments.attribute_name
"""The property that tells the groups of an op's operands apart."""


def segments(*sizes: int) -> DenseArrayBase[IntegerType]:
    """How many operands each group has, where an op has several groups of any size.

    xDSL asks at each access to an operand by its name.
    """
    return integers(i32, sizes)


@lru_cache(1024)
def integers(type: IntegerType, values: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    """A list of integers. Its values are unpacked once: xDSL would do so whenever it is asked."""
    attribute = DenseArrayBase.from_list(type, values)
    object.__setattr__(attribute, "get_values", partial(tuple, attribute.get_values()))
    return attribute
