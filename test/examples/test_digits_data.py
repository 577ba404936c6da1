"""The digits example's files: the split is a fair one, the held-out images are what they claim."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file

from examples.digits import train

HERE = Path(train.__file__).parent
SPLIT = json.loads((HERE / "split.json").read_text())


@pytest.fixture(scope="module")
def data() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    pytest.importorskip("sklearn")
    return train.load_images()


def test_parts_are_disjoint_and_cover_every_image() -> None:
    parts = SPLIT["train"], SPLIT["held_out"]
    for part in parts:
        assert len(set(part)) == len(part)
    assert not set(parts[0]) & set(parts[1])
    assert sorted(parts[0] + parts[1]) == list(range(1797))


def test_each_digit_gives_the_same_share(data) -> None:
    _, labels = data
    total = np.bincount(labels)
    held_out = np.bincount(labels[SPLIT["held_out"]])
    assert held_out.tolist() == [round(train.HELD_OUT_SHARE * count) for count in total]


def test_split_is_the_seed_s(data) -> None:
    _, labels = data
    assert train.stratified_split(labels, SPLIT["seed"]) == (SPLIT["train"], SPLIT["held_out"])


def test_no_held_out_image_is_a_training_image(data) -> None:
    """Disjoint positions would not help if the same scan stood at two of them."""
    images, _ = data
    training = {images[i].tobytes() for i in SPLIT["train"]}
    assert not [i for i in SPLIT["held_out"] if images[i].tobytes() in training]


def test_held_out_file_is_that_part_of_the_data(data) -> None:
    images, labels = data
    part = load_file(HERE / "heldout.safetensors")
    assert part["images"].dtype == part["labels"].dtype == np.uint8
    assert np.array_equal(part["images"], images[SPLIT["held_out"]])
    assert np.array_equal(part["labels"], labels[SPLIT["held_out"]])


def test_weights_are_float32_by_pytorch_s_names_and_layout() -> None:
    weights = load_file(HERE / "weights.safetensors")
    assert {name: value.shape for name, value in weights.items()} == {
        "0.weight": (16, 1, 3, 3),
        "0.bias": (16,),
        "2.weight": (16, 16, 3, 3),
        "2.bias": (16,),
        "6.weight": (10, 256),
        "6.bias": (10,),
    }
    assert {value.dtype for value in weights.values()} == {np.dtype(np.float32)}


def test_weights_read_the_held_out_images() -> None:
    weights = load_file(HERE / "weights.safetensors")
    part = load_file(HERE / "heldout.safetensors")
    images = part["images"].astype(np.float32) / np.float32(16)
    assert train.accuracy(weights, images, part["labels"].astype(np.int64)) > 0.97


def test_gradients_are_those_of_finite_differences() -> None:
    """In float64, where a step of 1e-6 leaves six digits; the loss is a fixed sum of logits."""
    random = np.random.default_rng(3)
    weights = {
        name: value.astype(np.float64) for name, value in train.initial_weights(random).items()
    }
    x = random.random((2, 1, 8, 8))
    d_logits = random.standard_normal((2, 10))
    _, saved = train.forward(weights, x)
    gradients = train.backward(weights, d_logits, saved)
    for name, weight in weights.items():
        for _ in range(5):
            place = tuple(random.integers(0, weight.shape))
            losses = []
            for step in (1e-6, -1e-6):
                moved = {**weights, name: weight.copy()}
                moved[name][place] += step
                losses.append((train.forward(moved, x)[0] * d_logits).sum())
            slope = (losses[0] - losses[1]) / 2e-6
            assert gradients[name][place] == pytest.approx(slope, rel=1e-4, abs=1e-6), name


@pytest.mark.long
def test_training_reruns(data, tmp_path, monkeypatch) -> None:
    """The script writes its three files, and what it learns is as good as what is kept."""
    monkeypatch.setattr("sys.argv", ["train", "--out", str(tmp_path)])
    train.main()
    assert json.loads((tmp_path / "split.json").read_text()) == SPLIT
    part = load_file(tmp_path / "heldout.safetensors")
    images = part["images"].astype(np.float32) / np.float32(16)
    weights = load_file(tmp_path / "weights.safetensors")
    assert train.accuracy(weights, images, part["labels"].astype(np.int64)) > 0.97
