"""LLVM text to machine code: errors are diagnostics, libm is found, targets are checked."""

import ctypes
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from teenyir.diagnostics import CompileError
from teenyir.runtime.jit import CodeOptions, assembly, compile_object, load
from teenyir.targets.cpu import cache_sizes, first_cache_fact, host, named, parse_size

LIBM: dict[str, Callable[[float], float]] = {
    "erf": math.erf,
    "expm1": math.expm1,
    "log1p": math.log1p,
    "asinh": math.asinh,
    "atanh": math.atanh,
    "tanh": math.tanh,
    "exp": math.exp,
    "sin": math.sin,
}


@pytest.mark.parametrize("name", LIBM)
@pytest.mark.parametrize("type", ["float", "double"])
def test_libm_is_found(name: str, type: str) -> None:
    symbol = f"{name}f" if type == "float" else name
    text = f"""
declare {type} @{symbol}({type})
define {type} @call({type} %x) {{
  %y = call {type} @{symbol}({type} %x)
  ret {type} %y
}}
"""
    library = load(compile_object(text), ["call"])
    ctype = ctypes.c_float if type == "float" else ctypes.c_double
    function = ctypes.CFUNCTYPE(ctype, ctype)(library.address("call"))
    assert function(0.5) == pytest.approx(LIBM[name](0.5), rel=1e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.skipif("x86_64" not in host().triple, reason="names an x86 CPU")
def test_half_precision_without_hardware() -> None:
    text = """
define void @widen(ptr %from, ptr %to) {
  %a = load half, ptr %from
  %b = fpext half %a to float
  store float %b, ptr %to
  ret void
}
define void @narrow(ptr %from, ptr %to) {
  %a = load float, ptr %from
  %b = fptrunc float %a to half
  store half %b, ptr %to
  ret void
}
"""
    library = load(compile_object(text, named("x86-64")), ["widen", "narrow"])
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    widen, narrow = (prototype(library.address(name)) for name in ("widen", "narrow"))

    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    singles = np.empty(1 << 16, np.float32)
    for k in range(1 << 16):
        widen(halves.ctypes.data + 2 * k, singles.ctypes.data + 4 * k)
    np.testing.assert_array_equal(singles, halves.astype(np.float32))

    finite = np.sort(singles[np.isfinite(singles)])
    middle = (finite[1:] + finite[:-1]) / 2
    middle = middle[::5]
    sides = [np.nextafter(middle, np.float32(to)) for to in (np.inf, -np.inf)]
    extra = np.array([65519.99, 65520, 1e30, -1e30, np.inf, np.nan, 1e-45], np.float32)
    values = np.concatenate([singles, middle, *sides, extra])
    got = np.empty(len(values), np.float16)
    for k in range(len(values)):
        narrow(values.ctypes.data + 4 * k, got.ctypes.data + 2 * k)
    np.testing.assert_array_equal(got, values.astype(np.float16))


@pytest.mark.skipif("x86_64" not in host().triple, reason="reads x86's assembly")
def test_constants_are_operands() -> None:
    text = """
define float @f(float %x) {
  %y = fmul float %x, 0x4005BF0A80000000
  ret float %y
}
"""
    code = assembly(text)
    assert "(%rip), %xmm0" in code and "movabs" not in code


def test_text_that_is_no_llvm_is_a_diagnostic() -> None:
    with pytest.raises(CompileError, match="LLVM refuses the code"):
        compile_object("define nonsense")


def test_missing_function_is_a_diagnostic(capfd: pytest.CaptureFixture[str]) -> None:
    text = "declare void @no_such_function_at_all()\n"
    text += "define void @f() {\n  call void @no_such_function_at_all()\n  ret void\n}\n"
    with pytest.raises(CompileError, match="cannot be linked"):
        load(compile_object(text), ["f"])
    assert capfd.readouterr().err == ""


def test_missing_symbol_is_a_diagnostic() -> None:
    library = load(compile_object("define void @f() {\n  ret void\n}\n"), ["f"])
    with pytest.raises(CompileError, match="no symbol 'g'"):
        library.address("g")


def test_same_symbol_in_two_libraries() -> None:
    texts = [f"define i64 @main() {{\n  ret i64 {n}\n}}\n" for n in (1, 2)]
    libraries = [load(compile_object(text)) for text in texts]
    found = [ctypes.CFUNCTYPE(ctypes.c_int64)(lib.address("main"))() for lib in libraries]
    assert found == [1, 2]


SUM = """
define float @sum(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %acc = phi float [ 0.0, %entry ], [ %total, %loop ]
  %p = getelementptr inbounds float, ptr %x, i64 %i
  %v = load float, ptr %p, align 4
  %total = fadd reassoc float %acc, %v
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret float %total
}
"""


@pytest.mark.skipif("x86_64" not in host().triple, reason="names x86 registers")
def test_loops_are_vectorised() -> None:
    cpu = named("x86-64-v3")
    assert "ymm" in assembly(SUM, cpu)
    assert "ymm" not in assembly(SUM, cpu, CodeOptions(loop_vectorize=False))
    assert "ymm" not in assembly(SUM, cpu, CodeOptions(level=0))


def test_other_triples() -> None:
    assert "fadd" in assembly(SUM, named("cortex-a72", triple="aarch64-unknown-linux-gnu"))
    assert compile_object(SUM, named(triple="aarch64-unknown-linux-gnu")).startswith(b"\x7fELF")
    with pytest.raises(CompileError, match="LLVM has no target 'nonsense'"):
        compile_object(SUM, named(triple="nonsense"))


def test_host_facts() -> None:
    cpu = host()
    assert cpu.vector_bits in (128, 256, 512)
    assert 0 < cpu.l1 <= cpu.l2 <= cpu.l3
    assert cpu.cores >= 1 and cpu.line >= 16


def test_cache_sizes_are_read_as_far_as_they_can_be(tmp_path: Path) -> None:
    assert [parse_size(t) for t in ("48K\n", "2M", "512", "x")] == [49152, 2097152, 512, None]
    assert cache_sizes(tmp_path) == {}
    for index, (level, kind, size) in enumerate([(1, "Data", "48K"), (1, "Instruction", "32K")]):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        (folder / "level").write_text(f"{level}\n")
        (folder / "type").write_text(f"{kind}\n")
        (folder / "size").write_text(f"{size}\n")
    (tmp_path / "index9").mkdir()
    assert cache_sizes(tmp_path) == {1: 49152}


def test_facts_of_the_first_data_cache(tmp_path: Path) -> None:
    name = "ways_of_associativity"
    assert first_cache_fact(name, 8, tmp_path) == 8
    for number, kind, ways in ((0, "Instruction", "4"), (1, "Data", "12"), (2, "Data", "16")):
        folder = tmp_path / f"index{number}"
        folder.mkdir()
        (folder / "type").write_text(f"{kind}\n")
        (folder / "level").write_text("2\n" if number == 2 else "1\n")
        (folder / name).write_text(f"{ways}\n")
    assert first_cache_fact(name, 8, tmp_path) == 12
    (tmp_path / "index1" / name).write_text("0\n")
    assert first_cache_fact(name, 8, tmp_path) == 8
