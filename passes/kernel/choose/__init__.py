"""Which schedule a kernel gets for a target: decided here by simple rules of thumb.

`map_to_grid` spreads the outermost loops of a kernel over the threads of a GPU.
"""
