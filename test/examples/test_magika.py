"""Files identified by Magika's published network: what it sees of them, and what it answers."""

import io
import json
import zipfile
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

import teenyir as ty
from examples import wheels
from examples.lines import printable
from examples.magika import identify
from examples.magika.__main__ import main, readable
from teenyir.interpreter import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def config() -> identify.Config:
    return identify.published_config()


def an_archive() -> bytes:
    stream = io.BytesIO()
    file = zipfile.ZipInfo("pyproject.toml", (2026, 1, 1, 0, 0, 0))  # not where and when it is
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(file, (ROOT / file.filename).read_bytes(), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def an_array() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(1000.0))
    return stream.getvalue()


def files() -> dict[str, bytes]:
    """Contents by what they are."""
    return {
        "python": (ROOT / "examples/digits/demo.py").read_bytes(),
        "toml": (ROOT / "pyproject.toml").read_bytes(),
        "makefile": (ROOT / "Makefile").read_bytes(),
        "markdown": (ROOT / "CONTRIBUTING.md").read_bytes(),
        "json": json.dumps({"name": "digits", "sizes": [1, 2, {"of": None}]}, indent=2).encode(),
        "zip": an_archive(),
        "npy": an_array(),
        "onnx": wheels.read(wheels.SILERO, "silero_vad/data/silero_vad_half.onnx"),
        "txt": b"hello\n",
        "empty": b"",
        "unknown": b"\xff\xfe\xfd",
    }


def test_the_network_names_the_type_of_files(config: identify.Config):
    """Its probabilities are those of float64, and onnxruntime's as far as these are right."""
    contents = files()
    network = identify.network()
    program = network.trace()
    compiled = program.lower().compile()
    answers = identify.identify(list(contents.values()), compiled, config)
    assert [answer.label for answer in answers] == list(contents)

    asked = [c for c in contents.values() if identify.without_network(c, config) is None]
    seen = np.stack([identify.features(content, config) for content in asked])
    found = compiled(seen)
    assert found.shape == (len(asked), len(config.labels)) == (8, 214)
    np.testing.assert_allclose(found, in_double(program, seen), rtol=1e-4, atol=5e-6)
    session = onnxruntime.InferenceSession(wheels.read(wheels.MAGIKA, identify.MODEL))
    (expected,) = session.run(None, {"bytes": seen})
    np.testing.assert_allclose(found, expected, atol=2e-4)


def in_double(program: Any, seen: np.ndarray) -> np.ndarray:
    """What the network computes in float64, by the graph floor's interpreter."""
    wide = ty.parse(program.as_text().replace("f32", "f64")).module
    weights = {
        name: array.astype(np.float64) if array.dtype == np.float32 else array
        for name, array in program.parameters.items()
    }
    return run(wide, {**weights, "bytes": seen})[0]


def test_few_bytes_are_filled_up_on_the_inner_side(config: identify.Config):
    seen = identify.features(b" \n ab \t", config)
    assert bytes(seen[:4].tolist()) == b"ab \t" and bytes(seen[-5:].tolist()) == b" \n ab"
    assert set(seen[4:-5]) == {config.padding}


def test_blanks_are_taken_off_within_a_block(config: identify.Config):
    """Beyond the block that is read nothing takes the place of what was taken off."""
    content = b" " * (config.block - 3) + b"abc" + b"d" * config.block + b"\n" * 10
    seen = identify.features(content, config)
    assert bytes(seen[:3].tolist()) == b"abc" and set(seen[3 : config.beginning]) == {256}
    assert bytes(seen[config.beginning :].tolist()) == b"d" * config.end


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 8191, 8192, 8193, 30000])
def test_the_middle_of_a_file_is_not_read(size: int, config: identify.Config, tmp_path: Path):
    content = bytes(np.random.default_rng(size).integers(0, 256, size, np.uint8))
    (tmp_path / "file").write_bytes(content)
    part = identify.content_of(tmp_path / "file", config)
    assert len(part) <= 2 * config.block
    assert np.array_equal(identify.features(part, config), identify.features(content, config))


def test_an_answer_that_is_not_sure_is_text_or_unknown(config: identify.Config):
    def answer(label: str, score: float) -> str:
        row = np.zeros(len(config.labels), np.float32)
        row[config.labels.index(label)] = score
        return identify.understood(row, config).label

    assert answer("markdown", 0.76) == "markdown" and answer("markdown", 0.74) == "txt"
    assert answer("png", 0.51) == "png" and answer("png", 0.49) == "unknown"
    assert answer("randomtxt", 0.99) == "txt" and answer("randombytes", 0.99) == "unknown"


def test_names_that_no_terminal_has_are_escaped(monkeypatch):
    monkeypatch.setattr("sys.stdout", TextIOWrapper(BytesIO(), encoding="ascii"))
    assert printable("a\udcffb \u00e9") == "a\\udcffb \\xe9"
    assert printable("two\nlines \x1b[31m") == "two\\nlines \\x1b[31m"


def test_files_that_cannot_be_read_are_errors(monkeypatch, capsys, tmp_path: Path):
    monkeypatch.setattr("sys.argv", ["magika", str(tmp_path), "no/such/file"])
    assert main() == 1
    assert capsys.readouterr().err.splitlines() == [
        f"error: cannot read '{tmp_path}': Is a directory",
        "error: cannot read 'no/such/file': No such file or directory",
    ]


def test_files_beside_one_that_cannot_be_read_are_identified(
    config: identify.Config, tmp_path: Path
):
    (tmp_path / "two\nlines").write_bytes(b"hello\n")
    found = dict(readable([tmp_path, tmp_path / "two\nlines"], config))
    assert found == {tmp_path / "two\nlines": b"hello\n"}
