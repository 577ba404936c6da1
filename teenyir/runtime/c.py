"""C through the system's compiler: a file compiled to a shared object and loaded.

The compiler is the one that `CC` names (with options, if it has any), otherwise the first of `cc`,
`gcc` and `clang` that is installed. What it makes is kept in the cache with the native objects.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from teenyir.diagnostics import CompileError, InternalError, did_you_mean, error, note
from teenyir.runtime.object_cache import ObjectCache, key_of
from teenyir.targets.cpu import host

COMPILERS = ("cc", "gcc", "clang")
"""Looked for in this order where `CC` is not set."""

FLAGS = (
    *("-std=c11", "-O3", "-march=native"),
    *("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"),
)
"""How a file is compiled: for this machine, no two operations fused that the IR has apart."""

SHARED = ("-shared", "-fPIC")

MOST_LINES = 12
"""Lines of what a compiler says that an error repeats."""


@dataclass(frozen=True)
class Compiler:
    """A compiler of C."""

    command: tuple[str, ...]
    """How it is called."""
    version: str
    """What it says of itself."""


def find_compiler() -> Compiler:
    """The compiler to use. Raises CompileError, with what to install, where there is none."""
    if chosen := os.environ.get("CC"):
        command = tuple(shlex.split(chosen))
        if not command or shutil.which(command[0]) is None:
            raise CompileError(f"CC names a compiler that is not there: {chosen}")
        return Compiler(command, _version(command))
    for name in COMPILERS:
        if shutil.which(name) is not None:
            return Compiler((name,), _version((name,)))
    raise CompileError(
        error(
            f"no C compiler found: {', '.join(COMPILERS)}",
            None,
            note("install one (Debian: apt-get install gcc), or name one with CC"),
        )
    )


@cache
def _version(command: tuple[str, ...]) -> str:
    return _run([*command, "--version"])


def _run(command: Sequence[str]) -> str:
    """Standard output of a command. Raises CompileError where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as problem:
        raise CompileError(f"{command[0]} cannot be run: {problem.strerror}") from None
    if done.returncode != 0:
        said = "\n".join(done.stderr.splitlines()[:MOST_LINES])
        raise InternalError(error(f"{shlex.join(command)} failed\n{said}"))
    return done.stdout


def compile_c(
    text: str,
    compiler: Compiler | None = None,
    flags: Sequence[str] = FLAGS,
    objects: ObjectCache | None = None,
) -> bytes:
    """The shared object of a file of C; looked up in `objects` first, if given.

    Raises CompileError where there is no compiler, InternalError where it refuses the file.
    """
    compiler = compiler or find_compiler()
    command = [*compiler.command, *flags, *SHARED]
    cpu = host()
    key = key_of((text, compiler.version, shlex.join(command), cpu.cpu, cpu.features))
    if objects is not None and (known := objects.get(key)) is not None:
        return known
    with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
        source, shared = Path(folder, "program.c"), Path(folder, "program.so")
        source.write_text(text, encoding="utf-8")
        _run([*command, str(source), "-o", str(shared), "-lm"])
        code = shared.read_bytes()
    if objects is not None:
        objects.put(key, code)
    return code


class SharedLibrary:
    """A shared object loaded into this process, for as long as the process lives."""

    def __init__(self, library: ctypes.CDLL, symbols: tuple[str, ...]):
        self._library = library
        self.symbols = symbols

    def address(self, symbol: str) -> int:
        """The address of one of the symbols asked for when it was loaded."""
        if symbol not in self.symbols:
            raise InternalError(f"no symbol '{symbol}'{did_you_mean(symbol, self.symbols)}")
        return ctypes.cast(self._library[symbol], ctypes.c_void_p).value or 0


def load_shared(code: bytes, symbols: Iterable[str]) -> SharedLibrary:
    """Load a shared object of the host's. Raises InternalError where it cannot be, or where it
    lacks one of the symbols."""
    wanted = tuple(symbols)
    with tempfile.TemporaryDirectory(prefix="teenyir-") as folder:
        path = Path(folder, "program.so")  # mapped when it is loaded, not needed afterwards
        path.write_bytes(code)
        try:
            library = ctypes.CDLL(str(path))
        except OSError as problem:
            raise InternalError(f"compiled code cannot be loaded: {problem}") from None
    for symbol in wanted:
        if not hasattr(library, symbol):
            raise InternalError(f"compiled code has no function {symbol}")
    return SharedLibrary(library, wanted)
