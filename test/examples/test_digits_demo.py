"""The demonstration: it ends with the accuracy, fits the page, and says when floors disagree."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from examples.digits import demo, paint
from teenyir.pipeline.registry import PIPELINES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def shown() -> list[str]:
    """The lines that the demonstration prints where there is no terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "examples.digits.demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_last_line_is_the_accuracy(shown: list[str]) -> None:
    last = re.fullmatch(r"accuracy: (\d\d\.\d) %", shown[-1])
    assert last
    assert float(last[1]) > 96


def test_fits_the_page(shown: list[str]) -> None:
    assert max(map(len, shown)) <= paint.WIDTH


def test_no_colour_without_a_terminal(shown: list[str]) -> None:
    assert "\x1b" not in "".join(shown)


@pytest.mark.parametrize(
    "piece",
    ["graph.dot", "kernel.func @dot_add", "uop.func @dot_add", "llvm.func internal @dot_add"],
)
def test_shows_the_kernel_on_every_floor(piece: str, shown: list[str]) -> None:
    assert piece in "\n".join(shown)


def test_shows_assembly(shown: list[str]) -> None:
    assert "dot_add:" in shown


def test_a_reader_may_leave_early() -> None:
    """`make demo | head` ends without a traceback."""
    line = f"{sys.executable} -m examples.digits.demo | head -n 1"
    done = subprocess.run(line, cwd=ROOT, shell=True, capture_output=True, text=True)
    assert "teenyir" in done.stdout
    assert done.stderr == ""


def test_steps_are_the_pipeline_s() -> None:
    cpu = PIPELINES["cpu"]
    text = cpu.text
    for name, default in cpu.options.items():
        if default:
            text = text.replace(f"${name}", str(default))
    # without the options that are left at their defaults
    text = re.sub(r"\{[^{}]*\$[^{}]*\}", "", text)
    assert ",".join(demo.STEPS.values()) == text


def test_disagreement_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    labels = np.arange(10)
    other = labels.copy()
    other[3] = 4
    runs = [("graph, interpreted", other, 0.1), ("machine, compiled", labels, 0.1)]
    assert demo.report(runs, labels) == 1
    printed = capsys.readouterr()
    assert "graph, interpreted" in printed.err
    assert "accuracy" not in printed.out


def test_colour_only_on_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert paint.style("word", "bold") == "\x1b[1mword\x1b[0m"
    assert "\x1b[36mkernel.load\x1b[0m" in paint.colour_words("%a = kernel.load %x[%i]")
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint.style("word", "bold") == "word"
    assert paint.colour_words("%a = kernel.load %x[%i]") == "%a = kernel.load %x[%i]"


def test_wrapped_lines_keep_every_word() -> None:
    line = "  %0 = graph.dot " + ", ".join(f"%operand_{k}" for k in range(20))
    lines = paint.wrap(line)
    assert " ".join(lines).split() == line.split()
    assert max(map(len, lines)) <= paint.WIDTH
    assert lines[1].startswith(" " * 8)


def test_enlarged_images_keep_their_levels() -> None:
    flat = np.full((8, 8), 12, np.uint8)
    assert paint.enlarge(flat).shape == (16, 16)
    assert np.allclose(paint.enlarge(flat), 0.75)
