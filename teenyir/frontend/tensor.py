"""The symbolic tensor: what a traced function sees in place of an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, cast

from teenyir.frontend import (
    bits,
    elementwise,
    gathering,
    indexing,
    linear,
    movement,
    reductions,
    scans,
)
from teenyir.frontend.at import At
from teenyir.frontend.core import ArrayLike, Scalar, TensorBase
from teenyir.frontend.dims import Extent
from teenyir.frontend.dtypes import DTypeLike
from teenyir.frontend.errors import fail
from teenyir.frontend.indexing import Index
from teenyir.frontend.reductions import Axes

_BY_UFUNC: dict[str, Callable[..., TensorBase]] = {
    "add": elementwise.add,
    "subtract": elementwise.subtract,
    "multiply": elementwise.multiply,
    "divide": elementwise.divide,
    "floor_divide": elementwise.floor_divide,
    "remainder": elementwise.remainder,
    "power": elementwise.pow,
    "matmul": linear.matmul,
    "bitwise_and": elementwise.bitwise_and,
    "bitwise_or": elementwise.bitwise_or,
    "bitwise_xor": elementwise.bitwise_xor,
    "left_shift": elementwise.bitwise_left_shift,
    "right_shift": elementwise.bitwise_right_shift,
    "equal": elementwise.equal,
    "not_equal": elementwise.not_equal,
    "less": elementwise.less,
    "less_equal": elementwise.less_equal,
    "greater": elementwise.greater,
    "greater_equal": elementwise.greater_equal,
}
"""What numpy's operators become when an array stands on the left of a symbolic tensor."""


class Tensor(TensorBase):
    """A value of the program that is being traced.

    It has the operators and the methods of the array API and of numpy. It has no elements yet:
    what would need one (`bool`, `float`, numpy's functions) is refused.
    """

    __slots__ = ()

    # --- arithmetic ---------------------------------------------------------------------------

    def __add__(self, other: ArrayLike) -> Tensor:
        return elementwise.add(self, other)

    def __radd__(self, other: ArrayLike) -> Tensor:
        return elementwise.add(other, self)

    def __sub__(self, other: ArrayLike) -> Tensor:
        return elementwise.subtract(self, other)

    def __rsub__(self, other: ArrayLike) -> Tensor:
        return elementwise.subtract(other, self)

    def __mul__(self, other: ArrayLike) -> Tensor:
        return elementwise.multiply(self, other)

    def __rmul__(self, other: ArrayLike) -> Tensor:
        return elementwise.multiply(other, self)

    def __truediv__(self, other: ArrayLike) -> Tensor:
        return elementwise.divide(self, other)

    def __rtruediv__(self, other: ArrayLike) -> Tensor:
        return elementwise.divide(other, self)

    def __floordiv__(self, other: ArrayLike) -> Tensor:
        return elementwise.floor_divide(self, other)

    def __rfloordiv__(self, other: ArrayLike) -> Tensor:
        return elementwise.floor_divide(other, self)

    def __mod__(self, other: ArrayLike) -> Tensor:
        return elementwise.remainder(self, other)

    def __rmod__(self, other: ArrayLike) -> Tensor:
        return elementwise.remainder(other, self)

    def __divmod__(self, other: ArrayLike) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __round__(self, digits: int | None = None) -> Tensor:
        if digits is not None:
            fail("round() to digits is not supported; use ty.round, of a scaled tensor perhaps")
        return elementwise.round(self)

    def __trunc__(self) -> Tensor:
        return elementwise.trunc(self)

    def __floor__(self) -> Tensor:
        return elementwise.floor(self)

    def __ceil__(self) -> Tensor:
        return elementwise.ceil(self)

    def __pow__(self, other: ArrayLike) -> Tensor:
        return elementwise.pow(self, other)

    def __rpow__(self, other: ArrayLike) -> Tensor:
        return elementwise.pow(other, self)

    def __matmul__(self, other: ArrayLike) -> Tensor:
        return linear.matmul(self, other)

    def __rmatmul__(self, other: ArrayLike) -> Tensor:
        return linear.matmul(other, self)

    def __neg__(self) -> Tensor:
        return elementwise.negative(self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return elementwise.abs(self)

    def __invert__(self) -> Tensor:
        return elementwise.bitwise_invert(self)

    def __and__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_and(self, other)

    def __rand__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_and(other, self)

    def __or__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_or(self, other)

    def __ror__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_or(other, self)

    def __xor__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_xor(self, other)

    def __rxor__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_xor(other, self)

    def __lshift__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_left_shift(self, other)

    def __rlshift__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_left_shift(other, self)

    def __rshift__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_right_shift(self, other)

    def __rrshift__(self, other: ArrayLike) -> Tensor:
        return elementwise.bitwise_right_shift(other, self)

    def __eq__(self, other: ArrayLike) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return elementwise.equal(self, other)

    def __ne__(self, other: ArrayLike) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return elementwise.not_equal(self, other)

    def __lt__(self, other: ArrayLike) -> Tensor:
        return elementwise.less(self, other)

    def __le__(self, other: ArrayLike) -> Tensor:
        return elementwise.less_equal(self, other)

    def __gt__(self, other: ArrayLike) -> Tensor:
        return elementwise.greater(self, other)

    def __ge__(self, other: ArrayLike) -> Tensor:
        return elementwise.greater_equal(self, other)

    __hash__ = object.__hash__

    # --- shape --------------------------------------------------------------------------------

    @property
    def size(self) -> Extent:
        """The number of elements."""
        total: Extent = 1
        for extent in self.shape:
            total = total * extent
        return total

    @property
    def T(self) -> Tensor:
        """A matrix transposed; for other ranks there are `mT` and `permute_dims`."""
        if self.ndim != 2:
            fail(f".T is for matrices, this has {self.ndim} axes; use .mT or permute_dims")
        return movement.permute_dims(self)

    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged."""
        return movement.matrix_transpose(self)

    def __getitem__(self, key: Index | tuple[Index, ...]) -> Tensor:
        return indexing.index(self, key)

    @property
    def at(self) -> At:
        """`x.at[key].set(v)`, and `add`, `multiply`, `max`, `min`, `get`; see `At`."""
        return At(self)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        fail("a tensor is not written to; x.at[...].set(v) is a new one")

    def __delitem__(self, key: object) -> NoReturn:
        fail("nothing is deleted from a tensor; ty.concat of what is left is a new one")

    def __len__(self) -> int:
        return self._first_extent("len()")

    def __iter__(self) -> Iterator[Tensor]:
        return (self[k] for k in range(self._first_extent("a loop over a tensor")))

    def _first_extent(self, what: str) -> int:
        if not self.ndim:
            fail(f"{what} takes an axis, and this tensor has none")
        extent = self.shape[0]
        if not isinstance(extent, int):
            fail(f"{what} takes a constant extent, this is {extent}; work on whole tensors")
        return extent

    def reshape(self, *shape: Extent | Sequence[Extent]) -> Tensor:
        """See `ty.reshape`; the extents may stand one by one."""
        return movement.reshape(self, _spread(shape))

    def permute_dims(self, *axes: int | Sequence[int]) -> Tensor:
        """See `ty.permute_dims`; the axes may stand one by one."""
        return movement.permute_dims(self, _spread(axes) if axes else None)

    def transpose(self, *axes: int | Sequence[int]) -> Tensor:
        """See `ty.permute_dims`."""
        return self.permute_dims(*axes)

    def flatten(self, start_axis: int = 0, end_axis: int = -1) -> Tensor:
        """See `ty.flatten`."""
        return movement.flatten(self, start_axis, end_axis)

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Tensor:
        """See `ty.squeeze`."""
        return movement.squeeze(self, axis)

    def astype(self, dtype: DTypeLike) -> Tensor:
        """See `ty.astype`."""
        return elementwise.astype(self, dtype)

    def view(self, dtype: DTypeLike) -> Tensor:
        """See `ty.bitcast`."""
        return bits.bitcast(self, dtype)

    def take(self, indices: ArrayLike, axis: int | None = None) -> Tensor:
        """See `ty.take`."""
        return gathering.take(self, indices, axis=axis)

    def cumsum(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
        """See `ty.cumsum`."""
        return scans.cumsum(self, axis, dtype=dtype)

    def cumprod(self, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
        """See `ty.cumprod`."""
        return scans.cumprod(self, axis, dtype=dtype)

    # --- reductions ---------------------------------------------------------------------------

    def sum(
        self, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False
    ) -> Tensor:
        """See `ty.sum`."""
        return reductions.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(
        self, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False
    ) -> Tensor:
        """See `ty.prod`."""
        return reductions.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def max(self, axis: Axes = None, keepdims: bool = False) -> Tensor:
        """See `ty.max`."""
        return reductions.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: Axes = None, keepdims: bool = False) -> Tensor:
        """See `ty.min`."""
        return reductions.min(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Axes = None, keepdims: bool = False) -> Tensor:
        """See `ty.mean`."""
        return reductions.mean(self, axis=axis, keepdims=keepdims)

    def var(self, axis: Axes = None, correction: int | float = 0, keepdims: bool = False) -> Tensor:
        """See `ty.var`."""
        return reductions.var(self, axis=axis, correction=correction, keepdims=keepdims)

    def std(self, axis: Axes = None, correction: int | float = 0, keepdims: bool = False) -> Tensor:
        """See `ty.std`."""
        return reductions.std(self, axis=axis, correction=correction, keepdims=keepdims)

    def all(self, axis: Axes = None, keepdims: bool = False) -> Tensor:
        """See `ty.all`."""
        return reductions.all(self, axis=axis, keepdims=keepdims)

    def any(self, axis: Axes = None, keepdims: bool = False) -> Tensor:
        """See `ty.any`."""
        return reductions.any(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ty.argmax`."""
        return reductions.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Tensor:
        """See `ty.argmin`."""
        return reductions.argmin(self, axis=axis, keepdims=keepdims)

    # --- elements -----------------------------------------------------------------------------

    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Tensor:
        """See `ty.clip`."""
        return elementwise.clip(self, min, max)

    def round(self) -> Tensor:
        """See `ty.round`."""
        return elementwise.round(self)

    # --- what a symbolic tensor cannot do ------------------------------------------------------

    def _refuse(self, what: str, instead: str) -> NoReturn:
        fail(f"{what} needs the elements of a tensor, which has none while it is traced; {instead}")

    def __bool__(self) -> bool:  # noqa: PLE0304
        self._refuse(
            "a branch (`if`, `and`, `in`, bool())", "use ty.where, ty.cond or ty.while_loop"
        )

    def __int__(self) -> int:
        self._refuse("int()", "use x.astype(ty.int64)")

    def __float__(self) -> float:
        self._refuse("float()", "use x.astype(ty.float64)")

    def __complex__(self) -> complex:
        self._refuse("complex()", "complex numbers are not supported")

    def __index__(self) -> int:  # noqa: PLE0305
        self._refuse("an index", "an index is a Python integer or an extent, such as x.shape[0]")

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse(f"the format {spec!r}", "read it from the result of the call")
        return str(self)

    def item(self) -> Scalar:
        """Refused: a symbolic tensor has no elements."""
        self._refuse("item()", "return the tensor, and read it from the result of the call")

    def tolist(self) -> NoReturn:
        """Refused: a symbolic tensor has no elements."""
        self._refuse("tolist()", "return the tensor, and read it from the result of the call")

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, _: object) -> Tensor:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        fail("a tensor of a traced function is not pickled; pickle what ty.trace gives")

    def __array__(self, *_: object, **__: object) -> NoReturn:
        self._refuse("numpy", "use the function of the same name on ty, such as ty.exp")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Tensor:
        """An array on the left of an operator; numpy's functions by name are refused."""
        if "out" in options:
            fail(f"an array is not written to by np.{ufunc.__name__} of a tensor; use a = a + x")
        function = _BY_UFUNC.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            self._refuse(f"np.{ufunc.__name__}", f"use ty.{ufunc.__name__}, if ty has it")
        result = function(*inputs)
        assert isinstance(result, Tensor)
        return result

    def __array_function__(self, func: Any, *_: object) -> NoReturn:
        self._refuse(f"np.{func.__name__}", f"use ty.{func.__name__}, if ty has it")

    def __repr__(self) -> str:
        shape = ", ".join(map(str, self.shape))
        return f"Tensor(({shape}), {self.dtype!r})"


def _spread(values: tuple[Any, ...]) -> Sequence[Any]:
    if len(values) == 1 and isinstance(values[0], tuple | list):
        return cast("Sequence[Any]", values[0])
    return values
