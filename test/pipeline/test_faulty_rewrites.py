"""`--check-each` finds every faulty rewrite of `faulty`, and calls it by its name."""

import tempfile
from pathlib import Path

import faulty
import pytest
from faulty.rewrite import FaultyRewrite

from teenyir.tools.teeny_opt import main


@pytest.mark.parametrize("rewrite", faulty.ALL, ids=lambda rewrite: rewrite.name)
def test_a_faulty_rewrite_is_named(
    rewrite: FaultyRewrite,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "program.mlir"
    file.write_text(rewrite.program)
    # what comes before and after it is not to blame
    pipeline = f"cse,{rewrite.name},dce"
    output = tmp_path / "output.mlir"
    arguments = ["--load-plugin=faulty", "-p", pipeline, "--check-each", "-o", str(output)]
    assert main([str(file), *arguments]) == 3
    assert not output.exists()
    assert f"in pass {rewrite.name} (#2)" in capsys.readouterr().err
