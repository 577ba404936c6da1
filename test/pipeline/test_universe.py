"""Our passes under stock xdsl-opt, and an installed package's passes under teeny-opt."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

XDSL_OPT = (
    "import sys; from xdsl.universe import Universe, XDSL_UNIVERSE;"
    "from teenyir.universe import TEENYIR_UNIVERSE as ours;"
    # What the entry points give, without installing.
    "Universe.get_multiverse = staticmethod(lambda: Universe("
    "all_dialects=XDSL_UNIVERSE.all_dialects | ours.all_dialects,"
    "all_passes=XDSL_UNIVERSE.all_passes | ours.all_passes,"
    "all_targets=XDSL_UNIVERSE.all_targets, all_frontends=XDSL_UNIVERSE.all_frontends));"
    "from xdsl.tools.xdsl_opt import main; main()"
)


def run(code: list[str], text: str, *path: Path) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [ROOT, *path]))}
    return subprocess.run(
        [sys.executable, *code],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


GRAPH = """func.func @f(%x: tensor<3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %y = graph.neg %x : tensor<3xf32>
  func.return %y : tensor<3xf32>
}"""


def test_our_passes_run_under_xdsl_opt():
    done = run(["-c", XDSL_OPT, "-p", "graph-to-kernel,kernel-to-uop,plan-arena"], GRAPH)
    assert done.returncode == 0, done.stderr
    assert "uop.func" in done.stdout


def test_no_name_of_ours_clashes_with_xdsl():
    from xdsl.universe import XDSL_UNIVERSE

    from teenyir.universe import TEENYIR_UNIVERSE

    assert not TEENYIR_UNIVERSE.all_dialects.keys() & XDSL_UNIVERSE.all_dialects.keys()
    assert not TEENYIR_UNIVERSE.all_passes.keys() & XDSL_UNIVERSE.all_passes.keys()
    assert {"graph", "kernel", "uop"} <= TEENYIR_UNIVERSE.all_dialects.keys()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder that holds what is left of a package that cannot be imported any more."""
    (tmp_path / "third_party.py").write_text("import nonesuch")
    info = tmp_path / "third_party-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = y:z\n\n[xdsl.universe]\nthird = third_party:UNIVERSE\n"
    )
    return tmp_path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that pip has installed the package `waving` into, as it would from an index."""
    source = tmp_path_factory.mktemp("source") / "waving"
    shutil.copytree(Path(__file__).parent / "waving_package", source)
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, capture_output=True)
    return target


TEENY_OPT = ["-m", "teenyir.tools.teeny_opt"]


def test_an_installed_package_brings_dialects_and_passes(installed: Path):
    done = run([*TEENY_OPT, "--wave=times=3", "--pass-statistics"], "waving.hello", installed)
    assert done.returncode == 0, done.stderr
    assert "waving.hello {waved = 3 : i64}" in done.stdout
    assert "waved" in done.stderr


def test_an_installed_package_brings_pipelines(installed: Path):
    done = run([*TEENY_OPT, "-p", "wave-twice"], "waving.hello", installed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "waving.hello {waved = 2 : i64}" in done.stdout
    listed = run([*TEENY_OPT, "--list-passes"], "", installed).stdout
    for text in ("wave-twice", "Wave twice, tidily", "Wave back to whoever says hello", "times=1"):
        assert text in listed


def test_an_installed_package_brings_constraints_of_order(installed: Path):
    done = run([*TEENY_OPT, "-p", "dce,wave"], "waving.hello", installed)
    assert done.returncode == 1
    assert "'wave' has to come before 'dce': a wave keeps no operation alive" in done.stderr


def test_an_installed_package_that_cannot_be_imported_is_named(site: Path):
    done = run(["-m", "teenyir.tools.teeny_opt"], "third.hello", site)
    assert done.returncode == 1
    assert "error: the installed plug-in 'third' cannot be loaded: ModuleNotFound" in done.stderr
