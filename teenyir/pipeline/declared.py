"""What the definition of an operation declares, checked once for operations that are alike.

xDSL checks the constraints on operands, results, properties and attributes anew for each operation,
though nothing matters to them but types and attributes. Those of the operations found right are
remembered here, as numbers. Traits that look around and an operation's own verifier run each time,
but for one that says that it looks at types and properties alone (`of_types`); for operations with
regions everything does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from xdsl.ir import Block, Operation, OpResult
from xdsl.ir.core import OpTraits
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.traits import IsolatedFromAbove, OpTrait, SameOperandsAndResultType
from xdsl.utils.exceptions import VerifyException

from teenyir.analysis.numbering import AttributeNumbers
from teenyir.dialects.checks import Checked, is_of_types
from teenyir.rewriting.surgery import operands_of

OUT_OF_ISOLATION = "Operation using value defined out of its IsolatedFromAbove parent"


class DeclarationChecker:
    """Runs the verifiers of operations, and remembers what was right."""

    def __init__(self) -> None:
        self._numbers = AttributeNumbers()
        self._right: set[Hashable] = set()

    def check(self, op: Operation) -> None:
        """What `op.verify_()` does. Raises `VerifyException`, and whatever else verifiers raise."""
        verifier = _Verifier.of(type(op))
        if verifier is None:
            op.verify_()
            return
        if verifier.isolated:
            _check_isolation(op)
        if op.regions:
            verifier.declared.verify(op)
        else:
            self._check_alike(op, verifier)
            return
        if verifier.own is not None:
            verifier.own(op)

    def _check_alike(self, op: Operation, verifier: _Verifier) -> None:
        try:
            like = self._like(op, verifier)
        except TypeError:  # something among its attributes is none, and cannot be compared
            like = None
        own = verifier.own
        if like is not None and like in self._right:
            for trait in verifier.looking_around:
                trait.verify(op)
            if own is not None and not verifier.own_of_types:
                own(op)
            return
        verifier.declared.verify(op)
        if own is not None:
            own(op)
        if like is not None:
            self._right.add(like)

    def forget(self) -> None:
        """To be called before IR changes: it may not change between two checks otherwise."""
        self._numbers.forget()

    def _like(self, op: Operation, verifier: _Verifier) -> Hashable:
        """All that matters to the declarations of an operation without regions."""
        number = self._numbers.of
        return (
            type(op),
            tuple([number(operand.type) for operand in operands_of(op)]),
            tuple([number(result.type) for result in op.results]),
            self._numbers.of_items(op.properties) if op.properties else None,
            self._numbers.of_items(op.attributes)
            if verifier.reads_attributes and op.attributes
            else None,
            len(op.successors),
        )


@dataclass(frozen=True)
class _Verifier:
    """The parts of the verifier that xDSL put together for a kind of operation."""

    declared: OpDef
    """What it declares, but for the trait that is checked here."""
    own: Callable[[Operation], None] | None
    """What the kind wrote itself."""
    own_of_types: bool
    """Whether no more matters to that than to the declarations."""
    looking_around: tuple[OpTrait, ...]
    """The traits to which more matters than types and attributes."""
    isolated: bool
    reads_attributes: bool
    """Whether the declarations speak of attributes, besides properties."""

    @staticmethod
    @cache
    def of(kind: type[Operation]) -> _Verifier | None:
        """The verifier of a kind; None if it is not of these parts."""
        if not issubclass(kind, IRDLOperation):
            return None
        definition = kind.get_irdl_definition()
        parts = _closure(kind.verify_)
        if parts.pop("op_def", None) is not definition or parts.keys() - {"custom_verify"}:
            return None
        own = parts.get("custom_verify")
        traits = tuple(trait for trait in definition.traits if type(trait) is not IsolatedFromAbove)
        return _Verifier(
            declared=replace(definition, traits=OpTraits(lambda: traits)),
            own=own,
            own_of_types=own is not None and is_of_types(own),
            looking_around=tuple(trait for trait in traits if _looks_around(trait)),
            isolated=definition.traits.traits != frozenset(traits),
            reads_attributes=_reads_attributes(definition),
        )


def _looks_around(trait: OpTrait) -> bool:
    of_types = SameOperandsAndResultType, Checked
    return type(trait).verify is not OpTrait.verify and type(trait) not in of_types


def _check_isolation(op: Operation) -> None:
    """xDSL's check of `IsolatedFromAbove`, with a short way for values of the same block."""
    pending = list(op.regions)
    while pending:
        for block in pending.pop().blocks:
            for inner in block.ops:
                for operand in operands_of(inner):
                    owner = operand.op.parent if type(operand) is OpResult else operand.owner
                    if owner is not block and (owner is None or not _is_inside(operand.owner, op)):
                        raise VerifyException(f"{OUT_OF_ISOLATION}: {inner}")
                if inner.regions and not inner.has_trait(IsolatedFromAbove):
                    pending += inner.regions


def _is_inside(owner: Operation | Block, op: Operation) -> bool:
    return owner is not op and op.is_ancestor(owner)


def _closure(function: Any) -> dict[str, Any]:
    """The variables that a function has from around it."""
    names = function.__code__.co_freevars
    return {
        name: cell.cell_contents
        for name, cell in zip(names, function.__closure__ or (), strict=True)
    }


def _reads_attributes(definition: OpDef) -> bool:
    in_attributes = (not getattr(option, "as_property", True) for option in definition.options)
    return bool(definition.attributes) or any(in_attributes)
