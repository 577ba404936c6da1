"""The check that IR is well formed.

Checked, each with a diagnostic at the operation at fault:

1. Every operation satisfies its dialect: xDSL's declared constraints, traits, and `verify_`.
2. No operand is an erased value.
3. A block ends in a terminator, where its operation asks for one; successors are blocks of the
   same region, and only a terminator has them.
4. Every operand is visible where it is used: dominance, `teenyir.analysis.dominance`.
5. Operations, blocks and regions agree on who contains whom.
6. A function of the graph floor: the names in its types have ranges (`graph.function_faults`).

Inside one isolated operation (a function, say) the first error ends the check, since what follows
may be its consequence; the other functions are still checked.
"""

from __future__ import annotations

import sys
from typing import TypeVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, BlockArgument, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, SymbolTable
from xdsl.utils.exceptions import VerifyException

from teenyir.analysis.dominance import Violation, check_dominance
from teenyir.diagnostics import Diagnostic, VerifyError, error, note
from teenyir.dialects.errors import VerifyAt
from teenyir.pipeline.declared import DeclarationChecker
from teenyir.pipeline.limits import TOO_DEEP, deep_recursion
from teenyir.rewriting.locations import place_of, place_of_op
from teenyir.rewriting.surgery import operands_of

Found = TypeVar("Found", bound=Operation)

STUMBLED = "the verifier failed with"
"""Begins the message for an exception out of an operation's verifier that is no verdict."""


def verify_module(module: Operation, verifier: Verifier | None = None) -> None:
    """Raise `VerifyError` if `module`, or any operation in it, is not well formed.

    Who verifies again and again gives the same `verifier`, which then has less to do.
    """
    verifier = verifier if verifier is not None else Verifier()
    try:
        with deep_recursion():
            errors = verifier.errors(module)
    except RecursionError:
        errors = [error(TOO_DEEP, place_of_op(module))]
    if errors:
        raise VerifyError(*errors)


def _graph_errors(op: Operation) -> list[Diagnostic]:
    # Before the dialect has been imported there is nothing of its floor in memory.
    if "teenyir.dialects.graph" not in sys.modules:
        return []
    from xdsl.dialects.func import FuncOp

    from teenyir.dialects.graph import function_faults

    return [
        error(f"'{_name(at)}': {message}", place_of_op(at))
        for func in _operations_of_kind(op, FuncOp)
        for at, message in function_faults(func)
    ]


def _operations_of_kind(op: Operation, kind: type[Found]) -> list[Found]:
    """The operations of a kind that can hold others, `op` and those inside it."""
    found = [op] if isinstance(op, kind) else []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.regions:
                    found += _operations_of_kind(inner, kind)
    return found


class Verifier:
    """Checks IR, and remembers which declarations, and which operations, it found right."""

    def __init__(self) -> None:
        self._declarations = DeclarationChecker()
        self._errors: list[Diagnostic] = []
        self._checked: dict[int, Operation] = {}
        """The operations that were found well formed, by their ids."""

    def has_checked(self, op: Operation) -> bool:
        """Whether an operation, or one around it, was found well formed at some time."""
        current: Operation | None = op
        while current is not None:
            if id(current) in self._checked:
                return True
            current = current.parent_op()
        return False

    def errors(self, op: Operation) -> list[Diagnostic]:
        """What is wrong with `op` and the operations in it; empty if nothing is."""
        self._declarations.forget()
        errors = self._errors = []
        self._verify(op)
        if not errors:
            for violation in check_dominance(op):
                errors.append(_dominance_error(violation))
            errors += _graph_errors(op)
        if not errors:
            self._checked[id(op)] = op
        # A verifier that stumbled did so over an operation that is wrong itself, most likely.
        return [e for e in errors if STUMBLED not in e.message] or errors

    def _verify(self, op: Operation) -> bool:
        """Check `op` and what it contains; False if the check of what is around has to stop."""
        before = len(self._errors)
        message, at = _structure_fault(op), op
        if message is None:
            for region in op.regions:
                if not self._verify_region(op, region):
                    return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
            if len(self._errors) == before:
                message, at = self._own_fault(op)
        if message is None:
            return True
        self._errors.append(
            _redefinition(op) or error(f"'{_name(at)}': {message}", place_of_op(at))
        )
        return op.has_trait(IsolatedFromAbove, value_if_unregistered=False)

    def _verify_region(self, op: Operation, region: Region) -> bool:
        for block in region.blocks:
            if (message := _block_fault(op, region, block)) is not None:
                self._errors.append(error(f"'{_name(op)}': {message}", place_of_op(op)))
                return False
            for inner in block.ops:
                if not self._verify(inner):
                    return False
        return True

    def _own_fault(self, op: Operation) -> tuple[str | None, Operation]:
        """What the operation's own verifier says, if anything, and against which op: one inside
        it, where it says so."""
        try:
            self._declarations.check(op)
        except VerifyException as e:
            return " ".join(str(e).split()), e.op if isinstance(e, VerifyAt) else op
        except RecursionError:
            raise
        except Exception as e:
            if type(e) is Exception:  # xDSL's way to say that an operation is wrong, in places
                return " ".join(str(e).split()), op
            return f"{STUMBLED} {type(e).__name__}: {' '.join(str(e).split())}", op
        return None, op


def _name(op: Operation) -> str:
    name = op.attributes.get("op_name__")
    return getattr(name, "data", op.name)


def _redefinition(table: Operation) -> Diagnostic | None:
    """What to say where two operations of a symbol table have one name; None where none have."""
    if not table.has_trait(SymbolTable):
        return None
    seen: dict[str, Operation] = {}
    for op in table.regions[0].block.ops:
        symbol = op.get_attr_or_prop("sym_name")
        if not isinstance(symbol, StringAttr):
            continue
        if (first := seen.setdefault(symbol.data, op)) is not op:
            before = note("it is defined here", place_of_op(first))
            message = f"'{_name(op)}': there is a symbol @{symbol.data} already"
            return error(message, place_of_op(op), before)
    return None


def _structure_fault(op: Operation) -> str | None:
    """What is wrong with how `op` stands in its block, or None."""
    for operand in operands_of(op):
        if type(operand) is ErasedSSAValue:
            return "an operand of it has been erased"
    block = op.parent
    region = block.parent if block is not None else None
    if op.successors:
        if block is None or region is None:
            return "it has successors and stands in no block"
        if block.last_op is not op:
            return "it has successors and so must end its block"
        if any(successor.parent is not region for successor in op.successors):
            return "it branches to a block of another region"
    if block is None or region is None or block.last_op is not op:
        return None
    return _terminator_fault(op, region)


def _terminator_fault(op: Operation, region: Region) -> str | None:
    """Whether `op`, the last of its block, may end it."""
    if op.has_trait(IsTerminator):
        return None
    if region.first_block is not region.last_block:
        return "it ends a block of several and is not a terminator"
    around = region.parent
    if around is None or around.has_trait(NoTerminator):
        return None
    return f"it ends the block of '{_name(around)}' and is not a terminator"


def _block_fault(op: Operation, region: Region, block: Block) -> str | None:
    if block.parent is not region:
        return "a block in its region says that it is in another region"
    for inner in block.ops:
        if inner.parent is not block:
            return "an operation in its region says that it is in another block"
    if block.first_op is not None or region.first_block is not region.last_block:
        return None
    if op.has_trait(NoTerminator):
        return None
    return "its block is empty, where a terminator has to stand"


def _dominance_error(violation: Violation) -> Diagnostic:
    value = violation.value
    name = f" (%{value.name_hint})" if value.name_hint else ""
    message = (
        f"'{_name(violation.op)}': operand #{violation.index}{name} "
        "is not visible here: its definition does not dominate this use"
    )
    return error(message, place_of_op(violation.op), *_definition(value))


def _definition(value: SSAValue) -> tuple[Diagnostic, ...]:
    """A note at the definition of a value, if that has a place."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        place = place_of(value.location)
        owner = value.block.parent_op()
    else:
        place = None
    if place is None and isinstance(owner, Operation):
        place = place_of_op(owner)
    return (note("defined here", place),) if place is not None else ()
