"""Operators that sum products."""

from __future__ import annotations

from teenyir.frontend import linear
from teenyir.frontend.einsum import einsum
from teenyir.frontend.elementwise import add, multiply
from teenyir.frontend.movement import matrix_transpose
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.tensor import Tensor


@operator("MatMul")
def matmul(node: Node, a: Tensor, b: Tensor) -> Tensor:
    """The matrix product; axes before the last two broadcast."""
    return linear.matmul(a, b)


@operator("Gemm")
def gemm(node: Node, a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
    """`alpha * a @ b + beta * c`, of matrices that may be transposed."""
    a = matrix_transpose(a) if node.flag("transA") else a
    b = matrix_transpose(b) if node.flag("transB") else b
    found = _scaled(linear.matmul(a, b), node.number("alpha", 1.0))
    return found if c is None else add(found, _scaled(c, node.number("beta", 1.0)))


def _scaled(x: Tensor, by: float) -> Tensor:
    if by == 1.0:
        return x
    return multiply(x, by) if x.dtype.kind == "float" else multiply(x, int(by))


@operator("Einsum")
def einsum_(node: Node, *tensors: Tensor) -> Tensor:
    """Products summed over letters."""
    return einsum(node.text("equation").replace(" ", ""), *tensors)
