"""What the definition of an operation declares, checked once for operations that are alike.

xDSL checks the constraints on operands, results, properties and attributes anew for each operation,
though nothing matters to them but types and attributes. Those of the operations found right are
remembered here, as numbers. Traits and an operation's own verifier, which may look around, run each
time; so does everything for operations with regions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.traits import OpTrait

from teenyir.analysis.numbering import AttributeNumbers
from teenyir.rewriting.surgery import operands_of


class DeclarationChecker:
    """Runs the verifiers of operations, and remembers what was right."""

    def __init__(self) -> None:
        self._numbers = AttributeNumbers()
        self._right: set[Hashable] = set()

    def check(self, op: Operation) -> None:
        """What `op.verify_()` does. Raises `VerifyException`, and whatever else verifiers raise."""
        verifier = _Verifier.of(type(op))
        if verifier is None or op.regions:
            op.verify_()
            return
        try:
            like = self._like(op, verifier)
        except TypeError:  # something among its attributes is none, and cannot be compared
            op.verify_()
            return
        if like in self._right:
            for trait in verifier.traits:
                trait.verify(op)
            if verifier.own is not None:
                verifier.own(op)
        else:
            op.verify_()
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

    own: Callable[[Operation], None] | None
    """What the kind wrote itself."""
    traits: tuple[OpTrait, ...]
    """The traits that check something."""
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
        return _Verifier(
            own=parts.get("custom_verify"),
            traits=tuple(t for t in kind.traits if type(t).verify is not OpTrait.verify),
            reads_attributes=_reads_attributes(definition),
        )


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
