"""Compute transcendental functions of f32 by polynomials, instead of calling libm.

    %y = math.exp %x : f32    -->    %n = .. %x * log2(e), rounded to an integer ..
                                     %r = .. %x - %n * ln(2) ..
                                     %y = .. polynomial of %r, times 2^%n ..

The ops have no branches (but for the sine of large angles) and no calls, so that a loop around
them can be vectorised, on any target. `math_formulas` has the formulas and `math_tables` their
numbers. f16 and bf16 are f32 by then: this pass comes after `legalize-floats`. f64 stays with libm,
unless the pipeline says `f64=true`, as for a GPU, which has none (`math_formulas_f64`).
Where all that is asked for is 1 and a function, or 1 less it, as in sigmoids and in GELU, the sum
has a formula of its own, which is less work.
With `fuse=true` products and sums of the formulas for f32 may be fused, where a target has an
instruction for it: none needs a product to be rounded. Those for f64 do. With `scale=instruction`
powers of two are multiplied with by `uop.ldexp`, one instruction of AVX-512, instead of twice.
With `lookup=instruction` erf and tanh of vectors of 16 lanes, and erf of 8, are polynomials whose
coefficients are looked up (`math_formulas_lookup`), by one instruction of AVX-512 or AVX2 each.
With `approximate=true` some start from what a GPU's instructions approximate
(`math_formulas_gpu`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.diagnostics import did_you_mean
from teenyir.dialects.constants import number_on_lanes
from teenyir.dialects.inside import operations
from teenyir.dialects.kernel.combiners import FUSED
from teenyir.dialects.lanes import lanes
from teenyir.dialects.lanewise import NONPOSITIVE, NONPOSITIVE_IF_FINITE
from teenyir.passes.uop.math_formulas import (
    BY_INSTRUCTION,
    FORMULAS,
    ONE_MINUS,
    ONE_PLUS,
    Formula,
    exp_of_nonpositive,
    exp_of_nonpositive_if_finite,
)
from teenyir.passes.uop.math_formulas_f64 import FORMULAS_F64
from teenyir.passes.uop.math_formulas_gpu import formula_of
from teenyir.passes.uop.math_formulas_lookup import FORMULAS_LOOKUP
from teenyir.passes.uop.numbers import Number, is_f32, is_f64
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import LocatedBuilder, locate
from teenyir.rewriting.surgery import erase, replace_uses, users_of
from teenyir.targets import cpu

_FUSING = (arith.AddfOp, arith.SubfOp, arith.MulfOp)

_KNOWN = {kind.name.removeprefix("math."): kind for kind in FORMULAS}


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Compute exp, log, sin and their like without libm."""

    name = "expand-math"
    anchor: ClassVar[str | None] = "uop.func"

    only: tuple[str, ...] = ()
    """The ops to expand, by their names without `math.`; all that there are formulas for if none
    is named."""
    f64: bool = False
    """Whether to expand what is computed in f64 too."""
    fuse: bool = False
    """Whether products and sums of formulas for f32 may be fused."""
    scale: Literal["products", "instruction", "host"] = "products"
    """How powers of two are multiplied with in f32: by two products, by one instruction, or as the
    machine that this runs on does it best."""

    lookup: Literal["never", "instruction", "host"] = "never"
    """Whether formulas for vectors of f32 look coefficients up: where vectors are as long as there
    are instructions for, or as long as that of the machine that this runs on."""

    approximate: bool = False
    """Whether formulas for f32 may take what a GPU approximates."""

    def __post_init__(self) -> None:
        for name in self.only:
            if name not in _KNOWN:
                hint = did_you_mean(name, _KNOWN) or f"; there is {', '.join(_KNOWN)}"
                raise ValueError(f"there is no formula for '{name}'{hint}")

    def run(self, op: Operation, session: Session) -> None:
        wanted = {_KNOWN[name] for name in self.only or _KNOWN}
        found = [op for op in operations(op) if op.__class__ in wanted and self._formula(op)]
        for inner in found:
            whole, formula = self._whole(inner)
            before = whole.prev_op
            locate(whole, inner, whole)
            result = expand(whole, formula, inner.operands)
            if whole is not inner:
                before = inner.prev_op if before is inner else before
                erase(inner)
            if self.fuse and is_f32(result.type):
                _let_fuse(before, result)
            _divide_by(result)
        session.count("expanded", len(found))
        if not found:
            session.preserve_all()

    @property
    def _scales(self) -> bool:
        return self.scale == "instruction" or (self.scale == "host" and cpu.host().scales)

    def _looked_up(self, op: Operation) -> Formula | None:
        type = op.results[0].type
        count = lanes(type) or 0
        if self.lookup == "never" or not is_f32(type):
            return None
        if self.lookup == "host" and count != cpu.host().lookup_lanes:
            return None
        return FORMULAS_LOOKUP.get(count, {}).get(op.__class__)

    def _whole(self, op: Operation) -> tuple[Operation, Formula]:
        """What is expanded in one, an op or its sum with 1, and the formula of it."""
        formula = self._formula(op)
        assert formula is not None  # those without are left out
        if formula in (FORMULAS[op.__class__], BY_INSTRUCTION.get(op.__class__)):
            return _sum_of(op) or (op, formula)
        return op, formula

    def _formula(self, op: Operation) -> Formula | None:
        type = op.results[0].type
        if (found := self._looked_up(op)) is not None:
            return found
        if self.f64 and is_f64(type):
            return FORMULAS_F64[op.__class__]
        if not is_f32(type):
            return None
        if self.approximate:
            return formula_of(op)
        if self._scales and op.__class__ in BY_INSTRUCTION:
            return BY_INSTRUCTION[op.__class__]
        if isinstance(op, math.ExpOp) and NONPOSITIVE in op.attributes:
            return exp_of_nonpositive
        if isinstance(op, math.ExpOp) and NONPOSITIVE_IF_FINITE in op.attributes:
            return exp_of_nonpositive_if_finite
        return FORMULAS[op.__class__]


def _sum_of(op: Operation) -> tuple[Operation, Formula] | None:
    """1 and the result of an op, or 1 less it, where nothing else is asked for, and its formula:

    1 + f(x)  -->  one_plus_f(x),    1 - f(x)  -->  one_minus_f(x)
    """
    users = users_of(op.results[0])
    if len(users) != 1 or users[0].parent is not op.parent:
        return None
    match users[0]:
        case arith.AddfOp(lhs=a, rhs=b) as user if 1 in (number_on_lanes(a), number_on_lanes(b)):
            formula = ONE_PLUS.get(op.__class__)
        case arith.SubfOp(lhs=a) as user if number_on_lanes(a) == 1:
            formula = ONE_MINUS.get(op.__class__)
        case _:
            return None
    return (user, formula) if formula is not None else None


def _divide_by(quotient: SSAValue) -> None:
    """Divide what a formula's quotient is multiplied with, where their numbers cancel:

    (x * 1/2) * (2 / d)  -->  x / d

    as in GELU: rounded once instead of three times.
    """
    users, block = users_of(quotient), quotient.owner.parent
    if len(users) != 1 or not isinstance(product := users[0], arith.MulfOp):
        return
    half_of_x = product.rhs if product.lhs is quotient else product.lhs
    match quotient.owner, half_of_x.owner:
        case arith.DivfOp(lhs=two, rhs=divisor) as division, arith.MulfOp(lhs=x, rhs=half) as other:
            numbers = number_on_lanes(half), number_on_lanes(two)
            if numbers != (0.5, 2) or product.parent is not block:
                return
            build = LocatedBuilder(InsertPoint.before(product)).at(division, product)
            replace_uses(product.result, build.insert(arith.DivfOp(x, divisor)).result)
            erase(product)
            erase(division)
            if not users_of(half_of_x):
                erase(other)
        case _:
            return


def expand(op: Operation, formula: Formula, operands: Sequence[SSAValue]) -> SSAValue:
    """Put the formula of operands in the place of an op; its result."""
    builder = LocatedBuilder(InsertPoint.before(op), op.location)
    result = formula(*(Number(builder, operand) for operand in operands)).value
    (old,) = op.results
    result.name_hint = old.name_hint
    replace_uses(old, result)
    erase(op)
    return result


def _let_fuse(before: Operation | None, result: SSAValue) -> None:
    """Let products and sums after an op of a block be fused, up to the one that gives a result."""
    for op in _written(before, result):
        if op.__class__ in _FUSING:
            op.properties["fastmath"] = FUSED


def _written(before: Operation | None, result: SSAValue) -> Iterator[Operation]:
    """The ops after one of a block, up to the one that gives a result, and those inside them."""
    last = result.owner
    assert isinstance(last, Operation) and last.parent is not None
    new = last.parent.first_op if before is None else before.next_op
    while new is not None:
        yield from operations(new) if new.regions else (new,)
        new = None if new is last else new.next_op
