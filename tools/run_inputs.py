"""The inputs of `teeny-run`: `--input NAME=...` and `--dim N=...` as arrays and extents."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from teenyir.analysis.binding import bind_dims, check_dtypes
from teenyir.analysis.signature import Argument, Signature
from teenyir.diagnostics import InputError, RunError, did_you_mean
from teenyir.dialects.dtypes import DType
from teenyir.interpreter.arrays import Array
from teenyir.interpreter.examples import random_array, range_array, zeros_array
from teenyir.tools.command import UsageError

Shape = tuple[int, ...]
Maker = Callable[[Argument, Shape], Array]


@dataclass(frozen=True)
class Inputs:
    """The arrays of a run, in the signature's order, and the values of all names."""

    arrays: list[Array]
    dims: dict[str, int]


def parse_pairs(flag: str, texts: Sequence[str], what: str) -> dict[str, str]:
    """`NAME=VALUE` arguments as a mapping. Raises UsageError on anything else, or a name twice."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"{flag} takes {what}, not '{text}'")
        if name in pairs:
            raise UsageError(f"{flag} {name} is given twice")
        pairs[name] = value
    return pairs


def parse_dims(texts: Sequence[str]) -> dict[str, int]:
    """`N=32` arguments. Raises UsageError on what is no natural number."""
    pairs = parse_pairs("--dim", texts, "N=32")
    for name, value in pairs.items():
        if not (value.isascii() and value.isdecimal()):
            raise UsageError(f"--dim {name}: '{value}' is no extent")
    return {name: int(value) for name, value in pairs.items()}


def make_inputs(
    signature: Signature,
    stated: Mapping[str, str],
    dims: Mapping[str, int],
    parameters: Mapping[str, Any],
) -> Inputs:
    """Every input: from where `stated` says, a parameter's value, or else `random:0`.

    Raises RunError or InputError naming the input, what was expected and what came.
    """
    known = {argument.name for argument in signature.inputs}
    for name in stated:
        if name not in known:
            hint = did_you_mean(name, known) or f" (it has {', '.join(sorted(known)) or 'none'})"
            raise RunError(f"@{signature.entry} has no input named '{name}'{hint}")
    makers: dict[str, Maker] = {}
    arrays: dict[str, Array] = {}
    for argument in signature.inputs:
        text = stated.get(argument.name)
        if text is None and argument.name in parameters:
            arrays[argument.name] = np.asarray(parameters[argument.name])
        elif (maker := _maker(argument, text or "random")) is not None:
            makers[argument.name] = maker
        else:
            arrays[argument.name] = load_array(cast(str, text), argument.name, argument.dtype)
    shapes = [
        arrays[argument.name].shape if argument.name in arrays else None
        for argument in signature.inputs
    ]
    values = bind_dims(signature, shapes, dims)
    for argument in signature.inputs:
        if argument.name in makers:
            arrays[argument.name] = _made(makers[argument.name], argument, values)
    ordered = [arrays[argument.name] for argument in signature.inputs]
    check_dtypes(signature, ordered)
    return Inputs(ordered, values)


def _made(maker: Maker, argument: Argument, dims: dict[str, int]) -> Array:
    try:
        return maker(argument, argument.shape(dims))
    except (MemoryError, ValueError) as problem:  # of numpy, which has two words for it
        raise RunError(
            f"input '{argument.name}': {argument} needs too much memory: {problem}"
        ) from None


_MAKERS: dict[str, Maker] = {"zeros": zeros_array, "range": range_array}


def _maker(argument: Argument, text: str) -> Maker | None:
    """What makes an input that is not in a file: `random`, `random:SEED`, `zeros` or `range`."""
    word, colon, seed = text.partition(":")
    if word == "random":
        if colon and not (seed.isascii() and seed.isdecimal()):
            raise UsageError(f"--input {argument.name}: '{seed}' is no seed")
        return lambda argument, shape: random_array(argument, shape, int(seed or 0))
    return _MAKERS.get(text)


def load_array(path: str, name: str, dtype: DType) -> Array:
    """An array from a file; of several in one, that with the input's name."""
    if not path.lower().endswith((".npy", ".npz")):
        choices = "FILE.npy, FILE.npz, random[:SEED], zeros or range"
        hint = did_you_mean(path.partition(":")[0], ("random", "zeros", "range"))
        raise InputError(f"input '{name}': '{path}' is not {choices}{hint}")
    try:
        with open(path, "rb") as stream:
            found: Any = np.load(stream, allow_pickle=False)
            if isinstance(found, np.lib.npyio.NpzFile):
                archive = cast("np.lib.npyio.NpzFile", found)
                found = archive[_member(path, name, list(archive.keys()))]
    except OSError as problem:
        raise InputError(
            f"input '{name}': cannot read '{path}': {problem.strerror or problem}"
        ) from None
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile) as problem:
        reason = " ".join(str(problem).split()) or "it is damaged"
        raise InputError(f"input '{name}': '{path}' holds no array of numbers: {reason}") from None
    return _native(np.asarray(found), dtype)


def _member(path: str, name: str, members: list[str]) -> str:
    if name in members:
        return name
    if len(members) == 1:
        return members[0]
    names = ", ".join(members) or "none"
    raise InputError(f"input '{name}': '{path}' holds no array of this name, but {names}")


def _native(array: Array, dtype: DType) -> Array:
    """In the machine's byte order; types of ml_dtypes, which numpy's files know as bytes alone, as
    what they are."""
    wanted = dtype.numpy()
    if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize:
        return array.view(wanted)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
