"""A program to a run.

Blocks of operations and the sizes of a launch come in; memory is changed. Read `machine.py`
(lanes, basic blocks, the loop over them), `memory.py`, `image.py` (where a program's symbols lie),
`binder.py` (operands to arrays), then what a running CTA keeps: `frame.py`, `calls.py`,
`barriers.py`, `copies.py`, `textures.py`.
"""
