"""Kernels that do the same become one, launched many times.

    kernel.func @f(out %y, in %x) { BODY }         kernel.func @f(out %y, in %x) { BODY }
    kernel.func @g(out %b, in %a) { BODY }   -->
    launch @f(..), launch @g(..)                   launch @f(..), launch @f(..)

The same are kernels whose text is the same but for the names of values. The first one stays, with
the places in the user's program of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation

from teenyir.dialects import kernel
from teenyir.dialects.program import LaunchOp
from teenyir.rewriting.base import Pass, Session
from teenyir.rewriting.locations import fuse_locations


@dataclass(frozen=True)
class ShareKernels(Pass):
    """Let launches of kernels that do the same launch one of them."""

    name = "share-kernels"
    anchor: ClassVar[str | None] = "builtin.module"

    def run(self, op: Operation, session: Session) -> None:
        assert isinstance(op, ModuleOp)
        launches = [inner for inner in op.walk() if isinstance(inner, LaunchOp)]
        launched = {launch.kernel.string_value() for launch in launches}
        alike: dict[object, list[kernel.FuncOp]] = {}
        for func in op.body.block.ops:
            if isinstance(func, kernel.FuncOp) and func.sym_name.data in launched:
                alike.setdefault(_outline(func), []).append(func)
        instead: dict[str, str] = {}
        for funcs in alike.values():
            if len(funcs) > 1:
                instead |= _shared(funcs)
        for launch in launches:
            if (other := instead.get(launch.kernel.string_value())) is not None:
                launch.properties["kernel"] = SymbolRefAttr(other)
        session.count("kernels shared", len(instead))


def _shared(funcs: Sequence[kernel.FuncOp]) -> dict[str, str]:
    """Keep the first of those that are the same; the name of each that went, and what it is now."""
    first: dict[str, kernel.FuncOp] = {}
    instead: dict[str, str] = {}
    for func in funcs:
        kept = first.setdefault(text_of(func), func)
        if kept is not func:
            kept.location = fuse_locations((kept.location, func.location))
            instead[func.sym_name.data] = kept.sym_name.data
            func.detach()
            func.erase()
    return instead


def _outline(func: kernel.FuncOp) -> object:
    """What kernels that do the same have in common, and costs little to compare."""
    return (func.body.block.arg_types, tuple(op.name for op in func.body.block.ops))


def text_of(func: kernel.FuncOp) -> str:
    """A kernel as text, without its name and those of its values."""
    copy = func.clone()
    copy.properties["sym_name"] = StringAttr("")
    for inner in copy.walk():
        values = [*inner.results, *(a for r in inner.regions for b in r.blocks for a in b.args)]
        for value in values:
            value.name_hint = None
    return str(copy)
