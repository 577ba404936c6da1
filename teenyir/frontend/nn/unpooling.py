"""Pools at fractional steps, and pools undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from teenyir.frontend import unpooling
from teenyir.frontend.arguments import Margins, Sizes, checked
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import per_axis
from teenyir.frontend.nn.module import Module
from teenyir.frontend.nn.spatial import with_batch
from teenyir.frontend.pooling import known_extent

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


class _MaxUnpool(Module):
    """Elements put back to where a pool with `return_indices` has taken them from, zeros elsewhere.

    The result is as large as the pool's input would be at least, or has the `output_size` of a
    call: its spatial extents, or all.
    """

    RANK: ClassVar[int]

    @checked
    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Margins = 0
    ) -> None:
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.stride = per_axis(kernel_size if stride is None else stride, self.RANK, "stride")
        self.padding = per_axis(padding, self.RANK, "padding")

    def forward(
        self, x: ArrayLike, indices: ArrayLike, output_size: Sequence[int] | None = None
    ) -> Tensor:
        def unpool(tensor: Tensor, places: Tensor) -> Tensor:
            return unpooling.max_unpool(tensor, places, self._extents(tensor, output_size))

        return with_batch(type(self).__name__, self.RANK, unpool, x, indices)

    def _extents(self, x: Tensor, given: Sequence[int] | None) -> Sequence[int]:
        if given is not None:
            return tuple(given)[-self.RANK :]
        places = zip(self.kernel_size, self.stride, self.padding, strict=True)
        return [
            (known_extent(x, 2 + k, 1) - 1) * stride - 2 * pad + size
            for k, (size, stride, pad) in enumerate(places)
        ]


class MaxUnpool1d(_MaxUnpool):
    """`MaxPool1d` of [batch, channels, elements] undone."""

    RANK = 1


class MaxUnpool2d(_MaxUnpool):
    """`MaxPool2d` of [batch, channels, rows, columns] undone."""

    RANK = 2


class MaxUnpool3d(_MaxUnpool):
    """`MaxPool3d` of [batch, channels, planes, rows, columns] undone."""

    RANK = 3


class _FractionalMaxPool(Module):
    """The maxima of windows at fractional steps, for an `output_size` or a ratio of the input's.

    Where the steps begin is random in PyTorch; here the samples are given, [batch, channels, axes].
    """

    RANK: ClassVar[int]

    @checked
    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Sizes | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Array | None = None,
    ) -> None:
        if (output_size is None) == (output_ratio is None):
            fail(f"{type(self).__name__} takes either an output_size or an output_ratio")
        if _random_samples is None:
            fail(f"{type(self).__name__} takes its samples: _random_samples=array")
        self.kernel_size = per_axis(kernel_size, self.RANK, "kernel_size")
        self.output_size, self.output_ratio = output_size, output_ratio
        self.return_indices = return_indices
        self._samples = _random_samples

    def forward(self, x: ArrayLike) -> Any:
        return with_batch(type(self).__name__, self.RANK, self._pool, x)

    def _pool(self, x: Tensor) -> Any:
        sizes = self.output_size
        if sizes is None:
            ratios = self.output_ratio
            each = ratios if isinstance(ratios, tuple) else (ratios,) * self.RANK
            sizes = tuple(int(known_extent(x, 2 + k, 1) * (r or 0)) for k, r in enumerate(each))
        samples = as_tensor(self._samples)
        found = unpooling.fractional_max_pool(x, samples, self.kernel_size, output_size=sizes)
        return found if self.return_indices else found[0]


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maxima of windows at fractional steps of [batch, channels, rows, columns]."""

    RANK = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maxima of windows at fractional steps of [batch, channels, planes, rows, columns]."""

    RANK = 3
