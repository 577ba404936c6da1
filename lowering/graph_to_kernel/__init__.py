"""From the graph to the kernel floor: tensors become buffers, ops become loops that are values.

In comes a module with functions on tensors; out goes a module with one `kernel.func` for each
tensor that is written to memory and a `program.func` that launches them. Read `lower` (the pass),
`launches` (the program and its buffers), `statements` (branches, loops and called kernels), `sort`,
`partition` (which tensors are written; with `requests`, `costs`, `joining`, `views` and
`explain`), `builder` (how an element is asked for), `rules` (how each
op computes one), `scalars` (what an elementwise op does to one).
"""
