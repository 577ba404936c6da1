"""Where this machine keeps what can be made again, and files that are seen whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """`$TEENYIR_CACHE_DIR`, or `teenyir` in the user's cache folder as XDG has it."""
    if chosen := os.environ.get("TEENYIR_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "teenyir"


def put_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and move it there; its folder is made, for this user alone.

    Raises OSError where that is not possible; what was there before then still is.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.replace(name, path)
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise
