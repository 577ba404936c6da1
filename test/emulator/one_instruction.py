"""PTX for tests: one instruction with operands loaded and results stored, or a kernel's body."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from teenyir import emulator
from teenyir.emulator.types import TYPES

Array = npt.NDArray[Any]

ASSEMBLE = bool(os.environ.get("TEENYIR_PTXAS"))
"""Set, every program that the tests write is also given to ptxas."""

HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


def register_type(kind: str) -> str:
    """The declared type of a register that holds a value of a PTX type."""
    if kind == "pred":
        return "pred"
    return f"b{max(16, TYPES[kind].bits)}"


def program(code: str, sources: Sequence[str], results: Sequence[str], extra: str = "") -> str:
    """A kernel `test`: operands `%a0`, `%a1`, … of the types `sources`, results `%d0`, ….

    Parameters are pointers to the operands' arrays, then to the results' arrays. Predicates
    travel as .u32. `extra` declares further registers and variables.
    """
    kinds = [*sources, *results]
    lines = [HEADER, ".visible .entry test("]
    lines.append(",\n".join(f"    .param .u64 p{k}" for k in range(len(kinds))))
    lines += [")", "{", "    .reg .b64 %base, %offset, %place;", "    .reg .b32 %thread, %word;"]
    for k, kind in enumerate(sources):
        lines.append(f"    .reg .{register_type(kind)} %a{k};")
    for k, kind in enumerate(results):
        lines.append(f"    .reg .{register_type(kind)} %d{k};")
    lines += [extra, "    mov.u32 %thread, %tid.x;"]
    for k, kind in enumerate(sources):
        bits = 32 if kind == "pred" else TYPES[kind].bits
        lines += place(k, bits)
        target = "%word" if kind == "pred" else f"%a{k}"
        lines.append(f"    ld.global.{'u' if bits == 8 else 'b'}{bits} {target}, [%place];")
        if kind == "pred":
            lines.append(f"    setp.ne.u32 %a{k}, %word, 0;")
    lines.append(code)
    for k, kind in enumerate(results):
        bits = 32 if kind == "pred" else TYPES[kind].bits
        lines += place(len(sources) + k, bits)
        source = f"%d{k}"
        if kind == "pred":
            lines.append(f"    selp.u32 %word, 1, 0, %d{k};")
            source = "%word"
        lines.append(f"    st.global.b{bits} [%place], {source};")
    lines += ["    ret;", "}", ""]
    return "\n".join(lines)


def place(parameter: int, bits: int) -> list[str]:
    """Code that puts the address of this thread's element of an array into %place."""
    return [
        f"    ld.param.u64 %base, [p{parameter}];",
        f"    mul.wide.u32 %offset, %thread, {bits // 8};",
        "    add.s64 %place, %base, %offset;",
    ]


def run(
    code: str,
    sources: Sequence[tuple[str, Array]],
    results: Sequence[str],
    extra: str = "",
    *,
    assembled: bool = True,
) -> list[Array]:
    """Execute code for every element of the source arrays; the results as typed arrays.

    `assembled` false: for an architecture after the header's.
    """
    count = len(sources[0][1])
    arrays: list[Array] = []
    for kind, values in sources:
        dtype = np.dtype(np.uint32) if kind == "pred" else TYPES[kind].dtype
        arrays.append(np.ascontiguousarray(values.astype(dtype)))
    outs: list[Array] = []
    for kind in results:
        dtype = np.dtype(np.uint32) if kind == "pred" else TYPES[kind].dtype
        shape = count * (1 if kind == "pred" else TYPES[kind].elements)
        outs.append(np.zeros(shape, dtype))
    text = program(code, [kind for kind, _ in sources], results, extra)
    if ASSEMBLE and assembled:
        assemble(text)
    emulator.load(text).launch("test", grid=1, block=count, args=[*arrays, *outs])
    return outs


def one(
    code: str, sources: Sequence[tuple[str, Array]], result: str, *, assembled: bool = True
) -> Array:
    """`run` with one result."""
    return run(code, sources, [result], assembled=assembled)[0]


def assemble(text: str) -> None:
    """Fail with what ptxas says against PTX text."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "text.ptx")
        source.write_text(text)
        command = ["ptxas", "-arch=sm_90a", "-o", str(source.with_suffix(".cubin")), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + text


def kernel(body: str, parameters: int = 1, before: str = "") -> emulator.Module:
    """A module with a kernel `test` whose parameters p0, p1, … are pointers, in %p0, %p1, …; and
    the thread index in %t, its address in the array of words p0 in %w."""
    names = ", ".join(f".param .u64 p{k}" for k in range(parameters))
    loads = "\n".join(f"    ld.param.u64 %p{k}, [p{k}];" for k in range(parameters))
    text = f"""{HEADER}
{before}
.visible .entry test({names}) {{
    .reg .b64 %p<8>, %w, %x<8>;
    .reg .b32 %t, %r<20>;
    .reg .f32 %f<8>;
    .reg .pred %q<8>;
{loads}
    mov.u32 %t, %tid.x;
    mad.wide.u32 %w, %t, 4, %p0;
{body}
    ret;
}}
"""
    if ASSEMBLE:
        assemble(text)
    return emulator.load(text)


def launch(body: str, *arrays: Any, threads: Any = 64, grid: Any = 1, **options: Any) -> Any:
    before = options.pop("before", "")
    module = kernel(body, len(arrays), before)
    return module.launch("test", grid=grid, block=threads, args=list(arrays), **options)
