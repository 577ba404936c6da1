"""What the ops' inference asks of operands and properties. Each raises VerifyException."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.expr import Expr
from teenyir.dialects.graph.attributes import (
    ANY,
    KIND_WORDS,
    Kinds,
    Tensor,
    as_text,
    dtype_of,
    extents,
)


def check_tensor(type: Attribute) -> Tensor:
    """The type, where it is a tensor of this floor: ranked, known elements, named extents."""
    if not isinstance(type, TensorType):
        raise VerifyException(f"expected a tensor, got {type}")
    found = cast(Tensor, type)
    dtype_of(found.element_type)
    extents(found)
    return found


def check_kind(accepts: Kinds, type: Tensor) -> None:
    """The elements are of an accepted kind, and not for storage where they are computed with."""
    if dtype_of(type.element_type).kind not in accepts:
        raise VerifyException(f"takes {KIND_WORDS[accepts]}, got {type}")
    if accepts != ANY:
        check_computed(type)


def check_computed(type: Tensor) -> None:
    """The elements are of a type that there is arithmetic on."""
    if dtype_of(type.element_type).storage:
        raise VerifyException(f"{type.element_type} is for storage: cast {type} before")


def check_same(lhs: Tensor, rhs: Tensor) -> None:
    """Two operands agree in extents and elements."""
    if lhs != rhs:
        raise VerifyException(f"the operands are to have one type, got {lhs} and {rhs}")


def check_same_element(lhs: Tensor, rhs: Tensor) -> None:
    """Two operands agree in their elements."""
    if lhs.element_type != rhs.element_type:
        raise VerifyException(f"the operands are to have one element type, got {lhs} and {rhs}")


def check_axes(what: str, axes: Sequence[int], type: Tensor) -> None:
    """Each axis is one of the tensor's, and none is there twice."""
    rank = type.get_num_dims()
    for axis in axes:
        if not 0 <= axis < rank:
            raise VerifyException(
                f"{what} {as_text(axes)}: axis {axis} is outside the {rank} axes of {type}"
            )
    if len(set(axes)) != len(axes):
        raise VerifyException(f"{what} {as_text(axes)}: an axis is there twice")


def check_length(what: str, values: Sequence[object], count: int) -> None:
    """A list has one value for each of `count` axes."""
    if len(values) != count:
        raise VerifyException(f"{what} {as_text(values)} is to have {count} values")


def check_minimum(what: str, values: Sequence[int], minimum: int) -> None:
    """No value is less than `minimum`."""
    if any(value < minimum for value in values):
        raise VerifyException(f"{what} {as_text(values)} is to be {minimum} or more")


def check_not_negative(what: str, value: Expr) -> None:
    """A value is not known to be negative."""
    if (constant := value.constant) is not None and constant < 0:
        raise VerifyException(f"{what} is negative: {constant}")


def count_windows(what: str, extent: Expr, size: Expr, stride: int, dilation: int) -> Expr:
    """How many windows of `size` elements, `dilation` apart, start `stride` apart in `extent`."""
    room = extent - (size - 1) * dilation - 1
    if (constant := room.constant) is not None and constant < 0:
        raise VerifyException(
            f"{what}: a window of {size} elements, {dilation} apart, does not fit into {extent}"
        )
    return room // stride + 1
