"""FLOPs and bytes as expressions over the extents."""

import pytest

from teenyir.analysis.cost import kernel_flops, launch_costs
from teenyir.dialects import uop
from teenyir.pipeline.ir import parse_module

LOOP = """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %half = arith.ceildivsi %n, %four : index
  scf.for %i = {bounds} {{
    {body}
  }}
}}
"""
SCALAR = """
    %a = uop.load %x[%i] : f32
    %b = math.exp %a : f32
    %c = math.fma %a, %b, %a : f32
    %d = arith.addi %i, %one : index
    uop.store %c, %y[%i]
"""
VECTOR = """
    %a = uop.load %x[%i] : vector<8xf32>
    %b = arith.addf %a, %a : vector<8xf32>
    uop.store %b, %y[%i]
"""
DATA = """
    %k = arith.constant 0.0 : f32
    %j = arith.fptosi %k : f32 to i32
    %m = arith.index_cast %j : i32 to index
    scf.for %l = %zero to %m step %one {
      %a = uop.load %x[%l] : f32
      %b = arith.addf %a, %a : f32
      uop.store %b, %y[%l]
    }
"""


@pytest.mark.parametrize(
    ("bounds", "body", "flops"),
    [
        ("%zero to %n step %one", SCALAR, "N * 3"),
        ("%zero to %n step %four", SCALAR, "(N + 3) floordiv 4 * 3"),
        ("%one to %half step %one", SCALAR, "(N + 3) floordiv 4 * 3 - 3"),
        ("%zero to %four step %one", VECTOR, "32"),
        ("%zero to %n step %one", DATA, "None"),
    ],
)
def test_flops(bounds: str, body: str, flops: str) -> None:
    module = parse_module(LOOP.format(bounds=bounds, body=body), "loop.mlir")
    (func,) = (op for op in module.body.ops if isinstance(op, uop.FuncOp))
    assert str(kernel_flops(func)) == flops


def test_bytes_are_those_of_the_buffers_of_each_launch() -> None:
    module = parse_module(
        """
uop.func @copy(out %y: !uop.ptr<i1>, in %x: !uop.ptr<i1>) {
}
uop.func @wide(out %y: !uop.ptr<f64>, in %x: !uop.ptr<i1>) {
}
program.func @main(in %x: !kernel.buf<[N, 3] x i1>, out %y: !kernel.buf<[2] x f64>) dims(N in 1..) {
  %t = program.alloc : !kernel.buf<[N, 3] x i1>
  program.launch @copy(%t, %x)
  program.launch @wide(%y, %t)
}
""",
        "bytes.mlir",
    )
    costs = launch_costs(module)
    assert [cost.kernel for cost in costs] == ["copy", "wide"]
    assert [str(cost.bytes) for cost in costs] == ["N * 6", "N * 3 + 16"]
    assert [str(cost.flops) for cost in costs] == ["0", "0"]
