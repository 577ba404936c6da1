"""Schedules of kernels that sum products: tiles, and what is packed, summed or read at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.cpu.block_rows import MOST_VECTORS, BlockRows
from teenyir.passes.kernel.choose.cpu.few_rows import FewRows
from teenyir.passes.kernel.choose.cpu.flat_columns import Flat, flat_columns
from teenyir.passes.kernel.choose.cpu.padded_images import padded_image
from teenyir.passes.kernel.choose.cpu.registers import LATENCY, LOAD_SHARE, PORTS, Tile, tiles
from teenyir.passes.kernel.choose.cpu.staged_products import StagedProducts, find_staged
from teenyir.passes.kernel.choose.cpu.step_blocks import StepBlocks
from teenyir.passes.kernel.choose.cpu.tile_dots import has_few_columns, schedule_dots
from teenyir.passes.kernel.choose.cpu.tile_products import MOST_BYTES, Packed, schedule_products
from teenyir.passes.kernel.choose.cpu.traffic import Caches
from teenyir.passes.kernel.choose.products import Product, find_product, find_products
from teenyir.passes.kernel.schedule.primitive import Primitive
from teenyir.targets import cpu
from teenyir.tuning.candidate import STEPS, Kind, always, lanes_of

LAST_TILES = 6
"""The tiles of the product that is stored, of blocks of rows, that are worth trying: the best."""


def _tile_of(rows: int, vectors: int, lanes: int) -> Tile | None:
    """A tile, if there are registers for it."""
    fits = rows <= (cpu.host().vector_registers - 1 - vectors) // vectors
    return Tile(rows, vectors, lanes) if fits else None


def _sizes(product: Product) -> list[Tile]:
    return list(tiles(lanes_of(product.element_bytes), cpu.host().vector_registers))


TILE: dict[str, Callable[[Product], Iterable[int]]] = {
    "rows": lambda product: dict.fromkeys(tile.rows for tile in _sizes(product)),
    "vectors": lambda product: dict.fromkeys(tile.vectors for tile in _sizes(product)),
    "lanes": lambda product: dict.fromkeys(tile.lanes for tile in _sizes(product)),
}
"""The parameters of a tile."""


# --- rows that are staged between products --------------------------------------------------------


def _last_tiles(staged: StagedProducts) -> Iterable[Tile | None]:
    """The best tiles of the product that is stored, for each size of a block."""
    if staged.last is None:
        return (None,)
    lanes, size = lanes_of(staged.element_bytes), staged.last.size
    best: dict[Tile, None] = {}
    for vectors in range(1, MOST_VECTORS + 1):
        block = vectors * lanes
        # (blocks have no edges, which could not be told from the next block's rows)
        whole = [t for t in tiles(lanes, cpu.host().vector_registers) if block % t.rows == 0]
        ranked = sorted(whole, key=lambda tile: tile.cycles(block, size))
        best |= dict.fromkeys([t for t in ranked if t.lanes == lanes][:LAST_TILES])
    return best


def _block(
    staged: StagedProducts, vectors: int, elements: int, last: Tile | None
) -> list[Primitive]:
    lanes = lanes_of(staged.element_bytes)
    most = (cpu.host().vector_registers - 1 - vectors) // vectors if staged.first else 1
    if elements > most or (last is not None and vectors * lanes % last.rows):
        return []
    return BlockRows().schedule(staged, lanes, vectors, elements=elements, last=last)


def _cycles_of_block(
    staged: StagedProducts, vectors: int, elements: int, last: Tile | None
) -> float:
    lanes = lanes_of(staged.element_bytes)
    block = vectors * lanes
    cycles = sum(Tile(elements, vectors, lanes).cycles(c.size, block) for c in staged.first)
    if last is not None and staged.last is not None:
        cycles += last.cycles(block, staged.last.size)
    return -(-staged.rows // block) * cycles


BLOCK_ROWS = Kind(
    "block-rows",
    find_staged,
    {
        "vectors": always(*range(1, MOST_VECTORS + 1)),
        "elements": lambda staged: range(1, cpu.host().vector_registers),
        "last": _last_tiles,
    },
    _block,
    _cycles_of_block,
)
"""Vectors of rows in a block, elements of a row that are summed at once, and the tile of the stored
product."""


# --- products of matrices -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Products:
    """The products of a kernel, with its columns as they are and, if that may pay, as one range, or
    of an image that is kept."""

    plain: Flat
    flat: Flat | None

    @property
    def first(self) -> Product:
        return self.plain.products[0][0]


def _find_products(func: kernel.FuncOp) -> _Products | None:
    nest = kernel.Nest(func)
    products = find_products(func, nest)
    if not products or products[0].sizes[0] < 2:
        return None
    lanes, registers = lanes_of(products[0].element_bytes), cpu.host().vector_registers
    loads = Caches.of(cpu.host()).loads(products, lanes)
    plain = Flat([], [(each, "flat") for each in products])
    flat = flat_columns(func, nest, products, lanes, registers, loads)
    if flat is None and len(products) == 1:
        flat = padded_image(func, nest, products[0], cpu.host().l2, cpu.usable_threads())
    return _Products(plain, flat)


def _steps(found: _Products) -> Iterator[int]:
    """Numbers of steps that the sums are multiples of; of several ranges the last is not known."""
    products = [product for product, _ in found.plain.products]
    for steps in STEPS:
        if steps == 1 or all(len(p.steps) == 1 and p.sizes[2] % steps == 0 for p in products):
            yield steps


def _tile(
    found: _Products,
    rows: int,
    vectors: int,
    lanes: int,
    packed: Packed,
    rows_outside: bool,
    steps: int,
    is_flat: bool,
) -> list[Primitive]:
    flat, tile = found.flat if is_flat else found.plain, _tile_of(rows, vectors, lanes)
    if (
        tile is None
        or flat is None
        or (packed and not all(_may_pack(each) for each, _ in flat.products))
    ):
        return []
    products: list[tuple[Product, Packed]] = [(each, packed) for each, _ in flat.products]
    return [*flat.steps, *schedule_products(products, tile, rows_outside=rows_outside, steps=steps)]


def _may_pack(product: Product) -> bool:
    _, n, k = product.sizes
    return product.is_bounded and k * n * product.element_bytes <= MOST_BYTES


def _cycles_of_tile(
    found: _Products,
    rows: int,
    vectors: int,
    lanes: int,
    packed: Packed,
    rows_outside: bool,
    steps: int,
    is_flat: bool,
) -> float:
    tile = Tile(rows, vectors, lanes)
    flat = (found.flat if is_flat else None) or found.plain
    images = 1 if is_flat or found.flat is None else found.flat.sizes[1] / found.plain.sizes[1]
    each = (_cycles_of_product(p, tile, packed, rows_outside) for p, _ in flat.products)
    return images * sum(each)


def _cycles_of_product(product: Product, tile: Tile, packed: Packed, rows_outside: bool) -> float:
    """Cycles of the tiles, and of copying or of loading from further away.

    Packed for each tile of rows anew where the rows are outside; not packed, a vector comes from
    beyond the first cache, or element by element where the columns lie across memory.
    """
    m, n, k = product.sizes
    cycles = tile.cycles(m, n) * k
    copied = k * n / (tile.lanes if product.is_along_columns else 1)
    if packed:
        again = -(-m // tile.rows) if packed == "block" and rows_outside else 1
        return cycles + 2 * copied * again
    loads = -(-m // tile.rows) * k * n / tile.lanes
    if not product.is_along_columns:
        return cycles + loads * tile.lanes / PORTS
    far = k * n * product.element_bytes > cpu.host().l1
    return cycles + (loads * LOAD_SHARE if far else 0)


TILES = Kind(
    "tile-products",
    _find_products,
    {
        "rows": lambda found: TILE["rows"](found.first),
        "vectors": lambda found: TILE["vectors"](found.first),
        "lanes": lambda found: TILE["lanes"](found.first),
        "packed": always("", "block", "whole"),
        "rows_outside": always(False, True),
        "steps": _steps,
        "is_flat": always(False, True),
    },
    _tile,
    _cycles_of_tile,
)
"""The register tile; what of the right factor is packed; which loop over tiles is outside; steps of
the sum side by side; and whether columns and the range around them are one, or of a kept image."""


# --- products by blocks of steps ------------------------------------------------------------------

TALL = (64, 128, 256, 512)
"""Rows of a block, up to whole tiles."""

DEEP = (128, 256, 384, 512)
"""Steps of a block."""


def _find_deep(func: kernel.FuncOp) -> Product | None:
    product = find_product(func, kernel.Nest(func))
    if product is None or not product.is_plain or not _may_pack(product):
        return None
    m, _, k = product.sizes
    return product if m >= TALL[0] and k >= DEEP[0] else None


def _by_steps(
    product: Product, rows: int, vectors: int, lanes: int, high: int, deep: int
) -> list[Primitive]:
    tile = _tile_of(rows, vectors, lanes)
    if tile is None or deep > product.sizes[2] or high > product.sizes[0]:
        return []
    return StepBlocks(tile, -(-high // tile.rows) * tile.rows, deep).schedule(product)


def _cycles_by_steps(
    product: Product, rows: int, vectors: int, lanes: int, high: int, deep: int
) -> float:
    """Cycles of the tiles, of copying, and of going on with what is summed so far. What is copied
    has room in the caches, or comes from further away."""
    m, n, k = product.sizes
    size, host = product.element_bytes, cpu.host()
    tile = Tile(rows, vectors, lanes)
    copied = (k * n + m * k) / lanes * 2 + k / deep * m * n / lanes * 2
    far = tile.columns * deep * size > host.l1 // 2 or high * deep * size > host.l2
    return tile.cycles(m, n) * k * (2 if far else 1) + copied


STEP_BLOCKS = Kind(
    "step-blocks",
    _find_deep,
    {**TILE, "high": always(*TALL), "deep": always(*DEEP)},
    _by_steps,
    _cycles_by_steps,
)
"""The tile, and the rows and steps of a block."""


# --- few rows by a large matrix -------------------------------------------------------------------

BLOCKS = (1, 2, 4, 8, 16, 32)
"""Into so many blocks columns may be divided."""

SIDE = (4, 8, 16, 32)
"""Rows of the matrix that are read side by side."""

MOST_ROWS = 64
"""Rows that may be few."""


def _find_few(func: kernel.FuncOp) -> Product | None:
    product = find_product(func, kernel.Nest(func))
    if product is None or not product.is_plain:
        return None
    m, n, k = product.sizes
    is_large = k * n * product.element_bytes > cpu.host().l1
    return product if is_large and 2 <= m <= MOST_ROWS else None


def _few(
    product: Product, rows: int, vectors: int, lanes: int, blocks: int, steps: int
) -> list[Primitive]:
    _, n, k = product.sizes
    block, tile = n // blocks, _tile_of(rows, vectors, lanes)
    if tile is None or n % blocks or block % tile.columns or k % steps:
        return []
    return FewRows(tile, block, steps).schedule(product)


def _cycles_of_few(
    product: Product, rows: int, vectors: int, lanes: int, blocks: int, steps: int
) -> float:
    """Cycles of the tiles, and of going on with what is summed so far."""
    m, n, k = product.sizes
    return Tile(rows, vectors, lanes).cycles(m, n) * k + k / steps * m * n / lanes * 2 / PORTS


FEW_ROWS = Kind(
    "few-rows",
    _find_few,
    {**TILE, "blocks": always(*BLOCKS), "steps": always(*SIDE)},
    _few,
    _cycles_of_few,
)
"""The tile, blocks of columns, and rows of the matrix that are read side by side."""


# --- sums along rows ------------------------------------------------------------------------------


def _find_few_columns(func: kernel.FuncOp) -> Product | None:
    product = find_product(func, kernel.Nest(func))
    if product is None or product.sizes[0] < 2:
        return None
    return product if has_few_columns(product, cpu.host().vector_bits) else None


def _find_dots(func: kernel.FuncOp) -> Product | None:
    product = find_product(func, kernel.Nest(func), columns=False)
    return product if product and product.is_along_rows and product.sizes[2] > 1 else None


def _dots(product: Product, rows: int, vectors: int, lanes: int) -> list[Primitive]:
    tile = _tile_of(rows, vectors, lanes)
    return schedule_dots(product, tile) if tile is not None else []


def _cycles_of_dots(product: Product, rows: int, vectors: int, lanes: int) -> float:
    m, n, k = product.sizes
    tile = Tile(rows, vectors, lanes)
    sums = tile.rows * tile.vectors * n
    loads = tile.rows * tile.vectors + tile.vectors * n
    step = max(sums / PORTS + loads * LOAD_SHARE, loads / PORTS, LATENCY)
    # at the end the lanes of each row are summed
    return -(-m // tile.rows) * (-(-k // tile.columns) * step + tile.rows * n * LATENCY)


FEW_COLUMNS = Kind("few-columns", _find_few_columns, TILE, _dots, _cycles_of_dots)
DOTS = Kind("tile-dots", _find_dots, TILE, _dots, _cycles_of_dots)
"""The rows that are summed at once, and how much of each, of all columns where there are few."""
