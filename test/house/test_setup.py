"""The way in for a newcomer: what `make` says where something is missing, what CI insists on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the Makefile, and no environment."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def make(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run make in `folder`, as a child of nobody's make."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *words],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
    )


def fake_python(folder: Path, script: str) -> str:
    """Write a `python3` that runs a line of shell; return a search path that finds it first."""
    commands = folder / "commands"
    commands.mkdir()
    (commands / "python3").write_text(f"#!/bin/sh\n{script}\n")
    (commands / "python3").chmod(0o755)
    for tool in ("sh", "bash", "sed", "touch", "expand", "make"):
        found = shutil.which(tool)
        assert found, tool
        (commands / tool).symlink_to(found)
    return str(commands)


def test_help_lists_every_target(copy: Path) -> None:
    shown = make(copy, "help").stdout.split()
    for target in ("demo", "test", "test-long", "bench", "lint", "clean", "help"):
        assert target in shown


def test_no_python(copy: Path) -> None:
    done = make(copy, "demo", PATH=fake_python(copy, "exit 127"))
    assert done.returncode == 2
    assert "teenyir needs Python 3.11 or later" in done.stderr


def test_python_too_old(copy: Path) -> None:
    """An old `python3` answers the question for its version with no."""
    done = make(copy, "demo", PATH=fake_python(copy, "exit 1"))
    assert done.returncode == 2
    assert "teenyir needs Python 3.11 or later" in done.stderr


def test_python_without_venv(copy: Path) -> None:
    path = fake_python(copy, 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')
    done = make(copy, "demo", PATH=path)
    assert done.returncode == 2
    assert "apt-get install python3-venv" in done.stderr
    assert not (copy / ".venv").exists()


def test_python_by_its_minor_version(copy: Path) -> None:
    """Where `python3` is too old, a newer one beside it is found by name."""
    path = fake_python(copy, "exit 1")
    (copy / "commands" / "python3.12").write_text("#!/bin/sh\nexit 0\n")
    (copy / "commands" / "python3.12").chmod(0o755)
    done = make(copy, "--dry-run", ".venv/pyvenv.cfg", PATH=path)
    assert "python3.12 -m venv" in done.stdout


@pytest.mark.parametrize(
    ("suite", "packages"), [([], "some-package"), (["long"], "some-package another")]
)
def test_tools_are_asked_for_where_there_is_no_root(
    suite: list[str], packages: str, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "test" / "install_debian_tools.sh", tmp_path)
    lines = "# a list\nno-such-tool  some-package  # why\nnor-this  another  long  # why\n"
    (tmp_path / "debian_tools.txt").write_text(lines)
    path = fake_python(tmp_path, "exit 0")
    (tmp_path / "commands" / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "commands" / "id").chmod(0o755)
    done = subprocess.run(
        [tmp_path / "install_debian_tools.sh", *suite],
        env={"PATH": path + os.pathsep + os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.endswith(f"sudo apt-get install {packages}\n")


@pytest.mark.parametrize(("in_ci", "code"), [("true", 1), ("", 0)])
def test_ci_allows_no_skip(in_ci: str, code: int, tmp_path: Path) -> None:
    shutil.copy(ROOT / "test" / "conftest.py", tmp_path)
    text = "import pytest\ndef test_a(): pytest.skip('no such tool')\ndef test_b(): pass\n"
    (tmp_path / "test_some.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_some.py"],
        cwd=tmp_path,
        env=os.environ | {"CI": in_ci},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code
    assert done.stdout.splitlines()[-1].startswith("1 passed, 1 skipped")
    assert ("no such tool" in done.stdout) == bool(in_ci)
