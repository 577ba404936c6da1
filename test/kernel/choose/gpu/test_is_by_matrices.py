"""What is told of a kernel before the pass for matrix instructions runs is what the pass does."""

import pytest

from teenyir.dialects import kernel
from teenyir.passes.kernel.choose.gpu.tensor_cores import is_by_matrices
from teenyir.pipeline.ir import parse_module

PRODUCTS = """
kernel.func @f(out %y: !kernel.buf<[32, 32] x f32>, in %a: !kernel.buf<[32, 64] x f16>,
               in %b: !kernel.buf<[64, 32] x f16>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 32
  %k = kernel.range 0 to 64
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.extf %0 : f16 to f32
  %3 = arith.extf %1 : f16 to f32
  %4 = arith.mulf %2, %3 : f32
  %5 = kernel.reduce %4 over(%k) {kind = "KIND"}
  kernel.store %5, %y[%i, %j]
}
"""


@pytest.mark.parametrize(("kind", "holds"), [("add", True), ("max", False), ("mul", False)])
def test_only_sums_of_products_are(kind: str, holds: bool) -> None:
    module = parse_module(PRODUCTS.replace("KIND", kind), "products")
    (func,) = module.body.block.ops
    assert isinstance(func, kernel.FuncOp)
    assert is_by_matrices(func, "sm_80", tf32=False) is holds
