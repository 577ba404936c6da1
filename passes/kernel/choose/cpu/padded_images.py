"""Whether the columns of a product are read from an image that has its edges in it.

    for k:                                  image[q, p, r] = g(q, p, r), for the edges too
      for blocks of i, of j:                for k:
        for q, l, m:                  -->     for blocks of i, of j:
          s += w[i, q, l, m]                    for q, l, m:
               * g(q, k + l, j + m)               s += w[i, q, l, m] * image[q, k + l, j + m]

A convolution asks of its image whether there is an element, for each place in a window and each
block of rows. A panel of the columns (`pack-buffer`) asks once for each place in a window. Kept
(`stage-image`), an element is asked for once, and vectors of columns begin anywhere in its rows.
"""

from __future__ import annotations

from dataclasses import replace

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.dtypes import SCALAR_BYTES
from teenyir.passes.kernel.choose.cpu.flat_columns import Flat
from teenyir.passes.kernel.choose.cpu.kept_images import SHARE, kept_image
from teenyir.passes.kernel.choose.products import Product
from teenyir.passes.kernel.schedule.stage_image import find_axes, find_images


def padded_image(
    func: kernel.FuncOp, nest: kernel.Nest, product: Product, l2: int, threads: int
) -> Flat | None:
    """How to keep an image for the columns of a product; None where there is no edge, or none."""
    if not (product.gated_steps and product.is_along_columns):
        return None
    facts, names = kernel_indices(func).facts, kernel.range_names(func)
    ranges = {name: range_ for range_, name in names.items()}
    around, steps = ([ranges[name] for name in each] for each in (product.around, product.steps))
    column = ranges[product.column_name]
    axes = find_axes([*around, column], steps, nest)
    if not axes or axes[-1].range is not column or any(axis.why_not(facts) for axis in axes):
        return None
    moved, windows = [axis.range for axis in axes], [axis.window for axis in axes]
    over = [step for step in steps if step not in windows]
    others = [range_ for range_ in around if range_ not in moved]
    if find_images(axes, nest) != [product.columns]:
        return None
    if not nest.dependences[product.columns].issuperset([*over, *others]):
        return None  # it would be kept more often than there are images
    size = SCALAR_BYTES[product.columns.type]
    parts = 1 if others else threads
    kept = kept_image(axes, over, names, size, facts, room=l2 // SHARE, parts=parts)
    if kept is None or (len(axes) == 1 and kept.blocks != (product.column_name,)):
        return None
    inner = (*kept.blocks, *(names[range_] for range_ in moved[1:]))[:-1]
    images_outside = (*(names[range_] for range_ in others), *inner)
    return Flat(kept.steps, [(replace(product, around=images_outside), "kept")])
