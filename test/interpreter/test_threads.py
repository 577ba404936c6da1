"""Grids and blocks on the uop floor: ids, shared memory, barriers, in the interpreter."""

import numpy as np
import pytest

from teenyir.diagnostics import RunError
from teenyir.interpreter import run
from teenyir.pipeline.ir import parse_module

PROGRAM = """
uop.func @turn(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..)
    grid [N, 2] block [4, 3] {
  %bx = uop.special grid.x
  %by = uop.special grid.y
  %tx = uop.special thread.x
  %ty = uop.special thread.y
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %row = arith.muli %ty, %c4 : index
  %t = arith.addi %row, %tx : index
  %b2 = arith.muli %bx, %c2 : index
  %b = arith.addi %b2, %by : index
  %start = arith.muli %b, %c12 : index
  %i = arith.addi %start, %t : index
  %s = uop.local [12] : !uop.ptr<f32, shared>
  %v = uop.load %x[%i] : f32
  uop.store %v, %s[%t]
  uop.barrier
  %u = arith.subi %c11, %t : index
  %w = uop.load %s[%u] : f32
  uop.store %w, %y[PLACE]
}
program.func @main(in %x: !kernel.buf<[N, 24] x f32>, out %y: !kernel.buf<[N, 24] x f32>)
    dims(N in 1..) {
  program.launch @turn(%y, %x)
}
"""


@pytest.mark.parametrize("rows", [1, 5, 40_000])
def test_each_block_turns_its_own_elements_round(rows: int) -> None:
    x = np.arange(rows * 24, dtype=np.float32).reshape(rows, 24)
    module = parse_module(PROGRAM.replace("PLACE", "%i"), "turn.mlir")
    (found,) = run(module, [x])
    assert (found.reshape(-1, 12) == x.reshape(-1, 12)[:, ::-1]).all()


def test_two_threads_that_write_one_element_are_a_fault() -> None:
    module = parse_module(PROGRAM.replace("PLACE", "%start"), "turn.mlir")
    with pytest.raises(RunError, match="in several iterations"):
        run(module, [np.zeros((2, 24), np.float32)])
