"""From the uop floor to the machine floor of NVIDIA's GPUs: `llvm` and `nvvm`.

In comes a module of `uop.func`s and a program that launches them; out go kernels, as `llvm.func`s
that PTX is made of, and the program, which stays with the host and dispatches them. Arithmetic,
loops and gates are those of `uop_to_llvm`; `threads` has what only a GPU has.
"""
