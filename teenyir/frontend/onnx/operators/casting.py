"""Conversions between dtypes as ONNX has them."""

from __future__ import annotations

from teenyir.dialects.dtypes import DType
from teenyir.frontend.elementwise import astype
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.tensor import Tensor


def converted(node: Node, x: Tensor, dtype: DType) -> Tensor:
    """`x` in another dtype."""
    return astype(x, dtype)
