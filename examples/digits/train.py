"""Train the digits network in numpy alone, and write the files that the demonstration reads.

    python -m examples.digits.train            # 1,797 images, about ten seconds on two cores

In: scikit-learn's copy of the UCI digits (the `dev` extra). Out, beside this file:
`split.json` (which image is in which part), `weights.safetensors` (PyTorch's layout and names)
and `heldout.safetensors` (the held-out images and labels, so that the demonstration needs no
scikit-learn). The held-out part takes no part in training and chooses nothing.

The network, in the order of its layers, is that of `model.py`. Each layer here is a pair of
functions: the way forward returns what the way back needs.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]

Floats = NDArray[np.float32]
Weights = dict[str, Floats]

HERE = Path(__file__).parent
SEED = 20
EPOCHS = 60
BATCH = 32
PEAK_RATE = 4e-3
HELD_OUT_SHARE = 0.2


def stratified_split(labels: NDArray[np.int64], seed: int) -> tuple[list[int], list[int]]:
    """Split the positions of `labels` in two, each class in the same share, both sorted."""
    random = np.random.default_rng(seed)
    train: list[int] = []
    held_out: list[int] = []
    for label in np.unique(labels):
        members = random.permutation(np.flatnonzero(labels == label))
        count = round(HELD_OUT_SHARE * len(members))
        held_out += members[:count].tolist()
        train += members[count:].tolist()
    return sorted(train), sorted(held_out)


def initial_weights(random: np.random.Generator) -> Weights:
    """Return He-normal weights and zero biases; the numbers are the layers' in `Sequential`."""
    shapes = {"0": (16, 1, 3, 3), "2": (16, 16, 3, 3), "6": (10, 256)}
    weights: Weights = {}
    for layer, shape in shapes.items():
        deviation = np.sqrt(2 / np.prod(shape[1:]))
        weights[f"{layer}.weight"] = (random.standard_normal(shape) * deviation).astype(np.float32)
        weights[f"{layer}.bias"] = np.zeros(shape[0], np.float32)
    return weights


def patches(x: Floats) -> Floats:
    """Gather the 3x3 neighbourhoods of `x` (n, c, h, w), zero outside, as (n, h, w, c*9)."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


def convolve(x: Floats, weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """Convolve 3x3 with padding 1: (n, c, h, w) to (n, o, h, w), and the patches of `x`."""
    columns = patches(x)
    y = columns @ weight.reshape(len(weight), -1).T + bias
    return y.transpose(0, 3, 1, 2), columns


def convolve_back(dy: Floats, columns: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the gradients of `convolve`'s x, weight and bias.

    That of x is a convolution of dy with the weight turned over in both spatial axes.
    """
    rows = dy.transpose(0, 2, 3, 1).reshape(-1, dy.shape[1])
    d_weight = (rows.T @ columns.reshape(len(rows), -1)).reshape(weight.shape)
    turned = np.ascontiguousarray(weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
    dx, _ = convolve(dy, turned, np.zeros(len(turned), np.float32))
    return dx, d_weight, rows.sum(axis=0)


def pool(x: Floats) -> tuple[Floats, Floats]:
    """Take the maximum of each 2x2 block, and where it came from (shared evenly on a tie)."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))
    winners = (blocks == y[:, :, :, None, :, None]).astype(np.float32)
    return y, winners / winners.sum(axis=(3, 5), keepdims=True)


def forward(w: Weights, x: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Run the network on images (n, 1, 8, 8); return logits (n, 10) and what `backward` needs."""
    y0, columns0 = convolve(x, w["0.weight"], w["0.bias"])
    y1 = np.maximum(y0, 0)
    y2, columns2 = convolve(y1, w["2.weight"], w["2.bias"])
    y3 = np.maximum(y2, 0)
    y4, winners = pool(y3)
    y5 = y4.reshape(len(x), -1)
    logits = y5 @ w["6.weight"].T + w["6.bias"]
    return logits, (columns0, y1, columns2, y3, winners, y5)


def backward(w: Weights, d_logits: Floats, saved: tuple[Floats, ...]) -> Weights:
    """Return the gradient of every weight from that of the logits."""
    columns0, y1, columns2, y3, winners, y5 = saved
    n, channels, h, width = y3.shape
    d_y4 = (d_logits @ w["6.weight"]).reshape(n, channels, h // 2, 1, width // 2, 1)
    d_y2 = (d_y4 * winners).reshape(y3.shape) * (y3 > 0)
    d_y1, d_weight2, d_bias2 = convolve_back(d_y2, columns2, w["2.weight"])
    _, d_weight0, d_bias0 = convolve_back(d_y1 * (y1 > 0), columns0, w["0.weight"])
    return {
        "0.weight": d_weight0,
        "0.bias": d_bias0,
        "2.weight": d_weight2,
        "2.bias": d_bias2,
        "6.weight": d_logits.T @ y5,
        "6.bias": d_logits.sum(axis=0),
    }


def softmax(logits: Floats) -> Floats:
    """Return the probabilities of each row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def batches(
    random: np.random.Generator, images: Floats, labels: NDArray[np.int64]
) -> Iterator[tuple[Floats, Floats]]:
    """Yield shuffled batches, each image moved by up to one pixel; labels as one-hot rows."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (8, 8), axis=(2, 3))
    order = random.permutation(len(images))
    for start in range(0, len(images), BATCH):
        chosen = order[start : start + BATCH]
        down, right = random.integers(0, 3, (2, len(chosen)))
        yield windows[chosen, :, down, right], np.eye(10, dtype=np.float32)[labels[chosen]]


def adam(
    weights: Weights, gradients: Weights, state: dict[str, Weights], step: int, rate: float
) -> None:
    """Move `weights` one step of Adam (Kingma and Ba, 2015), in place; `step` counts from 1."""
    for name, gradient in gradients.items():
        mean, square = state["mean"][name], state["square"][name]
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        mean_now = mean / (1 - 0.9**step)
        square_now = square / (1 - 0.999**step)
        weights[name] -= np.float32(rate) * mean_now / (np.sqrt(square_now) + 1e-8)


def train(images: Floats, labels: NDArray[np.int64], epochs: int, seed: int) -> Weights:
    """Train on images (n, 1, 8, 8) in 0..1; the rate falls from its peak along a cosine."""
    random = np.random.default_rng(seed)
    weights = initial_weights(random)
    state = {
        moment: {name: np.zeros_like(value) for name, value in weights.items()}
        for moment in ("mean", "square")
    }
    steps = epochs * -(-len(images) // BATCH)
    step = 0
    for epoch in range(epochs):
        losses: list[float] = []
        for x, target in batches(random, images, labels):
            rate = PEAK_RATE * (1 + np.cos(np.pi * step / steps)) / 2
            step += 1
            logits, saved = forward(weights, x)
            probability = softmax(logits)
            losses.append(float(-np.log((probability * target).sum(axis=1) + 1e-12).mean()))
            gradients = backward(weights, (probability - target) / np.float32(len(x)), saved)
            adam(weights, gradients, state, step, rate)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3}: loss {np.mean(losses):.4f}")
    return weights


def accuracy(weights: Weights, images: Floats, labels: NDArray[np.int64]) -> float:
    """Return the share of `images` (n, 1, 8, 8) whose largest logit is that of their label."""
    logits, _ = forward(weights, images)
    return float((logits.argmax(axis=1) == labels).mean())


def load_images() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return scikit-learn's images (1797, 1, 8, 8), grey levels 0..16, and their labels."""
    from sklearn.datasets import load_digits  # pyright: ignore[reportMissingTypeStubs]

    digits = cast(Any, load_digits())
    images = np.asarray(digits["images"], np.uint8).reshape(-1, 1, 8, 8)
    return images, np.asarray(digits["target"], np.int64)


def main() -> None:
    """Split, train, report the accuracy on both parts, and write the three files."""
    parser = argparse.ArgumentParser(description="Train the digits network in numpy.")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the three files")
    arguments = parser.parse_args()

    pixels, labels = load_images()
    chosen, held_out = stratified_split(labels, SEED)
    images = pixels.astype(np.float32) / np.float32(16)
    weights = train(images[chosen], labels[chosen], arguments.epochs, SEED)
    print(
        f"trained on {len(chosen)} images: {accuracy(weights, images[chosen], labels[chosen]):.2%}"
    )
    print(f"held out {len(held_out)}: {accuracy(weights, images[held_out], labels[held_out]):.2%}")

    arguments.out.mkdir(parents=True, exist_ok=True)
    parts = {"seed": SEED, "train": chosen, "held_out": held_out}
    (arguments.out / "split.json").write_text(json.dumps(parts) + "\n")
    save_file(weights, arguments.out / "weights.safetensors")
    held_out_part = {"images": pixels[held_out], "labels": labels[held_out].astype(np.uint8)}
    save_file(held_out_part, arguments.out / "heldout.safetensors")


if __name__ == "__main__":
    main()
