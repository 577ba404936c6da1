"""Sums of products of arrays: `dot` and `conv` as the graph floor means them.

f16 and bf16 are multiplied and summed in f32 and rounded once; integers wrap in their own type.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from teenyir.dialects.rounding import to_float
from teenyir.interpreter.arrays import Array, DType, is_float

MOST_ELEMENTS = 1 << 23
"""Elements of the unfolded operand of a convolution at a time."""


def accumulated(values: Array) -> Array:
    """Values in the type in which sums of them are formed."""
    narrow = is_float(values.dtype) and values.dtype.itemsize < 4
    return values.astype(np.float32) if narrow else values


def rounded(values: Array, dtype: DType) -> Array:
    """A sum in the type that it is for."""
    return to_float(values, dtype) if is_float(dtype) else values.astype(dtype)


def dot(
    lhs: Array,
    rhs: Array,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]],
) -> Array:
    """Products summed over the contracted axes; axes of the result: batch, lhs free, rhs free."""
    a, left = _as_matrices(lhs, batch[0], contract[0], contract_last=True)
    b, right = _as_matrices(rhs, batch[1], contract[1], contract_last=False)
    shape = [lhs.shape[axis] for axis in batch[0]]
    shape += [lhs.shape[axis] for axis in left] + [rhs.shape[axis] for axis in right]
    return rounded(np.matmul(a, b), lhs.dtype).reshape(shape)


def _as_matrices(
    values: Array, batch: Sequence[int], contract: Sequence[int], contract_last: bool
) -> tuple[Array, list[int]]:
    """[batch, free, contracted] or [batch, contracted, free], and the free axes."""
    free = [axis for axis in range(values.ndim) if axis not in batch and axis not in contract]
    groups = (batch, free, contract) if contract_last else (batch, contract, free)
    order = [axis for group in groups for axis in group]
    shape = [math.prod(values.shape[axis] for axis in group) for group in groups]
    return accumulated(values).transpose(order).reshape(shape), free


def conv(
    x: Array,
    w: Array,
    stride: Sequence[int],
    pad: Sequence[tuple[int, int]],
    dilation: Sequence[int],
    groups: int,
) -> Array:
    """Cross-correlation of [batch, channels, spatial...] and [outputs, channels / groups, ...]."""
    padded = np.pad(accumulated(x), [(0, 0), (0, 0), *pad])
    axes = range(2, x.ndim)
    unfolded = windows(padded, axes, w.shape[2:], stride, dilation)
    spatial = unfolded.shape[2 : x.ndim]
    # [groups, outputs, channels * kernel]
    kernels = accumulated(w).reshape(groups, w.shape[0] // groups, -1)
    result = np.empty((x.shape[0], w.shape[0], *spatial), kernels.dtype)
    each = math.prod((*spatial, x.shape[1], *w.shape[2:]))
    step = max(1, MOST_ELEMENTS // max(each, 1))
    for start in range(0, x.shape[0], step):
        part = unfolded[start : start + step]
        # [batch, groups, channels * kernel, spatial]
        columns = part.reshape(part.shape[0], groups, w.shape[1], *part.shape[2:])
        kernel_axes = range(columns.ndim - len(axes), columns.ndim)
        columns = columns.transpose(0, 1, 2, *kernel_axes, *range(3, 3 + len(axes)))
        columns = columns.reshape(part.shape[0], groups, kernels.shape[2], math.prod(spatial))
        sums = np.matmul(kernels, columns)
        result[start : start + step] = sums.reshape(part.shape[0], w.shape[0], *spatial)
    return rounded(result, x.dtype)


def spread(x: Array, dilation: Sequence[int]) -> Array:
    """`x` with its spatial elements that far apart, zeros between them."""
    if all(step == 1 for step in dilation):
        return x
    pairs = zip(x.shape[2:], dilation, strict=True)
    result = np.zeros((*x.shape[:2], *(max(0, (n - 1) * step + 1) for n, step in pairs)), x.dtype)
    result[(slice(None), slice(None), *(slice(None, None, step) for step in dilation))] = x
    return result


def windows(
    x: Array,
    axes: Sequence[int],
    size: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> Array:
    """A view of all windows: each axis counts windows, trailing axes hold the elements of one."""
    # of what ml_dtypes calls a float, numpy's strides know no name
    dtype, x = x.dtype, x.view(f"u{x.itemsize}")
    for axis, n, step, spread in zip(axes, size, stride, dilation, strict=True):
        width = (n - 1) * spread + 1
        if width > x.shape[axis]:
            x = np.empty((*x.shape[:axis], 0, *x.shape[axis + 1 :], n), x.dtype)
            continue
        # numpy's function makes a dtype anew, and cannot make those of ml_dtypes: it gets bits
        bits = x.view(f"u{x.itemsize}")
        wide = sliding_window_view(bits, width, axis).view(x.dtype)
        steps = [slice(None)] * wide.ndim
        steps[axis], steps[-1] = slice(None, None, step), slice(None, None, spread)
        x = wide[tuple(steps)]
    return x.view(dtype)
