"""What MLIR checks of ops that xDSL defines without: a trait, added to the kinds of ops.

The modules that lend a dialect from xDSL (`arith`, `llvm`, `uop.verify`) have the checks of its
ops, each a function that says what is wrong with one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.lanes import element, lanes

Verify = TypeVar("Verify", bound="Callable[[Any], None]")

_OF_TYPES: set[Callable[[Any], None]] = set()


def of_types(verify: Verify) -> Verify:
    """Say of a kind's `verify_` that nothing matters to it but the types of an op's operands and
    results, and its properties: where it was right for one op it is for those that are alike."""
    _OF_TYPES.add(verify)
    return verify


def is_of_types(verify: Callable[[Any], None]) -> bool:
    """Whether that was said of it."""
    return verify in _OF_TYPES


Fault: TypeAlias = "Callable[[Any], str | None]"
"""What is wrong with an op, or None."""


@dataclass(frozen=True)
class Checked(OpTrait):
    """A check of the types and attributes of an op alone."""

    kind: type[Operation]
    """Of which kind the op is to be: kinds that inherit from one share their traits."""
    fault: Fault

    def verify(self, op: Operation) -> None:
        if isinstance(op, self.kind) and (message := self.fault(op)) is not None:
            raise VerifyException(message)


@dataclass(frozen=True)
class CheckedAround(Checked):
    """A check of an op and what it refers to: blocks, symbols, the op that gives an operand."""


def check(fault: Fault, *kinds: type[Operation]) -> None:
    """Have these kinds of ops checked, besides what xDSL says of them."""
    for kind in kinds:
        kind.traits.add_trait(Checked(kind, fault))


def check_around(fault: Fault, *kinds: type[Operation]) -> None:
    """The same for a check of what an op refers to."""
    for kind in kinds:
        kind.traits.add_trait(CheckedAround(kind, fault))


def between(source: Attribute, result: Attribute, kinds: tuple[Any, Any]) -> str | None:
    """What keeps a cast from being lane by lane, from one kind of number to another."""
    if lanes(source) != lanes(result):
        return f"{source} and {result} differ in their number of elements"
    for type, kind, noun in ((source, kinds[0], "operand"), (result, kinds[1], "result")):
        if not isinstance(element(type), kind):
            return f"the {noun} is not {_NOUNS[kind]}, but {type}"
    return None


_NOUNS: dict[Any, str] = {AnyFloat: "a float", IntegerType: "an integer"}


def resized(source: Attribute, result: Attribute, kind: Any, *, wider: bool) -> str | None:
    """What keeps a cast from being one to a wider, or a narrower, number of the same kind."""
    if (problem := between(source, result, (kind, kind))) is not None:
        return problem
    old, new = bits(source), bits(result)
    if (new > old) if wider else (new < old):
        return None
    return f"the result, {result}, is not {'wider' if wider else 'narrower'} than {source}"


def bits(type: Attribute) -> int:
    """The width of a number, or of one lane of a vector."""
    number = element(type)
    assert isinstance(number, AnyFloat | IntegerType)
    return number.bitwidth


def one_of(count: int, predicate: Any) -> str | None:
    """What is wrong with a predicate that is one of so many."""
    if not isinstance(predicate, IntegerAttr):
        return f"a predicate is an integer, not {predicate}"
    attribute = cast("IntegerAttr[Any]", predicate)
    if attribute.type != IntegerType(64):
        return f"a predicate is an integer of 64 bits, not {attribute}"
    number: int = attribute.value.data
    return None if 0 <= number < count else f"there is no predicate {number}"
