"""A program to a run.

A `Program`, addresses of its arguments and the sizes of a launch come in; memory is changed. Read
`machine.py` (lanes, basic blocks, the loop over them), `memory.py`, `binder.py` (operands to
arrays), `image.py` (functions to blocks of bound instructions), then the rest.
"""
