"""Schedules for CPUs, by the primitives of `passes/kernel/schedule`: vectors, registers, caches and
threads.

Products of matrices have register tiles (`tile_products`; `registers` has their costs, `traffic`
what they fetch), sums along rows several rows at once (`tile_dots`), rows that are read twice
blocks or lanes (`block_rows`, `running_folds`, `lane_rows`), windows a staged image
(`stage_windows`); and what else is left streams (`reduce_streams`, `stream_results`) and threads
(`parallel_ranges`, `share_reductions`).
"""
