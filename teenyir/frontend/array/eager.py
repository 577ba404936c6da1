"""The array, and how a function of symbolic tensors becomes one of arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from inspect import Parameter, signature
from types import ModuleType
from typing import Any, NoReturn, TypeAlias, cast

import numpy as np

from teenyir.dialects import dtypes
from teenyir.dialects.dtypes import DType
from teenyir.frontend import at, indexing
from teenyir.frontend.core import Scalar
from teenyir.frontend.dtypes import as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import nonzero as bounded_nonzero
from teenyir.frontend.movement import matrix_transpose
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.tracing import trace
from teenyir.interpreter import run

NumpyArray: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

DEVICE = "cpu"
"""The one device there is."""


class Array:
    """Elements of one dtype, in the memory of this process.

    It is made by the functions of the namespace, has the operators of `ty`'s symbolic tensors, and
    is not changed but by `x[key] = value`.
    """

    __slots__ = ("_values",)
    __array_priority__ = 1000

    def __init__(self, values: NumpyArray) -> None:
        self._values = values

    @property
    def values(self) -> NumpyArray:
        """The elements as a numpy array, which is not to be written to."""
        return self._values

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return as_dtype(self._values.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self._values.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._values.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._values.size

    @property
    def device(self) -> str:
        """Where the elements are: "cpu"."""
        return DEVICE

    @property
    def T(self) -> Array:
        """A matrix transposed."""
        return called(_transposed, self)

    @property
    def mT(self) -> Array:
        """The last two axes exchanged."""
        return called(matrix_transpose, self)

    def to_device(self, device: object, /, *, stream: object = None) -> Array:
        """The array itself: there is one device."""
        check_device(device)
        return self

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        from teenyir.frontend import array

        return array

    # --- leaving the library ------------------------------------------------------------------

    def _only(self, what: str, kinds: tuple[str, ...] = ("bool", "int", "uint", "float")) -> Any:
        if self.ndim:
            raise TypeError(f"{what} takes an array of rank 0, this has the extents {self.shape}")
        if self.dtype.kind not in kinds:
            raise TypeError(f"{what} does not take {self.dtype}")
        return self._values[()]

    def __bool__(self) -> bool:
        return bool(self._only("bool()"))

    def __int__(self) -> int:
        return int(self._only("int()"))

    def __float__(self) -> float:
        return float(self._only("float()"))

    def __complex__(self) -> complex:
        return complex(float(self._only("complex()")))

    def __index__(self) -> int:
        return int(self._only("an index", ("int", "uint")))

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumpyArray:
        return np.array(self._values, dtype=dtype, copy=copy)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        values: Any = self._values
        options = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
        return values.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return self._values.__dlpack_device__()

    def __repr__(self) -> str:
        text = np.array2string(self._values, separator=", ", prefix="Array(")
        return f"Array({text}, dtype={self.dtype})"

    # --- elements -----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Array:
        if (mask := _mask_of(key)) is not None:
            return _masked(self, mask)
        return called(indexing.index, self, _key(key))

    def __setitem__(self, key: Any, value: Array | Scalar) -> None:
        if (mask := _mask_of(key)) is not None:
            written = called(_filled, self, mask, value)
        else:
            written = called(_put, self, _key(key), value)
        self._values = written.values

    __hash__ = None  # pyright: ignore[reportAssignmentType]


_BOTH = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
"""Operators that exist from the right and in place, too."""
_OTHERS = ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert")


def _operators() -> None:
    """Give arrays the operators of symbolic tensors."""
    names = [f"__{name}__" for name in [*_BOTH, *(f"r{name}" for name in _BOTH), *_OTHERS]]
    for name in names:
        setattr(Array, name, _operator(name))
    for name in _BOTH:
        setattr(Array, f"__i{name}__", _in_place(f"__{name}__"))


def _operator(name: str) -> Callable[..., Any]:
    method = getattr(Tensor, name)

    def apply(self: Array, *others: Any) -> Any:
        if any(not isinstance(other, Array | bool | int | float) for other in others):
            return NotImplemented
        return called(method, self, *others)

    apply.__name__ = name
    return apply


def _in_place(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(operator, name)

    def apply(self: Array, other: Any) -> Any:
        result: Array = function(self, other)
        if (result.shape, result.dtype) != (self.shape, self.dtype):
            fail(f"{self.dtype}{self.shape} does not hold {result.dtype}{result.shape}")
        self._values = result.values  # pyright: ignore[reportPrivateUsage]
        return self

    return apply


# --- keys -----------------------------------------------------------------------------------------


def _key(key: Any) -> Any:
    """A key whose arrays of rank 0 are integers, which are checked."""
    if isinstance(key, tuple):
        return tuple(map(_key, cast("tuple[Any, ...]", key)))
    if isinstance(key, slice):
        part = cast(Any, key)
        return slice(*map(_key, (part.start, part.stop, part.step)))
    is_integer = isinstance(key, Array) and not key.ndim and key.dtype.kind in ("int", "uint")
    return int(key) if is_integer else key


def _mask_of(key: Any) -> Array | None:
    if isinstance(key, bool):
        return Array(np.asarray(key))
    if isinstance(key, Array) and key.dtype == dtypes.BOOL:
        return key
    return None


def _masked(x: Array, mask: Array) -> Array:
    """The elements where a mask holds: as many as there are, which is known here."""
    if mask.shape != x.shape[: mask.ndim]:
        _refuse_mask(x, mask)
    rest = x.shape[mask.ndim :]

    def pick(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        flat = mask.reshape((mask.size,))
        (places,), count = bounded_nonzero(flat)
        return x.reshape((mask.size, *rest)).take(places, axis=0), count

    picked, count = called(pick, x, mask)
    return picked[: int(count)]


def _transposed(x: Tensor) -> Tensor:
    return x.T


def _put(x: Tensor, key: Any, value: Any) -> Tensor:
    return at.Place(x, key).set(value)


def _filled(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    from teenyir.frontend.elementwise import where

    wide = mask.reshape((*mask.shape, *[1] * (x.ndim - mask.ndim)))
    return where(wide, value, x)


def _refuse_mask(x: Array, mask: Array) -> NoReturn:
    raise IndexError(f"a mask of {mask.shape} does not suit the extents {x.shape}")


def check_device(device: object) -> None:
    """Raises ValueError for any device but the one there is."""
    if device not in (None, DEVICE):
        raise ValueError(f"the only device is {DEVICE!r}, not {device!r}")


# --- calls ----------------------------------------------------------------------------------------


def called(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a function of symbolic tensors gives for arrays: it is traced, and the graph is run."""
    arrays: list[NumpyArray] = []
    _map((args, named), Array, lambda array: arrays.append(array.values))

    def body(*tensors: Tensor) -> Any:
        waiting = iter(tensors)
        given, options = _map((args, named), Array, lambda _: next(waiting))
        return function(*given, **options)

    program = trace(body, *arrays)
    inputs = dict(zip(program.input_names, arrays, strict=True)) | program.parameters
    results = run(program.module, inputs)
    # constants of a program are read-only
    return program.outputs.build([Array(np.require(r, requirements="W")) for r in results])


def _map(nest: Any, kind: type, function: Callable[[Any], Any]) -> Any:
    """A nest of tuples, lists and dicts with what is of a kind replaced."""
    if isinstance(nest, kind):
        return function(nest)
    if isinstance(nest, tuple | list):
        items = [_map(item, kind, function) for item in nest]  # pyright: ignore
        return tuple(items) if isinstance(nest, tuple) else items
    if isinstance(nest, dict):
        return {key: _map(item, kind, function) for key, item in nest.items()}  # pyright: ignore
    return nest


OPTIONS = {
    "device": Parameter("device", Parameter.KEYWORD_ONLY, default=None),
    "copy": Parameter("copy", Parameter.KEYWORD_ONLY, default=None),
}
"""What functions of arrays take and symbolic tensors have no use for."""


def eager(function: Callable[..., Any], options: Sequence[str] = ()) -> Callable[..., Any]:
    """A function of arrays made from one of symbolic tensors, with some of `OPTIONS` added.

    Results are new arrays, whatever `copy` says.
    """

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        for option in options:
            value = named.pop(option, None)
            if option == "device":
                check_device(value)
        return called(function, *args, **named)

    known = signature(function)
    parameters = [*known.parameters.values(), *(OPTIONS[option] for option in options)]
    call.__signature__ = known.replace(parameters=parameters)  # pyright: ignore
    return call


_operators()
