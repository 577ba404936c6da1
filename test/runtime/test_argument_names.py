"""Arguments that the text of a program calls alike are told apart."""

import numpy as np
import pytest

from teenyir.analysis.signature import find_signature
from teenyir.pipeline.ir import parse_module
from teenyir.runtime.lowered import lower

GRAPH = """
func.func @main(
    %t: tensor<2xf32>, %t_1: tensor<3xf32>, %u: tensor<3xf32> {graph.name = "t_1"}
) -> tensor<3xf32> {
  %0 = graph.sub %t_1, %u : tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
"""
KERNEL = """
kernel.func @copy(
    out %y: !kernel.buf<[3] x f32>, in %t: !kernel.buf<[2] x f32>, in %t_1: !kernel.buf<[3] x f32>
) {
  %i = kernel.range 0 to 3
  %v = kernel.load %t_1[%i]
  kernel.store %v, %y[%i]
}
"""


def test_no_two_arguments_have_a_name():
    names = [[a.name for a in find_signature(parse_module(t)).inputs] for t in (GRAPH, KERNEL)]
    assert names == [["t", "t_2", "t_1"], ["t", "t_1"]]


@pytest.mark.parametrize("target", ["cpu", "interpret"])
def test_arguments_called_alike_are_bound_by_place(target):
    t, t_1, u = np.ones(2, "f4"), np.arange(3, dtype="f4"), np.full(3, 2, "f4")
    call = lower(parse_module(GRAPH), target).compile()
    np.testing.assert_array_equal(call(t, t_1, u), t_1 - u)
