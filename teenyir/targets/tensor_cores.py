"""The matrix instructions of NVIDIA's tensor cores: which shapes and element types, from when on.

An instruction is one of a warp: each of its 32 lanes holds some elements of the factors and of the
sum in its registers. Which ones is the same for all rows of the table, but for the number of
elements that a register of 32 bits holds:

    A, m x k   element r * w + x of a lane:  row  lane / 4 + 8 * (r mod 2)
                                             col  (lane mod 4) * w + x + 4 * w * (r / 2)
    B, k x n   element r * w + x of a lane:  row  (lane mod 4) * w + x + 4 * w * r
                                             col  lane / 4
    C, m x n   element e of a lane:          row  lane / 4 + 8 * (e / 2)
                                             col  (lane mod 4) * 2 + e mod 2

with w elements in a register. Source: PTX ISA 9.0, "Matrix Fragments for mma.m16n8k8" and the
sections that follow it; the table of `mma` there has the shapes and "Target ISA Notes" the targets.
"""

from __future__ import annotations

from dataclasses import dataclass

from teenyir.targets.cuda import WARP


@dataclass(frozen=True)
class Product:
    """One shape of `mma.sync`, for factors of one element type."""

    name: str
    """PTX's name of the factors' elements: `bf16`."""
    factor: str
    """The element type of the factors in the IR: `bf16`."""
    sum: str
    """The element type of the sum: `f32` or `i32`."""
    m: int
    n: int
    k: int
    capability: int
    """From which compute capability on."""
    bits: int
    """Bits of an element of a factor in its register."""
    exact: bool = True
    """Whether the factors are multiplied as they are; those of tf32 are rounded
    to 10 digits behind the point, to the nearest and ties away from zero."""

    @property
    def shape(self) -> str:
        return f"m{self.m}n{self.n}k{self.k}"

    @property
    def packed(self) -> int:
        """Elements of a factor in a register of 32 bits."""
        return 32 // self.bits

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many elements of A, B and C a lane holds."""
        return self.m * self.k // WARP, self.k * self.n // WARP, self.m * self.n // WARP


PRODUCTS: tuple[Product, ...] = (
    Product("f16", "f16", "f32", 16, 8, 8, 75, 16),
    Product("f16", "f16", "f32", 16, 8, 16, 80, 16),
    Product("bf16", "bf16", "f32", 16, 8, 16, 80, 16),
    Product("tf32", "f32", "f32", 16, 8, 8, 80, 32, exact=False),
    Product("s8", "i8", "i32", 16, 8, 32, 80, 8),
    Product("e4m3", "f8E4M3FN", "f32", 16, 8, 32, 89, 8),
    Product("e5m2", "f8E5M2", "f32", 16, 8, 32, 89, 8),
)
"""The instructions that are used, an architecture's own after those that it shares."""


def products(capability: int, *, tf32: bool = False) -> list[Product]:
    """What a capability has, the newest first; those of tf32 only where that is allowed."""
    found = [p for p in PRODUCTS if p.capability <= capability and (p.exact or tf32)]
    return sorted(found, key=lambda product: -product.capability)


def named(shape: str, name: str) -> Product | None:
    """The row of a shape such as `m16n8k16` and an element's name in PTX."""
    return next((p for p in PRODUCTS if (p.shape, p.name) == (shape, name)), None)


# --- where the elements are -----------------------------------------------------------------------


def place_a(product: Product, lane: int, element: int) -> tuple[int, int]:
    """Row and column, in A, of an element of a lane."""
    r, x = divmod(element, product.packed)
    w = product.packed
    return lane // 4 + 8 * (r % 2), lane % 4 * w + x + 4 * w * (r // 2)


def place_b(product: Product, lane: int, element: int) -> tuple[int, int]:
    """Row and column, in B, of an element of a lane."""
    r, x = divmod(element, product.packed)
    w = product.packed
    return lane % 4 * w + x + 4 * w * r, lane // 4


def place_c(product: Product, lane: int, element: int) -> tuple[int, int]:
    """Row and column, in C, of an element of a lane."""
    return lane // 4 + 8 * (element // 2), lane % 4 * 2 + element % 2
