"""Kernels that do the same become one, launched many times.

    kernel.func @f(out %y, in %x) { BODY }         kernel.func @f(out %y, in %x) { BODY }
    kernel.func @g(out %b, in %a) { BODY }   -->
    launch @f(..), launch @g(..)                   launch @f(..), launch @f(..)

The same are kernels that differ in the names of values alone. The first one stays, with the places
in the user's program of all of them. A pipeline for kernels begins with it, so that each is worked
on once, and ends with it, since simpler ones may have become the same.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Operation

from teenyir.analysis.likeness import Likeness
from teenyir.dialects import kernel
from teenyir.dialects.inside import of_kind
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
        launches = of_kind(op, LaunchOp)
        launched = {launch.kernel.string_value() for launch in launches}
        likeness = Likeness()
        first: dict[Hashable, kernel.FuncOp] = {}
        instead: dict[str, str] = {}
        for func in op.body.block.ops:
            if not isinstance(func, kernel.FuncOp) or func.sym_name.data not in launched:
                continue
            kept = first.setdefault(likeness.key(func), func)
            if kept is not func:
                kept.location = fuse_locations((kept.location, func.location))
                instead[func.sym_name.data] = kept.sym_name.data
                func.detach()
                func.erase()
        for launch in launches:
            if (other := instead.get(launch.kernel.string_value())) is not None:
                launch.properties["kernel"] = SymbolRefAttr(other)
        session.count("kernels shared", len(instead))
