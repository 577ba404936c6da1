"""Files that are seen whole or not at all, and where this machine keeps what can be made again."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def cache_folder() -> Path:
    """`$TEENYIR_CACHE_DIR`, or `teenyir` in the user's cache folder as XDG has it."""
    if chosen := os.environ.get("TEENYIR_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "teenyir"


def put_in_cache(path: Path, content: bytes) -> None:
    """Write a file that is for this user alone, and its folder with it if there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _put(path, content, 0o600)


def put_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file as `open` would: through links, and one that is replaced keeps who may read it.

    A device or a pipe is written to. Raises OSError where that is not possible.
    """
    target = Path(os.path.realpath(path))
    try:
        found = os.stat(target).st_mode
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        _put(target, content, 0o666 & ~mask)
        return
    if stat.S_ISREG(found):
        _put(target, content, stat.S_IMODE(found))
        return
    with open(target, "wb") as stream:
        stream.write(content)


def _put(path: Path, content: bytes, mode: int) -> None:
    """Write a file beside its place and move it there.

    Raises OSError where that is not possible; what was there before then still is.
    """
    import tempfile  # costs 10 ms, and most processes write no file

    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".teenyir-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:  # an interruption too leaves nothing behind
        with suppress(OSError):
            os.unlink(name)
        raise
