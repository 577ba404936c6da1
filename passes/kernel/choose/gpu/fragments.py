"""What a warp takes of panels for its matrix instructions, and where in a tile its sums are.

The layouts are those of `teenyir.targets.tensor_cores`. Names stand for ranges: `thread` for the
threads of a block, `p`, `q` and `r` for the elements of the first factor, of the second one and of
the sum that a lane holds, `w` for two instructions side by side, whose second factor is loaded at
once.
"""

from __future__ import annotations

from teenyir.dialects.expr import ZERO, Expr
from teenyir.passes.kernel.choose.gpu.panels import Fragment, Panel
from teenyir.targets.cuda import WARP
from teenyir.targets.tensor_cores import Product

LANE = Expr.of("thread") % WARP


def fragment_of_a(product: Product, panel: Panel, high: Expr, along: Expr) -> Fragment:
    """A first factor, from a row and a place along the sum on."""
    w, e = product.packed, Expr.of("p")
    register, registers = e // w, product.counts[0] // w
    return Fragment(
        panel,
        (high, along),
        place=(
            high + LANE // 4 + register % 2 * 8,
            along + LANE % 4 * w + e % w + register // 2 * (4 * w),
        ),
        # matrices of 8 rows: the lower half of the rows comes second, then what is further on
        halves=(LANE // 8 % 2, LANE // 16 % (registers // 2)),
        opened=("p",),
    )


def fragment_of_b(product: Product, panel: Panel, wide: Expr, along: Expr, paired: int) -> Fragment:
    """The second factors of `paired` instructions, from a column and a place along the sum on."""
    w, e = product.packed, Expr.of("q")
    registers = product.counts[1] // w
    if panel.is_of_pairs:
        behind = LANE // 8 % (2 * registers)
        return Fragment(panel, (wide, along), (wide, along), (ZERO, behind), opened=("q", "w"))
    return Fragment(
        panel,
        (wide, along),
        place=(
            wide + Expr.of("w") * product.n + LANE // 4,
            along + LANE % 4 * w + e % w + e // w * (4 * w),
        ),
        halves=(LANE // (8 * registers) % paired, LANE // 8 % registers),
        opened=("w", "q"),
    )


def place_of_sum(
    product: Product, high: Expr, wide: Expr, *, pairs: bool = False
) -> tuple[Expr, Expr]:
    """The row and the column of an element of the sum, of instructions from a place on. Of `pairs`
    of columns each of two instructions has one."""
    element, beside = Expr.of("r"), Expr.of("w")
    column = LANE % 4 * 2 + element % 2
    return (
        high + (LANE // 4 + element // 2 * 8),
        wide + (column * 2 + beside if pairs else beside * product.n + column),
    )
