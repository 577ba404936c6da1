"""Schedules for GPUs: what blocks, warps and threads have of a kernel, and what they share.

Products of matrices are for matrix instructions (`tensor_cores`) or for tiles of registers
(`thread_tiles`), over panels in shared memory (`panels`); two with a softmax between them are one
pass (`running_products`). Threads share the rows of reductions (`block_reductions`), and what is
left is spread over them (`map_to_grid`).
"""
