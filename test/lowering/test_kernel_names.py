"""Kernels are named after what they compute, in the words of whoever asked for it."""

import re
import subprocess
import sys
from collections.abc import Callable

import pytest

import teenyir as ty

N = ty.Dim("N", min=1, max=64)
ROWS = ty.Spec((N, 50), ty.float32)
IMAGE = ty.Spec((1, 3, 8, 8), ty.float32)
CHANNELS = ty.Spec((4,), ty.float32)
FILTERS = ty.Spec((4, 3, 3, 3), ty.float32)


def names(function: Callable[..., object], *specs: ty.Spec) -> list[str]:
    text = ty.trace(function, *specs).lower(target="cpu").as_text("kernel")
    return re.findall(r"kernel\.func @(\w+)", text)


def convolution(x, w, mean, variance, weight, bias):
    convolved = ty.conv(x, w, padding=1)
    return ty.relu(ty.batch_norm(convolved, mean, variance, weight, bias))


def by_hand(x):
    powers = ty.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


NAMES = {
    "softmax": (ty.softmax, (ROWS,), "softmax_50"),
    "convolution": (convolution, (IMAGE, FILTERS, *[CHANNELS] * 4), "conv3x3_bn_relu"),
    "two reduced axes": (lambda x: x.sum(axis=(2, 3)), (IMAGE,), "sum_8x8"),
    "pooling": (lambda x: ty.max_pool(x, 2), (IMAGE,), "max_pool_2x2"),
    "a named extent is not spelled": (lambda x: x.sum(axis=0) + 1, (ROWS,), "sum_add"),
    "the outermost composite": (lambda x: ty.silu(x), (ROWS,), "silu"),
    "a running sum": (lambda x: ty.cumulative_sum(x, axis=1), (ROWS,), "cumsum"),
    "a composite spelled out": (by_hand, (ROWS,), "softmax_50"),
    "ops that are no composite": (lambda x: ty.exp(x).sum(axis=1) / 2, (ROWS,), "exp_sum_50_mul"),
    "movement alone": (lambda x: x.T, (ROWS,), "permute"),
}


@pytest.mark.parametrize("function, specs, name", NAMES.values(), ids=NAMES)
def test_name(function: Callable[..., object], specs: tuple[ty.Spec, ...], name: str) -> None:
    assert names(function, *specs) == [name]


def test_equal_names_are_told_apart_by_a_suffix() -> None:
    found = names(
        lambda x, y, z: (ty.softmax(x), ty.softmax(y) + 1, ty.softmax(z) * 2), ROWS, ROWS, ROWS
    )
    assert len(set(found)) == len(found) == 3
    assert all("softmax_50" in name for name in found)


def test_names_are_the_same_in_another_process() -> None:
    program = (
        "import teenyir as ty, re\n"
        "text = ty.trace(lambda x: (ty.softmax(x), ty.gelu(x).sum(axis=1)),"
        " ty.Spec((8, 50), ty.float32)).lower(target='cpu').as_text('kernel')\n"
        "print(re.findall(r'kernel.func @(\\w+)', text))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(runs) == 1
