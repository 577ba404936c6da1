"""Say how the iterations of a range are run: in threads, as copies in the code, as lanes.

    %j = kernel.range 0 to 16   -->   %j = kernel.range 0 to 16 vector

Legal where the verifier of the kernel floor takes the kernel (its tenth invariant, in `verify`):
copies and lanes need constant bounds, a value depends on one range of kind `vector` at most, and
what runs in several threads is closed by stores alone.

A register tile is made of this: split a range, and have the iterations of a block as copies.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr

from teenyir.dialects import kernel
from teenyir.passes.kernel.schedule.primitive import Primitive, find_range


@dataclass(frozen=True, kw_only=True)
class SetKind(Primitive):
    """Say how the iterations of a range are run."""

    name = "set-kind"

    range: str
    """The range."""
    kind: kernel.CpuKind
    """How its iterations are run."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        range_ = find_range(func, self.range)
        if self.kind == "loop":
            range_.properties.pop("kind", None)
        else:
            range_.properties["kind"] = StringAttr(self.kind)
