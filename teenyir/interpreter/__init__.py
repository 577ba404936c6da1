"""What each floor means, on numpy: the oracle of every pass and every target.

Comes in: a module on the graph, kernel or uop floor, and arrays. Goes out: arrays, or a RunError
that says where the program went wrong. Read `program` (running a module), `graph`, `kernel`, `uop`
(a floor each), `scalars` (arith, math and vector on arrays), `arrays` and `functions` (numbers).
"""

from teenyir.interpreter.program import run

__all__ = ["run"]
