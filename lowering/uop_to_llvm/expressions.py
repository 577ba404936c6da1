"""Expressions over named extents on the machine floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import llvm as stock
from xdsl.ir import SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.expr import Atom, Expr
from teenyir.lowering.uop_to_llvm.arithmetic import floordiv
from teenyir.lowering.uop_to_llvm.emitter import Emitter


def expression(emitter: Emitter, expr: Expr, extents: Mapping[str, SSAValue]) -> SSAValue:
    """The value, an `i64`, of an expression over extents whose values are given."""
    total: SSAValue | None = None
    for monomial, coefficient in expr.terms:
        factors = [_atom(emitter, atom, extents) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.append(emitter.constant(coefficient))
        term, *others = factors
        for other in others:
            term = emitter.value(stock.MulOp(term, other))
        total = term if total is None else emitter.value(stock.AddOp(total, term))
    return emitter.constant(0) if total is None else total


def _atom(emitter: Emitter, atom: Atom, extents: Mapping[str, SSAValue]) -> SSAValue:
    if isinstance(atom, str):
        return extents[atom]
    first, *others = (expression(emitter, each, extents) for each in atom.args)
    for other in others:
        first = _ATOMS[atom.kind](emitter, first, other)
    return first


def _modulo(emitter: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    product = emitter.value(stock.MulOp(floordiv(emitter, lhs, rhs), rhs))
    return emitter.value(stock.SubOp(lhs, product))


_ATOMS: dict[str, Callable[[Emitter, SSAValue, SSAValue], SSAValue]] = {
    "floordiv": floordiv,
    "mod": _modulo,
    "min": lambda emitter, lhs, rhs: emitter.value(llvm.SMinOp(lhs, rhs)),
    "max": lambda emitter, lhs, rhs: emitter.value(llvm.SMaxOp(lhs, rhs)),
}
