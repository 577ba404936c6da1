"""Which schedule a kernel gets for a target: decided here by simple rules of thumb.

`tile_products` sums products in register tiles of a CPU (`registers` has their costs), by the
primitives of `passes/kernel/schedule`, and `tile_dots` along several rows at once; `products` says
what such a sum is. `apply_tuned` replays what was found by measuring, which `tuned` keeps.
`map_to_grid` spreads the outermost loops of a kernel over the threads of a GPU.
"""
