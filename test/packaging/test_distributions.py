"""What a user gets from a wheel, an sdist and an editable install, each in a new environment."""

import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("passes", "lowering", "tools")
LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)


def run(command: Sequence[str | Path], cwd: Path, stdin: str | None = None) -> str:
    """Run `command`, show all it said if it fails, and return its standard output."""
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def files(folder: Path) -> set[str]:
    """Return the source files under `folder`, by their paths in it."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository as git has it, so that nothing built before leaks in."""
    copy = tmp_path_factory.mktemp("source") / "teenyir"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=LEFT_BEHIND)
    return copy


@pytest.fixture(scope="module")
def distributions(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel (made from the sdist, as `build` does by default) and the sdist."""
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source], out)
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def new_environment(folder: Path) -> Path:
    """Make an empty environment in `folder`; return where its commands are."""
    venv.create(folder)
    return folder / "bin"


def install(commands: Path, *what: str | Path) -> None:
    """Install with pip as it is configured on this machine: ours, which takes less than putting one
    into the environment. Of all that is installed only what runs is compiled."""
    pip = [sys.executable, "-m", "pip", "--python", commands / "python", "install", "--quiet"]
    run([*pip, "--no-compile", *what], commands)


def check_commands(commands: Path, elsewhere: Path) -> None:
    """Run `teeny-opt --version` and one lowering from a folder that has nothing of ours."""
    version = run([commands / "teeny-opt", "--version"], elsewhere)
    assert version.startswith("teeny-opt 0.1.0 ")
    lowered = run([commands / "teeny-opt", "-p", "graph-to-kernel"], elsewhere, GRAPH)
    assert "kernel.func" in lowered
    assert "graph.add" not in lowered


GRAPH = """\
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = graph.add %x, %y : tensor<4xf32>
  func.return %z : tensor<4xf32>
}
"""


def test_wheel_holds_the_rooms_as_real_files(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        names = set(wheel.namelist())
        top = {name.split("/")[0] for name in names}
        top_level = wheel.read(next(n for n in names if n.endswith("top_level.txt"))).decode()
    assert {name for name in top if not name.endswith(".dist-info")} == {"teenyir"}
    assert top_level.split() == ["teenyir"]
    assert "teenyir/py.typed" in names
    for room in ROOMS:
        expected = {f"teenyir/{room}/{name}" for name in files(ROOT / room)}
        assert expected <= names


def test_wheel_and_tree_hold_the_same_package(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("teenyir/")}
    tree = {f"teenyir/{name}" for name in files(ROOT / "teenyir")}
    for room in ROOMS:
        tree |= {f"teenyir/{room}/{name}" for name in files(ROOT / room)}
    assert packed == tree


def test_sdist_has_no_links(distributions: dict[str, Path]) -> None:
    """The archive stands alone where symbolic links do not exist."""
    with tarfile.open(distributions["sdist"]) as sdist:
        members = sdist.getmembers()
    assert not [member.name for member in members if member.issym() or member.islnk()]
    names = {member.name.partition("/")[2] for member in members}
    assert {"pyproject.toml", "LICENSE", "README.md"} <= names
    for room in ROOMS:
        assert {f"teenyir/{room}/{name}" for name in files(ROOT / room)} <= names


@pytest.mark.parametrize("kind", ["wheel", pytest.param("sdist", marks=pytest.mark.long)])
def test_installed(kind: str, distributions: dict[str, Path], tmp_path: Path) -> None:
    commands = new_environment(tmp_path / "environment")
    install(commands, distributions[kind])
    check_commands(commands, tmp_path)


def test_editable_install(source: Path, tmp_path: Path) -> None:
    """It works from any folder, adds `teenyir` alone to the import path, and sees new files."""
    tree = tmp_path / "tree"
    shutil.copytree(source, tree, symlinks=True)
    commands = new_environment(tmp_path / "environment")
    install(commands, "--editable", tree)

    bare = f"import importlib.util as u; print([n for n in {ROOMS} if u.find_spec(n)])"
    assert run([commands / "python", "-c", bare], tmp_path) == "[]\n"

    (tree / "passes" / "graph" / "added_later.py").write_text('WORD = "seen"\n')
    (tree / "passes" / "new_folder").mkdir()
    (tree / "passes" / "new_folder" / "__init__.py").write_text('WORD = "seen"\n')
    for module in ("graph.added_later", "new_folder"):
        show = f"from teenyir.passes.{module} import WORD; print(WORD)"
        assert run([commands / "python", "-c", show], tmp_path) == "seen\n"
    check_commands(commands, tmp_path)
