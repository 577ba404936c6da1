"""Random numbers from a counter: Threefry-2x32 with 20 rounds, in integer ops of the graph alone.

A key, a tensor of two uint32, names a stream: element k of what is drawn from it is the cipher of
the counter k under the key (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
So the bits do not depend on the target, nor on the order in which they are computed, and a larger
draw begins with a smaller one. A key is used for one draw; `split` makes more of them.

```python
key = ty.random.key(0)
a, b = ty.random.split(key)
noise = ty.random.normal(a, (4, 3))
```
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr
from teenyir.frontend.arguments import End, checked
from teenyir.frontend.bits import bitcast
from teenyir.frontend.core import (
    ArrayLike,
    as_tensor,
    broadcast_extents,
    cast_to,
    current,
    tensor_type,
)
from teenyir.frontend.creation import asarray
from teenyir.frontend.dims import Shape, as_shape
from teenyir.frontend.dtypes import DTypeLike, as_dtype, integer_range
from teenyir.frontend.elementwise import (
    add,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cos,
    less,
    log,
    maximum,
    multiply,
    negative,
    remainder,
    sqrt,
    subtract,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.movement import concat, move, moveaxis
from teenyir.frontend.reductions import argmax

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


__all__ = [
    "bernoulli",
    "bits",
    "categorical",
    "exponential",
    "fold_in",
    "gumbel",
    "integers",
    "key",
    "normal",
    "split",
    "threefry2x32",
    "uniform",
]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
"""Skein's constant, which keeps a key of zeros from being one."""
_WORD, _LONG = dtypes.UINT32, dtypes.UINT64


def threefry2x32(key: ArrayLike, x0: ArrayLike, x1: ArrayLike, /) -> tuple[Tensor, Tensor]:
    """The cipher of counters of two words under a key: tensors of uint32, [2] and any extents."""
    k0, k1 = _words(key)
    a, b = (cast_to(as_tensor(x, _WORD), _WORD) for x in (x0, x1))
    keys = [k0, k1, bitwise_xor(bitwise_xor(k0, k1), _PARITY)]
    a, b = add(a, keys[0]), add(b, keys[1])
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            a = add(a, b)
            b = bitwise_xor(_rotated(b, turn), a)
        # the key is put in after every fourth round, with the number of the group
        first, second = keys[(group + 1) % 3], keys[(group + 2) % 3]
        a, b = add(a, first), add(b, add(second, group + 1))
    return a, b


def _rotated(x: Tensor, turn: int) -> Tensor:
    return bitwise_or(bitwise_left_shift(x, turn), bitwise_right_shift(x, 32 - turn))


def _words(key: ArrayLike) -> tuple[Tensor, Tensor]:
    tensor = as_tensor(key)
    if tensor.dtype != _WORD or tensor.extents != (Expr.of(2),):
        fail(f"a key is 2 words of uint32, got {tensor!r}; make one with ty.random.key(seed)")
    return tensor[0], tensor[1]


def key(seed: ArrayLike, /) -> Tensor:
    """The key of a seed: an integer, which may be a tensor of rank 0, of up to 64 bits."""
    if isinstance(seed, int):
        return asarray([(seed >> 32) & 0xFFFFFFFF, seed & 0xFFFFFFFF], dtype=_WORD)
    tensor = as_tensor(seed)
    if tensor.dtype.kind not in ("int", "uint") or tensor.ndim:
        fail(f"a seed is one integer, got {tensor!r}")
    wide = cast_to(tensor, _LONG)
    return _joined(_high(wide), cast_to(wide, _WORD))


def _high(x: Tensor) -> Tensor:
    return cast_to(bitwise_right_shift(x, 32), _WORD)


def _joined(first: Tensor, second: Tensor) -> Tensor:
    """Two words, along a new last axis."""
    columns = [move(x, [*x.extents, Expr.of(1)]) for x in (first, second)]
    return concat(columns, axis=-1)


@checked
def split(key: ArrayLike, num: int = 2, /) -> Tensor:
    """`num` keys that are independent of each other and of the one they are made from: [num, 2]."""
    return _joined(*_ciphers(key, current().learn([num])))


def fold_in(key: ArrayLike, data: ArrayLike, /) -> Tensor:
    """The key that belongs to a key and an integer of up to 32 bits, such as a step."""
    number = as_tensor(data, _WORD)
    if number.dtype.kind not in ("int", "uint") or number.ndim:
        fail(f"what is folded into a key is one integer, got {number!r}")
    zero = current().constant(0, _WORD)
    return _joined(*threefry2x32(key, zero, cast_to(number, _WORD)))


def _ciphers(key: ArrayLike, extents: Sequence[Expr]) -> tuple[Tensor, Tensor]:
    """Two words for each element, the ciphers of its number in row-major order."""
    flat = tensor_type(_LONG, [Expr.product(extents)])
    counter = current().emit(graph.IotaOp, flat, 0)
    words = threefry2x32(key, _high(counter), cast_to(counter, _WORD))
    return move(words[0], extents), move(words[1], extents)


def _extents(shape: Shape) -> tuple[Expr, ...]:
    return current().learn(as_shape(shape))


@checked
def bits(key: ArrayLike, shape: Shape = (), /, *, dtype: DTypeLike = "uint32") -> Tensor:
    """Random bits, as unsigned integers."""
    found = as_dtype(dtype)
    if found.kind != "uint":
        fail(f"random bits are unsigned integers, not {found}")
    first, second = _ciphers(key, _extents(shape))
    if found == _LONG:
        return bitwise_or(bitwise_left_shift(cast_to(first, _LONG), 32), cast_to(second, _LONG))
    return cast_to(bitwise_xor(first, second), found)


@checked
def uniform(
    key: ArrayLike,
    shape: Shape = (),
    /,
    *,
    dtype: DTypeLike = "float32",
    low: float = 0.0,
    high: float = 1.0,
) -> Tensor:
    """Floats evenly distributed from `low` to below `high`; float16 and bfloat16 are rounded from
    float32, and may be `high`."""
    found = as_dtype(dtype)
    if found.kind != "float":
        fail(f"uniform gives floats, not {found}; see ty.random.integers")
    wide = found.accumulator
    word = _LONG if wide == dtypes.FLOAT64 else _WORD
    values = _unit(bits(key, shape, dtype=word), wide)
    if (low, high) != (0.0, 1.0):
        # rounding may give `high`, which is not to come out
        values = add(multiply(values, float(high) - float(low)), float(low))
        values = maximum(values, float(low))
    return cast_to(values, found)


_DIGITS = {32: (23, 127), 64: (52, 1023)}
"""Of a width of floats: the bits of the fraction, and the exponent of 1."""


def _unit(words: Tensor, dtype: DType) -> Tensor:
    """Floats from 0 to below 1, from the upper bits of words of their width."""
    digits, exponent = _DIGITS[dtype.bits]
    fraction = bitwise_right_shift(words, dtype.bits - digits)
    from_one = bitcast(bitwise_or(fraction, exponent << digits), dtype)
    return subtract(from_one, 1.0)


@checked
def normal(
    key: ArrayLike,
    shape: Shape = (),
    /,
    *,
    dtype: DTypeLike = "float32",
    mean: float = 0.0,
    std: float = 1.0,
) -> Tensor:
    """Floats of a normal distribution, by Box's and Muller's method.

    The bits behind them are the same everywhere, the numbers but for what `log` and `cos` of a
    target round differently.
    """
    found = as_dtype(dtype)
    if found.kind != "float":
        fail(f"normal gives floats, not {found}")
    wide = found.accumulator
    if wide == dtypes.FLOAT64:
        pair = split(key)
        words = [bits(pair[k], shape, dtype=_LONG) for k in range(2)]
    else:
        words = list(_ciphers(key, _extents(shape)))
    radius, angle = (_unit(word, wide) for word in words)
    length = sqrt(multiply(log(subtract(1.0, radius)), -2.0))
    values = multiply(length, cos(multiply(angle, 2 * math.pi)))
    if std != 1.0:
        values = multiply(values, float(std))
    return cast_to(values if mean == 0.0 else add(values, float(mean)), found)


@checked
def exponential(key: ArrayLike, shape: Shape = (), /, *, dtype: DTypeLike = "float32") -> Tensor:
    """Floats of the exponential distribution with mean 1."""
    found = as_dtype(dtype)
    values = uniform(key, shape, dtype=found.accumulator)
    return cast_to(negative(log(subtract(1.0, values))), found)


@checked
def gumbel(key: ArrayLike, shape: Shape = (), /, *, dtype: DTypeLike = "float32") -> Tensor:
    """Floats of the standard Gumbel distribution."""
    found = as_dtype(dtype)
    wide = exponential(key, shape, dtype=found.accumulator)
    least = 2.0**-24 if found.bits < 64 else 2.0**-53
    return cast_to(negative(log(maximum(wide, least))), found)


@checked
def integers(
    key: ArrayLike,
    low: End,
    high: End,
    shape: Shape = (),
    /,
    *,
    dtype: DTypeLike = "int32",
) -> Tensor:
    """Integers evenly distributed from `low` to below `high`, but for one in 2**32 at most, of
    ranges of up to 32 bits."""
    found = as_dtype(dtype)
    if found.kind not in ("int", "uint"):
        fail(f"integers gives integers, not {found}")
    least, greatest = integer_range(found)
    if not least <= low < high <= greatest + 1:
        fail(f"{low} to below {high} is no range of {found}")
    words = bits(key, shape, dtype=_LONG)
    span = high - low
    if span < 2**64:
        words = remainder(words, span)
    # modulo 2**64, and so modulo the width of the result
    return cast_to(add(words, low % 2**64), found)


@checked
def bernoulli(key: ArrayLike, p: ArrayLike = 0.5, shape: Shape | None = None, /) -> Tensor:
    """Booleans that are true with probability `p`, whose extents they have unless others are
    given."""
    probability = as_tensor(p, dtypes.FLOAT32)
    if probability.dtype.kind != "float":
        fail(f"a probability is a float, got {probability.dtype}")
    extents = probability.shape if shape is None else shape
    return less(uniform(key, extents, dtype=probability.dtype), probability)


@checked
def categorical(
    key: ArrayLike, logits: ArrayLike, shape: Shape | None = None, /, *, axis: int = -1
) -> Tensor:
    """Indices along an axis, int64, each as likely as the softmax of `logits` says.

    `shape`, without that axis, is one that the extents of `logits` without it broadcast to.
    """
    tensor = as_tensor(logits)
    if tensor.dtype.kind != "float" or not tensor.ndim:
        fail(f"logits are floats along an axis, got {tensor!r}")
    values = moveaxis(tensor, axis, -1)
    batch = values.extents[:-1]
    wanted = batch if shape is None else _extents(shape)
    if broadcast_extents(batch, wanted) != wanted:
        fail(f"{graph.as_text(batch)} does not broadcast to {graph.as_text(wanted)}")
    spread = values.trace.broadcast(values, (*wanted, values.extents[-1]))
    noise = gumbel(key, spread.shape, dtype=spread.dtype.accumulator)
    return argmax(add(cast_to(spread, spread.dtype.accumulator), noise), axis=-1)
