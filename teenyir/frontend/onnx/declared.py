"""What a file declares of a value, against what the value is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from teenyir.diagnostics import InputError
from teenyir.dialects.dtypes import DType
from teenyir.frontend.onnx.nodes import shown
from teenyir.frontend.onnx.tensors import dtype_of
from teenyir.frontend.tensor import Tensor

if TYPE_CHECKING:
    from onnx import ValueInfoProto


def check_declared(
    declared: ValueInfoProto, value: Tensor, counted: Sequence[int], what: str
) -> None:
    """Raise InputError where a value is of another dtype, rank or extent than is declared.

    Extents that are declared with names, or not, or that are known only when the program runs
    (`counted` axes, dims), may be any.
    """
    check_dtype(declared, value.dtype, what)
    if not declared.type.HasField("tensor_type") or not declared.type.tensor_type.HasField("shape"):
        return
    type = declared.type.tensor_type
    wanted = [dim.dim_value if dim.HasField("dim_value") else None for dim in type.shape.dim]
    agrees = len(wanted) == value.ndim and all(
        extent is None or extent == -1 or not isinstance(own, int) or own == extent or k in counted
        for k, (extent, own) in enumerate(zip(wanted, value.shape, strict=True))
    )
    if not agrees:
        listed = ", ".join("?" if extent in (None, -1) else str(extent) for extent in wanted)
        own = ", ".join(map(str, value.shape))
        about = f"{what} '{shown(declared.name)}'"
        raise InputError(f"{about} is declared to have the shape ({listed}), and has ({own})")


def check_dtype(declared: ValueInfoProto, found: DType, what: str) -> None:
    """Raise InputError where a value is of another dtype than is declared."""
    if not declared.type.HasField("tensor_type") or not declared.type.tensor_type.elem_type:
        return
    about = f"{what} '{shown(declared.name)}'"
    if (dtype := dtype_of(declared.type.tensor_type.elem_type, about)) != found:
        raise InputError(f"{about} is declared to be of {dtype}, and is of {found}")
