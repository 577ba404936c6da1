"""From the graph to the kernel floor: tensors become buffers, ops become loops that are values.

In comes a module with functions on tensors; out goes a module with one `kernel.func` for each
tensor that is written to memory and a `program.func` that launches them. Read `lower` (the pass),
`partition` (which tensors are written), `elements` (how an element is computed), `scalars` (what
an op does to one element).
"""
