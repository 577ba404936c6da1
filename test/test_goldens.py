"""Every golden test under `test/`: its RUN lines, in this process."""

from pathlib import Path

import pytest

from teenyir.tools.run_lines import run_test

ROOT = Path(__file__).parent
SUFFIXES = {".mlir"}
FILES = sorted(
    path
    for path in ROOT.rglob("*")
    if path.suffix in SUFFIXES and "Inputs" not in path.parts and "Output" not in path.parts
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_golden(path: Path, tmp_path: Path):
    outcome = run_test(path, tmp_path)
    if outcome.failure is not None:
        pytest.fail(outcome.failure, pytrace=False)
