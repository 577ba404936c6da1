"""What a value of the uop floor is a multiple of, whatever it is: seen from how it is computed."""

from __future__ import annotations

from math import gcd
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, SSAValue

DEEPEST = 64
"""Ops that are looked through; beyond, a value is known to be a multiple of 1."""


def multiple_of(value: SSAValue, depth: int = 0) -> int:
    """The largest number known to divide an `index` in every run; 0 for one that is always 0."""
    if depth > DEEPEST:
        return 1
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        if isinstance(loop, scf.ForOp) and value is loop.body.block.args[0]:
            return gcd(multiple_of(loop.lb, depth + 1), multiple_of(loop.step, depth + 1))
        return 1
    match op := value.owner:
        case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
            return abs(cast("IntegerAttr[Any]", op.value).value.data)
        case arith.MuliOp():
            return multiple_of(op.lhs, depth + 1) * multiple_of(op.rhs, depth + 1)
        case arith.AddiOp() | arith.SubiOp():
            return gcd(multiple_of(op.lhs, depth + 1), multiple_of(op.rhs, depth + 1))
        case arith.SelectOp():
            # either of them
            return gcd(multiple_of(op.lhs, depth + 1), multiple_of(op.rhs, depth + 1))
        case _:
            return 1
