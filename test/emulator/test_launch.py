"""Launching from Python: arguments, sizes, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from one_instruction import launch

from teenyir import emulator

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="module")
def module() -> emulator.Module:
    return emulator.load(FIXTURES / "kernels.ptx")


def floats(count: int = 64) -> Any:
    return np.arange(count, dtype=np.float32)


def test_views_are_written_in_place(module: emulator.Module) -> None:
    """Arrays need not be contiguous; what lies between their elements stays."""
    x, out = floats(), np.zeros(64, np.float32)
    args = [x[::2], x[::-1], out[::2], 32]
    module.launch("vector_add", grid=1, block=32, args=args)
    assert (out[::2] == x[::2] + x[:31:-1]).all()
    assert (out[1::2] == 0).all()


def test_views_of_one_place_are_two_arrays(module: emulator.Module) -> None:
    """Two views may begin at one address, be of one size, and have other elements."""
    x, out = floats(), np.zeros(32, np.float32)
    module.launch("vector_add", grid=1, block=32, args=[x[:32], x[::2], out, 32])
    assert (out == np.arange(32) * 3).all()


def test_arrays_of_the_other_byte_order(module: emulator.Module) -> None:
    x, out = floats().astype(">f4"), np.zeros(64, ">f4")
    module.launch("vector_add", grid=1, block=64, args=[x, x, out, 64])
    assert (out == x * 2).all()


def test_buffers_that_cannot_be(module: emulator.Module) -> None:
    with pytest.raises(emulator.LaunchError, match="a buffer of -1 bytes"):
        module.buffer(-1)
    with pytest.raises(emulator.LaunchError, match="3 bytes are no whole number of float32"):
        module.buffer(3).read(np.float32)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_bytes(b"\xff\xfe")
    with pytest.raises(emulator.ParseError, match="is not PTX text"):
        emulator.load(tmp_path / "k.ptx")


def test_a_body_may_end_without_ret() -> None:
    """The closing brace returns, from a kernel and from a function, as for ptxas."""
    text = """.version 8.0\n.target sm_80\n.address_size 64
.func (.reg .b32 %o) one() { mov.u32 %o, 1; }
.entry empty() {}
.entry k(.param .u64 out) {
    .reg .b64 %p; .reg .b32 %r;
    call (%r), one, ();
    ld.param.u64 %p, [out];
    st.global.u32 [%p], %r;
}
"""
    module = emulator.load(text)
    out = np.zeros(1, np.uint32)
    module.launch("empty", grid=1, block=32)
    module.launch("k", grid=1, block=1, args=[out])
    assert out[0] == 1


def test_one_array_twice(module: emulator.Module) -> None:
    """The same array for two parameters is one piece of memory."""
    x = floats()
    module.launch("vector_add", grid=1, block=64, args=[x, x, x, 64])
    assert (x == floats() * 2).all()


def test_buffers_stay(module: emulator.Module) -> None:
    total = module.buffer(np.zeros(64, np.float32), "total")
    for _ in range(3):
        module.launch("vector_add", grid=1, block=64, args=[total, floats(), total, 64])
    assert (total.read(np.float32) == floats() * 3).all()
    assert total.size == 256 and total.address % 256 == 0
    fresh = module.buffer(256)
    with pytest.raises(emulator.CheckError, match="read of memory nobody wrote"):
        module.launch("vector_add", grid=1, block=64, args=[fresh, floats(), total, 64])


def test_uninitialised_results(module: emulator.Module) -> None:
    out = emulator.Uninitialised(np.zeros(64, np.float32))
    module.launch("vector_add", grid=1, block=64, args=[floats(), floats(), out, 64])
    assert (out.array == floats() * 2).all()


def test_structures() -> None:
    """A parameter of bytes takes a structured array, a scalar of one, or bytes."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 s[16], .param .u64 out, .param .f32 f) {
    .reg .f64 %d<3>;
    .reg .f32 %f<3>;
    .reg .b32 %r<3>;
    .reg .b64 %p;
    ld.param.u32 %r0, [s];
    ld.param.f64 %d0, [s+8];
    ld.param.f32 %f0, [f];
    ld.param.u64 %p, [out];
    cvt.rn.f64.s32 %d1, %r0;
    add.f64 %d0, %d0, %d1;
    cvt.f64.f32 %d2, %f0;
    add.f64 %d0, %d0, %d2;
    st.global.f64 [%p], %d0;
    ret;
}
"""
    module = emulator.load(text)
    kind = np.dtype([("n", np.int32), ("pad", np.int32), ("x", np.float64)])
    value = np.array([(3, 0, 0.5)], kind)
    for structure in (value, value[0], value.tobytes()):
        out = np.zeros(1)
        module.launch("k", grid=1, block=1, args=[structure, out, 0.25])
        assert out[0] == 3.75
    with pytest.raises(emulator.LaunchError, match="has 16 bytes, its argument 3"):
        module.launch("k", grid=1, block=1, args=[b"abc", np.zeros(1), 0.25])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"args": [1, 2, 3]}, "takes 4 arguments, 3 were given"),
    ({"args": [floats(), floats(), floats(), "a"]}, "cannot take a str"),
    ({"args": [floats(), None, floats(), 1]}, "cannot take a NoneType"),
    ({"args": [floats(), floats(), floats(), 1.5]}, "give numpy.float32 or float64"),
    ({"args": [floats(), floats(), floats(), np.int64(1)]}, "has 4 bytes, its argument 8"),
    ({"args": [floats(), floats(), np.array([None]), 1]}, "array of object"),
    ({"grid": (1, 2, 3, 4)}, "grid must be one to three positive sizes"),
    ({"grid": "a"}, "grid must be one to three positive sizes"),
    ({"block": 0}, "block must be one to three positive sizes"),
    ({"block": 1025}, "1025 threads a block; at most 1024"),
    ({"block": 8.0}, "block must be one to three positive sizes"),
    ({"block": (1, 1, 65)}, "a block is at most"),
    ({"grid": (1, 70000)}, "a grid is at most"),
    ({"args": [floats(), floats(), floats(), floats()]}, "is .u32, which cannot hold the address"),
    ({"args": [floats(), floats(), floats(), 1 << 40]}, "is .u32: 1099511627776"),
    ({"args": [floats(), floats(), np.array(["a"]), 1]}, "array of <U1"),
    ({"shared": 1.5}, "no size of dynamic shared memory"),
    ({"shared": -1}, "a negative size of dynamic shared memory"),
    ({"shared": 1 << 20}, "bytes of shared memory are too many"),
    ({"breakpoints": {10**6: print}}, "no instruction of the kernel at line 1000000"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=[row[1][:24] for row in REFUSED])
def test_refused(module: emulator.Module, change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"grid": 1, "block": 32, "args": [floats()] * 3 + [32], **change}
    with pytest.raises(emulator.LaunchError, match=message):
        module.launch("vector_add", **options)


def test_overlapping_arrays(module: emulator.Module) -> None:
    memory = np.zeros(96, np.float32)
    with pytest.raises(emulator.LaunchError, match="overlaps another argument"):
        args = [floats(), memory[:64], memory[32:], 64]
        module.launch("vector_add", grid=1, block=64, args=args)
    # Interleaved views share no element.
    args = [floats(48), memory[::2], memory[1::2], 48]
    module.launch("vector_add", grid=1, block=64, args=args)


def test_required_block_sizes() -> None:
    module = emulator.load(FIXTURES / "softmax.ptx")
    with pytest.raises(emulator.LaunchError, match="requires blocks of"):
        module.launch("softmax", grid=1, block=32, args=[0] * 5)
    kernels = emulator.load(FIXTURES / "kernels.ptx")
    with pytest.raises(emulator.LaunchError, match="allows 128 threads a block, not 256"):
        kernels.launch("mma_product", grid=1, block=256, args=[0] * 5)


def test_arrays_are_copied_back_after_an_error() -> None:
    """What was written before a trap is there, and the module can be launched again."""
    text = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 %p;
    ld.param.u64 %p, [out];
    st.global.u32 [%p], 7;
    trap;
}
"""
    module = emulator.load(text)
    for _ in range(2):
        out = np.zeros(1, np.uint32)
        with pytest.raises(emulator.ExecutionError, match="trap"):
            module.launch("k", grid=1, block=1, args=[out])
        assert out[0] == 7


def test_a_register_and_an_offset_wrap_in_shared_memory() -> None:
    """Compilers share an offset between accesses: a register may lie before the first byte."""
    words = np.arange(100, 132, dtype=np.uint32)
    found = np.zeros(32, np.uint32)
    launch(
        """
    .shared .align 16 .b8 memory[256];
    mov.u32 %r0, memory;
    shl.b32 %r1, %t, 2;
    add.s32 %r1, %r1, %r0;
    add.s32 %r1, %r1, -256;
    cp.async.ca.shared.global [%r1+256], [%w], 4;
    cp.async.wait_all;
    atom.shared.add.u32 %r2, [%r1+256], 1;
    ld.shared.u32 %r2, [%r1+256];
    st.shared.u32 [%r1+384], %r2;
    ld.shared.u32 %r3, [%r1+384];
    mad.wide.u32 %x0, %t, 4, %p1;
    st.global.u32 [%x0], %r3;
""",
        *(words, found),
        threads=32,
    )
    np.testing.assert_array_equal(found, words + 1)


def test_before_the_first_byte_of_shared_memory_there_is_none() -> None:
    with pytest.raises(emulator.CheckError, match="out of bounds in shared memory"):
        launch(
            """
    .shared .align 16 .b8 memory[256];
    mov.u32 %r0, memory;
    add.s32 %r0, %r0, -16;
    st.shared.u32 [%r0+12], %t;
""",
            np.zeros(1, np.uint32),
            threads=1,
        )
