"""Compiled objects on disk, so that a second process need not run LLVM's code generator.

A file holds a mark, the SHA-256 of what follows, and the object. It is written beside its place
and moved there, so that a reader sees a whole file or none; one that was damaged is taken for
missing. Where the folder cannot be written there is no cache and no error: it only saves time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from teenyir.files import cache_folder, put_in_cache

_MARK = b"teenyir object 1\n"
_DIGEST = hashlib.sha256().digest_size


def key_of(parts: Sequence[str]) -> str:
    """A name for all that an object depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class ObjectCache:
    """Objects by key, in a folder that only this user can read."""

    def __init__(self, folder: Path | None = None):
        self.folder = (folder or cache_folder()) / "objects"

    def path(self, key: str) -> Path:
        """Where the object of a key is or would be."""
        return self.folder / key[:2] / f"{key[2:]}.o"

    def get(self, key: str) -> bytes | None:
        """The object, or None where there is none or the file is damaged."""
        try:
            data = self.path(key).read_bytes()
        except OSError:
            return None
        start = len(_MARK) + _DIGEST
        if not data.startswith(_MARK) or len(data) <= start:
            return None
        payload = data[start:]
        return payload if hashlib.sha256(payload).digest() == data[len(_MARK) : start] else None

    def put(self, key: str, payload: bytes) -> None:
        """Keep an object; nothing happens where the folder cannot be written."""
        with suppress(OSError):
            put_in_cache(self.path(key), _MARK + hashlib.sha256(payload).digest() + payload)
