"""teeny-run on PTX: launch one kernel in the emulator, with arrays from files or made up."""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import teenyir as ty
from teenyir.diagnostics import InputError, error
from teenyir.tools.command import DIAGNOSED, OK, UsageError, read_input, report, write_output
from teenyir.tools.run_outputs import archive, summary, values

Array: TypeAlias = npt.NDArray[Any]

SCALARS: dict[str, str] = {
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
"""Type names of `--arg`, and numpy's names of them."""

FILLS = ("zeros", "range", "random", "uninitialised")

ARGUMENT_HELP = """an argument of the kernel, in order: FILE.npy, FILE.npz:NAME, TYPE:VALUE
(i32:5, f32:0.5), or FILL:TYPE:SHAPE (zeros:f32:64x64; also range, uninitialised, random[=SEED])"""

_LAUNCH = re.compile(r"(grid|block|shared)=")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a launch."""

    grid: tuple[int, ...] = (1,)
    block: tuple[int, ...] = (1,)
    shared: int = 0


FLAGS = ("kernel", "launch", "arg", "check", "unchecked", "stop", "register", "lane")
"""Where the flags of `add_arguments` are kept in what is parsed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that only PTX has."""
    group = parser.add_argument_group("PTX")
    group.add_argument("--kernel", metavar="NAME", help="the entry to run (default: the only one)")
    group.add_argument(
        "--launch",
        metavar="grid=X,Y,Z:block=X,Y,Z:shared=BYTES",
        help="sizes of the grid, of a block, and of dynamic shared memory",
    )
    group.add_argument("--arg", action="append", default=[], metavar="VALUE", help=ARGUMENT_HELP)
    group.add_argument(
        "--check", action="store_true", help="only list the instructions that could not run"
    )
    group.add_argument(
        "--unchecked", action="store_true", help="run without checking accesses and barriers"
    )
    group.add_argument(
        "--break", dest="stop", type=int, metavar="LINE", help="print registers before a PTX line"
    )
    group.add_argument(
        "--register", action="append", default=[], metavar="NAME", help="a register for --break"
    )
    group.add_argument("--lane", type=int, default=0, metavar="N", help="a thread for --break")


def run_ptx(args: argparse.Namespace) -> int:
    """Run or check the PTX file `args.file`; the exit code.

    Beside the flags of `add_arguments` it obeys `output` (an .npz of the array arguments, named
    `arg0`, `arg1`, …), `print` and `stats` (`json`), where the caller's parser has them.
    """
    text, name = read_input(args.file)
    module = ty.emulator.load(text, name)
    if args.check:
        found = module.unsupported(args.kernel)
        report(found, {name: text})
        return DIAGNOSED if found else OK
    kernel = args.kernel or _only_kernel(module)
    sizes = parse_launch(args.launch or "")
    if args.stop is not None and not 0 <= args.lane < prod(sizes.block):
        raise UsageError(
            f"--lane {args.lane}: the threads of a block are 0 to {prod(sizes.block) - 1}"
        )
    values = [parse_argument(spec) for spec in args.arg]
    launch = module.launch(
        kernel,
        grid=sizes.grid,
        block=sizes.block,
        shared=sizes.shared,
        args=values,
        check=not args.unchecked,
        strict=False,
        breakpoints=_breakpoints(args),
    )
    _show(args, launch, _arrays(values))
    report([r.diagnostic for r in launch.reports if r.diagnostic is not None], {name: text})
    return DIAGNOSED if launch.reports else OK


def _only_kernel(module: ty.emulator.Module) -> str:
    if len(module.kernels) == 1:
        return module.kernels[0]
    if not module.kernels:
        raise InputError(error("the file has no kernel: there is no .entry in it"))
    known = ", ".join(module.kernels)
    raise UsageError(f"say which kernel to run with --kernel; there are: {known}")


def parse_launch(text: str) -> Sizes:
    """`grid=4,1:block=128:shared=0`; commas between the parts do as well."""
    parts: dict[str, tuple[int, ...]] = {}
    pieces = [piece for piece in _LAUNCH.split(text) if piece]
    keys, sizes = pieces[::2], pieces[1::2]
    known = all(key in ("grid", "block", "shared") for key in keys)
    if len(keys) != len(sizes) or not known or any("=" in size for size in sizes):
        raise UsageError(f"--launch is grid=X,Y,Z:block=X,Y,Z:shared=BYTES, not '{text}'")
    for key, value in zip(keys, sizes, strict=True):
        if key in parts:
            raise UsageError(f"--launch has {key}= twice")
        try:
            parts[key] = tuple(int(size) for size in value.strip(",:").split(","))
        except ValueError:
            raise UsageError(f"sizes of a launch are whole numbers, not '{value}'") from None
    (shared, *more) = parts.get("shared", (0,))
    if more:
        raise UsageError("--launch: shared= is one number of bytes")
    return Sizes(parts.get("grid", (1,)), parts.get("block", (1,)), shared)


def parse_argument(spec: str) -> ty.emulator.Argument:
    """The value that an `--arg` stands for."""
    head, _, rest = spec.partition(":")
    kind = head.partition("=")[0]
    if kind in FILLS:
        return _filled(spec, head, rest)
    if head in SCALARS:
        return _scalar(spec, head, rest)
    if head.lower().endswith(".npy"):
        return _loaded(spec, head, lambda stream: np.load(stream, allow_pickle=False))
    if head.lower().endswith(".npz"):
        return _loaded(spec, head, lambda stream: _member(stream, spec, rest))
    try:
        return int(spec, 0)
    except ValueError:
        raise UsageError(f"cannot read --arg '{spec}': {ARGUMENT_HELP}") from None


def _dtype(spec: str, name: str) -> np.dtype[Any]:
    if name not in SCALARS:
        raise UsageError(f"--arg '{spec}': unknown type '{name}'; there are {', '.join(SCALARS)}")
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16) if name == "bf16" else np.dtype(SCALARS[name])


def _scalar(spec: str, head: str, rest: str) -> np.generic:
    try:
        value = float(rest) if head[0] in "fb" else int(rest, 0)
        return _dtype(spec, head).type(value)
    except (ValueError, OverflowError):
        raise UsageError(f"--arg '{spec}': '{rest}' is no {head}") from None


def _filled(spec: str, head: str, rest: str) -> ty.emulator.Argument:
    name, _, extents = rest.partition(":")
    dtype = _dtype(spec, name)
    try:
        shape = tuple(int(extent) for extent in extents.split("x"))
        seed = int(head.partition("=")[2] or 0)
    except ValueError:
        raise UsageError(f"--arg '{spec}': a shape is numbers joined by x, as in 64x64") from None
    if seed < 0 or any(extent < 0 for extent in shape):
        raise UsageError(f"--arg '{spec}': neither an extent nor a seed is negative")
    try:
        return _made(head.partition("=")[0], dtype, shape, seed)
    except (MemoryError, ValueError) as caught:  # of numpy, which has two words for it
        raise InputError(error(f"--arg '{spec}' needs too much memory: {caught}")) from None


def _made(
    fill: str, dtype: np.dtype[Any], shape: tuple[int, ...], seed: int
) -> ty.emulator.Argument:
    count = prod(shape)
    if fill == "uninitialised":
        return ty.emulator.Uninitialised(np.zeros(shape, dtype))
    if fill == "zeros":
        return np.zeros(shape, dtype)
    if fill == "range":
        return np.arange(count).astype(dtype).reshape(shape)
    random = np.random.default_rng(seed)
    if dtype.kind in "iu":
        return random.integers(0, 100, count).astype(dtype).reshape(shape)
    return random.standard_normal(count).astype(dtype).reshape(shape)


def _loaded(spec: str, path: str, load: Callable[[io.BytesIO], Array]) -> Array:
    try:
        with open(path, "rb") as stream:
            return load(io.BytesIO(stream.read()))
    except (OSError, ValueError) as e:
        raise InputError(error(f"cannot read --arg '{spec}': {e}")) from None


def _member(stream: io.BytesIO, spec: str, name: str) -> Array:
    with np.load(stream, allow_pickle=False) as archive:
        names = list(archive.files)
        if name not in names:
            raise UsageError(f"--arg '{spec}': the archive has {', '.join(names)}")
        return archive[name]


def _arrays(values: list[ty.emulator.Argument]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for index, value in enumerate(values):
        array = value.array if isinstance(value, ty.emulator.Uninitialised) else value
        if isinstance(array, np.ndarray):
            found[f"arg{index}"] = array
    return found


def _breakpoints(args: argparse.Namespace) -> ty.emulator.Breakpoints | None:
    if args.stop is None:
        return None

    def stopped(stop: ty.emulator.Stop) -> None:
        if args.lane in stop.lanes:
            values = " ".join(f"{name}={stop.value(name, args.lane)}" for name in args.register)
            print(f"line {args.stop} block {stop.block} thread {args.lane}: {values}".rstrip())

    return {args.stop: stopped}


def _show(args: argparse.Namespace, launch: ty.emulator.Launch, arrays: dict[str, Array]) -> None:
    if launch.output:
        print(launch.output, end="")
    output = getattr(args, "output", None)
    if getattr(args, "stats", None):
        print(json.dumps(_statistics(launch.statistics), indent=2))
    if getattr(args, "print", False):
        print("".join(values(name, array) for name, array in arrays.items()), end="")
    elif not output and not getattr(args, "stats", None):
        print("".join(summary(name, array) for name, array in arrays.items()), end="")
    if output:
        write_output(output, archive(arrays))


def _statistics(statistics: ty.emulator.Statistics) -> dict[str, Any]:
    return {
        "ctas": statistics.ctas,
        "thread_instructions": statistics.thread_instructions,
        "barriers": statistics.barriers,
        "bank_conflicts": statistics.bank_conflicts,
        "uncoalesced_sectors": statistics.uncoalesced_sectors,
        "instructions": dict(statistics.instructions.most_common()),
    }
