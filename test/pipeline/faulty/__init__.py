"""Faulty rewrites, each as a program, what the rewrite finds in it, and what it puts there instead.

They are written from the pages of the floors (`docs/graph.md`, `docs/kernel.md`) and from faults
that compilers have had, by someone who had not read how `--check-each` looks for faults.
`PASSES` has one pass a row, so that `--load-plugin=faulty` takes them.
"""

from faulty.on_graph import GRAPH
from faulty.on_kernel import KERNEL
from faulty.on_numbers import NUMBERS
from faulty.on_program import PROGRAM
from faulty.on_uop import UOP

ALL = (*GRAPH, *KERNEL, *UOP, *PROGRAM, *NUMBERS)

PASSES = [rewrite.as_pass() for rewrite in ALL]
