"""From the uop floor to the machine floor: kernels and their program become `llvm` functions.

In: a module of legalised `uop.func`s and, with its arena planned, a `program.func`.
Out: one `llvm.func` a kernel, and for the program an entry `void main(void **buffers,
int64_t *dims, void *arena)` that calls them in order.

Read `lower` (the pass), `emitter` (what a rule may do), then the tables of rules: `arithmetic`
(arith), `mathematics` (math), `vectors`, `control` (scf and uop), and `entry` (the program).
"""
