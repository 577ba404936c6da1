"""Our passes under stock xdsl-opt, and an installed package's passes under teeny-opt."""

import os
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


PACKAGE = '''
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.passes import ModulePass
from xdsl.universe import Universe


@irdl_op_definition
class HelloOp(IRDLOperation):
    name = "third.hello"
    assembly_format = "attr-dict"


@dataclass(frozen=True)
class Wave(ModulePass):
    """Wave back."""

    name = "third-wave"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, HelloOp):
                inner.attributes["waved"] = UnitAttr()


UNIVERSE = Universe(
    all_dialects={"third": lambda: Dialect("third", [HelloOp], [])},
    all_passes={"third-wave": lambda: Wave},
)
'''


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "third_party.py").write_text(PACKAGE)
    info = tmp_path / "third_party-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = y:z\n\n[xdsl.universe]\nthird = third_party:UNIVERSE\n"
    )
    return tmp_path


def test_an_installed_package_brings_dialects_and_passes(site: Path):
    done = run(["-m", "teenyir.tools.teeny_opt", "--third-wave"], "third.hello", site)
    assert (done.returncode, done.stderr) == (0, "")
    assert "third.hello {waved}" in done.stdout


def test_an_installed_package_that_cannot_be_imported_is_named(site: Path):
    (site / "third_party.py").write_text("import nonesuch")
    done = run(["-m", "teenyir.tools.teeny_opt"], "third.hello", site)
    assert done.returncode == 1
    assert "error: the installed plug-in 'third' cannot be loaded: ModuleNotFound" in done.stderr
