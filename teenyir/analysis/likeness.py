"""What operations have in common that are the same but for names and places."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue

from teenyir.analysis.numbering import AttributeNumbers

SYMBOL = "sym_name"


class Likeness:
    """Makes keys of operations: equal where they, and all in them, are the same.

    Names of values, the symbol that an operation defines itself, and locations do not count. Keys
    of one `Likeness` can be compared with each other.
    """

    def __init__(self) -> None:
        self._numbers = AttributeNumbers()
        self._seen: dict[SSAValue | Block, int] = {}
        """What the key at hand speaks of, in the order in which it does."""
        self._key: list[Hashable] = []

    def key(self, op: Operation) -> Hashable:
        """The key of an operation, which uses no value from outside of it."""
        self._seen, self._key = {}, []
        named = {name: each for name, each in op.properties.items() if name != SYMBOL}
        self._key.append((type(op), self._numbers.of_items(named)))
        self._regions(op.regions)
        return tuple(self._key)

    def _number(self, what: SSAValue | Block) -> int:
        return self._seen.setdefault(what, len(self._seen))

    def _regions(self, regions: tuple[Region, ...]) -> None:
        key, number = self._key, self._numbers.of
        for region in regions:
            key.append("{")
            for block in region.blocks:
                types = [number(argument.type) for argument in block.args]
                key.append((self._number(block), *map(self._number, block.args), *types))
                for op in block.ops:
                    self._operation(op)
            key.append("}")

    def _operation(self, op: Operation) -> None:
        numbers = self._numbers
        self._key.append(
            (
                UnregisteredOp if isinstance(op, UnregisteredOp) else type(op),
                *map(self._number, op.operands),
                "->",
                *map(self._number, op.results),
                *[numbers.of(result.type) for result in op.results],
                numbers.of_items(op.properties) if op.properties else None,
                numbers.of_items(op.attributes) if op.attributes else None,
                *map(self._number, op.successors),
            )
        )
        if op.regions:
            self._regions(tuple(op.regions))
