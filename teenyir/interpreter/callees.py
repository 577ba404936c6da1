"""What a function consists of: itself, and whatever it names, directly or through others."""

from __future__ import annotations

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolTable


def with_callees(function: Operation) -> list[Operation]:
    """A function and those that it names (calls, launches), each once, in the order of the text."""
    found = [function]
    for each in found:  # it grows while it is read
        for op in each.walk():
            for attribute in (*op.properties.values(), *op.attributes.values()):
                if isinstance(attribute, SymbolRefAttr):
                    callee = SymbolTable.lookup_symbol(op, attribute)
                    if callee is not None and callee not in found:
                        found.append(callee)
    return found
