"""From the kernel to the uop floor: the loop tree that a DAG of ranges stands for is written out.

In comes a `kernel.func`, out goes a `uop.func` of the same name, over the same buffers as flat
memory and the named extents as arguments. Read `lower` (loops, registers, memory), then `indices`
(index expressions).
"""
