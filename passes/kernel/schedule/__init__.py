"""Schedule primitives: rewrites of one kernel that change how it runs and not what it computes.

Each is a pass on `kernel.func` with the options `kernel`, the name of the one kernel to rewrite,
and those that say which ranges, by their names. A schedule is a list of them, and so a pipeline,
which prints, can be written by hand, and replays:

    kernel.func(split-range{range=i by=12},set-kind{range=ii kind=unroll},order-ranges{order=jo,io})

In comes a kernel, out goes a kernel with the same meaning, or an error that says why not. Read
`primitive` (what all share), then `split_range`, `fuse_ranges`, `order_ranges`, `set_kind`,
`pack_buffer` and `split_reduction`.
"""
