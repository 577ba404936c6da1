"""Blocks of networks, each written once, in words that an object has for its library.

Rows are tokens or images; all is f32. `Numpy` is also what results are checked against, on float64.
"""

from __future__ import annotations

import math
from typing import Any

HEAD = 64
"""Features of a head of attention in the encoder."""

CHANNELS = 16, 32
"""Of the small network's two convolutions."""

CLASSES = 10
"""That it tells apart."""

Shapes = tuple[tuple[int, ...], ...]


def conv_shapes(images: int, channels: int, height: int, width: int, filters: int) -> Shapes:
    return (images, channels, height, width), (filters, channels, 3, 3)


def conv(op: Any, x: Any, w: Any) -> Any:
    """A convolution with windows of 3x3 and margins of 1."""
    return op.conv(x, w)


def attention(op: Any, q: Any, k: Any, v: Any) -> Any:
    return op.attention(q, k, v)


def mlp_shapes(rows: int, features: int, hidden: int) -> Shapes:
    return (rows, features), (features, hidden), (hidden,), (hidden, features), (features,)


def mlp(op: Any, x: Any, up: Any, up_bias: Any, down: Any, down_bias: Any) -> Any:
    """A network for each row."""
    return op.gelu(x @ up + up_bias) @ down + down_bias


def encoder_shapes(rows: int, heads: int) -> Shapes:
    features = heads * HEAD
    norm, square = ((features,),) * 2, ((features, features),) * 4
    x, *network = mlp_shapes(rows, features, 4 * features)
    return x, *norm, *square, *norm, *network


def encoder(op: Any, x: Any, *weights: Any) -> Any:
    """Attention and a network for each token, both after a normalization and beside what they add
    to."""
    scale1, shift1, query, key, value, out, scale2, shift2, *network = weights
    rows, features = x.shape

    def heads(y: Any) -> Any:
        return op.swap(y.reshape((rows, features // HEAD, HEAD)))

    y = op.norm(x, scale1, shift1)
    mixed = op.attention(heads(y @ query), heads(y @ key), heads(y @ value))
    x = x + op.swap(mixed).reshape((rows, features)) @ out
    return x + mlp(op, op.norm(x, scale2, shift2), *network)


def cnn_shapes(images: int, channels: int, height: int, width: int) -> Shapes:
    first, second = CHANNELS
    weights = (first, channels, 3, 3), (first, 1, 1), (second, first, 3, 3), (second, 1, 1)
    features = second * (height // 4) * (width // 4)
    return (images, channels, height, width), *weights, (features, CLASSES), (CLASSES,)


def cnn(op: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    """Twice a convolution, relu and the greatest of 2x2, then a product."""
    for w, b in ((w1, b1), (w2, b2)):
        x = op.pool(op.relu(op.conv(x, w) + b))
    return x.reshape((x.shape[0], -1)) @ w3 + b3


# --- words ----------------------------------------------------------------------------------------


class Numpy:
    """numpy's, or those of a library that has the same."""

    def __init__(self, np: Any):
        self.np = np

    @staticmethod
    def swap(x: Any) -> Any:
        return x.swapaxes(0, 1)

    def relu(self, x: Any) -> Any:
        return self.np.maximum(x, 0)

    def softmax(self, x: Any) -> Any:
        e = self.np.exp(x - x.max(-1, keepdims=True))
        e /= e.sum(-1, keepdims=True)
        return e

    def norm(self, x: Any, scale: Any, shift: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        return centred * (1 / self.np.sqrt(variance + 1e-5)) * scale + shift

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self.softmax(q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5) @ v

    def gelu(self, x: Any) -> Any:
        t = self.np.tanh((x * x * 0.044715 + 1) * x * math.sqrt(2 / math.pi))
        return (t + 1) * x * 0.5

    def conv(self, x: Any, w: Any) -> Any:
        n, channels, height, width = x.shape
        padded = self.np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = self.np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(n, channels * 9, height * width)
        return (w.reshape(len(w), -1) @ columns).reshape(n, len(w), height, width)

    def pool(self, x: Any) -> Any:
        height, width = (extent // 2 * 2 for extent in x.shape[-2:])
        rows = self.np.maximum(x[:, :, 0:height:2], x[:, :, 1:height:2])
        return self.np.maximum(rows[..., 0:width:2], rows[..., 1:width:2])


class Teenyir:
    def __init__(self, ty: Any):
        self.ty = ty
        self.attention, self.softmax = ty.scaled_dot_product_attention, ty.softmax
        self.relu = ty.relu

    def swap(self, x: Any) -> Any:
        return self.ty.permute_dims(x, (1, 0, 2))

    def norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return self.ty.layer_norm(x, -1, scale, shift)

    def gelu(self, x: Any) -> Any:
        return self.ty.gelu(x, approximate="tanh")

    def conv(self, x: Any, w: Any) -> Any:
        return self.ty.conv(x, w, padding=1)

    def pool(self, x: Any) -> Any:
        return self.ty.max_pool(x, 2)


class Torch:
    def __init__(self, torch: Any):
        self.of, self.relu = torch.nn.functional, torch.relu

    def swap(self, x: Any) -> Any:
        return x.transpose(0, 1)

    def softmax(self, x: Any) -> Any:
        return self.of.softmax(x, -1)

    def norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return self.of.layer_norm(x, x.shape[-1:], scale, shift)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        """Of a batch of one: with three axes it is not the fused kernel that runs."""
        return self.of.scaled_dot_product_attention(q[None], k[None], v[None])[0]

    def gelu(self, x: Any) -> Any:
        return self.of.gelu(x, approximate="tanh")

    def conv(self, x: Any, w: Any) -> Any:
        return self.of.conv2d(x, w, padding=1)

    def pool(self, x: Any) -> Any:
        return self.of.max_pool2d(x, 2)


class Jax(Numpy):
    def __init__(self, jax: Any):
        super().__init__(jax.numpy)
        self.softmax, self.gelu, self._lax = jax.nn.softmax, jax.nn.gelu, jax.lax

    def conv(self, x: Any, w: Any) -> Any:
        return self._lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))

    def pool(self, x: Any) -> Any:
        window = 1, 1, 2, 2
        return self._lax.reduce_window(x, -self.np.inf, self._lax.max, window, window, "VALID")
