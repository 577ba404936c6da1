"""Special registers: which thread of which block this is, and of how many."""

from __future__ import annotations

from abc import ABC
from typing import cast

from xdsl.dialects.builtin import I32, i32
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def, traits_def
from xdsl.traits import Pure

REGISTERS = (
    *(f"{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"),
    *("laneid", "warpid", "nwarpid", "warpsize", "smid", "nsmid", "gridid"),
    *("lanemask.eq", "lanemask.le", "lanemask.lt", "lanemask.ge", "lanemask.gt"),
)
"""The registers of 32 bits, by PTX's names (PTX ISA, "Special Registers")."""


class SpecialRegisterOp(IRDLOperation, ABC):
    """Reads a special register: `"nvvm.read.ptx.sreg.tid.x"() : () -> i32`."""

    res = result_def(I32)

    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[i32])


def _register(name: str) -> type[SpecialRegisterOp]:
    words = "".join(word.capitalize() for word in name.split("."))
    fields = {"name": f"nvvm.read.ptx.sreg.{name}", "__module__": __name__}
    made = type(f"{words}Op", (SpecialRegisterOp,), fields)
    return cast("type[SpecialRegisterOp]", irdl_op_definition(made))


SPECIAL_REGISTERS: dict[str, type[SpecialRegisterOp]] = {
    name: _register(name) for name in REGISTERS
}
"""The op of each register, by the register's name."""
